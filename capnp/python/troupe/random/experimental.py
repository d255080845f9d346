"""Random tensors: what is not settled in TensorFlow."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.random_generators.generators import (
    Generator,
    get_global_generator,
    set_global_generator,
)
from troupe._src.random_generators.states import create_rng_state

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["Generator", "create_rng_state", "get_global_generator", "set_global_generator"]
