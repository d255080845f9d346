"""The base of layers: their scopes, variables, losses and updates."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.control_flow.structure import flatten
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.layers.belongings import Belonging, add_to, copy_without_nodes, for_inputs
from troupe._src.layers.input_spec import InputSpec
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.representation import represent
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.synchronization import is_trainable
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import VariableScope, variable_scope


def snake_case(name: str) -> str:
    """ "max_pooling2d" for "MaxPooling2D", as TensorFlow names layers after their classes."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower().lstrip("_")


@set_module("troupe.layers")
class Layer:
    """A function with variables of its own, made when it is first called.

    A class of layers makes its variables in `build(input_shape)` by `add_weight`, and computes its
    result in `call(inputs)`. The variables are those of `tf.get_variable` in the scope of the
    layer: its name, or the snake case of its class, made unique.

    Args:
        trainable: Whether optimizers train its variables by default.
        name: The name of its scope, made unique; by default that of its class.
        dtype: The dtype of its variables, by default that of the first inputs.
        **kwargs: `activity_regularizer`, a function that makes a loss of the result.

    Raises:
        TypeError: There is another argument.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self.activity_regularizer = kwargs.pop("activity_regularizer", None)
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {', '.join(kwargs)}")
        self.trainable, self.built = trainable, False
        self.input_spec: Any = None
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._base_name = name or snake_case(type(self).__name__)
        self._name = name or _unique(self._base_name)
        self._graph: Optional[Graph] = None
        self._scope: Optional[VariableScope] = None
        self._names = ""
        self._trainable_weights: List[Variable] = []
        self._non_trainable_weights: List[Variable] = []
        self._losses: List[Belonging] = []
        self._updates: List[Belonging] = []
        self._regularized: List[str] = []
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    def __repr__(self) -> str:
        own = vars(self)
        if "_name" not in own:  # a class of a program that does not call this `__init__`
            return represent(self, {})
        sizes = {key: own.get(key, own.get(f"_{key}")) for key in ("units", "filters", "num_units")}
        dtype = None if self._dtype is None else self._dtype.name
        return represent(self, {"name": self._name, **sizes, "dtype": dtype, "built": self.built})

    @property
    def name(self) -> str:
        """The name, without the scopes around it."""
        return self._name

    @property
    def dtype(self) -> Optional[DType]:
        """The dtype of its variables, by default that of its first input."""
        return self._dtype

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

    @property
    def losses(self) -> List[Any]:
        """The losses of its variables and results."""
        return [each.value for each in self._losses]

    @property
    def updates(self) -> List[Any]:
        """The updates that a step of training has to run, such as those of moving averages."""
        return [each.value for each in self._updates] if self.trainable else []

    def get_losses_for(self, inputs: Any) -> List[Any]:
        """The losses that depend on some inputs.

        Args:
            inputs: The inputs; None for the losses of variables alone.

        Returns:
            Scalars.
        """
        return for_inputs(self._losses, inputs)

    def get_updates_for(self, inputs: Any) -> List[Any]:
        """The updates that depend on some inputs.

        Args:
            inputs: The inputs; None for the unconditional ones.

        Returns:
            Operations; none for a layer that is not trained.
        """
        return for_inputs(self._updates, inputs) if self.trainable else []

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses, also to the collection REGULARIZATION_LOSSES.

        Args:
            losses: A scalar or a list of them; None is left out.
            inputs: What they depend on; None for variables alone.
        """
        add_to(self._losses, losses, inputs, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds updates, also to the collection UPDATE_OPS.

        Args:
            updates: An operation or a list of them.
            inputs: What they depend on; None for nothing.
        """
        add_to(self._updates, updates, inputs, GraphKeys.UPDATE_OPS)

    def count_params(self) -> int:
        """The number of elements of all its variables."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You "
                "can build it manually via: `.build(batch_input_shape)`."
            )
        return sum(weight.shape.num_elements() or 0 for weight in self.weights)

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
        scope = self._enter(kwargs.pop("scope", None))
        graph = get_default_graph()
        given = [convert_to_tensor(item) for item in flatten(inputs)]
        if not isinstance(inputs, (list, tuple, dict)):
            inputs = given[0]
        if self._graph is None:
            self._graph = graph
        elif self._graph is not graph:
            raise ValueError("Input graph and Layer graph are not the same")
        reuse = True if self.built else self._reuse
        with variable_scope(scope, reuse=reuse, auxiliary_name_scope=False):
            with graph.name_scope(self._names or None):
                self._check(given)
                self._build_for(inputs, given)
                outputs = self.call(inputs, *args, **kwargs)
                self._regularize_activity(outputs, given)
        return outputs

    def _enter(self, scope: Any) -> VariableScope:
        """Its scope, which its first call determines."""
        if self._scope is None:
            chosen = scope if scope is not None else self._base_name if self._reuse else None
            with variable_scope(chosen, default_name=self._base_name) as captured:
                self._scope = captured
        self._names = self._scope.original_name_scope
        return self._scope

    def _check(self, inputs: Sequence[Tensor]) -> None:
        if isinstance(self.input_spec, InputSpec):
            self.input_spec.check(inputs[0], self.name)

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
        scope = self._enter(None)
        can_train = is_trainable(trainable, synchronization)
        reuse = True if self.built else self._reuse
        with variable_scope(scope, reuse=reuse, auxiliary_name_scope=False) as current:
            before = len(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
            with graph.name_scope(self._names or None):
                variable = get_variable(
                    name,
                    shape=as_shape(shape),
                    dtype=dtype or self._dtype or dtypes.float32,
                    initializer=current.initializer if initializer is None else initializer,
                    trainable=self.trainable and can_train,
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


def _unique(base_name: str) -> str:
    """The name of the next layer of that kind in the default graph."""
    counts = get_default_graph()._state.setdefault("layer_names", {})
    assert isinstance(counts, dict)
    counts[base_name] = counts.get(base_name, 0) + 1
    return base_name if counts[base_name] == 1 else f"{base_name}_{counts[base_name] - 1}"
