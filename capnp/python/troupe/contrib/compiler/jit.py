"""Blocks that TensorFlow may compile; kernels run as they are here."""

from troupe._src.functions.xla import experimental_jit_scope

__all__ = ["experimental_jit_scope"]
