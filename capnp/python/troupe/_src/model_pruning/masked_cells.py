"""Cells of long short-term memory whose kernel is multiplied by a mask."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.model_pruning.masked_layers import add_mask, add_threshold
from troupe._src.model_pruning.masks import masked
from troupe._src.rnn.cell import LayerRNNCell
from troupe._src.rnn.lstm_cells import BasicLSTMCell, LSTMCell
from troupe._src.set_module import set_module


class _MaskedCell(LayerRNNCell):
    """What comes before the class of a cell to give its kernel a mask."""

    _kernel: Any
    _masked_kernel: Tensor

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables of the cell, the mask and the threshold.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        super().build(inputs_shape)
        self.built = False  # more variables follow
        mask = add_mask(self, self._kernel.shape)
        self._masked_kernel = masked(self._kernel, mask, add_threshold(self))
        self.built = True

    def _used_kernel(self) -> Any:
        return self._masked_kernel


@set_module("troupe.contrib.model_pruning")
class MaskedBasicLSTMCell(_MaskedCell, BasicLSTMCell):
    """A `BasicLSTMCell` whose kernel has a mask.

    It is `tf.contrib.model_pruning.MaskedBasicLSTMCell`, with the arguments of the other cell.
    """


@set_module("troupe.contrib.model_pruning")
class MaskedLSTMCell(_MaskedCell, LSTMCell):
    """An `LSTMCell` whose kernel has a mask, but not its projection.

    It is `tf.contrib.model_pruning.MaskedLSTMCell`, with the arguments of the other cell.
    """
