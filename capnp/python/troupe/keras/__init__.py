"""Keras: the package `keras` of PyPI, of version 2.2 or 2.3, where that is installed.

`pip install 'keras==2.3.1'`. Its layers, models and optimizers add nodes to the default graph, and
run in the session that `keras.backend.set_session` is given, or in one that they make.
"""

from typing import TYPE_CHECKING

from troupe._src.keras.installed import serve_modules as _serve_modules

_serve_modules(__name__)

if TYPE_CHECKING:
    from typing import Any

    def __getattr__(name: str) -> Any: ...
else:
    from troupe._src.keras.installed import keras_attribute as __getattr__  # noqa: F401
    from troupe._src.keras.installed import keras_names as __dir__  # noqa: F401
