"""Copies of variables and of operations in other graphs."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib_ops.copied_elements import (
    copy_op_to_graph,
    copy_variable_to_graph,
    get_copied_op,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["copy_op_to_graph", "copy_variable_to_graph", "get_copied_op"]
