"""Iterative solvers of linear equations."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.solvers.python.ops import lanczos, least_squares, linear_equations, util

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["lanczos", "least_squares", "linear_equations", "util"]
