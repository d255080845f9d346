"""Input pipelines: what is not settled in TensorFlow."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data.mapping import AUTOTUNE
from troupe._src.data.saved_iterators import make_saveable_from_iterator
from troupe._src.data.transformations import map_and_batch, shuffle_and_repeat, unbatch

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AUTOTUNE",
    "make_saveable_from_iterator",
    "map_and_batch",
    "shuffle_and_repeat",
    "unbatch",
]
