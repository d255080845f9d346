"""Command-line flags of a program: `--name=value`, `--name value`, `--name`, `--noname`."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Dict, List, NoReturn, Optional, Sequence

from troupe._src.set_module import set_module


@set_module("troupe.flags")
class Error(Exception):
    """An invalid value of a flag, or a required flag without a value."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Error(message)


class _FlagValues:
    """The values of all flags, as attributes. The command line is parsed at the first access."""

    def __init__(self) -> None:
        self.__dict__["_parser"] = _Parser(allow_abbrev=False, argument_default=argparse.SUPPRESS)
        self.__dict__["_values"] = {}
        self.__dict__["_required"] = []
        self.__dict__["_is_parsed"] = False

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
        self.__dict__["_values"].update(vars(parsed))
        self.__dict__["_is_parsed"] = True
        for name in self.__dict__["_required"]:
            if self.__dict__["_values"][name] is None:
                raise Error(f"flag --{name}=None: Flag --{name} must have a value other than None.")
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

    def flag_values_dict(self) -> Dict[str, Any]:
        """The values by the flags' names."""
        return dict(self.__dict__["_values"])

    def _define(self, name: str, default: Any, help_text: Optional[str], **options: Any) -> None:
        self.__dict__["_parser"].add_argument(f"--{name}", dest=name, help=help_text, **options)
        self.__dict__["_values"][name] = default
        self.__dict__["_is_parsed"] = False


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


def mark_flag_as_required(flag_name: str) -> None:
    """Makes parsing fail where the flag has no value.

    Args:
        flag_name: the name of a flag that is defined.
    """
    FLAGS.__dict__["_required"].append(flag_name)


def _boolean(text: str) -> bool:
    known = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
    if text.lower() not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return known[text.lower()]


def _list(text: str) -> List[str]:
    return [part.strip() for part in text.split(",")]
