"""Graphs whose tensors have values at once, for functions that are called in a step."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple, Type

import numpy as np

from troupe._src.graph.elements import Operation, Tensor, flatten
from troupe._src.graph.graph import Graph
from troupe._src.ops import creation_ops
from troupe._src.ops.convert import convert_to_tensor, to_array
from troupe._src.session.session import Session
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.errors import OpError
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable import Variable

# Their values exist in the runtime alone.
_WITHOUT_VALUES = (dtypes.resource, dtypes.variant)
# The side of a branch that is not taken has no value.
_WITH_DEAD_OUTPUTS = ("Switch", "RefSwitch")


Place = Tuple[int, int]  # of a tensor: its node and output


class ImmediateTensor(Tensor):
    """A tensor that can be asked for its value."""

    __slots__ = ()

    def numpy(self) -> Any:
        """Its value: an array, a NumPy scalar for a tensor of rank 0, or bytes for a string.

        Returns:
            The value.

        Raises:
            OpError: It could not be computed.
        """
        graph = self.graph
        assert isinstance(graph, ImmediateGraph)
        return graph.value_of(self)

    @property
    def shape(self) -> TensorShape:
        """The shape of its value."""
        graph = self.graph
        assert isinstance(graph, ImmediateGraph)
        if not self._shape.is_fully_defined() and graph.can_compute(self):
            self._shape = TensorShape(np.shape(graph.value_of(self)))
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of its value, as `shape`."""
        return self.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(self.numpy(), dtype=dtype)

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __index__(self) -> int:
        value: int = self.numpy().__index__()
        return value

    def __float__(self) -> float:
        return float(self.numpy())

    def __len__(self) -> int:
        return len(self.numpy())

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={self.numpy()!r}>"


class ImmediateGraph(Graph):
    """A graph that runs its nodes as soon as a value of one is asked for, each once.

    As with eager execution, a program sees values where it has tensors; but nodes of which nobody
    asks for a value run together, in one step, whose error is that of all. For use by one thread.
    """

    _tensor_class: Type[Tensor] = ImmediateTensor

    def __init__(self) -> None:
        super().__init__()
        self._values: Dict[Place, Any] = {}
        self._errors: Dict[Place, OpError] = {}  # of steps that failed
        self._pending: List[Operation] = []
        self._run_size = 0  # of the graph, when nodes were last run
        self._session: Optional[Session] = None

    def __enter__(self) -> ImmediateGraph:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._session is not None:
            self._session.close()

    def _operation(self, node: int) -> Operation:
        is_new = node not in self._operations
        operation = super()._operation(node)
        # Inside of a loop or a branch a node has no value of its own.
        if is_new and self._get_control_flow_context() is None:
            self._pending.append(operation)
        return operation

    def argument(self, value: Any, dtype: DType) -> Tensor:
        """A tensor of that value."""
        tensor = creation_ops.placeholder(dtype, np.shape(value))
        self._values[_place(tensor)] = value
        self._pending.remove(tensor.op)
        return tensor

    def can_compute(self, tensor: Tensor) -> bool:
        """Whether the tensor has a value, or will when what is pending has run."""
        return _place(tensor) in self._values or tensor.op in self._pending

    def value_of(self, tensor: Tensor) -> Any:
        """The value of one of its tensors."""
        place = _place(tensor)
        if place not in self._values and place not in self._errors:
            self.run_pending()
        if place in self._errors:
            raise self._errors[place]
        if place not in self._values:
            raise ValueError(f"{tensor.name} has no value: it is within a loop or a branch.")
        return self._values[place]

    def run_pending(self) -> None:
        """Runs the nodes that have not run yet."""
        nodes, self._pending = self._pending, []
        if not nodes:
            return
        fetches = [
            tensor
            for node in nodes
            for tensor in node._outputs
            if node.type not in _WITH_DEAD_OUTPUTS and tensor.dtype not in _WITHOUT_VALUES
        ]
        targets = [node for node in nodes if not node._outputs]
        used = {
            place
            for node in range(self._run_size, self._root.size)
            for place in self._root.node_inputs(node)
        }
        self._run_size = self._root.size
        known = {self._tensor(*place): self._values[place] for place in used & self._values.keys()}
        if self._session is None:
            self._session = Session(graph=self)
        try:
            values, _ = self._session.run([fetches, targets], known)
        except OpError as error:
            self._errors.update((_place(tensor), error) for tensor in fetches)
            raise
        self._values.update(zip(map(_place, fetches), values))

    def result(self, value: Any, dtype: DType) -> Any:
        """What a function has returned, as a tensor or an array of that dtype."""
        if isinstance(value, Variable):
            raise RuntimeError(
                "Attempting to return a variable from a function of tf.py_function: "
                f"read_value() returns the value of {value.name}"
            )
        if not any(isinstance(leaf, Tensor) for leaf in flatten(value)):
            return to_array(value, dtype)
        return convert_to_tensor(value, dtype)


def _place(tensor: Tensor) -> Place:
    return tensor._op._id, tensor._index
