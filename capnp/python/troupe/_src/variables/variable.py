"""Variables: named values in the cluster that outlive steps and sessions."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Type, Union

import numpy as np

from troupe import _native
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.messages.meta_graph_messages import VariableDef
from troupe._src.ops import raw_ops
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike
from troupe._src.types.shapes import ShapeLike, TensorShape
from troupe._src.variables import save_slice_info as slices
from troupe._src.variables import variable_protos as protos
from troupe._src.variables.creators import arguments_by_name, create_by, outside_of_functions
from troupe._src.variables.initial_values import guarded, initial_value_of
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable_nodes import add_variable_nodes, known_attrs, of_shape
from troupe._src.variables.variable_updates import VariableUpdates


@set_module("troupe")
class Variable(VariableUpdates):
    """A value that steps read and update. It belongs to the cluster, not to a session.

    Sessions on all nodes share the variables with the same name and container. A variable has no
    value before some session has run its initializer.

    Args:
        initial_value: What the initializer assigns: a tensor, a value, or a function that gives
            one.
        trainable: Whether optimizers train it, by default unless it is synchronized on reads.
        collections: The names of the collections that it is added to, by default GLOBAL_VARIABLES.
        validate_shape: Whether its shape is that of its initial value; if not, it is a variable of
            references, unless `use_resource` says other.
        caching_device: Makes a step read it once, where it is used as a tensor, whichever device it
            is.
        name: The name, made unique.
        variable_def: A VariableDef, in place of an initial value: as of `from_proto`.
        dtype: The dtype, by default that of the initial value.
        expected_shape: What device functions are told of a shape that is not known yet.
        import_scope: The name scope that the names of `variable_def` are in.
        constraint: A function of the value after each update of an optimizer, which gives the
            value.
        use_resource: False for a variable of references; by default as its scope.
        synchronization: A `tf.VariableSynchronization`.
        aggregation: A `tf.VariableAggregation`.
        shape: The shape, of which the variable gets values of other sizes where it has unknown
            ones; by default that of the initial value.

    Raises:
        ValueError: There is no initial value, it has another shape, or it is a tensor of the
            function in which the variable is made.
        RuntimeError: The graph is finalized.
    """

    SaveSliceInfo = slices.SaveSliceInfo
    _save_slice_info: Optional[slices.SaveSliceInfo] = None
    # Whether a step reads it once, where it is used as a tensor.
    _is_cached = False
    _is_chosen_resource = False  # whether the program asked for a variable of resources
    # What the initializer assigns: `_initial`, without reads of variables that have no value yet.
    _guarded: Optional[Tensor] = None
    _told: Optional[Tensor] = None  # its value, as programs find it by its name
    synchronization = VariableSynchronization.AUTO
    aggregation = VariableAggregation.NONE
    # The class of those without `use_resource`; its module, which imports this one, says it.
    _of_references: Type[Variable]

    def __new__(cls, *args: Any, **kwargs: Any) -> Variable:
        definition = kwargs.get("variable_def")
        if definition is not None:
            if args or kwargs.get("initial_value") is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            return cls.from_proto(definition, kwargs.get("import_scope"))
        creators = get_default_graph()._scopes.creators if cls is Variable else ()
        if creators:
            arguments = arguments_by_name(Variable.__init__, args, kwargs)
            return create_by(creators, _made, arguments)  # type: ignore[no-any-return]
        keeps_shape = kwargs.get("validate_shape", args[3] if len(args) > 3 else True)
        return cls._without_nodes(kwargs.get("use_resource"), keeps_shape)

    @classmethod
    def _without_nodes(
        cls, use_resource: Optional[bool] = None, keeps_shape: bool = True
    ) -> Variable:
        chosen = _chosen_kind(use_resource)
        # By default one whose shape may change is one of references, as in TensorFlow 1.
        is_resource = (_Defaults.use_resource and keeps_shape) if chosen is None else chosen
        is_reference = cls is Variable and not is_resource
        variable = object.__new__(cls._of_references if is_reference else cls)
        variable._is_chosen_resource = chosen or (chosen is None and _Defaults.is_chosen)
        return variable

    @outside_of_functions
    def __init__(
        self,
        initial_value: Optional[InitialValue] = None,
        trainable: Optional[bool] = None,
        collections: Optional[Sequence[str]] = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: Optional[str] = None,
        variable_def: Any = None,
        dtype: Optional[DTypeLike] = None,
        expected_shape: ShapeLike = None,
        import_scope: Optional[str] = None,
        constraint: Optional[Callable[[Tensor], Tensor]] = None,
        use_resource: Optional[bool] = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: ShapeLike = None,
    ) -> None:
        if "_native" in vars(self):  # a creator has made it, or has chosen one that there was
            return
        self._is_cached = caching_device is not None
        self.synchronization = VariableSynchronization(synchronization)
        self.aggregation = VariableAggregation(aggregation)
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        graph = get_default_graph()
        name = name or "Variable"
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        with graph._lock, graph.control_dependencies(None):
            graph._check_not_finalized()
            known = known_attrs(initial_value, dtype, expected_shape if shape is None else shape)
            device = graph._device_for("VarHandleOp", name, attrs=known)
            with graph.device(None), graph.device(device):
                initial = self._checked(
                    initial_value_of(initial_value, dtype, name), validate_shape
                )
                initial = of_shape(initial, shape)
                self._guarded = guarded(initial)
                builder = graph._builder_for("VarHandleOp", name)
                if name.endswith("/"):
                    builder, name = builder.within(""), name[:-1]
                graph._use_context()
                native = add_variable_nodes(graph, builder, name, self._guarded, keys)
                self._set_up(graph, native, initial)
        self.constraint = constraint
        if trainable is None:
            trainable = self.synchronization != VariableSynchronization.ON_READ
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    def _checked(self, initial: Tensor, validate_shape: bool) -> Tensor:
        """The initial value, of which the variable gets its shape."""
        return initial

    def _set_up(self, graph: Graph, native: _native.Variable, initial: Optional[Tensor]) -> None:
        self._graph, self._native, self._initial = graph, native, initial
        self._dtype = dtypes.by_number(native.dtype)
        self._snapshot: Tensor = graph._of_value(native.read([]))  # type: ignore[assignment]
        self._snapshot._fed_name = self.handle.name
        graph._variables[native.name] = self
        self.handle.op._variable_name = native.name

    @classmethod
    def _of(cls, graph: Graph, native: _native.Variable) -> Variable:
        """A variable that the runtime has created, such as a slot of an optimizer."""
        variable = cls._without_nodes()
        variable._set_up(graph, native, None)
        variable.constraint = None
        graph.add_to_collection(GraphKeys.GLOBAL_VARIABLES, variable)
        return variable

    def to_proto(self, export_scope: Optional[str] = None) -> Optional[VariableDef]:
        """The names of its nodes as a message.

        Args:
            export_scope: The name scope that is left out of the names; by default none.

        Returns:
            A VariableDef; None for a variable that is not in the scope.
        """
        return protos.to_proto(self, export_scope)

    @staticmethod
    def from_proto(variable_def: Any, import_scope: Optional[str] = None) -> Variable:
        """The variable whose nodes, which the default graph has, the message names.

        Args:
            variable_def: A VariableDef.
            import_scope: The name scope that the names are in.

        Returns:
            The variable.

        Raises:
            KeyError: The graph lacks a node.
        """
        kind = Variable if variable_def.is_resource else Variable._of_references
        variable = kind._without_nodes(use_resource=True)
        variable._take_nodes(get_default_graph(), variable_def, import_scope)
        return variable

    def _take_nodes(self, graph: Graph, names: Any, scope: Optional[str]) -> None:
        protos.take_nodes(self, graph, names, scope)

    @property
    def name(self) -> str:
        """ "w:0", which stands for its value in fetches and feeds; `op.name` is "w"."""
        return f"{self._native.name}:0"

    @property
    def _shared_name(self) -> str:
        return str(self._native.name)

    @property
    def dtype(self) -> DType:
        """The dtype of its values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self._native.shape)

    def get_shape(self) -> TensorShape:
        """The static shape, as `shape`."""
        return self.shape

    @property
    def graph(self) -> Graph:
        """The graph that has its nodes."""
        return self._graph

    @property
    def device(self) -> str:
        """The device that the program pinned it to; "" where a cluster chooses its place.

        `tf.Session.list_resources(target)` tells where the variables of a cluster are.
        """
        return self.op.device

    @property
    def op(self) -> Operation:
        """The operation that creates its handle."""
        return self.handle.op

    @property
    def handle(self) -> Tensor:
        """The resource handle: the first input of the ops on variables."""
        tensor = self._graph._of_value(self._native.handle)
        assert isinstance(tensor, Tensor)
        return tensor

    @property
    def _read_from(self) -> Tensor:
        """What gives its value to all its reads, and so gets their gradients."""
        return self.handle

    @property
    def initializer(self) -> Operation:
        """The operation that assigns the initial value."""
        own = self._graph._of_value(self._native.initializer)
        assert isinstance(own, Operation)
        return self._graph._replaced_initializers.get(self._shared_name, own)

    @property
    def initial_value(self) -> Optional[Tensor]:
        """What the initializer assigns; None where it is not known."""
        return self._initial

    @property
    def trainable(self) -> bool:
        """Whether optimizers train it by default."""
        return self in self._graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def value(self) -> Tensor:
        """A tensor of its value, read after the current control dependencies."""
        return self.read_value()

    def read_value(self) -> Tensor:
        """A tensor of its value, read after the current control dependencies."""
        if get_default_graph()._is_function:  # which gets the handle as an argument
            return raw_ops.ReadVariableOp(resource=self.handle, dtype=self._dtype)
        with self._graph._lock:
            self._graph._check_not_finalized()
            self._graph._use_context()
            read = self._graph._of_value(self._native.read(self._graph._controls()))
        assert isinstance(read, Tensor)
        return read

    def _as_tensor(self) -> Tensor:
        is_cached = self._is_cached and not get_default_graph()._is_function
        return self._snapshot if is_cached else self.read_value()

    def _as_graph_element(self) -> Tensor:
        return self._snapshot

    def initialized_value(self) -> Tensor:
        """Its value, or its initial value where it has none yet, for initial values of others."""
        graph = self._graph
        initial = self._initial if self._guarded is None else self._guarded
        if initial is None:
            raise ValueError(f"the initial value of {self.name} is not known")
        with graph.control_dependencies(None):
            has_value = raw_ops.VarIsInitializedOp(resource=self.handle)
            return cond(has_value, self.read_value, lambda: initial)  # type: ignore[no-any-return]

    def _set_save_slice_info(self, save_slice_info: Optional[slices.SaveSliceInfo]) -> None:
        """Says which part of a larger variable it is in checkpoints."""
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> Optional[slices.SaveSliceInfo]:
        return self._save_slice_info

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Assigns a value at once.

        Args:
            value: Of its dtype and shape.
            session: The session, by default the default session.

        Raises:
            ValueError: There is no session.
        """
        session = self._graph._session_for(session)
        initializer = self.initializer
        session.run(initializer, {initializer.inputs[1]: value})

    def eval(self, session: Any = None) -> Any:
        """Its value now.

        Args:
            session: The session, by default the default session.

        Returns:
            An array, or a NumPy scalar for rank 0.

        Raises:
            ValueError: There is no session.
            FailedPreconditionError: It has no value.
        """
        return self._snapshot.eval(session=session)

    def __repr__(self) -> str:
        device = f" device={self.device}" if self.device else ""
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}{device}>"

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")


InitialValue = Union[Tensor, Variable, np.ndarray, Sequence[Any], float, Callable[[], Any]]


def _made(**arguments: Any) -> Variable:
    """A variable of these arguments, which creators have seen."""
    keeps_shape = arguments.get("validate_shape", True)
    variable = Variable._without_nodes(arguments.get("use_resource"), keeps_shape)
    variable.__init__(**arguments)  # type: ignore[misc]
    return variable


class _Defaults:
    """What new variables are where neither they nor their scope say it."""

    use_resource = True
    is_chosen = False  # whether the program says so


def enable_resource_variables() -> None:
    """Makes new variables those of resources: the default here, and in TensorFlow 2."""
    _Defaults.use_resource = _Defaults.is_chosen = True


def disable_resource_variables() -> None:
    """Makes new variables those of references: the default in TensorFlow 1."""
    _Defaults.use_resource = _Defaults.is_chosen = False


def resource_variables_enabled() -> bool:
    """True if new variables are by default those of resources."""
    return _Defaults.use_resource


def _chosen_kind(given: Optional[bool]) -> Optional[bool]:
    """Whether it is one of resources, as an argument says, else the variable scope, else None."""
    store = get_default_graph()._state.get("variable_store")
    of_scope = None if store is None else store.scope.use_resource
    return of_scope if given is None else given


def adopt_variables(graph: Graph) -> List[Variable]:
    """Registers the variables that the runtime has created since the last call."""
    known = graph._variables
    return [Variable._of(graph, v) for v in graph._root.variables() if v.name not in known]
