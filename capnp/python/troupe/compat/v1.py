"""`import troupe.compat.v1 as tf`: another name of the package itself."""

from troupe import __all__ as __all__
from troupe._src.api.missing import attributes_of as _attributes_of

__getattr__ = _attributes_of("troupe")
