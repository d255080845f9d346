"""What all cells of recurrent networks have: sizes, initial states, variables."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.rnn.sizes import zeros_like_sizes
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType, DTypeLike
from troupe._src.types.shapes import as_shape
from troupe._src.variables.variable_store import get_variable_scope, variable_scope

_ACTIVATIONS: Dict[str, Callable[..., Any]] = {
    "elu": gen_ops.elu,
    "exponential": gen_ops.exp,
    "linear": lambda x: x,
    "relu": gen_ops.relu,
    "selu": gen_ops.selu,
    "sigmoid": gen_ops.sigmoid,
    "softmax": nn_ops.softmax,
    "softplus": gen_ops.softplus,
    "softsign": gen_ops.softsign,
    "tanh": gen_ops.tanh,
}


def activation_of(given: Any) -> Callable[..., Any]:
    """A function, or that of Keras's name for it; by default tanh."""
    if not given:
        return gen_ops.tanh
    if callable(given):
        function: Callable[..., Any] = given
        return function
    if given not in _ACTIVATIONS:
        raise ValueError(f"Unknown activation function:{given}")
    return _ACTIVATIONS[given]


def assert_like_rnncell(cell_name: str, cell: Any) -> None:
    """TypeError unless an argument of that name has what a cell has, of whatever class it is."""
    faults = [
        (_has(cell, "output_size"), "'output_size' property is missing"),
        (_has(cell, "state_size"), "'state_size' property is missing"),
        (
            _has(cell, "get_initial_state") or _has(cell, "zero_state"),
            "either 'zero_state' or 'get_initial_state' method is required",
        ),
        (callable(cell), "is not callable"),
    ]
    if not all(is_there for is_there, _ in faults):
        listed = ", ".join(fault for is_there, fault in faults if not is_there)
        raise TypeError(f"The argument {cell_name!r} ({cell}) is not an RNNCell: {listed}.")


def _has(value: Any, name: str) -> bool:
    try:
        getattr(value, name)
    except AttributeError:
        return False
    return True


def check_dtype(dtype: Optional[DType]) -> None:
    """ValueError for a dtype that the functions of cells do not take."""
    if dtype is not None and not (dtype.is_floating or dtype.is_complex):
        raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {dtype}")


def check_tensors(inputs: Any) -> None:
    """ValueError where a tensor of the inputs or the state has such a dtype."""
    for tensor in nest.flatten(inputs):
        check_dtype(tensor.dtype)


def initial_state(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """The state in which a cell begins, which may be of a class of the program's own."""
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


@set_module("troupe.nn.rnn_cell")
class RNNCell(Layer):
    """A function from an input and a state to an output and the next state.

    A class of cells has `state_size` and `output_size`, and computes in `call(inputs, state)`. That
    may use `tf.get_variable`, whose variables are then those of the cell.

    Args:
        trainable: Whether its variables are among the trainable ones.
        name: The name of the layer, by default the snake case of the class.
        dtype: The dtype of the variables, by default that of the first input.
        **kwargs: What all layers take.
    """

    _is_tf_rnn_cell = _has_config = True

    def __init__(
        self,
        trainable: bool = True,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes a step.

        Args:
            inputs: A tensor of the shape [batch, size], or nested tensors.
            state: A tensor for each size in `state_size`.
            scope: The scope of the variables, by default the snake case of the class.

        Returns:
            The output, of the structure of `output_size`, and the next state, of that of `state`.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._tracked) as entered:
                return super().__call__(inputs, state, scope=entered)
        around = getattr(self, "_around", None)
        if around is None:
            around = self._around = get_variable_scope()
        with variable_scope(around, custom_getter=self._tracked):
            return super().__call__(inputs, state)

    def _tracked(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        self._keep(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The sizes of the state: a number, a shape, or nested ones."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of an output: a number, a shape, or nested ones."""
        raise NotImplementedError("Abstract method")

    def build(self, _: Any) -> None:
        """Makes no variables: `call` does.

        Args:
            _: The shape of the inputs.
        """

    def get_initial_state(
        self,
        inputs: Optional[TensorLike] = None,
        batch_size: Any = None,
        dtype: Optional[DTypeLike] = None,
    ) -> Any:
        """`zero_state` for the batch size and dtype of the inputs, or those that are given.

        Args:
            inputs: A tensor whose first axis is the batch, or None.
            batch_size: A number or a scalar, where there are no inputs.
            dtype: The dtype of the state, where there are no inputs.

        Returns:
            Tensors with the structure of `state_size`.

        Raises:
            ValueError: They are not known, or the inputs have others.
        """
        if inputs is not None:
            tensor = convert_to_tensor(inputs, name="inputs")
            static = tensor.shape[0].value
            if batch_size is not None:
                is_dynamic = is_tensor(batch_size)
                given = array_ops.get_static_value(batch_size) if is_dynamic else batch_size
                if static != given:
                    raise ValueError(
                        "batch size from input tensor is different from the input param. Input "
                        f"tensor batch: {static}, batch_size: {batch_size}"
                    )
            if dtype is not None and tensor.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. Input tensor "
                    f"dtype: {tensor.dtype}, dtype: {dtype}"
                )
            batch_size, dtype = static or array_ops.shape(tensor)[0], tensor.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        """A state of zeros.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            Tensors [batch, size] with the structure of `state_size`.
        """
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return zeros_like_sizes(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as layers do.

    Args:
        dtype: The dtype of the variables, by default that of the first input.
        **kwargs: What all layers take.
    """

    def __init__(self, dtype: Optional[DTypeLike], **kwargs: Any) -> None:
        super().__init__(dtype=dtype, **kwargs)
        check_dtype(self._dtype)
        self.input_spec = InputSpec(ndim=2)

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Computes a step.

        Args:
            inputs: A tensor of the shape [batch, size].
            state: A tensor for each size in `state_size`.
            scope: The scope of the variables, by default the snake case of the class.
            *args: What else `call` takes.
            **kwargs: What else `call` takes.

        Returns:
            The output and the next state.
        """
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth_of(self, inputs_shape: Any) -> int:
        """The size of an input, which the shapes of variables need."""
        size = as_shape(inputs_shape)[-1].value
        if size is None:
            raise ValueError(
                f"Expected inputs.shape[-1] to be known, saw shape: {as_shape(inputs_shape)}"
            )
        check_dtype(self._dtype)
        return size


class CompositeCell(RNNCell):
    """A cell whose variables are those of other cells."""

    def _inner_cells(self) -> Sequence[Any]:
        raise NotImplementedError

    @property
    def trainable_weights(self) -> List[Any]:
        """The trainable variables of the cells in it."""
        return self._gathered("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        """The other variables of the cells in it."""
        rest = self._gathered("non_trainable_weights")
        return rest if self.trainable else self._gathered("trainable_weights") + rest

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    def _gathered(self, kind: str) -> List[Any]:
        layers = [cell for cell in self._inner_cells() if isinstance(cell, Layer)]
        return [weight for layer in layers for weight in getattr(layer, kind)]
