"""Operations and tensors: the nodes of a graph and their outputs."""

from __future__ import annotations

from traceback import FrameSummary
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

import numpy as np

from troupe import _native
from troupe._src.platform.call_stack import call_stack, innermost_line, to_summaries, to_tuples
from troupe._src.graph_edits.node_inputs import NodeInputs
from troupe._src.graph.operand import Operand
from troupe._src.graph.op_records import op_record
from troupe._src.messages.graph_messages import NodeDef
from troupe._src.messages.message import Record
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.errors import OperatorNotAllowedInGraphError
from troupe._src.types.references import Referable
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape

if TYPE_CHECKING:
    from troupe._src.graph.graph import Graph
    from troupe._src.session.base_session import BaseSession

# Of what only handles and boxes have the shapes of tensors.
_WITHOUT_SHAPES = (dtypes.resource, dtypes.variant)


@set_module("troupe")
class Operation(NodeInputs):
    """A node of a graph. Created by the functions of the package, not directly."""

    __slots__ = (
        "_graph", "_id", "_name", "_variable_name", "_outputs", "_calls", "__dict__",
        "__weakref__",
    )  # fmt: skip

    def __init__(self, graph: Graph, node: int) -> None:
        """Stands for a node that the graph has.

        Args:
            graph: The graph.
            node: The number of the node in it.
        """
        self._graph = graph
        self._id = node
        self._name: str = graph._root.node_name(node)
        self._variable_name: Optional[str] = None
        outputs = graph._root.node_outputs(node)
        self._outputs = [
            graph._tensor_class(self, index, dtypes.by_number(dtype), shape)
            for index, (dtype, shape) in enumerate(outputs)
        ]
        self._calls = call_stack(2, graph._state.setdefault("call_stacks", {}))

    @property
    def graph(self) -> Graph:
        """The graph that it is a node of."""
        return self._graph

    @property
    def name(self) -> str:
        """Its name; the node of a variable's handle has the name of the variable."""
        return self._variable_name or self._name

    @property
    def type(self) -> str:
        """The name of its op, such as "MatMul"."""
        return str(self._graph._root.node_op(self._id))

    @property
    def device(self) -> str:
        """The device that it is constrained to, in full or in part; "" without a constraint."""
        return str(self._graph._root.node_device(self._id))

    @property
    def outputs(self) -> List[Tensor]:
        """A tensor for each output."""
        return list(self._outputs)

    @property
    def node_def(self) -> NodeDef:
        """The node as a message."""
        return NodeDef._of_bytes(_native.export_node_def(self._graph._root, self._id))

    def values(self) -> Tuple[Tensor, ...]:
        """A tensor for each output, as `outputs`."""
        return tuple(self._outputs)

    @property
    def defined_at(self) -> str:
        """ "file:line" of the program where it was added."""
        return innermost_line(self._calls)

    @property
    def traceback(self) -> List[FrameSummary]:
        """The calls of the program, as those of a traceback, that have added it."""
        return to_summaries(self._calls)

    @property
    def traceback_with_start_lines(self) -> List[Tuple[str, int, str, str, int]]:
        """The same as (file, line, function, text, line where the function begins)."""
        return to_tuples(self._calls)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute.

        Args:
            name: The name of the attribute.

        Returns:
            A number, bool, text or list of these; the number of a dtype; the sizes of a shape, with
            -1 where one is not known, and None where not even the rank is.

        Raises:
            ValueError: It has none of that name.
        """
        attrs = self._graph._root.node_attrs(self._id)
        if name not in attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return attrs[name]  # None is a shape of unknown rank

    def _attr(self, name: str) -> Any:
        """The value of an attribute, or None."""
        return self._graph._root.node_attrs(self._id).get(name)

    def colocation_groups(self) -> List[bytes]:
        """The nodes that it must share the device of, as b"loc:@name", or itself."""
        names = []
        for name in self._colocated_names():
            try:
                name = self._graph.get_operation_by_name(name).name
            except KeyError:
                pass  # of an imported node, whose neighbour was left out
            names.append(f"loc:@{name}".encode())
        return names

    def _colocated_names(self) -> List[str]:
        """The same by the nodes' own names, without "loc:@"."""
        classes = self._attr("_class") or []
        groups = [c.decode() if isinstance(c, bytes) else c for c in classes]
        return [group[5:] for group in groups if group.startswith("loc:@")] or [self._name]

    @property
    def op_def(self) -> Record:
        """A record of its op: `name`, `is_stateful`, and the names in `input_arg`, `output_arg`."""
        return op_record(self.type)

    def run(
        self, feed_dict: Optional[Dict[Any, Any]] = None, session: Optional[BaseSession] = None
    ) -> None:
        """Runs it in a step.

        Args:
            feed_dict: {tensor: value} of what has these values in the step instead of computing
                them.
            session: The session, by default the default session.

        Raises:
            ValueError: There is no session.
            OpError: The step failed.
        """
        self._graph._session_for(session).run(self, feed_dict)

    def _value(self) -> _native.Value:
        return self._graph._root.value(self._id, 0)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


