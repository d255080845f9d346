"""Layers of networks in both directions, each of which gets the outputs of both below it."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.ops import array_ops
from troupe._src.rnn.dynamic import bidirectional_dynamic_rnn
from troupe._src.rnn.static import static_bidirectional_rnn
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable_store import variable_scope


def stack_bidirectional_dynamic_rnn(
    cells_fw: List[Any], cells_bw: List[Any], inputs: Any, initial_states_fw: Any = None,
    initial_states_bw: Any = None, dtype: Optional[DTypeLike] = None, sequence_length: Any = None,
    parallel_iterations: Optional[int] = None, time_major: bool = False, scope: Any = None,
    swap_memory: bool = False,
) -> Tuple[Any, Any, Any]:  # fmt: skip
    """Layers of `tf.nn.bidirectional_dynamic_rnn`.

    Args:
        cells_fw: For each layer the cell that runs forward.
        cells_bw: For each layer the cell that runs backward.
        inputs: The sequences, [batch, time, size], or [time, batch, size] if `time_major`.
        initial_states_fw: For each layer the first state of the forward cell, by default zeros.
        initial_states_bw: For each layer the first state of the backward cell.
        dtype: The dtype of the states, if no first ones are given.
        sequence_length: The number of steps of each sequence, by default all.
        parallel_iterations: How many steps may run at a time.
        time_major: Whether the time is the first axis.
        scope: The scope of the variables, by default "stack_bidirectional_rnn".
        swap_memory: Is kept and not used.

    Returns:
        The outputs of both directions of the last layer, side by side, and the last states of the
        forward and of the backward cells.

    Raises:
        ValueError: The lists are no lists, are empty, or have other lengths.
    """

    def layer(cells: Any, below: Any, states: Any, _: Any) -> Tuple[Any, Any, Any]:
        (cell_fw, cell_bw), (first_fw, first_bw) = cells, states
        outputs, (forward, backward) = bidirectional_dynamic_rnn(
            cell_fw, cell_bw, below, sequence_length, first_fw, first_bw, dtype,
            parallel_iterations, swap_memory, time_major,
        )  # fmt: skip
        return array_ops.concat(outputs, 2), forward, backward

    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope, layer)


def stack_bidirectional_rnn(
    cells_fw: List[Any], cells_bw: List[Any], inputs: Any, initial_states_fw: Any = None,
    initial_states_bw: Any = None, dtype: Optional[DTypeLike] = None, sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[Any, Any, Any]:  # fmt: skip
    """Layers of `static_bidirectional_rnn`.

    Args:
        cells_fw: For each layer the cell that runs forward.
        cells_bw: For each layer the cell that runs backward.
        inputs: For each time step a tensor, [batch, size].
        initial_states_fw: For each layer the first state of the forward cell, by default zeros.
        initial_states_bw: For each layer the first state of the backward cell.
        dtype: The dtype of the states, if no first ones are given.
        sequence_length: The number of steps of each sequence, by default all.
        scope: The scope of the variables, by default "stack_bidirectional_rnn".

    Returns:
        For each time step the outputs of both directions of the last layer, side by side, and the
        last states of the forward and of the backward cells.

    Raises:
        ValueError: The lists are no lists, are empty, or have other lengths.
    """

    def layer(cells: Any, below: Any, states: Any, inner: Any) -> Tuple[Any, Any, Any]:
        (cell_fw, cell_bw), (first_fw, first_bw) = cells, states
        found: Tuple[Any, Any, Any] = static_bidirectional_rnn(
            cell_fw, cell_bw, below, first_fw, first_bw, dtype, sequence_length, inner
        )
        return found

    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope, layer)


def _stacked(
    cells_fw: Any, cells_bw: Any, inputs: Any, states_fw: Any, states_bw: Any, scope: Any,
    layer: Callable[[Any, Any, Any, Any], Tuple[Any, Any, Any]],
) -> Tuple[Any, Any, Any]:  # fmt: skip
    for cells, text in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not cells:
            raise ValueError(f"Must specify at least one {text} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{text} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for states, text in ((states_fw, "fw"), (states_bw, "bw")):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(
                f"initial_states_{text} must be a list of state tensors (one per layer)."
            )
    none = [None] * len(cells_fw)
    firsts = zip(states_fw or none, states_bw or none)
    below, forward, backward = inputs, [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for index, (cells, states) in enumerate(zip(zip(cells_fw, cells_bw), firsts)):
            with variable_scope(f"cell_{index}") as inner:
                below, last_fw, last_bw = layer(cells, below, states, inner)
            forward.append(last_fw)
            backward.append(last_bw)
    return below, tuple(forward), tuple(backward)
