"""AutoGraph: control flow of Python in functions becomes that of the graph."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.autograph.api import (
    Feature,
    convert,
    do_not_convert,
    set_element_type,
    set_loop_options,
    stack,
    to_code,
    to_graph,
)
from troupe._src.autograph.transpiler import converted_call

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Feature",
    "convert",
    "converted_call",
    "do_not_convert",
    "set_element_type",
    "set_loop_options",
    "stack",
    "to_code",
    "to_graph",
]
