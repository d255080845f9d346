"""Graphs, and the default graph and session."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Type

from troupe import _native
from troupe._src.graph.collections import GraphCollections
from troupe._src.graph.thread_scopes import defaults, leave
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.elements import (
    GraphElement, Operation, Tensor, colocation_groups, operations_of,
)  # fmt: skip
from troupe._src.graph.exporter import export_graph
from troupe._src.graph.graph_scopes import GraphScopes, check_element_name
from troupe._src.graph.node_to_place import NodeToPlace, free_name
from troupe._src.graph.operand import apply
from troupe._src.graph.picture import Picture
from troupe._src.messages.graph_messages import GraphDef, VersionDef
from troupe._src.messages.metadata import RunMetadata
from troupe._src.set_module import set_module
from troupe._src.types import errors

if TYPE_CHECKING:
    from troupe._src.session.base_session import BaseSession


@set_module("troupe")
class Graph(GraphScopes, GraphCollections):
    """A dataflow graph; functions of the package add nodes to the default graph.

    Thread-safe: several threads may add nodes, and each thread has its own stack of scopes.
    """

    _is_function = False  # whether it is the body of a function of `outer_graph`
    _tensor_class: Type[Tensor] = Tensor

    def __init__(self) -> None:
        GraphCollections.__init__(self)
        GraphScopes.__init__(self)
        self._lock = threading.RLock()
        self._operations: Dict[int, Operation] = {}
        self._variables: Dict[str, Any] = {}
        # What initializes variables, by name, instead of what they were made with.
        self._replaced_initializers: Dict[str, Operation] = {}
        self._has_imported_variables = False
        self._state: Dict[str, Any] = {}  # of other modules, such as variable scopes
        self._is_finalized = False
        self.seed: Optional[int] = None

    # Nodes.

    def _add(
        self, op_type: str, inputs: Sequence[Tensor], attrs: Dict[str, Any],
        name: Optional[str] = None,
    ) -> Operation:  # fmt: skip
        """Adds a node in this thread's scopes; an invalid one is an error of this call."""
        with self._lock:
            self._check_not_finalized()
            name = name or op_type
            inputs = [self._adopt(tensor, op_type) for tensor in inputs]
            builder = self._builder_for(op_type, name, inputs, attrs)
            values = [self._value_for(tensor, builder) for tensor in inputs]
            self._use_context()
            if op_type in self._scopes.gradients:
                attrs = {**attrs, "_gradient_op_type": self._scopes.gradients[op_type]}
            if self._scopes.colocated:
                attrs = {**attrs, "_class": colocation_groups(self._scopes.colocated)}
            value = builder.add_op(op_type, values, attrs, name)
            return self._operation(value.place[0])

    def create_op(
        self, op_type: str, inputs: Sequence[Tensor], dtypes: Any = None, input_types: Any = None,
        name: Optional[str] = None, attrs: Optional[Dict[str, Any]] = None, op_def: Any = None,
        compute_shapes: bool = True, compute_device: bool = True,
    ) -> Operation:  # fmt: skip
        """Adds a node of any op.

        Args:
            op_type: The name of the op.
            inputs: Tensors of this graph.
            dtypes: Without effect, as `input_types`: the op says which dtypes it has.
            input_types: Without effect.
            name: Its name, by default that of the op; one that ends with "/" is not prefixed.
            attrs: Its attributes, AttrValue messages by their names.
            op_def: Without effect.
            compute_shapes: Without effect.
            compute_device: Without effect.

        Returns:
            The node.

        Raises:
            TypeError: An input is no tensor, or a dtype or attribute does not fit the op.
            ValueError: The node is not valid otherwise.
            NotFoundError: There is no such op.
        """
        return apply("create_op", self, op_type, inputs, name, attrs)  # type: ignore[return-value]

    def _value_for(self, tensor: Tensor, builder: _native.Builder) -> _native.Value:
        """What a node is given; shapes that were refined are known to the node by a check of them.

        The runtime infers the shapes of nodes from those of their inputs.
        """
        value = tensor._value()
        if not tensor._is_refined:
            return value
        self._use_context()
        attrs = {"T": tensor.dtype.as_datatype_enum, "shape": tensor._shape_as_list()}
        return builder.add_op("EnsureShape", [value], attrs, "EnsureShape")

    def _use_context(self) -> None:
        """Before nodes are added: they are of the branch or loop that this thread is in."""
        _native.set_context(self._root, self._scopes.context)

    def _get_control_flow_context(self) -> Optional[int]:
        """What tells the branch or loop that nodes are added to; None outside of them."""
        return None if self._scopes.context == -1 else self._scopes.context

    def _adopt(self, tensor: Tensor, user: str = "function") -> Tensor:
        """What stands for the tensor in this graph; ValueError for one of another graph."""
        if tensor.graph is self:
            return tensor
        raise ValueError(
            f"{tensor!r} is of another graph than the {user} that it is given to: "
            "build both within one `with graph.as_default():`"
        )

    def _builder_for(
        self, op_type: str, name: str, inputs: Sequence[Tensor] = (), attrs: Any = None
    ) -> _native.Builder:
        scopes = self._scopes
        if scopes.complete_builder is not None:
            return scopes.complete_builder
        builder = scopes.builder.on(self._device_for(op_type, name, inputs, attrs))
        if scopes.controls:
            builder = builder.after([op._value() for op in scopes.controls])
        if not any(callable(device) for device in scopes.devices):
            scopes.complete_builder = builder
        return builder

    def _apply_device_functions(self, op: Any) -> None:
        """Tells an object the device of nodes that are added now, as Keras asks for it.

        Args:
            op: An object whose `_set_device_from_string` is called, unless nothing is constrained.
        """
        device = self._device_for("NoOp", "", (), {})
        if device:
            op._set_device_from_string(device)

    def _device_for(
        self,
        op_type: str,
        name: str,
        inputs: Sequence[Tensor] = (),
        attrs: Any = None,
        device: str = "",
    ) -> str:
        if any(callable(each) for each in self._scopes.devices):
            full_name = free_name(self, f"{self._scopes.builder.prefix}{name}".rstrip("/"))
        for outer in reversed(self._scopes.devices):
            if outer is None:
                break
            if callable(outer):
                given = NodeToPlace(op_type, full_name, device, tuple(inputs), attrs or {}, self)
                chosen = outer(given) or ""
                device = chosen.to_string() if isinstance(chosen, DeviceSpec) else chosen
            else:
                device = _native.merge_devices(device, outer)
        return next((op.device for op in self._scopes.colocated if op.device), device)

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
        """All nodes, in the order in which they were added."""
        return [self._operation(node) for node in range(self._root.size)]

    def get_operation_by_name(self, name: str) -> Operation:
        """KeyError where there is none. A variable's name stands for the node of its handle."""
        if name in self._variables:
            op: Operation = self._variables[name].op
            return op
        try:
            return self._operation(self._root.find(name))
        except errors.NotFoundError as error:
            raise KeyError(
                f"The name '{name}' refers to an Operation not in the graph. {error.message}"
            ) from None

    def get_tensor_by_name(self, name: str) -> Tensor:
        """KeyError where there is none; the name has the form "node:0".

        For a variable it is the tensor that stands for it in fetches and feeds.
        """
        if ":" not in name:
            raise ValueError(f"The name '{name}' is not a valid tensor name: it must be 'node:0'.")
        if name.endswith(":0") and name[:-2] in self._variables:
            return self._value_of_variable(name)
        try:
            return self._tensor(*self._root.find_output(name))
        except (errors.NotFoundError, errors.InvalidArgumentError) as error:
            raise KeyError(error.message) from None

    def _value_of_variable(self, name: str) -> Tensor:
        """The value of a variable by its name; the same one for each call."""
        variable = self._variables[name[:-2]]
        value: Tensor = variable._as_graph_element()
        if variable._told is None or variable._told._op is not value._op:
            variable._told = value._told_as(name)
        return variable._told  # type: ignore[no-any-return]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> GraphElement:
        """The tensor or operation of this graph that an object stands for.

        Args:
            obj: A tensor, variable or operation; or a name: "node:0" of a tensor, "node" of an
                operation.
            allow_tensor: Tensors are allowed.
            allow_operation: Operations are allowed.

        Returns:
            The tensor or operation.

        Raises:
            KeyError: There is none of that name.
            TypeError: The object stands for none, or for one of a kind that is not allowed.
            ValueError: The name is one of a kind that is not allowed, or the element is one of
                another graph.
        """
        if not allow_tensor and not allow_operation:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        if isinstance(obj, str):
            check_element_name(obj, self, allow_tensor, allow_operation)
            return self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)
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

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Makes it an error to feed a tensor.

        Args:
            tensor: The tensor.
        """
        self._state.setdefault("not_fed", set()).add(tensor)

    def prevent_fetching(self, op: Operation) -> None:
        """Makes it an error to fetch an operation or its tensors.

        Args:
            op: The operation.
        """
        self._state.setdefault("not_fetched", set()).add(op)

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether a tensor may be fed.

        Args:
            tensor: The tensor.

        Returns:
            The answer.
        """
        return tensor not in self._state.get("not_fed", ())

    def is_fetchable(self, tensor_or_op: GraphElement) -> bool:
        """Whether a tensor or operation may be fetched.

        Args:
            tensor_or_op: The tensor or operation.

        Returns:
            The answer.
        """
        (op,) = operations_of([tensor_or_op])
        return op not in self._state.get("not_fetched", ())

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._is_finalized = True

    @property
    def finalized(self) -> bool:
        """Whether `finalize` was called, after which no node can be added."""
        return self._is_finalized

    @property
    def version(self) -> int:
        """The number of its nodes."""
        return int(self._root.size)

    def as_graph_def(
        self, from_version: Optional[int] = None, add_shapes: bool = False
    ) -> GraphDef:
        """The graph as a message.

        Args:
            from_version: The number of the first node that it has; by default all nodes.
            add_shapes: Writes the static shapes of outputs into the nodes' attributes.

        Returns:
            The nodes, and the functions that they call.
        """
        return export_graph(self, from_version or 0, add_shapes)

    @property
    def graph_def_versions(self) -> VersionDef:
        """Which programs can read the graph as a message."""
        return export_graph(self, self.version, False).versions  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        state = ", finalized" if self._is_finalized else ""
        return f"<tf.Graph of {self.version} nodes{state}>"

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

    def show(self, run_metadata: Optional[RunMetadata] = None, scope_depth: int = 0) -> Picture:
        """The graph as a picture, which Jupyter shows and `save` writes to a file.

        Args:
            run_metadata: That of a step that ran with `output_partition_graphs`: the picture shows
                the partitions of that step.
            scope_depth: Name scopes at this depth are drawn as one box each; 0 draws all nodes.

        Returns:
            The picture.
        """
        if run_metadata is None:
            return Picture(self._root.to_dot(scope_depth))
        return Picture(run_metadata._require_filled().to_dot(scope_depth))

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A context in which this is the default graph of this thread."""
        defaults.graphs.append(self)
        try:
            yield self
        finally:
            leave(defaults.graphs, self)


_global_graph = [Graph()]


def get_default_graph() -> Graph:
    """The innermost graph that the thread has entered, else the global one of the process."""
    return defaults.graphs[-1] if defaults.graphs else _global_graph[0]


def reset_default_graph() -> None:
    """Replaces the global graph of the process by an empty one."""
    if defaults.graphs:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    _global_graph[0] = Graph()


def get_default_session() -> Optional[BaseSession]:
    """The innermost session that the thread has entered."""
    return defaults.sessions[-1] if defaults.sessions else None
