"""The base of layers: their scopes, variables, losses and updates."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from troupe._src.control_flow.structure import flatten
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.keras.settings import unique_object_name
from troupe._src.layer_base.configured import Configured
from troupe._src.layer_base.connections import Connected, connect, is_of_model, masks_of
from troupe._src.layer_base.construction import (
    argument_names,
    own_variable,
    snake_case,
    take_arguments,
)
from troupe._src.layer_base.style import is_keras_style
from troupe._src.layer_base.values import Measured
from troupe._src.layers.belongings import Belonging, Owner, copy_without_nodes
from troupe._src.layers.input_spec import check_all, checked
from troupe._src.module_scopes.module_like import ModuleLike
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.representation import represent
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.synchronization import is_trainable
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import (
    VariableScope,
    get_variable_scope,
    variable_scope,
)


@set_module("troupe.layers")
class Layer(Configured, Connected, Measured, Owner, ModuleLike):
    """A function with variables of its own, made when it is first called.

    A class of layers makes its variables in `build(input_shape)` by `add_weight`, and computes its
    result in `call(inputs)`. The variables are those of `tf.get_variable` in the scope of the
    layer: its name, or the snake case of its class, made unique.

    Args:
        trainable: Whether optimizers train its variables by default.
        name: The name of its scope, made unique; by default that of its class.
        dtype: The dtype of its variables, by default that of the first inputs.
        **kwargs: `activity_regularizer`, a function that makes a loss of the result; `input_shape`
            or `batch_input_shape`, for the first layer of a model of `tf.keras`; `weights`, the
            first values of the variables.

    Raises:
        TypeError: There is another argument.
    """

    stateful = supports_masking = dynamic = _keras_style = False
    activity_regularizer: Any = None
    _input_spec: Any = None
    _initial_weights: Any = None

    def __init__(
        self,
        trainable: bool = True,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        take_arguments(self, kwargs)
        self.trainable, self.built = trainable, False
        self._keras_style = is_keras_style()
        if self._keras_style and (scope or self._reuse is not None):
            raise ValueError("layers of the style of tf.keras take neither a scope nor reuse")
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._base_name = name or snake_case(type(self).__name__)
        self._name = name or unique_object_name(self._base_name)
        self._graph: Optional[Graph] = None
        self._scope: Optional[VariableScope] = None
        self._names = ""
        self._trainable_weights: List[Variable] = []
        self._non_trainable_weights: List[Variable] = []
        self._losses: List[Belonging] = []
        self._updates: List[Belonging] = []
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    def __repr__(self) -> str:
        own = vars(self)
        if "_name" not in own:  # a class of a program that does not call this `__init__`
            return represent(self, {})
        sizes = {key: own.get(key, own.get(f"_{key}")) for key in ("units", "filters", "num_units")}
        told = {"name": self._name, **sizes, "dtype": self.dtype, "built": self.built}
        return represent(self, told)

    @property
    def name(self) -> str:
        """The name, without the scopes around it."""
        return self._name

    @property
    def dtype(self) -> Optional[str]:
        """The name of the dtype of its variables, by default that of its first input."""
        return None if self._dtype is None else self._dtype.name

    @property
    def input_spec(self) -> Any:
        """What it demands of its inputs: an `InputSpec`, a list of one for each input, or None."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        self._input_spec = checked(value)

    @property
    def graph(self) -> Optional[Graph]:
        """The graph that it is in; None before it is applied."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of its scope, known after the first call."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name is determined the first time the layer instance is "
                "called."
            )
        return self._scope.name

    @property
    def weights(self) -> List[Variable]:
        """Its variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = weights

    @property
    def trainable_weights(self) -> List[Variable]:
        """The variables that optimizers train by default."""
        return list(self._trainable_weights) if self.trainable else []

    trainable_variables = trainable_weights

    @property
    def non_trainable_weights(self) -> List[Variable]:
        """The other variables."""
        return ([] if self.trainable else self._trainable_weights) + self._non_trainable_weights

    non_trainable_variables = non_trainable_weights

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables. Layers of the program's own override it.

        Args:
            input_shape: The shape of the inputs, or a list of shapes.

        Raises:
            ValueError: A size is not known that the variables depend on.
        """
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The result. Layers of the program's own override it.

        Args:
            inputs: Tensors, in the structure that the layer was called with.
            *args: Further arguments of the call.
            **kwargs: Further arguments of the call, such as `training`.

        Returns:
            A tensor, or nested tensors.
        """
        return inputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The static shape of the result.

        Args:
            input_shape: The static shape of the inputs.

        Returns:
            The shape.

        Raises:
            NotImplementedError: The layer does not know it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not compute the shape of its output")

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """`layer(inputs)`.

        Args:
            inputs: The tensor, or nested tensors, that the layer is applied to.
            *args: Further arguments of `call`.
            **kwargs: Further arguments of `call`.

        Returns:
            What `call` gives.
        """
        return self(inputs, *args, **kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer: makes its variables, the first time, and adds the nodes of its result.

        Args:
            inputs: The tensor, or nested tensors, that the layer is applied to.
            *args: Further arguments of `call`.
            **kwargs: Further arguments of `call`, and `scope`, the variable scope for a layer that
                has none.

        Returns:
            What `call` gives.

        Raises:
            ValueError: The inputs are of another graph than the layer's, or do not fit it.
        """
        if not is_of_model(inputs):
            return self._computed(inputs, *args, **kwargs)
        arguments = dict(kwargs)
        if "mask" in argument_names(self) and "mask" not in kwargs:
            kwargs["mask"] = masks_of(inputs)
        return connect(self, inputs, self._computed(inputs, *args, **kwargs), arguments)

    def _computed(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What a call gives; models of `tf.keras` call that, when they are themselves called."""
        graph = get_default_graph()
        given = [convert_to_tensor(item) for item in flatten(inputs)]
        if not isinstance(inputs, (list, tuple, dict)):
            inputs = given[0]
        if self._graph is None:
            self._graph = graph
        elif self._graph is not graph:
            raise ValueError("Input graph and Layer graph are not the same")
        with self._within(kwargs.pop("scope", None)) as scope:
            if "scope" in argument_names(self):
                kwargs["scope"] = scope
            self._check(given)
            self._build_for(inputs, given)
            outputs = self.call(inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError(
                    "A layer's `call` method should return a Tensor or a list of Tensors, not "
                    f"None (layer: {self.name})."
                )
            self._regularize_activity(outputs, given)
        return outputs

    @contextlib.contextmanager
    def _within(self, scope: Any) -> Iterator[Any]:
        """Its scopes of variables and names."""
        graph = get_default_graph()
        if self._keras_style:
            if scope is not None:
                raise ValueError("layers of the style of tf.keras take no scope")
            with graph.name_scope(self.name):
                yield get_variable_scope()
            return
        entered, reuse = self._enter(scope), True if self.built else self._reuse
        with variable_scope(entered, reuse=reuse, auxiliary_name_scope=False) as current:
            with graph.name_scope(self._names or None):
                yield current

    def _enter(self, scope: Any) -> VariableScope:
        """Its scope, which its first call determines."""
        if self._scope is None:
            chosen = scope if scope is not None else self._base_name if self._reuse else None
            with variable_scope(chosen, default_name=self._base_name) as captured:
                self._scope = captured
        self._names = self._scope.original_name_scope
        return self._scope

    def _check(self, inputs: Sequence[Tensor]) -> None:
        check_all(self._input_spec, inputs, self.name)

    def _build_for(self, inputs: Any, given: Sequence[Tensor]) -> None:
        if self.built:
            return
        if self._dtype is None and given:
            self._dtype = given[0].dtype
        if isinstance(inputs, (list, tuple)):
            self.build([tensor.shape for tensor in given])
        else:
            self.build(given[0].shape if given else TensorShape(None))
        self.built = True
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None
        self._check(given)

    def _regularize_activity(self, outputs: Any, inputs: Sequence[Tensor]) -> None:
        if self.activity_regularizer is None:
            return
        with get_default_graph().name_scope("ActivityRegularizer"):
            for output in flatten(outputs):
                loss = self.activity_regularizer(output)
                batch = math_ops.cast(array_ops.shape(output)[0], loss.dtype)
                self.add_loss(loss / batch, inputs=list(inputs))

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Optional[DTypeLike] = None,
        initializer: Any = None,
        regularizer: Optional[Callable[[Any], Any]] = None,
        trainable: Optional[bool] = None,
        constraint: Any = None,
        use_resource: Optional[bool] = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A variable in the scope of the layer, which is reused where the scope says so.

        Args:
            name: Its name in the scope.
            shape: Its shape.
            dtype: Its dtype, by default that of the layer, or else float32.
            initializer: Makes its first value; None for the scope's default.
            regularizer: Makes a loss of it.
            trainable: Whether optimizers train it, by default unless it is synchronized on reads.
            constraint: Is applied to it after an optimizer has updated it.
            use_resource: False for a variable of references; by default as the scope.
            synchronization: A `tf.VariableSynchronization`.
            aggregation: A `tf.VariableAggregation`.
            partitioner: Divides it into parts, by default that of the scope.
            **kwargs: Further arguments of `tf.get_variable`.

        Returns:
            The variable, or its parts with a partitioner.

        Raises:
            ValueError: There is such a variable and the scope does not reuse it, there is none
                and it does, or it is to be trainable and synchronized on reads.
        """
        graph = get_default_graph()
        can_train = is_trainable(trainable, synchronization)
        kind, can_train = dtype or self._dtype or dtypes.float32, self.trainable and can_train
        if self._keras_style:
            variable = own_variable(name, shape, kind, initializer, can_train, constraint)
            if regularizer is not None:
                self._regularize(name, variable, regularizer)
            self._keep(variable)
            return variable
        scope = self._enter(None)
        reuse = True if self.built else self._reuse
        with variable_scope(scope, reuse=reuse, auxiliary_name_scope=False) as current:
            before = len(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
            with graph.name_scope(self._names or None):
                variable = get_variable(
                    name,
                    shape=as_shape(shape),
                    dtype=kind,
                    initializer=current.initializer if initializer is None else initializer,
                    trainable=can_train,
                    constraint=constraint,
                    use_resource=use_resource,
                    synchronization=synchronization,
                    aggregation=aggregation,
                    partitioner=partitioner,
                    **kwargs,
                )
                is_new = len(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)) > before
                if regularizer is not None and is_new:
                    self._regularize(name, variable, regularizer)
        self._keep(variable)
        return variable

    add_variable = add_weight

    def _keep(self, variable: Any) -> None:
        """Adds a variable to those of the layer, unless it is one already."""
        kinds = self._trainable_weights, self._non_trainable_weights
        if all(variable is not each for kind in kinds for each in kind):
            kinds[0 if getattr(variable, "trainable", False) else 1].append(variable)

    def _regularize(self, name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            with get_default_graph().name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def __deepcopy__(self, memo: Dict[int, Any]) -> Layer:
        return copy_without_nodes(self, memo)
