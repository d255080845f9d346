"""Cells with other gates: one that was searched for, and two of (Collins et al., 2017)."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.rnn.cell import LayerRNNCell, RNNCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.rnn_cells.linear import depth_of, linear
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope


@set_module("troupe.contrib.rnn")
class NASCell(LayerRNNCell):
    """The memory cell that a search over architectures found (Zoph and Le, 2017)."""

    def __init__(
        self, num_units: int, num_proj: Optional[int] = None, use_bias: bool = False,
        reuse: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory.
            num_proj: The size of outputs, to which a matrix projects them.
            use_bias: Whether a bias is added to the products with the output before.
            reuse: Whether the variables are those that exist in the scope.
            **kwargs: What all layers take.
        """
        super().__init__(kwargs.pop("dtype", None), _reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias
        self.recurrent_kernel: Any = None
        self.kernel: Any = None
        self.bias: Any = None
        self.projection_weights: Any = None

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels, the bias and the projection.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [self.output_size, 8 * units])
        self.kernel = self.add_weight("kernel", [depth, 8 * units])
        if self._use_bias:
            self.bias = self.add_weight("bias", [8 * units], initializer=Zeros())
        if self._num_proj is not None:
            self.projection_weights = self.add_weight("projection_weights", [units, self._num_proj])
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_proj or num_units], and the next state.
        """
        sigmoid, tanh = gen_ops.sigmoid, gen_ops.tanh
        memory, before = state
        recurrent = math_ops.matmul(before, self.recurrent_kernel)
        if self._use_bias:
            recurrent = nn_ops.bias_add(recurrent, self.bias)
        old = array_ops.split(recurrent, 8, axis=1)
        new = array_ops.split(math_ops.matmul(inputs, self.kernel), 8, axis=1)
        sums = [one + other for one, other in zip(new, old)]
        # The leaves of the tree that was found; one of them is a product instead of a sum.
        first = tanh(sigmoid(sums[0]) * gen_ops.relu(sums[1]))
        second = tanh(sigmoid(sums[2]) + gen_ops.relu(new[3] * old[3]))
        third = tanh(tanh(sums[4]) * sigmoid(sums[5]))
        fourth = sigmoid(tanh(sums[6]) + sigmoid(sums[7]))
        memory = tanh(first + memory) * second
        output = tanh(memory * tanh(third + fourth))
        if self._num_proj is not None:
            output = math_ops.matmul(output, self.projection_weights)
        return output, LSTMStateTuple(memory, output)


class _ScopeCell(RNNCell):
    """A cell whose state has the size of its output, and whose variables are those of its scope.

    Args:
        num_units: The size of the state and of the output.
        initializer: That of the kernels, by default that of the scope.
        forget_bias: Added to what goes into the gates.
        reuse: Whether the variables are those that exist in the scope.
    """

    def __init__(self, num_units: int, initializer: Any, forget_bias: float, reuse: Any) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer = num_units, initializer
        self._forget_bias = forget_bias

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units


@set_module("troupe.contrib.rnn")
class UGRNNCell(_ScopeCell):
    """A cell with one gate, between the state before and a new one."""

    def __init__(
        self, num_units: int, initializer: Any = None, forget_bias: float = 1.0,
        activation: Any = gen_ops.tanh, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            initializer: That of the kernel, by default that of the scope.
            forget_bias: Added to what goes into the gate.
            activation: The function of new states.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(num_units, initializer, forget_bias, reuse)
        self._activation = activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output and the next state, which are the same.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        size = 2 * self._num_units
        both = linear([inputs, state], size, True, kernel_initializer=self._initializer)
        gate, new = array_ops.split(both, 2, axis=1)
        kept = gen_ops.sigmoid(gate + self._forget_bias)
        output = kept * state + (1.0 - kept) * self._activation(new)
        return output, output


@set_module("troupe.contrib.rnn")
class IntersectionRNNCell(_ScopeCell):
    """A cell with a gate between states, and one between its inputs and its outputs."""

    def __init__(
        self, num_units: int, num_in_proj: Optional[int] = None, initializer: Any = None,
        forget_bias: float = 1.0, y_activation: Any = gen_ops.relu, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            num_in_proj: `num_units` where inputs have another size: a matrix projects them.
            initializer: That of the kernels, by default that of the scope.
            forget_bias: Added to what goes into the gates.
            y_activation: The function of new outputs.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(num_units, initializer, forget_bias, reuse)
        self._num_in_proj, self._activation = num_in_proj, y_activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output, [batch, num_units], and the next state.

        Raises:
            ValueError: The size of the inputs is not known, or it is another one than the number
                of units and there is no projection.
        """
        units = self._num_units
        if depth_of(inputs) != units:
            if not self._num_in_proj:
                raise ValueError(
                    "Must have input size == output size for Intersection RNN. To fix, "
                    "num_in_proj should be set to num_units at cell init."
                )
            with variable_scope("in_projection"):
                inputs = linear(inputs, units, True, kernel_initializer=self._initializer)
        parts = linear([inputs, state], 4 * units, True, kernel_initializer=self._initializer)
        state_gate, new_state, gate, new = array_ops.split(parts, 4, axis=1)
        kept = gen_ops.sigmoid(state_gate + self._forget_bias)
        passed = gen_ops.sigmoid(gate + self._forget_bias)
        output = passed * inputs + (1.0 - passed) * self._activation(new)
        return output, kept * state + (1.0 - kept) * gen_ops.tanh(new_state)
