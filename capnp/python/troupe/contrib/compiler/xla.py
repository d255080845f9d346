"""Functions that TensorFlow compiles; kernels run as they are here."""

from troupe._src.functions.xla import compile

__all__ = ["compile"]
