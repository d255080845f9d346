"""What classes have that are modules without the constructor of `tf.Module`."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.module_scopes.named_scope import in_own_scope, name_scope
from troupe._src.module_scopes.traversal import modules_in


class ModuleLike:
    """A layer or operator, which is found as a module in the attributes of modules."""

    @property
    def name_scope(self) -> name_scope:
        """A context: a scope of names, of its name."""
        return name_scope(self.name)  # type: ignore[attr-defined]

    @property
    def submodules(self) -> Tuple[Any, ...]:
        """The modules in its attributes, and those in these."""
        return modules_in(self)

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        """A decorator of a method, which runs in the scope of names.

        Args:
            method: The method.

        Returns:
            The method in the scope.
        """
        return in_own_scope(method)
