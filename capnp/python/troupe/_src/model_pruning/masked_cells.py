"""Cells of long short-term memory whose kernel is multiplied by a mask."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.model_pruning.masked_layers import add_mask, add_threshold
from troupe._src.model_pruning.masks import masked
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, math_ops
from troupe._src.rnn.lstm_cells import BasicLSTMCell, LSTMCell
from troupe._src.set_module import set_module


@set_module("troupe.contrib.model_pruning")
class MaskedBasicLSTMCell(BasicLSTMCell):
    """A `BasicLSTMCell` whose kernel has a mask.

    It is `tf.contrib.model_pruning.MaskedBasicLSTMCell`, with the arguments of the other cell.
    """

    _masked_kernel: Tensor

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, the mask and the threshold.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        super().build(inputs_shape)
        self._masked_kernel = _add_mask(self)

    def _gates(self, inputs: Any, output: Any) -> Any:
        return _gates_of(self, inputs, output)


@set_module("troupe.contrib.model_pruning")
class MaskedLSTMCell(LSTMCell):
    """An `LSTMCell` whose kernel has a mask, but not its projection.

    It is `tf.contrib.model_pruning.MaskedLSTMCell`, with the arguments of the other cell.
    """

    _masked_kernel: Tensor

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, those of peepholes and the projection, and the mask.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        super().build(inputs_shape)
        self._masked_kernel = _add_mask(self)

    def _gates(self, inputs: Any, output: Any) -> Any:
        return _gates_of(self, inputs, output)


def _add_mask(cell: Any) -> Tensor:
    cell.built = False  # more variables follow
    product = masked(cell._kernel, add_mask(cell, cell._kernel.shape), add_threshold(cell))
    cell.built = True
    return product


def _gates_of(cell: Any, inputs: Any, output: Any) -> Any:
    product = math_ops.matmul(array_ops.concat([inputs, output], 1), cell._masked_kernel)
    return array_ops.split(nn_ops.bias_add(product, cell._bias), 4, axis=1)
