"""Operations on sets along the last axis of tensors."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.sparse.sets import difference, intersection, size, union
from troupe._src.sparse.sets import difference as set_difference
from troupe._src.sparse.sets import intersection as set_intersection
from troupe._src.sparse.sets import size as set_size
from troupe._src.sparse.sets import union as set_union

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "difference",
    "intersection",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "size",
    "union",
]
