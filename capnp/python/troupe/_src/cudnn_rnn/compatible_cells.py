"""Cells that compute a step of cuDNN's networks, with their variables."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn import nn_ops
from troupe._src.ops import math_ops
from troupe._src.rnn.basic_cells import GRUCell
from troupe._src.rnn.block_cells import LSTMBlockCell
from troupe._src.rnn.cell import check_tensors
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros


@set_module("troupe.contrib.cudnn_rnn")
class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The memory cell of `CudnnLSTM`: an `LSTMBlockCell` without a forget bias."""

    def __init__(self, num_units: int, reuse: Any = None) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(
            num_units, forget_bias=0.0, reuse=reuse, name="cudnn_compatible_lstm_cell"
        )


@set_module("troupe.contrib.cudnn_rnn")
class CudnnCompatibleGRUCell(GRUCell):
    """The gated unit of `CudnnGRU`, whose reset gate scales the state after its matrix.

    The candidate is tanh(inputs * W + b + reset * (state * R + c)), where that of `GRUCell` is
    tanh([inputs, reset * state] * kernel + bias).
    """

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            reuse: Whether the variables are those that exist in the scope.
            kernel_initializer: That of the matrices, by default that of the scope.
        """
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer)
        self._of_inputs: Any = None
        self._of_state: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and biases of the gates, and both pairs of the candidate.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        self._add_gates(depth)
        self._of_inputs = self._projection("input", depth)
        self._of_state = self._projection("hidden", units)
        self.built = True

    def _projection(self, kind: str, rows: int) -> Any:
        name, units = f"candidate/{kind}_projection", self._num_units
        kernel = self.add_weight(
            f"{name}/kernel", [rows, units], initializer=self._kernel_initializer
        )
        return kernel, self.add_weight(f"{name}/bias", [units], initializer=Zeros())

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
        candidate = _projected(inputs, self._of_inputs)
        candidate = self._activation(candidate + reset * _projected(state, self._of_state))
        output = (1 - update) * candidate + update * state
        return output, output


def _projected(rows: Any, weights: Any) -> Any:
    kernel, bias = weights
    return nn_ops.bias_add(math_ops.matmul(rows, kernel), bias)
