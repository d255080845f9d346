"""`import troupe.compat.v1 as tf`: another name of the package itself."""

from typing import TYPE_CHECKING

from troupe import __all__ as __all__
from troupe._src.api.missing import attributes_of as _attributes_of

if TYPE_CHECKING:
    from troupe import *
else:
    __getattr__, __dir__ = _attributes_of("troupe")
