"""A function of a state and of inputs, time by time: `Recurrent`."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.train.custom_gradient import custom_gradient
from troupe._src.types import dtypes

CellFn = Callable[[Any, Any, Any], Tuple[Any, Any]]


class _Times(NamedTuple):
    """The times that are computed: from `start` to `limit` of `count`."""

    start: Any
    limit: Any
    count: Any


def _times_of(inputs: Any, length: Any, aligned_end: bool) -> _Times:
    count = array_ops.shape(nest.flatten(inputs)[0])[0]
    used = count if length is None else math_ops.cast(length, dtypes.int32)
    return _Times(count - used, count, count) if aligned_end else _Times(constant(0), used, count)


def _at(struct: Any, time: Any) -> Any:
    return nest.map_structure(lambda tensor: gather(tensor, time), struct)


def _with_zeros(array: Any, times: _Times, like: Any) -> Any:
    """The elements of an array at their times, [time, ...], and zeros at others."""
    found = array.gather(math_ops.range(times.start, times.limit))
    own = array_ops.stack([times.start, times.count - times.limit])
    others = creation_ops.zeros([array_ops.rank(like), 2], dtypes.int32)
    paddings = array_ops.concat([array_ops.expand_dims(own, 0), others], 0)
    padded = creation_ops.pad(found, paddings)
    padded.set_shape([None, *like.shape.as_list()] if like.shape.rank is not None else None)
    return padded


def _arrays(tensors: Sequence[Any], count: Any) -> List[Any]:
    return [TensorArray(tensor.dtype, size=count, clear_after_read=False) for tensor in tensors]


def forward(
    cell_fn: CellFn, theta: Any, state0: Any, inputs: Any, times: Any, extras: Any = None
) -> Tuple[Any, Any, Any]:
    """The states after all times, the last one, and extras.

    Args:
        cell_fn: The state and the extras after a time, of weights, the state before and the inputs.
        theta: The weights.
        state0: The first state.
        inputs: Tensors, [time, ...].
        times: Those that are computed.
        extras: Tensors as `cell_fn` gives them; None where none are kept.

    Returns:
        The states, [time, ...], with zeros at other times, the last state, and the extras.
    """
    start = nest.map_structure(convert_to_tensor, state0)
    kept = nest.flatten(start) + ([] if extras is None else nest.flatten(extras))

    def step(time: Any, state: Any, arrays: Any) -> Any:
        after, more = cell_fn(theta, state, _at(inputs, time))
        values = nest.flatten(after)
        for value, before in zip(values, nest.flatten(state)):
            value.set_shape(before.shape)
        kept_values = values + ([] if extras is None else nest.flatten(more))
        written = [array.write(time, value) for array, value in zip(arrays, kept_values)]
        return time + 1, nest.pack_sequence_as(state, values), written

    _, last, arrays = while_loop(
        lambda time, *_: time < times.limit,
        step,
        [times.start, start, _arrays(kept, times.count)],
    )
    stacked = [_with_zeros(array, times, like) for array, like in zip(arrays, kept)]
    n_states = len(nest.flatten(start))
    states = nest.pack_sequence_as(start, stacked[:n_states])
    if extras is None:
        return states, last, None
    return states, last, nest.pack_sequence_as(extras, stacked[n_states:])


def _zeros_for_none(xs: Any, gradients: Any) -> List[Any]:
    flat = nest.flatten(gradients)
    return [
        creation_ops.zeros_like(x) if gradient is None else gradient
        for x, gradient in zip(nest.flatten(xs), flat)
    ]


def _backward(
    cell_grad: Callable[..., Any], given: Any, times: _Times, made: Any, gradients: Any
) -> List[Any]:
    """The gradients of weights, the first state and inputs, as a flat list."""
    theta, state0, inputs = given
    states, extras = made
    of_states, of_last = gradients
    n_theta, n_states = len(nest.flatten(theta)), len(nest.flatten(state0))

    def before(time: Any) -> Any:
        found = cond(
            gen_ops.equal(time, times.start),
            lambda: [array_ops.identity(tensor) for tensor in nest.flatten(state0)],
            lambda: nest.flatten(_at(states, time - 1)),
        )
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        for tensor, like in zip(found, nest.flatten(state0)):
            tensor.set_shape(like.shape)
        return nest.pack_sequence_as(state0, found)

    def step(time: Any, of_theta: Any, of_state: Any, arrays: Any) -> Any:
        here = nest.flatten(_at(of_states, time))
        total = [a + b for a, b in zip(here, of_state)]
        state, now = before(time), _at(inputs, time)
        found = cell_grad(
            theta, state, now, _at(extras, time), nest.pack_sequence_as(state0, total)
        )
        flat = _zeros_for_none([theta, state, now], list(found))
        more, rest = flat[:n_theta], flat[n_theta:]
        written = [array.write(time, value) for array, value in zip(arrays, rest[n_states:])]
        for value, like in zip(rest, of_state):
            value.set_shape(like.shape)
        return time - 1, [a + b for a, b in zip(of_theta, more)], rest[:n_states], written

    flat_inputs = nest.flatten(inputs)
    first = [
        times.limit - 1,
        [creation_ops.zeros_like(tensor) for tensor in nest.flatten(theta)],
        nest.flatten(of_last),
        _arrays(flat_inputs, times.count),
    ]
    _, of_theta, of_state, arrays = while_loop(lambda time, *_: time >= times.start, step, first)
    rows = [gather(tensor, 0) for tensor in flat_inputs]
    of_inputs = [_with_zeros(array, times, row) for array, row in zip(arrays, rows)]
    return [*of_theta, *of_state, *of_inputs]


def _with_own_gradient(
    cell_fn: CellFn, cell_grad: Callable[..., Any], given: Any, times: _Times, extras: Any
) -> Tuple[Any, Any]:
    template = nest.map_structure(convert_to_tensor, given)

    @custom_gradient
    def compute(*flat: Any) -> Any:
        theta, state0, inputs = nest.pack_sequence_as(template, list(flat))
        states, last, kept = forward(cell_fn, theta, state0, inputs, times, extras)
        flat_states = nest.flatten(states)

        def gradient(*of_outputs: Any) -> List[Any]:
            size = len(flat_states)
            parts = [
                nest.pack_sequence_as(template[1], list(part))
                for part in (of_outputs[:size], of_outputs[size:])
            ]
            return _backward(cell_grad, (theta, state0, inputs), times, (states, kept), parts)

        return [*flat_states, *nest.flatten(last)], gradient

    found = compute(*nest.flatten(template))
    size = len(nest.flatten(template[1]))
    states, last = (
        nest.pack_sequence_as(template[1], list(part)) for part in (found[:size], found[size:])
    )
    return states, last


@set_module("troupe.contrib.recurrent")
def Recurrent(
    theta: Any,
    state0: Any,
    inputs: Any,
    cell_fn: CellFn,
    cell_grad: Optional[Callable[..., Any]] = None,
    extras: Any = None,
    max_input_length: Any = None,
    use_tpu: bool = False,
    aligned_end: bool = False,
) -> Tuple[Any, Any]:
    """A function of a state and of inputs, time by time.

    Args:
        theta: Weights, a nested structure of tensors.
        state0: The first state, a nested structure of tensors.
        inputs: A nested structure of tensors, [time, ...].
        cell_fn: The state after a time and extras, of weights, the state before it and its inputs.
        cell_grad: The gradients of these three, of them, the extras and the gradient of the state
            after; by default they follow from `cell_fn`.
        extras: Zeros as the extras, which `cell_grad` takes; by default like those of `cell_fn`.
        max_input_length: How many times are computed, by default all.
        use_tpu: Without effect.
        aligned_end: Whether these are the last times rather than the first ones.

    Returns:
        The states after all times, [time, ...], with zeros at those that are not computed, and the
        last state.
    """
    times = _times_of(inputs, max_input_length, aligned_end)
    if cell_grad is None:
        states, last, _ = forward(cell_fn, theta, state0, inputs, times)
        return states, last
    if extras is None:
        _, made = cell_fn(theta, state0, _at(inputs, 0))
        extras = nest.map_structure(creation_ops.zeros_like, made)
    return _with_own_gradient(cell_fn, cell_grad, [theta, state0, inputs], times, extras)
