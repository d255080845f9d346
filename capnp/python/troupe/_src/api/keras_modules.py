"""The package `keras` of PyPI as `tf.keras`, and as `tensorflow.python.keras`.

Its files are loaded under these names, with what `_src/tf_keras` changes: a program may import
`keras` besides, whose classes are others, as they are beside TensorFlow.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from typing import Any, Callable, Container, List, Optional, Sequence, Tuple

from troupe._src.api.aliases import Aliases
from troupe._src.api.keras_corrections import CorrectedLoader, keras_folders, keras_version

_PACKAGE = __name__.split(".")[0]
_ALIAS = f"{_PACKAGE}.keras"

# What the package imports into itself, and from where.
_AT_THE_TOP = {"Input": "layers", "Model": "models", "Sequential": "models"}

# The modules that it had among the contributed ones.
CONTRIBUTED = (
    "activations", "applications", "backend", "callbacks", "constraints", "datasets",
    "initializers", "layers", "losses", "metrics", "models", "optimizers", "preprocessing",
    "regularizers", "utils", "wrappers",
)  # fmt: skip


def _folder() -> str:
    """That of the first package on the path that fits; AttributeError where none does.

    A program may have version 2.2 for itself: the classes that TensorFlow changes are of 2.3.
    """
    for folder, version in keras_folders():
        if version.startswith("2.3."):
            importlib.import_module(f"{_PACKAGE}.as_tensorflow")  # as it imports tensorflow
            return folder
    other = keras_version()
    found = "none is installed" if other is None else f"version {other} is installed"
    raise AttributeError(
        f"'{_ALIAS}' is the package 'keras' of PyPI, of version 2.3, and "
        f"{found}: pip install 'keras==2.3.1'"
    )


def _changes(name: str) -> Any:
    """A module that says what TensorFlow does otherwise. By its name: it imports rooms that import
    this one.
    """
    return importlib.import_module(f"{_PACKAGE}._src.tf_keras.{name}")


class _Loader(CorrectedLoader):
    """Loads a file of the package as a module of `tf.keras`."""

    def corrected(self, text: str) -> str:
        """The text as today's Python needs it, and as TensorFlow has it."""
        return str(_changes("corrections").corrected(self._place, super().corrected(text)))

    def exec_module(self, module: types.ModuleType) -> None:
        """Runs it, and puts into it what TensorFlow has besides."""
        super().exec_module(module)
        _changes("additions").add_to(module, self._place)

    @property
    def _place(self) -> str:
        return self.name[len(_ALIAS) + 1 :]


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the installed package, but for those that this package has itself."""

    def __init__(self, own: Container[str]) -> None:
        self._own = own
        self._has_begun = False

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        place = name[len(_ALIAS) + 1 :]
        if not name.startswith(f"{_ALIAS}.") or place in self._own:
            return None
        try:
            file = os.path.join(_folder(), *place.split("."))
        except AttributeError as error:
            raise ImportError(str(error), name=name) from None
        if not self._has_begun:  # its modules import each other: in this order they can
            self._has_begun = True
            importlib.import_module(f"{_ALIAS}.utils")
            if name in sys.modules:
                return importlib.machinery.ModuleSpec(name, Aliases(name, name, name))
        for path_of_it, is_package in ((f"{file}/__init__.py", True), (f"{file}.py", False)):
            if os.path.exists(path_of_it):
                return importlib.util.spec_from_file_location(
                    name, path_of_it, loader=_Loader(name, path_of_it),
                    submodule_search_locations=[file] if is_package else None,
                )  # fmt: skip
        return None


class _Aliases(Aliases):
    """Finds the modules of `tf.keras` by another name, but for some."""

    def __init__(self, alias: str, others: Container[str]) -> None:
        super().__init__(alias, _ALIAS, "the package 'keras'")
        self._others = others

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name == self.alias or name.partition(".")[2] in self._others:
            return None
        return super().find_spec(name, path, target)


def serve_modules(alias: str, others: Container[str]) -> None:
    """Makes `import ALIAS.X` give the module X of `tf.keras`.

    Args:
        alias: The name of a module of this package.
        others: The modules below it, without the name of this package, which are something else.
    """
    if not any(getattr(finder, "alias", None) == alias for finder in sys.meta_path):
        sys.meta_path.insert(0, _Aliases(alias, others))


def serve_keras(own: Sequence[str]) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of `tf.keras`.

    Args:
        own: The modules below it that this package has itself.

    Returns:
        The two functions.
    """
    sys.meta_path.insert(0, _Finder(own))

    def get(name: str) -> Any:
        if name == "__version__":  # what files of models say that they are of
            return "2.2.4-tf"
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in own:
            _folder()
        if name in _AT_THE_TOP:
            return getattr(importlib.import_module(f"{_ALIAS}.{_AT_THE_TOP[name]}"), name)
        try:
            return importlib.import_module(f"{_ALIAS}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{_ALIAS}.{name}":
                raise
            raise AttributeError(f"module '{_ALIAS}' has no attribute '{name}'") from None

    def list_names() -> List[str]:
        return list(sys.modules[_ALIAS].__all__)

    return get, list_names


def serve_copies(
    alias: str, names: Sequence[str], others: Container[str] = ()
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of a module that has modules of `tf.keras`.

    Args:
        alias: The name of the module.
        names: What it has.
        others: As of `serve_modules`.

    Returns:
        The two functions.
    """
    serve_modules(alias, others)

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module '{alias}' has no attribute '{name}'")
        return importlib.import_module(f"{_ALIAS}.{name}")

    return get, lambda: list(sys.modules[alias].__all__)