@set_module("troupe")
class Tensor(Operand, Referable):
    """An output of a node. Operators and functions on it add nodes to its graph.

    `==` compares identity; `tf.equal` compares values.
    """

    # The methods that classes of programs give to tensors which they hold.
    OVERLOADABLE_OPERATORS: ClassVar[Set[str]] = {
        f"__{side}{name}__"
        for side, names in (
            ("", "add sub mul truediv floordiv mod lt le gt ge ne eq and or xor pow getitem"),
            ("", "invert neg abs matmul div"),
            ("r", "add sub mul truediv floordiv mod and or xor pow matmul div"),
        )
        for name in names.split()
        if hasattr(Operand, f"__{side}{name}__")
    }
    # The dictionary, made when it is used, is for attributes that programs set.
    __slots__ = (
        "_op", "_update", "_index", "_dtype", "_shape", "_native", "_is_refined", "_fed_name",
        "_told_name", "__dict__", "__weakref__",
    )  # fmt: skip

    def __init__(self, op: Operation, index: int, dtype: DType, shape: ShapeLike) -> None:
        """Stands for an output of a node.

        Args:
            op: The node.
            index: The number of the output.
            dtype: Its dtype.
            shape: Its static shape.
        """
        self._op = op
        self._update: Optional[Operation] = None  # of the variable that it reads; `op` tells it
        self._index = index
        self._dtype = dtype
        self._shape = TensorShape(shape)
        self._is_refined = False  # whether set_shape says more than the runtime knows
        self._native: Optional[_native.Value] = None
        self._fed_name: Optional[str] = None  # of what is fed in its place: the variable's source
        self._told_name: Optional[str] = None  # the variable's, by which a program has found it

    @property
    def op(self) -> Operation:
        """The node that it is an output of. Of a variable's value after an update: the update."""
        return self._op if self._update is None else self._update

    @property
    def graph(self) -> Graph:
        """The graph of its node."""
        return self._op._graph

    @property
    def name(self) -> str:
        """ "node:0", which `Session.run` accepts as well."""
        return self._told_name or self._place

    @property
    def _place(self) -> str:
        """The node, and the number of the output, as the runtime knows it."""
        return f"{self._op._name}:{self._index}"

    def _told_as(self, name: str) -> Tensor:
        """The same output by the name of the variable whose value it is."""
        same = Tensor(self._op, self._index, self._dtype, self._shape)
        same._fed_name, same._told_name = self._fed_name, name
        return same

    @property
    def value_index(self) -> int:
        """The number of the output."""
        return self._index

    @property
    def dtype(self) -> DType:
        """The dtype of its elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Its static shape."""
        return self._shape

    @property
    def device(self) -> str:
        """The device that its node is constrained to, as `Operation.device`."""
        return self._op.device

    def get_shape(self) -> TensorShape:
        """Its static shape, as `shape`."""
        return self._shape

    def _shape_as_list(self) -> Optional[List[Optional[int]]]:
        """The static sizes; None where their number is not known."""
        return None if self._shape.rank is None else self._shape.as_list()

    def set_shape(self, shape: ShapeLike) -> None:
        """Refines the static shape.

        Args:
            shape: What is known of the shape besides; None for a size that is not.

        Raises:
            ValueError: The two shapes are not compatible.
        """
        merged = self._shape.merge_with(as_shape(shape))
        is_plain = self._dtype not in _WITHOUT_SHAPES and not self._dtype._is_ref_dtype
        if is_plain and str(merged) != str(self._shape):
            self._is_refined = True
        self._shape = merged

    def consumers(self) -> List[Operation]:
        """The nodes that have it as an input."""
        return self.graph._consumers.of(self._op._outputs[self._index])

    def eval(
        self, feed_dict: Optional[Dict[Any, Any]] = None, session: Optional[BaseSession] = None
    ) -> Any:
        """Its value in a step.

        Args:
            feed_dict: {tensor: value} of what has these values in the step instead of computing
                them.
            session: The session, by default the default session.

        Returns:
            An array, a NumPy scalar for a tensor of rank 0, or bytes for a string.

        Raises:
            ValueError: There is no session.
            OpError: The step failed.
        """
        return self.graph._session_for(session).run(self, feed_dict)

    def _value(self) -> _native.Value:
        root = self.graph._root  # first: an edit of the graph changes its nodes
        if self._native is None:
            self._native = root.value(self._op._id, self._index)
        return self._native

    def _as_tf_output(self) -> Tensor:
        """Itself: what the functions of TensorFlow's C API take, by its private name there."""
        return self

    def __iter__(self) -> Iterator[Tensor]:
        raise OperatorNotAllowedInGraphError("a tensor cannot be iterated over; see tf.unstack")

    def __len__(self) -> int:
        raise OperatorNotAllowedInGraphError("len of a tensor is not known; see tf.shape")

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            "Using a `tf.Tensor` as a Python `bool` is not allowed: it has a value only in a step."
            " Use `if t is not None:`, or tf.where."
        )

    __nonzero__ = __bool__  # the name in Python 2, which libraries look up

    def __array__(self, *_: Any, **__: Any) -> np.ndarray[Any, Any]:
        raise NotImplementedError(
            f"Cannot convert a symbolic tensor ({self.name}) to a NumPy array: "
            "Session.run gives its value."
        )

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


GraphElement = Union[Operation, Tensor]


def flatten(values: Any) -> List[Any]:
    """The items of nested lists and tuples, in order."""
    if not isinstance(values, (list, tuple)):
        return [values]
    return [leaf for value in values for leaf in flatten(value)]


def operations_of(elements: Sequence[Any]) -> List[Operation]:
    """The nodes of tensors, variables and operations."""
    operations = []
    for element in elements:
        op = element if isinstance(element, Operation) else getattr(element, "op", None)
        if not isinstance(op, Operation):
            raise TypeError(f"Control input must be an Operation or Tensor, not {element!r}")
        operations.append(op)
    return operations


def colocation_groups(operations: Sequence[Operation]) -> List[str]:
    """What a node says that shares the devices of all of them."""
    return sorted({f"loc:@{name}" for op in operations for name in op._colocated_names()})


def is_numeric_tensor(tensor: object) -> bool:
    """True for a tensor whose elements are numbers.

    Args:
        tensor: Any object.

    Returns:
        The answer.
    """
    other = (dtypes.bool_, dtypes.string, dtypes.resource)
    return isinstance(tensor, Tensor) and tensor.dtype not in other
