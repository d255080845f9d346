"""`import tensorflow.compat.v2 as tf`: the names of TensorFlow 2, for graphs.

There is no eager execution: tensors are those of a graph, and a session runs them. A name stands
for the same as in the package itself, or takes the parameters that it has in TensorFlow 2.
"""

from typing import TYPE_CHECKING

from troupe._src.compat_v2.spaces import NAMES as __all__
from troupe._src.compat_v2.spaces import install as _install

if not TYPE_CHECKING:
    __getattr__, __dir__ = _install(__name__)
