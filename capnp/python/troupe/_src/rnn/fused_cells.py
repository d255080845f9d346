"""Networks as functions of whole sequences, [time, batch, size]: of cells, and backwards."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops
from troupe._src.ops.rearrange_ops import reverse, reverse_sequence
from troupe._src.rnn.dynamic import dynamic_rnn
from troupe._src.rnn.static import static_rnn
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike


@set_module("troupe.contrib.rnn")
class FusedRNNCell:
    """A function from sequences to outputs and a state. Classes of them override the call."""

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Optional[DTypeLike] = None,
        sequence_length: Optional[TensorLike] = None,
        scope: Any = None,
    ) -> Any:
        """Computes all times.

        Args:
            inputs: A tensor [time, batch, size], or a list of a tensor for each time.
            initial_state: The state before, by default zeros.
            dtype: The dtype of these zeros.
            sequence_length: The length of each sequence, by default that of the inputs.
            scope: The scope of the variables.

        Returns:
            The outputs, in a tensor or a list like the inputs, and the last state.
        """
        raise NotImplementedError("Abstract method")


@set_module("troupe.contrib.rnn")
class FusedRNNCellAdaptor(FusedRNNCell):
    """A network of a cell."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        """A network of `cell`.

        Args:
            cell: The cell.
            use_dynamic_rnn: Whether it is a loop, or the nodes of all times.
        """
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Optional[DTypeLike] = None,
        sequence_length: Optional[TensorLike] = None,
        scope: Any = None,
    ) -> Any:
        """Computes all times.

        Args:
            inputs: A tensor [time, batch, size], or a list of a tensor for each time.
            initial_state: The state before, by default zeros.
            dtype: The dtype of these zeros.
            sequence_length: The length of each sequence, by default that of the inputs.
            scope: The scope of the variables.

        Returns:
            The outputs, in a tensor or a list like the inputs, and the last state.
        """
        is_list, is_loop = isinstance(inputs, list), self._use_dynamic_rnn
        given = {"initial_state": initial_state, "dtype": dtype, "scope": scope}
        given["sequence_length"] = sequence_length
        if is_loop:
            stacked = array_ops.stack(inputs) if is_list else inputs
            outputs, state = dynamic_rnn(self._cell, stacked, time_major=True, **given)
            return (array_ops.unstack(outputs) if is_list else outputs), state
        steps = inputs if is_list else array_ops.unstack(inputs)
        each, state = static_rnn(self._cell, steps, **given)
        return (each if is_list else array_ops.stack(each)), state


@set_module("troupe.contrib.rnn")
class TimeReversedFusedRNN(FusedRNNCell):
    """Another network that reads sequences from their ends."""

    def __init__(self, cell: Any) -> None:
        """The reverse of `cell`.

        Args:
            cell: The other network, such as an LSTMBlockFusedCell.
        """
        self._cell = cell

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Optional[DTypeLike] = None,
        sequence_length: Optional[TensorLike] = None,
        scope: Any = None,
    ) -> Any:
        """Computes all times.

        Args:
            inputs: A tensor [time, batch, size], or a list of a tensor for each time.
            initial_state: The state after the last time, by default zeros.
            dtype: The dtype of these zeros.
            sequence_length: The length of each sequence, by default that of the inputs.
            scope: The scope of the variables.

        Returns:
            The outputs, in a tensor or a list like the inputs, and the state at the first time.
        """
        outputs, state = self._cell(
            _reversed(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return _reversed(outputs, sequence_length), state


def _reversed(sequences: Any, lengths: Any) -> Any:
    if isinstance(sequences, list):
        return sequences[::-1]
    if lengths is None:
        return reverse(sequences, [0])
    return reverse_sequence(sequences, lengths, seq_axis=0, batch_axis=1)
