"""Finds the modules of one package under the name of another."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import types
from typing import Any, Optional, Sequence


class Aliases(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules below a name as those below another name."""

    def __init__(self, alias: str, package: str, told_as: str) -> None:
        """Makes a finder for `sys.meta_path`.

        Args:
            alias: The name that programs import.
            package: The name of what they get.
            told_as: What errors say that a module is not part of.
        """
        self.alias = alias
        self._package, self._told_as = package, told_as

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name != self.alias and not name.startswith(f"{self.alias}."):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        own_name = self._package + spec.name[len(self.alias) :]
        try:
            module = importlib.import_module(own_name)
        except ImportError as error:
            if error.name != own_name:
                raise
            if not isinstance(error, ModuleNotFoundError):
                raise ImportError(str(error), name=spec.name) from error
            raise ModuleNotFoundError(
                f"{self._told_as} has no '{spec.name}': the module is not part of this version",
                name=spec.name,
            ) from None
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Gives the module back what the import system has replaced."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state
