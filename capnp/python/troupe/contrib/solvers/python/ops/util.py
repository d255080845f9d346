"""Linear operators as functions, and lengths of vectors."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.solvers.operators import (
    create_operator,
    dot,
    identity_operator,
    l2norm,
    l2norm_squared,
    l2normalize,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["create_operator", "dot", "identity_operator", "l2norm", "l2norm_squared", "l2normalize"]
