"""The scopes, and the default graphs and sessions, that threads have entered."""

from __future__ import annotations

import copy
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from troupe import _native
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.elements import Operation
from troupe._src.graph.node_to_place import NodeToPlace

if TYPE_CHECKING:
    from troupe._src.graph.graph import Graph

DeviceFunction = Callable[[NodeToPlace], Any]
DeviceNameOrFunction = Union[str, DeviceSpec, DeviceFunction, None]


class ThreadScopes(threading.local):
    """The scopes of one graph that a thread has entered."""

    def __init__(self, graph: Any) -> None:
        self.root: _native.Builder = graph._native_root  # whose builders those below are
        self.builder: _native.Builder = self.root  # with the name scope and the container
        self.container = ""
        self.devices: Tuple[DeviceNameOrFunction, ...] = ()
        self.colocated: Tuple[Operation, ...] = ()  # that nodes share the devices of
        self.controls: Tuple[Operation, ...] = ()
        self.gradients: Dict[str, str] = {}  # names of gradient functions by ops
        self.creators: Tuple[Callable[..., Any], ...] = ()  # of variables, the outermost first
        self.context = -1  # the branch or loop that nodes are added to
        # A builder with all of these, unless a function chooses the device of each node.
        self.complete_builder: Optional[_native.Builder] = None

    def move_to(self, root: _native.Builder) -> None:
        """Goes on in the same scopes of the graph that an edited one has become."""
        self.root = root
        self.builder = root.within(self.builder.prefix).container(self.container)
        self.complete_builder = None


class InheritedLocal(threading.local):
    """What a thread has entered, which the threads of replicas begin with."""

    instances: weakref.WeakSet[Any] = weakref.WeakSet()

    def __init__(self) -> None:
        InheritedLocal.instances.add(self)


class Inheritance:
    """What this thread has entered, for another one.

    Args:
        others: Objects of a thread that are no InheritedLocals, and are inherited, too.
    """

    def __init__(self, *others: Any) -> None:
        found = [*InheritedLocal.instances, *others]
        self._fields = [(each, _copied(vars(each))) for each in found]

    def take(self) -> None:
        """Makes it what this thread has entered."""
        for local, fields in self._fields:
            vars(local).update(_copied(fields))


def _copied(fields: Dict[str, Any]) -> Dict[str, Any]:
    """Fields with lists and dicts of their own."""
    kinds = (list, dict)
    return {k: copy.copy(each) if isinstance(each, kinds) else each for k, each in fields.items()}


class _Defaults(InheritedLocal):
    """The stacks of default graphs and sessions of a thread, the innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.graphs: List[Graph] = []
        self.sessions: List[Any] = []


defaults = _Defaults()


def leave(stack: List[Any], entered: Any) -> None:
    """Takes what was entered last from a stack, if no test case has cleared that since.

    Args:
        stack: One of those of `defaults`.
        entered: A graph, or a session.
    """
    for place in reversed(range(len(stack))):
        if stack[place] is entered:
            del stack[place]
            return


class AsDefault:
    """A context in which a session is the default one, which may be what wraps one."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __enter__(self) -> Any:
        defaults.sessions.append(self._session)
        return self._session

    def __exit__(self, *_: Any) -> None:
        leave(defaults.sessions, self._session)
