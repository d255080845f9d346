"""Cells whose state is their output: the basic one, and gated recurrent units."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layer_base.arguments import resolved
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.rnn.cell import LayerRNNCell, activation_of, check_tensors
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.initializers import Constant, Zeros


class UnitsCell(LayerRNNCell):
    """A cell of so many units, whose state is its output.

    Args:
        num_units: The size of the state and of the output.
        activation: A function, or its name.
        reuse: Whether the variables are those that exist in the scope.
        name: The name of the layer, by default the snake case of the class.
        dtype: The dtype of the variables, by default that of the first input.
        **kwargs: What all layers take.
    """

    def __init__(
        self, num_units: int, activation: Any, reuse: Any, name: Optional[str],
        dtype: Optional[DTypeLike], **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(dtype, _reuse=reuse, name=name, **kwargs)
        self._num_units, self._activation = num_units, activation_of(activation)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units


@set_module("troupe.nn.rnn_cell")
class BasicRNNCell(UnitsCell):
    """activation([inputs, state] * kernel + bias), which is the output and the next state."""

    _config_names = ("num_units", "activation", "reuse")

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            activation: A function, or its name; by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
            **kwargs: What all layers take.
        """
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel: Any = None
        self._bias: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel and the bias.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        self._kernel = self.add_weight("kernel", [depth + units, units])
        self._bias = self.add_weight("bias", [units], initializer=Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output and the next state, which are the same.
        """
        check_tensors([inputs, state])
        product = math_ops.matmul(array_ops.concat([inputs, state], 1), self._kernel)
        output = self._activation(nn_ops.bias_add(product, self._bias))
        return output, output


@set_module("troupe.nn.rnn_cell")
class GRUCell(UnitsCell):
    """A gated recurrent unit (Cho et al., 2014), whose reset gate scales the state beforehand."""

    _config_names = ("num_units", "kernel_initializer", "bias_initializer", "activation", "reuse")

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            activation: The function of the candidate, or its name; by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            kernel_initializer: That of the matrices, by default that of the scope.
            bias_initializer: That of the biases; by default those of the gates are ones and those
                of the candidate zeros.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
            **kwargs: What all layers take.
        """
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = resolved("kernel_initializer", kernel_initializer)
        self._bias_initializer = resolved("bias_initializer", bias_initializer)
        self._gate_kernel: Any = None
        self._gate_bias: Any = None
        self._candidate_kernel: Any = None
        self._candidate_bias: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and biases of the gates and of the candidate.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        biases = self._bias_initializer
        self._add_gates(depth)
        self._candidate_kernel = self.add_weight(
            "candidate/kernel", [depth + units, units], initializer=self._kernel_initializer
        )
        self._candidate_bias = self.add_weight(
            "candidate/bias", [units], initializer=Zeros() if biases is None else biases
        )
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, num_units].

        Returns:
            The output and the next state, which are the same.
        """
        check_tensors([inputs, state])
        reset, update = self._gates(inputs, state)
        scaled = array_ops.concat([inputs, reset * state], 1)
        candidate = nn_ops.bias_add(
            math_ops.matmul(scaled, self._candidate_kernel), self._candidate_bias
        )
        output = update * state + (1 - update) * self._activation(candidate)
        return output, output

    def _add_gates(self, depth: int) -> None:
        biases, units = self._bias_initializer, self._num_units
        self._gate_kernel = self.add_weight(
            "gates/kernel", [depth + units, 2 * units], initializer=self._kernel_initializer
        )
        self._gate_bias = self.add_weight(
            "gates/bias", [2 * units], initializer=Constant(1.0) if biases is None else biases
        )

    def _gates(self, inputs: TensorLike, state: TensorLike) -> Any:
        """How much of the state the candidate sees, and how much is kept."""
        gates = math_ops.matmul(array_ops.concat([inputs, state], 1), self._gate_kernel)
        gates = gen_ops.sigmoid(nn_ops.bias_add(gates, self._gate_bias))
        return array_ops.split(gates, 2, axis=1)
