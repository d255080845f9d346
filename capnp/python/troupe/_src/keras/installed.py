"""The package `keras` of PyPI as `tf.keras`, and as `tensorflow.python.keras`."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, List, Optional, Sequence

from troupe._src.api.alias import Aliases, install
from troupe._src.api.locations import OWNERS
from troupe._src.keras.corrections import is_supported, keras_version

_PACKAGE = __name__.split(".")[0]


def keras_attribute(name: str) -> Any:
    """An attribute of the installed package; AttributeError where none fits this one."""
    if name == "__all__":
        return keras_names()
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_installed(), name)


def keras_names() -> List[str]:
    """The public attributes of the installed package."""
    hidden = ("absolute_import",)
    return [name for name in dir(_installed()) if name[0] != "_" and name not in hidden]


def _installed() -> types.ModuleType:
    version = keras_version()
    if not is_supported(version):
        found = "none is installed" if version is None else f"version {version} is installed"
        raise AttributeError(
            f"'{_PACKAGE}.keras' is the package 'keras' of PyPI, of version 2.2 or 2.3, and "
            f"{found}: pip install 'keras==2.3.1'"
        )
    install()  # as it imports tensorflow
    return importlib.import_module("keras")


class _Finder(Aliases):
    """Finds the modules of the installed package, but for those that this package has itself."""

    def __init__(self, alias: str) -> None:
        super().__init__(alias, "keras", "the package 'keras'")

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name == self.alias or name.partition(".")[2] in OWNERS:
            return None
        return super().find_spec(name, path, target)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        try:
            _installed()
        except AttributeError as error:
            raise ImportError(str(error)) from None
        return super().create_module(spec)


def serve_modules(alias: str) -> None:
    """Makes `import ALIAS.X` give the module X of the installed package."""
    if not any(getattr(finder, "alias", None) == alias for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(alias))
