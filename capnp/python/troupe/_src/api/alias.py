"""Makes `import tensorflow`, and its submodules, this package."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.api.locations import install_finder
from troupe._src.api.missing import attributes_of

_PACKAGE = __name__.split(".")[0]
_ALIAS = "tensorflow"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tensorflow.X` as the module X of this package."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name.split(".")[0] != _ALIAS:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        own_name = _PACKAGE + spec.name[len(_ALIAS) :]
        try:
            module = importlib.import_module(own_name)
        except ModuleNotFoundError as error:
            if error.name != own_name:
                raise
            raise ModuleNotFoundError(
                f"{_PACKAGE} has no '{spec.name}': the module is not part of this version",
                name=spec.name,
            ) from None
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Gives the module back what the import system has replaced."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


class _Explainer(importlib.abc.MetaPathFinder):
    """The last finder: says why `from tensorflow import X` finds no X."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> None:
        package, _, attribute = name.partition(".")
        if package == _PACKAGE and attribute.isidentifier() and not attribute.startswith("_"):
            try:
                getattr(sys.modules[_PACKAGE], attribute)
            except AttributeError as error:
                raise ImportError(str(error)) from None


def install() -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Installs the alias in this process; the attributes of a module that does so."""
    loaded = sys.modules.get(_ALIAS)
    if loaded is not None and loaded is not sys.modules[_PACKAGE]:
        raise ImportError(f"this program has imported another {_ALIAS} already")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        install_finder()
        sys.meta_path.append(_Explainer())
    return attributes_of(_PACKAGE)
