"""Sizes of the tensors and variables of a graph."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim.analysis import (
    analyze_ops,
    analyze_vars,
    tensor_description,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "analyze_ops",
    "analyze_vars",
    "tensor_description",
]
