"""Classes that are modules without the constructor and the way to be saved of `tf.Module`."""

from __future__ import annotations

from typing import Any

from troupe._src.module_scopes.module import Module
from troupe._src.module_scopes.named_scope import name_scope


class ModuleLike(Module):
    """A layer or operator, which is found as a module in the attributes of modules.

    It is a module by inheritance, not by registration: the metaclass of `tf.Module` is `type`, as
    classes of programs may have any other one.
    """

    name: Any = None
    _checkpoint_dependencies: Any = None  # of which checkpoints know by its kind
    __setattr__ = object.__setattr__  # type: ignore[assignment]

    @property
    def name_scope(self) -> name_scope:
        """A context: a scope of names, of its name."""
        return name_scope(self.name)
