"""Messages as protobuf's JSON has them: dicts, lists, texts and numbers."""

from __future__ import annotations

import base64
import re
from typing import Any, Dict

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage

_TEXT_NUMBERS = ("int64", "uint64", "sint64")


def message_to_dict(message: ProtoMessage) -> Dict[str, Any]:
    """A message as JSON has it.

    Args:
        message: The message.

    Returns:
        A dict of the fields that are set, by their names in JSON: `tensorShape`.
    """
    found: Dict[str, Any] = {}
    for name, field, value in message._set_fields():
        if field.key is not None:
            found[_camel(name)] = {str(key): _to_json(field, value[key]) for key in value}
        elif field.repeated:
            found[_camel(name)] = [_to_json(field, each) for each in value]
        else:
            found[_camel(name)] = _to_json(field, value)
    return found


def fill_from_dict(message: ProtoMessage, told: Dict[str, Any]) -> None:
    """Sets the fields that JSON has.

    Args:
        message: An empty message.
        told: What `message_to_dict` gives, or protobuf's own function of that kind.

    Raises:
        ValueError: The message has no such field.
    """
    names = {_camel(name): name for name in message._fields}
    for key, value in told.items():
        name = names.get(key, key)
        if name not in message._fields:
            raise ValueError(f'Message type "{type(message).__name__}" has no field named "{key}".')
        _fill_field(message, name, message._fields[name], value)


def _fill_field(message: ProtoMessage, name: str, field: Field, value: Any) -> None:
    held = getattr(message, name)
    if field.key is not None:
        for key, each in value.items():
            if field.is_message:
                held[key].SetInParent()
                fill_from_dict(held[key], each)
            else:
                held[key] = _from_json(field, each)
    elif field.repeated:
        for each in value:
            if field.is_message:
                fill_from_dict(held.add(), each)
            else:
                held.append(_from_json(field, each))
    elif field.is_message:
        held.SetInParent()
        fill_from_dict(held, value)
    else:
        setattr(message, name, _from_json(field, value))


def _camel(name: str) -> str:
    return re.sub("_([a-z0-9])", lambda found: found.group(1).upper(), name)


def _to_json(field: Field, value: Any) -> Any:
    if field.is_message:
        return message_to_dict(value)
    if field.kind == "bytes":
        return base64.b64encode(value).decode()
    if field.kind in _TEXT_NUMBERS:
        return str(value)
    if field.kind == "enum":
        names = {number: name for name, number in (field.of or {}).items()}
        return names.get(value, value)
    return value


def _from_json(field: Field, value: Any) -> Any:
    if field.kind == "bytes":
        return base64.b64decode(value)
    if field.kind in _TEXT_NUMBERS:
        return int(value)
    if field.kind in ("float", "double"):
        return float(value)
    return value
