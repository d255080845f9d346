"""Command-line flags of a program: `--name=value`, `--name value`, `--name`, `--noname`."""

from troupe._src.platform.flags import (
    FLAGS,
    DEFINE_bool,
    DEFINE_boolean,
    DEFINE_enum,
    DEFINE_float,
    DEFINE_integer,
    DEFINE_list,
    DEFINE_string,
    Error,
    mark_flag_as_required,
)

__all__ = [
    "DEFINE_bool",
    "DEFINE_boolean",
    "DEFINE_enum",
    "DEFINE_float",
    "DEFINE_integer",
    "DEFINE_list",
    "DEFINE_string",
    "Error",
    "FLAGS",
    "mark_flag_as_required",
]
