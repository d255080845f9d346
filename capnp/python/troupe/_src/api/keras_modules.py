"""The package `keras` of PyPI as `tf.keras`, and as `tensorflow.python.keras`."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import sys
import types
from typing import Any, Callable, Container, List, Optional, Sequence, Tuple

from troupe._src.api.aliases import Aliases
from troupe._src.api.keras_corrections import is_supported, keras_version
from troupe._src.keras.datasets import accept_datasets

_PACKAGE = __name__.split(".")[0]


def _installed() -> types.ModuleType:
    """The installed package; AttributeError where none fits this one."""
    version = keras_version()
    if not is_supported(version):
        found = "none is installed" if version is None else f"version {version} is installed"
        raise AttributeError(
            f"'{_PACKAGE}.keras' is the package 'keras' of PyPI, of version 2.2 or 2.3, and "
            f"{found}: pip install 'keras==2.3.1'"
        )
    importlib.import_module(f"{_PACKAGE}.as_tensorflow")  # as it imports tensorflow
    return _imported()


@functools.lru_cache(maxsize=None)
def _imported() -> types.ModuleType:
    keras = importlib.import_module("keras")
    accept_datasets(keras.Model)
    # By its name: rooms that layers of columns need import this one.
    own = importlib.import_module(f"{_PACKAGE}._src.keras_layers.dense_features")
    keras.layers.DenseFeatures = own.dense_features_class(keras.layers.Layer)
    return keras


class _Finder(Aliases):
    """Finds the modules of the installed package, but for those that this package has itself."""

    def __init__(self, alias: str, own: Container[str]) -> None:
        super().__init__(alias, "keras", "the package 'keras'")
        self._own = own

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name == self.alias or name.partition(".")[2] in self._own:
            return None
        return super().find_spec(name, path, target)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        try:
            _installed()
        except AttributeError as error:
            raise ImportError(str(error), name=spec.name) from None
        return super().create_module(spec)


def serve_modules(alias: str, own: Container[str] = ()) -> None:
    """Makes `import ALIAS.X` give the module X of the installed package.

    Args:
        alias: The name of a module of this package.
        own: The modules below it, without the name of this package, which are not Keras's.
    """
    if not any(getattr(finder, "alias", None) == alias for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(alias, own))


def serve_keras(
    module: str, own: Sequence[str] = ()
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of the module that stands for Keras.

    Args:
        module: Its name, below which Keras's modules are imported, too.
        own: The modules below it that this package has itself.

    Returns:
        The two functions.
    """
    place = module.partition(".")[2]
    serve_modules(module, [f"{place}.{name}" for name in own])

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in own:
            return importlib.import_module(f"{module}.{name}")
        return getattr(_installed(), name)

    def list_names() -> List[str]:
        return list(sys.modules[module].__all__)

    return get, list_names
