"""Variables: values that live in the cluster, under a name, beyond steps and sessions."""

from __future__ import annotations

import uuid
from typing import Any, Callable, List, Optional, Sequence, Union

import numpy as np

from troupe import _dtypes, _native
from troupe._convert import convert_to_tensor
from troupe._dtypes import DType, DTypeLike
from troupe._elements import Operation, Tensor
from troupe._graph import Graph, GraphKeys, get_default_graph
from troupe._operand import Operand
from troupe._shapes import ShapeLike, TensorShape

InitialValue = Union[Tensor, "Variable", np.ndarray, Sequence[Any], float, Callable[[], Any]]


class Variable(Operand):
    """A value that steps read and change. It belongs to the cluster, not to the session.

    Sessions on any node that have a variable of that name, in that container, mean the same one.
    It has no value before its initializer has run in some session.
    """

    def __init__(
        self,
        initial_value: InitialValue,
        trainable: bool = True,
        collections: Optional[Sequence[str]] = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        constraint: Optional[Callable[[Tensor], Tensor]] = None,
        use_resource: Optional[bool] = None,
        expected_shape: ShapeLike = None,
        **_: Any,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = get_default_graph()
        name = name or "Variable"
        kinds = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        with graph._lock, graph.control_dependencies(None):
            graph._check_not_finalized()
            device = graph._device_for("VarHandleOp", name)
            with graph.device(None), graph.device(device):
                initial = _initial(initial_value, dtype, name)
                builder = graph._builder_for("VarHandleOp", name)
                if name.endswith("/"):
                    builder, name = builder.within(""), name[:-1]
                made = _make(graph, builder, name, initial, kinds)
        self._set_up(graph, made, initial)
        self.constraint = constraint
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in kinds:
            kinds.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(kinds, self)

    def _set_up(self, graph: Graph, made: _native.Variable, initial: Optional[Tensor]) -> None:
        self._graph = graph
        self._made = made
        self._initial = initial
        self._dtype = _dtypes.by_number(made.dtype)
        self._snapshot: Tensor = graph._of_value(made.read([]))  # type: ignore[assignment]
        graph._variables[made.name] = self
        self.handle.op._variable_name = made.name

    @classmethod
    def _of(cls, graph: Graph, made: _native.Variable) -> Variable:
        """One that the runtime has made, as the memory of an optimizer."""
        variable = cls.__new__(cls)
        variable._set_up(graph, made, None)
        variable.constraint = None
        graph.add_to_collection(GraphKeys.GLOBAL_VARIABLES, variable)
        return variable

    @property
    def name(self) -> str:
        """ "w:0", which in fetches and feeds stands for its value; `op.name` is "w"."""
        return f"{self._made.name}:0"

    @property
    def _shared_name(self) -> str:
        return str(self._made.name)

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._made.shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def device(self) -> str:
        return self.op.device

    @property
    def op(self) -> Operation:
        """The node that makes its handle."""
        return self.handle.op

    @property
    def handle(self) -> Tensor:
        """What the ops of variables take for their first input."""
        tensor = self._graph._of_value(self._made.handle)
        assert isinstance(tensor, Tensor)
        return tensor

    @property
    def initializer(self) -> Operation:
        """The node that gives it its first value."""
        operation = self._graph._of_value(self._made.initializer)
        assert isinstance(operation, Operation)
        return operation

    @property
    def initial_value(self) -> Optional[Tensor]:
        return self._initial

    @property
    def trainable(self) -> bool:
        return self in self._graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def value(self) -> Tensor:
        """A read of its value, after the nodes that the thread's control_dependencies name."""
        return self.read_value()

    def read_value(self) -> Tensor:
        with self._graph._lock:
            self._graph._check_not_finalized()
            read = self._graph._of_value(self._made.read(self._graph._controls()))
        assert isinstance(read, Tensor)
        return read

    def _as_tensor(self) -> Tensor:
        return self.read_value()

    def _as_graph_element(self) -> Tensor:
        return self._snapshot

    def initialized_value(self) -> Tensor:
        raise AttributeError("initialized_value needs tf.cond, which is not part of this version")

    def assign(self, value: Any, use_locking: bool = False, name: Any = None) -> Tensor:
        """Gives it that value; the result is its value after that."""
        return self._change("assign", value)

    def assign_add(self, delta: Any, use_locking: bool = False, name: Any = None) -> Tensor:
        """Adds to it, atomically among updates; the result is its value after that."""
        return self._change("add", delta)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: Any = None) -> Tensor:
        """Subtracts from it, atomically among updates; the result is its value after that."""
        return self._change("sub", delta)

    def _change(self, how: str, value: Any) -> Tensor:
        with self._graph._lock:
            self._graph._check_not_finalized()
            operand = convert_to_tensor(value, self._dtype)
            controls = self._graph._controls()
            made = self._made.change(how, operand._value(), controls)
            after = self._graph._of_value(self._made.read([made]))
        assert isinstance(after, Tensor)
        return after

    def _assign_constrained(self) -> Tensor:
        """Gives it what its constraint makes of its value."""
        assert self.constraint is not None
        return self.assign(self.constraint(self.read_value()))

    def load(self, value: Any, session: Any = None) -> None:
        """Gives it a value in the session, or in the default one."""
        session = self._graph._session_for(session)
        initializer = self.initializer
        session.run(initializer, {initializer.inputs[1]: value})

    def eval(self, session: Any = None) -> Any:
        """Its value in the session, or in the default one."""
        return self._snapshot.eval(session=session)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")


def _initial(value: Any, dtype: Optional[DTypeLike], name: str) -> Tensor:
    graph = get_default_graph()
    with graph.name_scope(name.rstrip("/") + "/Initializer" if callable(value) else None):
        if callable(value):
            return convert_to_tensor(value(), dtype)
    return convert_to_tensor(value, dtype, name=f"{name.rstrip('/')}/initial_value")


def _make(
    graph: Graph, builder: _native.Builder, name: str, initial: Tensor, collections: List[str]
) -> _native.Variable:
    """Trainings wait for global variables only, and no other program meets a local one."""
    if GraphKeys.GLOBAL_VARIABLES in collections:
        return builder.add_variable(name, initial._value())
    shared_name = builder.prefix + name
    if GraphKeys.LOCAL_VARIABLES in collections:
        shared_name += f"@{graph._state.setdefault('local_name', uuid.uuid4().hex)}"
    container = graph._scopes.container
    return builder.add_local_variable(name, initial._value(), container, shared_name)


def adopt_variables(graph: Graph) -> List[Variable]:
    """Those that the runtime has made since the last call, as variables of the program."""
    known = graph._variables
    return [Variable._of(graph, made) for made in graph._root.variables() if made.name not in known]


def is_variable_initialized(variable: Variable) -> Tensor:
    """True once it has a value."""
    from troupe._apply import apply_op

    tensor = apply_op("VarIsInitializedOp", {"resource": variable.handle}, {})
    assert isinstance(tensor, Tensor)
    return tensor


def assign(ref: Variable, value: Any, validate_shape: Any = None, **_: Any) -> Tensor:
    """`Variable.assign`."""
    return ref.assign(value)


def assign_add(ref: Variable, value: Any, **_: Any) -> Tensor:
    """`Variable.assign_add`."""
    return ref.assign_add(value)


def assign_sub(ref: Variable, value: Any, **_: Any) -> Tensor:
    """`Variable.assign_sub`."""
    return ref.assign_sub(value)
