"""Memory cells of convolutions, and of groups of units."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.nn import nn_ops
from troupe._src.nn.conv_ops import conv1d, conv2d, conv3d
from troupe._src.ops import array_ops, gen_ops
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.rnn_cells.linear import linear
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


@set_module("troupe.contrib.rnn")
class ConvLSTMCell(RNNCell):
    """A memory cell whose products are convolutions (Shi et al., 2015)."""

    def __init__(
        self, conv_ndims: int, input_shape: Any, output_channels: int, kernel_shape: Any,
        use_bias: bool = True, skip_connection: bool = False, forget_bias: float = 1.0,
        initializers: Any = None, name: Optional[str] = "conv_lstm_cell",
    ) -> None:  # fmt: skip
        """A cell for inputs of 1, 2 or 3 axes and channels.

        Args:
            conv_ndims: The number of axes without the channels.
            input_shape: The sizes of an input without the batch, as a list.
            output_channels: The number of channels of the memory.
            kernel_shape: The sizes of the filter.
            use_bias: Whether the gates have a bias.
            skip_connection: Whether outputs have the channels of the inputs, too.
            forget_bias: Added to what goes into the forget gate.
            initializers: Has no effect.
            name: The name of the layer.

        Raises:
            ValueError: The inputs have another number of axes.
        """
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims, self._input_shape = conv_ndims, list(input_shape)
        self._output_channels, self._kernel_shape = output_channels, list(kernel_shape)
        self._use_bias, self._skip_connection = use_bias, skip_connection
        self._forget_bias = forget_bias

    @property
    def output_size(self) -> Any:
        """The shape of an output."""
        channels = self._output_channels
        if self._skip_connection:
            channels += self._input_shape[-1]
        return TensorShape([*self._input_shape[:-1], channels])

    @property
    def state_size(self) -> Any:
        """The shapes of the memory and of what goes into the next step."""
        size = TensorShape([*self._input_shape[:-1], self._output_channels])
        return LSTMStateTuple(size, size)

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, ..., channels].
            state: An LSTMStateTuple of floats.
            scope: Has no effect.

        Returns:
            The output, [batch, ..., channels], and the next state.
        """
        memory, before = state
        gates = self._convolved(array_ops.concat([inputs, before], -1))
        enter, new, forget, leave = array_ops.split(gates, 4, axis=self._conv_ndims + 1)
        kept = gen_ops.sigmoid(forget + self._forget_bias) * memory
        memory = kept + gen_ops.sigmoid(enter) * gen_ops.tanh(new)
        output = gen_ops.tanh(memory) * gen_ops.sigmoid(leave)
        if self._skip_connection:
            output = array_ops.concat([output, inputs], -1)
        return output, LSTMStateTuple(memory, output)

    def _convolved(self, both: Any) -> Any:
        dtype, count = both.dtype, 4 * self._output_channels
        shape = [*self._kernel_shape, both.shape[-1].value, count]
        kernel = get_variable("kernel", shape, dtype=dtype)
        if self._conv_ndims == 1:
            gates = conv1d(both, kernel, 1, "SAME")
        else:
            function = conv2d if self._conv_ndims == 2 else conv3d
            gates = function(both, kernel, [1] * (self._conv_ndims + 2), "SAME")
        if not self._use_bias:
            return gates
        return gates + get_variable("biases", [count], dtype=dtype, initializer=Zeros())


@set_module("troupe.contrib.rnn")
class Conv1DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` for inputs of one axis and channels."""

    def __init__(self, name: Optional[str] = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        """A cell for inputs of that number of axes.

        Args:
            name: The name of the layer.
            **kwargs: What `ConvLSTMCell` takes.
        """
        super().__init__(conv_ndims=1, name=name, **kwargs)


@set_module("troupe.contrib.rnn")
class Conv2DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` for inputs of two axes and channels."""

    def __init__(self, name: Optional[str] = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        """A cell for inputs of that number of axes.

        Args:
            name: The name of the layer.
            **kwargs: What `ConvLSTMCell` takes.
        """
        super().__init__(conv_ndims=2, name=name, **kwargs)


@set_module("troupe.contrib.rnn")
class Conv3DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` for inputs of three axes and channels."""

    def __init__(self, name: Optional[str] = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        """A cell for inputs of that number of axes.

        Args:
            name: The name of the layer.
            **kwargs: What `ConvLSTMCell` takes.
        """
        super().__init__(conv_ndims=3, name=name, **kwargs)


@set_module("troupe.contrib.rnn")
class GLSTMCell(RNNCell):
    """A memory cell of groups, each of which sees its part of inputs and outputs."""

    def __init__(
        self, num_units: int, initializer: Any = None, num_proj: Optional[int] = None,
        number_of_groups: int = 1, forget_bias: float = 1.0, activation: Any = gen_ops.tanh,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory.
            initializer: That of the kernels of groups, by default that of the scope.
            num_proj: The size of outputs, to which a matrix projects them.
            number_of_groups: The number of groups.
            forget_bias: Added to what goes into the forget gate.
            activation: The function of the memory in the output.
            reuse: Whether the variables are those that exist in the scope.

        Raises:
            ValueError: A size is no multiple of the number of groups.
        """
        super().__init__(_reuse=reuse)
        if num_units % number_of_groups:
            raise ValueError("num_units must be divisible by number_of_groups")
        if num_proj and num_proj % number_of_groups:
            raise ValueError("num_proj must be divisible by number_of_groups")
        self._num_units, self._num_proj, self._groups = num_units, num_proj, number_of_groups
        self._initializer, self._forget_bias = initializer, forget_bias
        self._activation = activation

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._num_proj or self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size], the size a multiple of the number of groups.
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_proj or num_units], and the next state.

        Raises:
            ValueError: The size of the inputs is not known, or no such multiple.
        """
        (memory, before), units, depth = state, self._num_units, inputs.shape[1].value
        if depth is None:
            raise ValueError("input size must be statically known")
        if depth % self._groups:
            raise ValueError(
                f"input size ({depth}) must be divisible by number_of_groups ({self._groups})"
            )
        parts = []
        seen = zip(
            array_ops.split(inputs, self._groups, axis=1),
            array_ops.split(before, self._groups, axis=1),
        )
        for index, each in enumerate(seen):
            with variable_scope(f"group{index}"):
                size = 4 * units // self._groups
                product = linear(list(each), size, False, kernel_initializer=self._initializer)
            parts.append(array_ops.split(product, 4, axis=1))
        gates = []
        for name, group in zip("ijfo", zip(*parts)):
            bias = get_variable(f"bias_{name}", [units], dtype=inputs.dtype, initializer=Zeros())
            gates.append(nn_ops.bias_add(array_ops.concat(group, 1), bias))
        enter, new, forget, leave = gates
        kept = gen_ops.sigmoid(forget + self._forget_bias) * memory
        memory = kept + gen_ops.sigmoid(enter) * gen_ops.tanh(new)
        output = gen_ops.sigmoid(leave) * self._activation(memory)
        if self._num_proj is not None:
            with variable_scope("projection"):
                output = linear(output, self._num_proj, False)
        return output, LSTMStateTuple(memory, output)
