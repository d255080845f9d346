"""Graphs, the scopes in which nodes are added to them, and which graph is the default one."""

from __future__ import annotations

import contextlib
import threading
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from troupe import _native, errors
from troupe._elements import GraphElement, Operation, Tensor, operations_of

if TYPE_CHECKING:
    from troupe._config import RunMetadata
    from troupe._picture import Picture
    from troupe._session import BaseSession

DeviceFunction = Callable[["NodeToPlace"], Optional[str]]
DeviceWish = Union[str, DeviceFunction, None]


class NodeToPlace(NamedTuple):
    """A node that is about to be added, as the functions see it that choose its device."""

    type: str
    name: str
    device: str


class GraphKeys:
    """The usual names of collections."""

    GLOBAL_VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    GLOBAL_STEP = "global_step"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    TRAIN_OP = "train_op"
    SUMMARIES = "summaries"


class _Scopes(threading.local):
    """Where a thread is in a graph's scopes."""

    def __init__(self, root: _native.Builder) -> None:
        self.builder = root  # with the names' prefix and the container
        self.devices: Tuple[DeviceWish, ...] = ()
        self.controls: Tuple[Operation, ...] = ()
        self.ready: Optional[_native.Builder] = None  # of all three, where no function has a say


class Graph:
    """A dataflow graph, to which functions of the package add nodes while it is the default one.

    Several threads may add nodes; each has scopes of its own.
    """

    def __init__(self) -> None:
        self._root = _native.Builder()
        self._scopes = _Scopes(self._root)
        self._lock = threading.RLock()
        self._operations: Dict[int, Operation] = {}
        self._collections: Dict[Any, List[Any]] = {}
        self._variables: Dict[str, Any] = {}
        self._state: Dict[str, Any] = {}  # what other modules keep with the graph
        self._is_finalized = False
        self.seed: Optional[int] = None

    # Nodes.

    def _add(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        attrs: Dict[str, Any],
        name: Optional[str] = None,
    ) -> Operation:
        """Adds a node in this thread's scopes; errors are raised here, at the user's line."""
        with self._lock:
            self._check_not_finalized()
            name = name or op_type
            builder = self._builder_for(op_type, name)
            if name.endswith("/"):
                builder, name = builder.within(""), name[:-1]
            values = [tensor._value() for tensor in inputs]
            value = builder.add_op(op_type, values, attrs, name)
            return self._operation(value.place[0])

    def _builder_for(self, op_type: str, name: str) -> _native.Builder:
        scopes = self._scopes
        if scopes.ready is not None:
            return scopes.ready
        builder = scopes.builder.on(self._device_for(op_type, name))
        if scopes.controls:
            builder = builder.after([op._value() for op in scopes.controls])
        if not any(callable(device) for device in scopes.devices):
            scopes.ready = builder
        return builder

    def _device_for(self, op_type: str, name: str) -> str:
        device = ""
        for wish in reversed(self._scopes.devices):
            if wish is None:
                break
            if callable(wish):
                device = wish(NodeToPlace(op_type, name, device)) or ""
            else:
                device = _native.merge_devices(device, wish)
        return device

    def _operation(self, node: int) -> Operation:
        operation = self._operations.get(node)
        if operation is None:
            operation = self._operations[node] = Operation(self, node)
        return operation

    def _tensor(self, node: int, index: int) -> Tensor:
        return self._operation(node)._outputs[index]

    def _of_value(self, value: _native.Value) -> GraphElement:
        """The tensor, or the operation where it has no outputs."""
        node, index = value.place
        operation = self._operation(node)
        return operation._outputs[index] if operation._outputs else operation

    def _controls(self) -> List[_native.Value]:
        return [op._value() for op in self._scopes.controls]

    def get_operations(self) -> List[Operation]:
        """All nodes, in the order of their making."""
        return [self._operation(node) for node in range(self._root.size)]

    def get_operation_by_name(self, name: str) -> Operation:
        """KeyError where there is none."""
        try:
            return self._operation(self._root.find(name))
        except errors.NotFoundError as error:
            raise KeyError(error.message) from None

    def get_tensor_by_name(self, name: str) -> Tensor:
        """KeyError where there is none; the name has the form "node:0"."""
        if ":" not in name:
            raise ValueError(f"The name '{name}' is not a valid tensor name: it must be 'node:0'.")
        try:
            return self._tensor(*self._root.find_output(name))
        except (errors.NotFoundError, errors.InvalidArgumentError) as error:
            raise KeyError(error.message) from None

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> GraphElement:
        """The element of this graph that an object or a name stands for."""
        if isinstance(obj, str):
            if ":" in obj and allow_tensor:
                return self.get_tensor_by_name(obj)
            return self.get_operation_by_name(obj)
        element = getattr(obj, "_as_graph_element", lambda: obj)()
        if isinstance(element, Operation) and not allow_operation:
            raise TypeError(f"Can not convert an Operation into a Tensor: {element!r}")
        if isinstance(element, Tensor) and not allow_tensor:
            raise TypeError(f"Can not convert a Tensor into an Operation: {element!r}")
        if not isinstance(element, (Operation, Tensor)):
            raise TypeError(f"Can not convert a {type(obj).__name__} into a Tensor or Operation.")
        if element.graph is not self:
            raise ValueError(f"{element!r} is not an element of this graph.")
        return element

    def finalize(self) -> None:
        """From then on no node can be added."""
        self._is_finalized = True

    @property
    def finalized(self) -> bool:
        return self._is_finalized

    @property
    def version(self) -> int:
        """The number of its nodes."""
        return int(self._root.size)

    def _check_not_finalized(self) -> None:
        if self._is_finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def _session_for(self, session: Optional[BaseSession]) -> BaseSession:
        if session is None:
            session = get_default_session()
        if session is None:
            raise ValueError(
                "There is no default session: pass one, or enter one with `with sess.as_default():`"
            )
        if session.graph is not self:
            raise ValueError("The session has another graph than this element.")
        return session

    def show(
        self, run_metadata: Optional[RunMetadata] = None, scope_depth: int = 0
    ) -> Picture:
        """The graph as a picture, which Jupyter shows and `save` writes to a file.

        With the metadata of a step that ran with `output_partition_graphs`, it is that step as it
        was placed. Nodes in `scope_depth` scopes or more are one box for each such scope.
        """
        from troupe._picture import picture_of

        return picture_of(self, run_metadata, scope_depth)

    # Scopes.

    @contextlib.contextmanager
    def _changed(self, **changes: Any) -> Iterator[None]:
        scopes = self._scopes
        before = {key: getattr(scopes, key) for key in changes}
        before["ready"] = scopes.ready
        for key, value in changes.items():
            setattr(scopes, key, value)
        scopes.ready = None
        try:
            yield
        finally:
            for key, value in before.items():
                setattr(scopes, key, value)

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Within it, this is the default graph of this thread."""
        _defaults.graphs.append(self)
        try:
            yield self
        finally:
            _defaults.graphs.pop()

    @contextlib.contextmanager
    def name_scope(self, name: Optional[str]) -> Iterator[str]:
        """Names get the prefix "name/", made unique; one that ends with "/" is taken as it is."""
        builder = self._scopes.builder
        if not name:
            inner = builder.within("")
        elif name.endswith("/"):
            inner = builder.within(name)
        else:
            inner = builder.scope(name)
        with self._changed(builder=inner):
            yield inner.prefix

    def get_name_scope(self) -> str:
        return str(self._scopes.builder.prefix).rstrip("/")

    @contextlib.contextmanager
    def device(self, device_name_or_function: DeviceWish) -> Iterator[None]:
        """Nodes wish for that device: a name, perhaps in part, or what a function says of each.

        The inner wish wins where two name the same part; None ends all outer wishes.
        """
        with self._changed(devices=self._scopes.devices + (device_name_or_function,)):
            yield

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Nodes go to the device of that one."""
        device = operations_of([op])[0].device
        with self._changed(devices=self._scopes.devices + (None, device)):
            yield

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Variables live in that container, which outlives sessions."""
        builder = self._scopes.builder.container(container_name)
        with self._changed(builder=builder):
            yield container_name

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Optional[Sequence[Any]]) -> Iterator[None]:
        """Nodes run only after those; None ends all outer dependencies."""
        if control_inputs is None:
            controls: Tuple[Operation, ...] = ()
        else:
            controls = self._scopes.controls + tuple(operations_of(control_inputs))
        with self._changed(controls=controls):
            yield

    # Collections.

    def add_to_collection(self, name: Any, value: Any) -> None:
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        for name in [names] if isinstance(names, str) else names or []:
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: Optional[str] = None) -> List[Any]:
        """A copy; with a scope, those whose names begin with it."""
        if name == GraphKeys.GLOBAL_VARIABLES:
            from troupe._variables import all_variables

            values = all_variables(self)
        else:
            values = list(self._collections.get(name, []))
        if scope is None:
            return values
        return [value for value in values if getattr(value, "name", "").startswith(scope)]

    def get_collection_ref(self, name: Any) -> List[Any]:
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> List[Any]:
        return [key for key, values in self._collections.items() if values]


class _Defaults(threading.local):
    """The default graphs and sessions of a thread, the innermost last."""

    def __init__(self) -> None:
        self.graphs: List[Graph] = []
        self.sessions: List[Any] = []


_defaults = _Defaults()
_global_graph = [Graph()]


def get_default_graph() -> Graph:
    """The innermost that the thread has entered, or the one of the process."""
    return _defaults.graphs[-1] if _defaults.graphs else _global_graph[0]


def reset_default_graph() -> None:
    """Replaces the graph of the process by an empty one."""
    if _defaults.graphs:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    _global_graph[0] = Graph()


def get_default_session() -> Optional[BaseSession]:
    """The innermost session that the thread has entered."""
    return _defaults.sessions[-1] if _defaults.sessions else None


def device(device_name_or_function: DeviceWish) -> Any:
    """`Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> Any:
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def control_dependencies(control_inputs: Optional[Sequence[Any]]) -> Any:
    """`Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """`Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def name_scope(name: Optional[str], default_name: Optional[str] = None, values: Any = None) -> Any:
    """`Graph.name_scope` of the default graph; `default_name` where the name is None."""
    return get_default_graph().name_scope(default_name if name is None else name)


def add_to_collection(name: Any, value: Any) -> None:
    get_default_graph().add_to_collection(name, value)


def get_collection(key: Any, scope: Optional[str] = None) -> List[Any]:
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> List[Any]:
    return get_default_graph().get_collection_ref(key)


__all__ = ["Graph", "GraphKeys", "NodeToPlace", "get_default_graph", "get_default_session"]
