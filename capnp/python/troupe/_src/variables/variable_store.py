"""The variables of a graph by name, and the scope in which get_variable looks for them."""

from __future__ import annotations

import contextlib
import enum
import threading
from typing import Any, Dict, Iterator, List, Optional, Union

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.variable import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
Reuse = Union[bool, _ReuseMode, None]


@set_module("troupe")
class VariableScope:
    """The prefix of the names of variables, and the defaults for new variables.

    Args:
        name: The prefix.
        reuse: True, False or `tf.AUTO_REUSE`.
        **inherited: The defaults by name, such as `initializer`.
    """

    def __init__(self, name: str, reuse: Reuse = False, **inherited: Any) -> None:
        self.name = name
        self.original_name_scope = f"{name}/" if name else ""
        self.reuse = reuse
        self.initializer = inherited.get("initializer")
        self.regularizer = inherited.get("regularizer")
        self.custom_getter = inherited.get("custom_getter")
        self.caching_device = inherited.get("caching_device")
        self.constraint = inherited.get("constraint")
        self.partitioner = inherited.get("partitioner")
        self.use_resource: Optional[bool] = inherited.get("use_resource")
        self.dtype = as_dtype(inherited.get("dtype") or dtypes.float32)

    def reuse_variables(self) -> None:
        """Makes get_variable return existing variables only."""
        self.reuse = True

    def get_collection(self, name: str) -> List[Any]:
        """The items of a collection that are in this scope.

        Args:
            name: The name of the collection.

        Returns:
            A list.
        """
        return get_default_graph().get_collection(name, self.name + "/" if self.name else None)

    def global_variables(self) -> List[Any]:
        """The variables in this scope that the cluster shares."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> List[Any]:
        """The variables in this scope that optimizers train by default."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def local_variables(self) -> List[Any]:
        """The variables in this scope that only this program uses."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def set_initializer(self, initializer: Any) -> None:
        """Changes the initializer of new variables.

        Args:
            initializer: A function of a shape and a dtype.
        """
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Changes the regularizer of new variables.

        Args:
            regularizer: A function of a variable that gives a loss.
        """
        self.regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Makes a step read new variables once, whichever device this is.

        Args:
            caching_device: The device.
        """
        self.caching_device = caching_device

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Changes what is called in place of the getter.

        Args:
            custom_getter: A function that gets the getter as its first argument.
        """
        self.custom_getter = custom_getter

    def set_partitioner(self, partitioner: Any) -> None:
        """Makes get_variable store new variables in parts, as the partitioner says.

        Args:
            partitioner: A function of a shape and a dtype that gives the number of parts along each
                axis.
        """
        self.partitioner = partitioner

    def set_use_resource(self, use_resource: Optional[bool]) -> None:
        """Makes new variables ones of references, with False.

        Args:
            use_resource: False for variables of references.
        """
        self.use_resource = use_resource

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Changes the dtype of new variables.

        Args:
            dtype: The dtype.
        """
        self.dtype = as_dtype(dtype)


class _ScopeOfThread(threading.local):
    """The scope in which a thread is."""

    def __init__(self) -> None:
        self.scope = VariableScope("")
        self.opened: Dict[str, int] = {}


class VariableStore:
    """The variables that get_variable has created in a graph, and the current scope.

    Each thread has a scope of its own, which begins with the outermost one; all of them share the
    variables.
    """

    def __init__(self) -> None:
        self.variables: Dict[str, Variable] = {}
        self.partitioned: Dict[str, PartitionedVariable] = {}
        self._of_thread = _ScopeOfThread()

    @property
    def scope(self) -> VariableScope:
        """The current scope."""
        return self._of_thread.scope

    @property
    def opened(self) -> Dict[str, int]:
        """How often a scope was entered, since its outer one was left."""
        return self._of_thread.opened

    @staticmethod
    def of(graph: Graph) -> VariableStore:
        store = graph._state.setdefault("variable_store", VariableStore())
        assert isinstance(store, VariableStore)
        return store

    def unique(self, name: str) -> str:
        """Makes the default name of a scope unique."""
        number, found = 0, name
        while self.opened.get(found, 0) > 0:
            number += 1
            found = f"{name}_{number}"
        return found

    @contextlib.contextmanager
    def entered(self, scope: VariableScope, is_known: bool) -> Iterator[None]:
        """Makes it the current scope.

        The default names within a scope start again when it is entered again by its name, so that
        a model that is built twice reuses its variables. One that is entered as an object keeps
        them as they are.
        """
        mine = self._of_thread
        outer = mine.scope
        mine.opened[scope.name] = mine.opened.get(scope.name, 0) + 1
        before = dict(mine.opened)
        mine.scope = scope
        try:
            yield
        finally:
            mine.scope = outer
            if is_known:
                mine.opened = before
            else:
                inner = [name for name in mine.opened if name.startswith(f"{scope.name}/")]
                mine.opened.update(dict.fromkeys(inner, 0))
