"""`import troupe.as_tensorflow`: from then on `import tensorflow` gives this package.

So do its submodules: `tensorflow.compat.v1`, `tensorflow.python.framework.ops` and those others
that exist here.
"""

from typing import TYPE_CHECKING

from troupe import __all__ as __all__
from troupe._src.api.alias import install as _install

if TYPE_CHECKING:
    from troupe import *
else:
    __getattr__, __dir__ = _install()
