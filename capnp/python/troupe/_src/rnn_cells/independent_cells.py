"""Cells whose units see of the state before only what is their own."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.rnn.basic_cells import UnitsCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.initializers import Constant, RandomUniform, Zeros


@set_module("troupe.contrib.rnn")
class SRUCell(UnitsCell):
    """A simple recurrent unit (Lei and Zhang, 2017), whose gates do not see the state."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None,
        name: Optional[str] = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            activation: The function of the state in the output, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer, by default the snake case of the class.
            **kwargs: What all layers take.
        """
        dtype = kwargs.pop("dtype", None)
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel: Any = None
        self._bias: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, and the bias of the gates.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        units = self._num_units
        self._kernel = self.add_weight("kernel", [self._depth_of(inputs_shape), 4 * units])
        self._bias = self.add_weight("bias", [2 * units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output, [batch, num_units], and the next state.
        """
        units = self._num_units
        product = math_ops.matmul(inputs, self._kernel)
        new, gates, passed = array_ops.split(product, [units, 2 * units, units], axis=1)
        gates = gen_ops.sigmoid(nn_ops.bias_add(gates, self._bias))
        forget, reset = array_ops.split(gates, 2, axis=1)
        after = forget * state + (1.0 - forget) * new
        return reset * self._activation(after) + (1.0 - reset) * passed, after


class _IndependentCell(UnitsCell):
    """A cell of products of its inputs with a matrix, and of its state with a vector.

    Args:
        num_units: The size of the state and of the output.
        activation: A function, by default tanh.
        reuse: Whether the variables are those that exist in the scope.
        name: The name of the layer.
        dtype: The dtype of the variables, by default that of the first input.
        kernel_initializer: That of the matrices.
        bias_initializer: That of the biases.
    """

    def __init__(
        self, num_units: int, activation: Any, reuse: Any, name: Optional[str],
        dtype: Optional[DTypeLike], kernel_initializer: Any = None, bias_initializer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def _weights_of(self, names: Any, depth: int, size: int, bias: Any) -> Any:
        """The matrix, the vector and the bias of those names, for `size` products."""
        first, second, third = names
        initial = bias if self._bias_initializer is None else self._bias_initializer
        return (
            self.add_weight(first, [depth, size], initializer=self._kernel_initializer),
            self.add_weight(second, [1, size], initializer=RandomUniform(-1.0, 1.0)),
            self.add_weight(third, [size], initializer=initial),
        )


def _products(inputs: Any, state: Any, weights: Any) -> Any:
    matrix, vector, bias = weights
    return nn_ops.bias_add(math_ops.matmul(inputs, matrix) + state * vector, bias)


@set_module("troupe.contrib.rnn")
class IndRNNCell(_IndependentCell):
    """A basic cell whose units see their own state only (Li et al., 2018)."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None,
        name: Optional[str] = None, dtype: Optional[DTypeLike] = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            activation: A function, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
        """
        super().__init__(num_units, activation, reuse, name, dtype)
        self._all: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and the bias.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        names, depth = ("kernel_w", "kernel_u", "bias"), self._depth_of(inputs_shape)
        self._all = self._weights_of(names, depth, self._num_units, Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output and the next state, which are the same.
        """
        output = self._activation(_products(inputs, state, self._all))
        return output, output


@set_module("troupe.contrib.rnn")
class IndyGRUCell(_IndependentCell):
    """A gated recurrent unit whose units see their own state only."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None,
        kernel_initializer: Any = None, bias_initializer: Any = None,
        name: Optional[str] = None, dtype: Optional[DTypeLike] = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            activation: The function of the candidate, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            kernel_initializer: That of the matrices, by default that of the scope.
            bias_initializer: That of the biases; by default those of the gates are ones and those
                of the candidate zeros.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
        """
        super().__init__(
            num_units, activation, reuse, name, dtype, kernel_initializer, bias_initializer
        )
        self._gates: Any = None
        self._candidate: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and biases of the gates and of the candidate.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        gates = ("gates/kernel_w", "gates/kernel_u", "gates/bias")
        self._gates = self._weights_of(gates, depth, 2 * units, Constant(1.0))
        candidate = ("candidate/kernel", "candidate/kernel_u", "candidate/bias")
        self._candidate = self._weights_of(candidate, depth, units, Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output and the next state, which are the same.
        """
        gates = gen_ops.sigmoid(_products(inputs, gen_ops.tile(state, [1, 2]), self._gates))
        reset, update = array_ops.split(gates, 2, axis=1)
        candidate = self._activation(_products(inputs, reset * state, self._candidate))
        output = update * state + (1 - update) * candidate
        return output, output


@set_module("troupe.contrib.rnn")
class IndyLSTMCell(_IndependentCell):
    """A basic memory cell whose units see their own output only (Gonnet and Deselaers, 2019)."""

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, activation: Any = None,
        reuse: Any = None, kernel_initializer: Any = None, bias_initializer: Any = None,
        name: Optional[str] = None, dtype: Optional[DTypeLike] = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            forget_bias: Added to what goes into the forget gate.
            activation: The function of new memory and output, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            kernel_initializer: That of the matrix, by default that of the scope.
            bias_initializer: That of the bias, by default zeros.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
        """
        super().__init__(
            num_units, activation, reuse, name, dtype, kernel_initializer, bias_initializer
        )
        self._forget_bias = forget_bias
        self._all: Any = None

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and the bias.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        names, depth = ("kernel_w", "kernel_u", "bias"), self._depth_of(inputs_shape)
        self._all = self._weights_of(names, depth, 4 * self._num_units, Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_units], and the next state.
        """
        memory, before = state
        gates = _products(inputs, gen_ops.tile(before, [1, 4]), self._all)
        enter, new, forget, leave = array_ops.split(gates, 4, axis=1)
        kept = memory * gen_ops.sigmoid(forget + self._forget_bias)
        memory = kept + gen_ops.sigmoid(enter) * self._activation(new)
        output = self._activation(memory) * gen_ops.sigmoid(leave)
        return output, LSTMStateTuple(memory, output)
