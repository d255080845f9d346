"""Blocks and functions that TensorFlow may compile; kernels run as they are here."""

from troupe._src.functions.xla import compile
from troupe._src.functions.xla import experimental_jit_scope as jit_scope

__all__ = ["compile", "jit_scope"]
