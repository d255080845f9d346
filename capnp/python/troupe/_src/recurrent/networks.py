"""Recurrent networks of cells by `Recurrent`."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from troupe._src.control_flow import nest
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.rearrange_ops import reverse as reverse_axes
from troupe._src.ops.rearrange_ops import reverse_sequence, sequence_mask
from troupe._src.ops.selection_ops import gather
from troupe._src.recurrent.recurrence import Recurrent
from troupe._src.set_module import set_module
from troupe._src.variables.variable_store import variable_scope

_MODULE = "troupe.contrib.recurrent"


def _swapped(tensor: Any) -> Any:
    return array_ops.transpose(tensor, [1, 0, 2])


def _state_at(states: Any, lengths: Any) -> Any:
    """The states at the ends of sequences; zeros where one is empty."""

    def pick(tensor: Any) -> Any:
        count = array_ops.shape(tensor)[0]
        times = array_ops.expand_dims(math_ops.range(count), 1)
        ends = array_ops.expand_dims(math_ops.cast(lengths, times.dtype) - 1, 0)
        is_end = math_ops.cast(gen_ops.equal(times, ends), tensor.dtype)
        return math_ops.reduce_sum(array_ops.expand_dims(is_end, -1) * tensor, 0)

    return nest.map_structure(pick, states)


@set_module(_MODULE)
def functional_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    time_major: bool = False,
    scope: Any = None,
    use_tpu: bool = False,
    reverse: bool = False,
) -> Tuple[Any, Any]:
    """A recurrent network, as of `tf.nn.dynamic_rnn`.

    Args:
        cell: The cell.
        inputs: [batch, time, size]; with `time_major`, [time, batch, size].
        sequence_length: The length of each sequence: outputs after it are zeros.
        initial_state: The first state, by default zeros.
        dtype: The dtype of these zeros.
        time_major: Whether times are the first axis.
        scope: The scope of the variables, by default `rnn`.
        use_tpu: Without effect.
        reverse: Whether times go backwards.

    Returns:
        The outputs, and the last state.
    """
    del use_tpu
    with variable_scope(scope or "rnn"):
        by_time = inputs if time_major else nest.map_structure(_swapped, inputs)
        flat = nest.flatten(by_time)
        if initial_state is None:
            initial_state = cell.zero_state(array_ops.shape(flat[0])[1], dtype)
        # Makes the variables before the loop, and tells what an output is like.
        like, _ = cell(nest.map_structure(lambda x: gather(x, 0), by_time), initial_state)
        first = [creation_ops.zeros_like(like), initial_state]

        def step(theta: Any, state: Any, now: Any) -> Any:
            output, following = cell(now, state[1])
            return [output, following], []

        length = None if sequence_length is None else math_ops.reduce_max(sequence_length)
        if reverse:
            by_time = nest.map_structure(lambda x: _reversed(x, 0), by_time)
        states, last = Recurrent(
            [], first, by_time, step, max_input_length=length, aligned_end=reverse
        )
    if sequence_length is None or reverse:
        state = last[1]
    else:
        state = _state_at(states[1], sequence_length)
    outputs = _reversed(states[0], 0) if reverse else states[0]
    outputs = _swapped(outputs)
    outputs.set_shape([like.shape[0], flat[0].shape[0], like.shape[1]])
    if sequence_length is not None:
        count = array_ops.shape(outputs)[1]
        mask = sequence_mask(sequence_length, count, dtype=outputs.dtype)
        outputs = outputs * array_ops.expand_dims(mask, -1)
    return (_swapped(outputs) if time_major else outputs), state


def _reversed(tensor: Any, axis: int) -> Any:
    return reverse_axes(tensor, [axis])


@set_module(_MODULE)
def bidirectional_functional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    use_tpu: bool = False,
    fast_reverse: bool = False,
    scope: Any = None,
) -> Tuple[Any, Any]:
    """Two recurrent networks, of which the second one goes backwards.

    Args:
        cell_fw: The cell of the first one.
        cell_bw: The cell of the second one.
        inputs: [batch, time, size]; with `time_major`, [time, batch, size].
        initial_state_fw: The first state of the first one, by default zeros.
        initial_state_bw: The first state of the second one, by default zeros.
        dtype: The dtype of these zeros.
        sequence_length: The length of each sequence.
        time_major: Whether times are the first axis.
        use_tpu: Without effect.
        fast_reverse: Whether the second one begins at the end of the longest sequence, rather than
            of each.
        scope: The scope of the variables, by default `bidirectional_rnn`.

    Returns:
        The outputs of both, and their last states.
    """
    options: Dict[str, Any] = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "time_major": time_major,
    }
    time_axis = 0 if time_major else 1

    def backwards(tensor: Any) -> Any:
        if sequence_length is None:
            return _reversed(tensor, time_axis)
        return reverse_sequence(
            tensor, sequence_length, seq_axis=time_axis, batch_axis=1 - time_axis
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as own:
            output_fw, state_fw = functional_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=own, **options
            )
        with variable_scope("bw") as own:
            given = inputs if fast_reverse else backwards(inputs)
            output_bw, state_bw = functional_rnn(
                cell_bw, given, initial_state=initial_state_bw, scope=own, reverse=fast_reverse,
                **options,
            )  # fmt: skip
    if not fast_reverse:
        output_bw = backwards(output_bw)
    return (output_fw, output_bw), (state_fw, state_bw)
