"""Command-line flags of a program: `--name=value`, `--name value`, `--name`, `--noname`."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Optional, Sequence

from troupe._src.set_module import set_module


@set_module("troupe.flags")
class Error(Exception):
    """An invalid value of a flag, or a required flag without a value."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Error(message)


@set_module("troupe.flags")
class Flag:
    """A flag that a program has defined, which `FLAGS[name]` gives.

    Args:
        values: Those of all flags, of which it is one.
        name: Its name.
        default: Its value where the command line has none.
        help: What `--help` shows.
    """

    def __init__(
        self, values: Dict[str, Any], name: str, default: Any, help: Optional[str]
    ) -> None:
        self._values = values
        self.name = name
        self.default = default
        self.help = help
        self.present = 0

    @property
    def value(self) -> Any:
        """Its value."""
        return self._values[self.name]

    @value.setter
    def value(self, value: Any) -> None:
        self._values[self.name] = value

    def __repr__(self) -> str:
        return f"<Flag {self.name}={self.value!r}>"


class _FlagValues:
    """The values of all flags, as attributes. The command line is parsed at the first access."""

    def __init__(self) -> None:
        self.__dict__["_parser"] = _Parser(allow_abbrev=False, argument_default=argparse.SUPPRESS)
        self.__dict__["_values"] = {}
        self.__dict__["_checks"] = []
        self.__dict__["_is_parsed"] = False
        self.__dict__["__flags"] = {}  # the name that programs know

    def __call__(self, argv: Sequence[str]) -> List[str]:
        """Parses a command line.

        Args:
            argv: the program's name and the arguments.

        Returns:
            The name, and the arguments that are no flags.

        Raises:
            Error: if a value is not valid, or a required flag has none.
        """
        parsed, rest = self.__dict__["_parser"].parse_known_args(list(argv[1:]))
        for name, value in vars(parsed).items():
            self.__dict__["_values"][name] = value
            self.__dict__["__flags"][name].present = 1
        self.__dict__["_is_parsed"] = True
        for check in self.__dict__["_checks"]:
            check(self.__dict__["_values"])
        return [argv[0], *rest]

    def __getattr__(self, name: str) -> Any:
        values: Dict[str, Any] = self.__dict__["_values"]
        if name not in values:
            raise AttributeError(f"the program has defined no flag '{name}'")
        if not self.__dict__["_is_parsed"]:
            self(sys.argv)
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_values"][name] = value

    def __delattr__(self, name: str) -> None:
        if name not in self.__dict__["_values"]:
            raise AttributeError(f"the program has defined no flag '{name}'")
        del self.__dict__["_values"][name]
        self.__dict__["__flags"].pop(name, None)
        parser = self.__dict__["_parser"]
        for action in [each for each in parser._actions if each.dest == name]:
            parser._remove_action(action)
            for option in action.option_strings:
                parser._option_string_actions.pop(option, None)

    def __getitem__(self, name: str) -> Flag:
        flag: Flag = self.__dict__["__flags"][name]
        return flag

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__["_values"]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.__dict__["__flags"]))

    def __dir__(self) -> List[str]:
        return sorted(self.__dict__["__flags"])

    def __len__(self) -> int:
        return len(self.__dict__["__flags"])

    def flag_values_dict(self) -> Dict[str, Any]:
        """The values by the flags' names."""
        return dict(self.__dict__["_values"])

    def get_flag_value(self, name: str, default: Any) -> Any:
        """The value of a flag, or the default where the program has defined none.

        Args:
            name: the name of the flag.
            default: what is returned without one.

        Returns:
            The value.
        """
        return getattr(self, name) if name in self else default

    def is_parsed(self) -> bool:
        """Whether the command line has been parsed."""
        return bool(self.__dict__["_is_parsed"])

    def mark_as_parsed(self) -> None:
        """Keeps the values as they are: the command line is not parsed."""
        self.__dict__["_is_parsed"] = True

    def unparse_flags(self) -> None:
        """Lets the next access parse the command line again."""
        self.__dict__["_is_parsed"] = False

    def set_default(self, name: str, value: Any) -> None:
        """Changes what a flag is where the command line has no value.

        Args:
            name: the name of the flag.
            value: its default.
        """
        flag = self[name]
        flag.default = value
        if not flag.present:
            flag.value = value

    def _define(self, name: str, default: Any, help_text: Optional[str], **options: Any) -> None:
        self.__dict__["_parser"].add_argument(f"--{name}", dest=name, help=help_text, **options)
        self.__dict__["_values"][name] = default
        self.__dict__["__flags"][name] = Flag(self.__dict__["_values"], name, default, help_text)
        self.__dict__["_is_parsed"] = False

    def _check(self, check: Callable[[Dict[str, Any]], None]) -> None:
        self.__dict__["_checks"].append(check)


FLAGS = _FlagValues()


