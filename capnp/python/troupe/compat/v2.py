"""`import tensorflow.compat.v2 as tf`: the names of TensorFlow 2, for graphs.

There is no eager execution: tensors are those of a graph, and a session runs them. A name stands
for the same as in the package itself, or takes the parameters that it has in TensorFlow 2.
"""

from typing import Any, List

from troupe._src.compat_v2.spaces import install as _install

_space = _install(__name__)
__path__: List[str] = []


def __getattr__(name: str) -> Any:
    return getattr(_space, name)


def __dir__() -> List[str]:
    return dir(_space)
