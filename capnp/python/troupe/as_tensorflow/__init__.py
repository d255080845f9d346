"""`import troupe.as_tensorflow`: from then on `import tensorflow` gives this package.

So do its submodules: `tensorflow.compat.v1`, `tensorflow.python.framework.ops` and those others
that exist here.
"""

from troupe import __all__ as __all__
from troupe._src.api.alias import install as _install

__getattr__ = _install()
