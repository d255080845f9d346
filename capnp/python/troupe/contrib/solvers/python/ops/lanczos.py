"""Lanczos' bidiagonalization."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.solvers.lanczos import bidiag_matmul, lanczos_bidiag

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["bidiag_matmul", "lanczos_bidiag"]
