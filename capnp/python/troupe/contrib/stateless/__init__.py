"""Random tensors as functions of seeds."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.random.stateless_ops import stateless_multinomial
from troupe._src.random.stateless_ops import stateless_normal as stateless_random_normal
from troupe._src.random.stateless_ops import stateless_truncated_normal
from troupe._src.random.stateless_ops import stateless_uniform as stateless_random_uniform

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "stateless_multinomial",
    "stateless_random_normal",
    "stateless_random_uniform",
    "stateless_truncated_normal",
]
