"""Variables: values that live in the cluster, under a name, beyond steps and sessions."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Union

import numpy as np

from troupe import _dtypes, _native
from troupe._convert import convert_to_tensor
from troupe._dtypes import DType, DTypeLike
from troupe._elements import Operation, Tensor
from troupe._graph import Graph, GraphKeys, get_default_graph
from troupe._operand import Operand
from troupe._shapes import TensorShape

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
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = get_default_graph()
        name = name or "Variable"
        with graph._lock, graph.control_dependencies(None):
            graph._check_not_finalized()
            device = graph._device_for("VarHandleOp", name)
            with graph.device(None), graph.device(device):
                initial = _initial(initial_value, dtype, name)
                builder = graph._builder_for("VarHandleOp", name)
                if name.endswith("/"):
                    builder, name = builder.within(""), name[:-1]
                made = builder.add_variable(name, initial._value())
        self._set_up(graph, made, initial)
        graph.add_to_collections(list(collections or []), self)
        if trainable:
            graph.add_to_collection(GraphKeys.TRAINABLE_VARIABLES, self)

    def _set_up(self, graph: Graph, made: _native.Variable, initial: Optional[Tensor]) -> None:
        self._graph = graph
        self._made = made
        self._initial = initial
        self._dtype = _dtypes.by_number(made.dtype)
        self._snapshot: Tensor = graph._of_value(made.read([]))  # type: ignore[assignment]
        graph._variables[made.name] = self

    @classmethod
    def _of(cls, graph: Graph, made: _native.Variable) -> Variable:
        """One that the runtime has made, as the memory of an optimizer."""
        variable = cls.__new__(cls)
        variable._set_up(graph, made, None)
        return variable

    @property
    def name(self) -> str:
        """ "w:0", as TensorFlow spells it; `op.name` without the ":0" names its node."""
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


def all_variables(graph: Graph) -> List[Variable]:
    """Those of a graph, optimizers' memory included, in the order of their making."""
    with graph._lock:
        found = []
        for made in graph._root.variables():
            variable = graph._variables.get(made.name)
            found.append(variable or Variable._of(graph, made))
        return found


def global_variables(scope: Optional[str] = None) -> List[Any]:
    """All variables of the default graph."""
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope: Optional[str] = None) -> List[Any]:
    """Those that optimizers train unless they are told others."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def global_variables_initializer() -> Operation:
    """A node that runs the initializers of all variables made so far."""
    return variables_initializer(global_variables())


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """A node that runs the initializers of those variables."""
    return group(*[variable.initializer for variable in var_list], name=name)


def local_variables_initializer() -> Operation:
    """Does nothing: there are no local variables."""
    return group(name="init_local")


def is_variable_initialized(variable: Variable) -> Tensor:
    """True once it has a value."""
    from troupe._apply import apply_op

    tensor = apply_op("VarIsInitializedOp", {"resource": variable.handle}, {})
    assert isinstance(tensor, Tensor)
    return tensor


def group(*inputs: Any, name: str = "group_deps") -> Operation:
    """A node that does nothing, after all of `inputs` have run."""
    graph = get_default_graph()
    with graph.control_dependencies([item for item in _flat(inputs) if item is not None]):
        return graph._add("NoOp", [], {}, name)


def _flat(inputs: Sequence[Any]) -> List[Any]:
    flat: List[Any] = []
    for item in inputs:
        flat += _flat(item) if isinstance(item, (list, tuple)) else [item]
    return flat


def assign(ref: Variable, value: Any, validate_shape: Any = None, **_: Any) -> Tensor:
    """`Variable.assign`."""
    return ref.assign(value)


def assign_add(ref: Variable, value: Any, **_: Any) -> Tensor:
    """`Variable.assign_add`."""
    return ref.assign_add(value)


def assign_sub(ref: Variable, value: Any, **_: Any) -> Tensor:
    """`Variable.assign_sub`."""
    return ref.assign_sub(value)
