"""Random tensors."""

from troupe._array import random_normal as normal
from troupe._array import random_uniform as uniform
from troupe._array import truncated_normal
from troupe._seeds import set_random_seed

__all__ = ["normal", "set_random_seed", "truncated_normal", "uniform"]