def DEFINE_string(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag with a text.

    Args:
        name: the name of the flag.
        default: a text or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, default, help, type=str)


def DEFINE_integer(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag with an integer.

    Args:
        name: the name of the flag.
        default: an integer or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, default, help, type=int)


def DEFINE_float(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag with a number.

    Args:
        name: the name of the flag.
        default: a number or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, None if default is None else float(default), help, type=float)


def DEFINE_boolean(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag with a truth value: `--name`, `--name=true`, `--noname`.

    Args:
        name: the name of the flag.
        default: a bool or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, default, help, type=_boolean, nargs="?", const=True)
    FLAGS.__dict__["_parser"].add_argument(f"--no{name}", dest=name, action="store_false")


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(
    name: str, default: Any, enum_values: Sequence[str], help: Optional[str], **_: Any
) -> None:
    """Defines a flag with one of `enum_values`.

    Args:
        name: the name of the flag.
        default: one of the values, or None.
        enum_values: the texts that are allowed.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, default, help, type=str, choices=list(enum_values))


def DEFINE_list(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag with a list of strings, separated by commas.

    Args:
        name: the name of the flag.
        default: a list, a text with commas, or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, _list(default) if isinstance(default, str) else default, help, type=_list)


def DEFINE_multi_string(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag that may be given several times, with a list of texts.

    Args:
        name: the name of the flag.
        default: a list, a text for a list of one, or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, _several(default), help, type=str, action="append")


def DEFINE_multi_integer(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag that may be given several times, with a list of integers.

    Args:
        name: the name of the flag.
        default: a list, an integer for a list of one, or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, _several(default), help, type=int, action="append")


def DEFINE_multi_float(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag that may be given several times, with a list of numbers.

    Args:
        name: the name of the flag.
        default: a list, a number for a list of one, or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    FLAGS._define(name, _several(default), help, type=float, action="append")


def DEFINE_multi_enum(
    name: str, default: Any, enum_values: Sequence[str], help: Optional[str], **_: Any
) -> None:
    """Defines a flag that may be given several times, each with one of `enum_values`.

    Args:
        name: the name of the flag.
        default: a list, a text for a list of one, or None.
        enum_values: the texts that are allowed.
        help: what `--help` shows.
        **_: have no effect.
    """
    options = {"type": str, "action": "append", "choices": list(enum_values)}
    FLAGS._define(name, _several(default), help, **options)


def DEFINE_spaceseplist(name: str, default: Any, help: Optional[str], **_: Any) -> None:
    """Defines a flag with a list of strings, separated by spaces.

    Args:
        name: the name of the flag.
        default: a list, a text with spaces, or None.
        help: what `--help` shows.
        **_: have no effect.
    """
    value = default.split() if isinstance(default, str) else default
    FLAGS._define(name, value, help, type=str.split)


def mark_flag_as_required(flag_name: str) -> None:
    """Makes parsing fail where the flag has no value.

    Args:
        flag_name: the name of a flag that is defined.
    """

    def check(values: Dict[str, Any]) -> None:
        if values.get(flag_name) is None:
            raise Error(
                f"flag --{flag_name}=None: Flag --{flag_name} must have a value other than None."
            )

    FLAGS._check(check)


def mark_flags_as_required(flag_names: Sequence[str]) -> None:
    """Makes parsing fail where one of the flags has no value.

    Args:
        flag_names: names of flags that are defined.
    """
    for name in flag_names:
        mark_flag_as_required(name)


def mark_flags_as_mutual_exclusive(flag_names: Sequence[str], required: bool = False) -> None:
    """Makes parsing fail where more than one of the flags has a value.

    Args:
        flag_names: names of flags that are defined.
        required: whether one of them must have a value.
    """

    def check(values: Dict[str, Any]) -> None:
        count = sum(values.get(name) is not None for name in flag_names)
        if count > 1 or (required and count == 0):
            kind = "Exactly" if required else "At most"
            names = ", ".join(flag_names)
            raise Error(f"{kind} one of ({names}) must have a value other than None.")

    FLAGS._check(check)


def register_validator(
    flag_name: str, checker: Callable[[Any], bool], message: str = "Flag validation failed"
) -> None:
    """Makes parsing fail where a function finds the value of a flag wrong.

    Args:
        flag_name: the name of a flag that is defined.
        checker: is called with the value, and returns whether it is right.
        message: what the error says.
    """

    def check(values: Dict[str, Any]) -> None:
        if not checker(values[flag_name]):
            raise Error(f"flag --{flag_name}={values[flag_name]}: {message}")

    FLAGS._check(check)


def _several(default: Any) -> Any:
    is_list = default is None or isinstance(default, (list, tuple))
    return default if is_list else [default]


def _boolean(text: str) -> bool:
    known = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
    if text.lower() not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return known[text.lower()]


def _list(text: str) -> List[str]:
    return [part.strip() for part in text.split(",")]
