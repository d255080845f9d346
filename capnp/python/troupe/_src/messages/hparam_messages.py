"""The message of hyperparameters, TensorFlow's HParamDef."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.set_module import set_module

# The names in the message of the values and lists of a Python type.
_KINDS: Tuple[Tuple[type, str], ...] = (
    (bool, "bool"),
    (int, "int64"),
    (bytes, "bytes"),
    (str, "bytes"),
    (float, "float"),
)


@set_module("troupe.contrib.training")
class HParamDef(ProtoMessage):
    """The values of hyperparameters, by name."""

    class BytesList(ProtoMessage):
        """A list of texts."""

        _fields = {"value": Field(1, "bytes", repeated=True)}

    class FloatList(ProtoMessage):
        """A list of floats."""

        _fields = {"value": Field(1, "float", repeated=True)}

    class Int64List(ProtoMessage):
        """A list of integers."""

        _fields = {"value": Field(1, "int64", repeated=True)}

    class BoolList(ProtoMessage):
        """A list of booleans."""

        _fields = {"value": Field(1, "bool", repeated=True)}

    class HParamType(ProtoMessage):
        """A value, or a list of values."""

        _fields = {
            "int64_value": Field(1, "int64", oneof="kind"),
            "float_value": Field(2, "float", oneof="kind"),
            "bytes_value": Field(3, "bytes", oneof="kind"),
            "int64_list": Field(4, "message", lambda: HParamDef.Int64List, oneof="kind"),
            "float_list": Field(5, "message", lambda: HParamDef.FloatList, oneof="kind"),
            "bytes_list": Field(6, "message", lambda: HParamDef.BytesList, oneof="kind"),
            "bool_value": Field(7, "bool", oneof="kind"),
            "bool_list": Field(8, "message", lambda: HParamDef.BoolList, oneof="kind"),
        }

    _fields = {"hparam": Field(1, "message", HParamType, key="string")}


def message_of(values: Dict[str, Any], types: Dict[str, Tuple[type, bool]]) -> HParamDef:
    """The message of hyperparameters.

    Args:
        values: {name: value or list}.
        types: {name: (the type of its values, whether it is a list)}.

    Returns:
        The message.

    Raises:
        ValueError: It has no field for a type.
    """
    message = HParamDef()
    for name, value in values.items():
        kind, is_list = types[name]
        found = next((each for known, each in _KINDS if issubclass(kind, known)), None)
        if found is None:
            raise ValueError(f"Unsupported parameter type: {kind}")
        plain = [
            each.encode() if isinstance(each, str) else each
            for each in (value if is_list else [value])
        ]
        if is_list:
            getattr(message.hparam[name], f"{found}_list").value.extend(plain)
        else:
            setattr(message.hparam[name], f"{found}_value", plain[0])
    return message


def values_of(message: Any) -> Dict[str, Any]:
    """The values of a message.

    Args:
        message: An HParamDef.

    Returns:
        {name: value or list}.

    Raises:
        TypeError: It is no such message.
    """
    if not isinstance(message, HParamDef):
        raise TypeError(f"hparam_def must be an HParamDef, not {type(message).__name__}")
    found = {}
    for name, value in message.hparam.items():
        kind = value.WhichOneof("kind")
        if kind is None:
            raise ValueError(f"The message has no value of '{name}'")
        if kind.endswith("_list"):
            found[name] = [_plain(each) for each in getattr(value, kind).value]
        else:
            found[name] = _plain(getattr(value, kind))
    return found


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
