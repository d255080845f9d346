"""Command-line flags of a program, which are those of absl: `--name=value`, `--noname`."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, List, Optional, Sequence, TypeVar

from absl import flags as absl_flags
from absl.flags import Error as Error
from absl.flags import Flag as Flag

from troupe._src.set_module import set_module

_F = TypeVar("_F", bound=Callable[..., Any])

# Names that arguments had in TensorFlow's first versions.
_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}

# A flag belongs to the module that calls these functions, which --help is asked of.
absl_flags.disclaim_key_flags()


@set_module("troupe.flags")
class FlagValues(absl_flags.FlagValues):
    """The values of flags, as attributes: the first access parses the command line.

    Args:
        shared: Those of absl, whose flags these are.
    """

    def __init__(self, shared: absl_flags.FlagValues) -> None:
        object.__setattr__(self, "__dict__", shared.__dict__)

    def __getattr__(self, name: str) -> Any:
        if name in self and not self.is_parsed():
            parse_flags(sys.argv, self)
        return super().__getattr__(name)


FLAGS = FlagValues(absl_flags.FLAGS)


def parse_flags(
    argv: Sequence[str], values: Optional[absl_flags.FlagValues] = None
) -> List[str]:
    """Gives flags their values.

    Args:
        argv: The program's name and the arguments.
        values: The flags, by default those of the program.

    Returns:
        The name, and the arguments that are no flags that the program has defined.

    Raises:
        Error: A value is not valid, or a required flag has none.
    """
    return list((FLAGS if values is None else values)(argv, known_only=True))


def _of_program(function: _F) -> _F:
    """The function for the flags of the program, with TensorFlow's names of arguments."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if function.__name__.startswith("DEFINE_"):
            kwargs = {_OLD_NAMES.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **{"flag_values": FLAGS, **kwargs})

    return call  # type: ignore[return-value]


DEFINE_string = _of_program(absl_flags.DEFINE_string)
DEFINE_integer = _of_program(absl_flags.DEFINE_integer)
DEFINE_float = _of_program(absl_flags.DEFINE_float)
DEFINE_boolean = _of_program(absl_flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_enum = _of_program(absl_flags.DEFINE_enum)
DEFINE_list = _of_program(absl_flags.DEFINE_list)
DEFINE_multi_string = _of_program(absl_flags.DEFINE_multi_string)
DEFINE_multi_integer = _of_program(absl_flags.DEFINE_multi_integer)
DEFINE_multi_float = _of_program(absl_flags.DEFINE_multi_float)
DEFINE_multi_enum = _of_program(absl_flags.DEFINE_multi_enum)
DEFINE_spaceseplist = _of_program(absl_flags.DEFINE_spaceseplist)
mark_flag_as_required = _of_program(absl_flags.mark_flag_as_required)
mark_flags_as_required = _of_program(absl_flags.mark_flags_as_required)
mark_flags_as_mutual_exclusive = _of_program(absl_flags.mark_flags_as_mutual_exclusive)
register_validator = _of_program(absl_flags.register_validator)
