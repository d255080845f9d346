"""Hyperparameters of a program: values with names, of types that do not change."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any, Callable, Dict, Optional, Tuple, Union

from troupe._src.messages.hparam_messages import HParamDef, message_of, values_of
from troupe._src.set_module import set_module

_CLAUSE = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])($|,\s*)"
)
_BOOLEANS = {"true": True, "True": True, "false": False, "False": False, "1": True, "0": False}


def _parser(kind: type, name: str, text: str) -> Callable[[str], Any]:
    def parse(value: str) -> Any:
        try:
            if kind is bool:
                return _BOOLEANS[value]
            return kind(value)
        except (KeyError, ValueError):
            raise ValueError(
                f"Could not parse hparam '{name}' of type '{kind.__name__}' with value "
                f"'{value}' in {text}"
            ) from None

    return parse


def parse_values(
    values: str, type_map: Dict[str, type], ignore_unknown: bool = False
) -> Dict[str, Any]:
    """The values of a text "name=value,name[index]=value,name=[value,value]".

    Args:
        values: the text.
        type_map: the type of each name, or that of its list's elements.
        ignore_unknown: leaves out other names.

    Returns:
        {name: a value, a list, or {index: a value}}.

    Raises:
        ValueError: for another form, an unknown name, a name that is assigned twice, and a value
            that is not of the type.
    """
    found: Dict[str, Any] = {}
    position = 0
    while position < len(values):
        clause = _CLAUSE.match(values, position)
        if clause is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = clause.end()
        name, index = clause["name"], clause["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        parse = _parser(type_map[name], name, values)
        is_used = name in found and (index is None or not isinstance(found[name], dict))
        if is_used or (index is not None and int(index) in found.get(name, {})):
            shown = name if index is None or is_used else f"{name}[{index}]"
            raise ValueError(f"Multiple assignments to variable '{shown}' in {values}")
        if clause["value"] is None:
            if index is not None:
                raise ValueError("Assignment of a list to a list index.")
            found[name] = [parse(each) for each in re.split("[ ,]", clause["values"]) if each]
        elif index is None:
            found[name] = parse(clause["value"].strip())
        else:
            found.setdefault(name, {})[int(index)] = parse(clause["value"].strip())
    return found


def _cast(name: str, kind: type, value: Any) -> Any:
    """The value as that type; ValueError where that would lose something."""
    if type(value) is kind or kind is type(None):
        return value
    texts = (str, bytes)
    if (
        (issubclass(kind, texts) and not isinstance(value, texts))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    ):
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)


@set_module("troupe.contrib.training")
class HParams:
    """Hyperparameters as attributes; each keeps the type of its first value.

    Args:
        hparam_def: An `HParamDef` with the first values; no others are given then.
        model_structure: Any object, which is kept beside the values.
        **kwargs: The first values, by name: numbers, booleans, texts, or lists of these.

    Raises:
        TypeError: `hparam_def` is no such message.
        ValueError: A name is that of a method, a list is empty, or there are values beside those
            of a message.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            if kwargs:
                raise ValueError("hparam_def and initial values should be mutually exclusive")
            kwargs = values_of(hparam_def)
        self._hparam_types: Dict[str, Tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds one.

        Args:
            name: Its name.
            value: A number, a boolean, a text, or a list of these.

        Raises:
            ValueError: The name is in use, or the list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets one that exists.

        Args:
            name: Its name.
            value: A value of its type; an integer may be set where a float is.

        Raises:
            ValueError: The value is of another type.
            KeyError: There is none of that name.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list) != is_list:
            must = "Must pass a list" if is_list else "Must not pass a list"
            raise ValueError(f"{must} for {'multi' if is_list else 'single'}-valued parameter: "
                             f"{name}.")  # fmt: skip
        if is_list:
            setattr(self, name, [_cast(name, kind, each) for each in value])
        else:
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes one, if it exists."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets those that a text has.

        Args:
            values: "name=value,name[index]=value,name=[value,value]", as for `parse_values`.

        Returns:
            This object.

        Raises:
            ValueError: The text is malformed, names one that does not exist, or has a value of
                another type.
        """
        types = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, types))

    def override_from_dict(self, values_dict: Dict[str, Any]) -> HParams:
        """Sets those of a dictionary.

        Args:
            values_dict: {name: value}, or {name: {index: value}} for elements of a list.

        Returns:
            This object.

        Raises:
            ValueError: A value is of another type, or there are indices for what is no list.
            KeyError: There is none of such a name.
        """
        for name, value in values_dict.items():
            if isinstance(value, dict):
                if not self._hparam_types[name][1]:
                    raise ValueError(f"Must not pass an index for single-valued parameter: {name}.")
                given, value = value, list(getattr(self, name))
                for index, each in given.items():
                    value[index] = each
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Dict[str, Any]) -> HParams:
        """The former name of `override_from_dict`.

        Args:
            values_map: New values by name.

        Returns:
            Itself.
        """
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Replaces the object that is kept beside the values.

        Args:
            model_structure: The object.
        """
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """The object that is kept beside the values."""
        return self._model_structure

    def to_json(
        self,
        indent: Union[int, str, None] = None,
        separators: Optional[Tuple[str, str]] = None,
        sort_keys: bool = False,
    ) -> str:
        """The values as JSON; functions are left out.

        Args:
            indent: As for `json.dumps`.
            separators: As for `json.dumps`.
            sort_keys: Sorts the names.

        Returns:
            A JSON object.
        """
        plain = {name: each for name, each in self.values().items() if not callable(each)}
        return json.dumps(plain, indent=indent, separators=separators, sort_keys=sort_keys)

    def to_proto(self, export_scope: Optional[str] = None) -> HParamDef:
        """The message of the values.

        Args:
            export_scope: Has no effect.

        Returns:
            An `HParamDef`.

        Raises:
            ValueError: It has no field for the type of a value.
        """
        del export_scope
        return message_of(self.values(), self._hparam_types)

    @staticmethod
    def from_proto(hparam_def: HParamDef, import_scope: Optional[str] = None) -> HParams:
        """Hyperparameters with the values of a message.

        Args:
            hparam_def: The message.
            import_scope: Has no effect.

        Returns:
            The hyperparameters.
        """
        del import_scope
        return HParams(hparam_def=hparam_def)

    def parse_json(self, values_json: str) -> HParams:
        """Sets those that a JSON object has.

        Args:
            values_json: A JSON object, {name: value}.

        Returns:
            This object.

        Raises:
            ValueError: The text is no JSON, or a value is of another type.
            KeyError: There is none of such a name.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> Dict[str, Any]:
        """{name: value}."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Optional[Any] = None) -> Any:
        """The value of one, or a default.

        Args:
            key: Its name.
            default: What to give where there is none of that name.

        Returns:
            The value.

        Raises:
            ValueError: There is one, and the default is of another type.
        """
        if key not in self._hparam_types:
            return default
        kind, is_list = self._hparam_types[key]
        if default is not None:
            if is_list != isinstance(default, list):
                raise ValueError(
                    f"Hparam '{key}' of type '{kind}' is incompatible with default={default}"
                )
            for each in default if is_list else [default]:
                _cast(key, kind, each)
        return getattr(self, key)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"
