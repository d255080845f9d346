"""Loops over the time steps of sequences, as Keras's recurrent layers make them."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.ops.rearrange_ops import reverse
from troupe._src.ops.selection_ops import where_v2
from troupe._src.ops.space_ops import transposed
from troupe._src.types import dtypes

StepFunction = Callable[[Any, List[Any]], Tuple[Any, Sequence[Any]]]


def rnn(
    step_function: StepFunction,
    inputs: Any,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: Any = None,
    constants: Optional[Sequence[Any]] = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> Tuple[Any, Any, List[Any]]:
    """Applies a function to the time steps of sequences, one after the other.

    Args:
        step_function: A function of the inputs of a time step, [samples, ...], and the list of
            states and constants. It gives the output, [samples, ...], and the new states.
        inputs: Tensors [samples, time, ...], in any nested structure.
        initial_states: The states before the first time step.
        go_backwards: Begins with the last time step; the outputs come in that order, too.
        mask: Which time steps count, bools [samples, time]. For those that do not, the states stay
            and the output is that of the time step before.
        constants: Further values for the function.
        unroll: Adds the nodes of each time step to the graph, instead of a loop.
        input_length: The number of time steps at most.
        time_major: The inputs, mask and outputs are [time, samples, ...].
        zero_output_for_mask: The output of what does not count is 0.

    Returns:
        (the last output, all outputs, [samples, time, ...], the last states)

    Raises:
        ValueError: `unroll`, and the number of time steps is not known.
    """
    steps = _Steps(step_function, inputs, mask, constants, go_backwards, time_major)
    steps.has_zero_outputs = zero_output_for_mask
    states = list(initial_states)
    if unroll:
        outputs, states = steps.unrolled(states)
    else:
        outputs, states = steps.loop(states, input_length)
    last = nest.map_structure(lambda each: each[-1], outputs)
    if not time_major:
        outputs = nest.map_structure(transposed, outputs)
    return last, outputs, states


class _Steps:
    """The time steps of a call: what the function is applied to."""

    has_zero_outputs = False

    def __init__(
        self,
        function: StepFunction,
        inputs: Any,
        mask: Any,
        constants: Optional[Sequence[Any]],
        is_reversed: bool,
        is_time_major: bool,
    ) -> None:
        def prepared(values: Any) -> Tensor:
            tensor = convert_to_tensor(values)
            tensor = tensor if is_time_major else transposed(tensor)
            return reverse(tensor, [0]) if is_reversed else tensor

        self._function = function
        self._constants = list(constants or [])
        self._inputs = nest.map_structure(prepared, inputs)
        self._flat: List[Tensor] = nest.flatten(self._inputs)
        self._mask = None
        if mask is not None:
            self._mask = prepared(mask if mask.dtype is dtypes.bool_ else cast(mask, dtypes.bool_))

    def unrolled(self, states: List[Any]) -> Tuple[Any, List[Any]]:
        """The outputs by time, and the last states, by nodes for each time step."""
        count = self._flat[0].shape[0].value
        if not count:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
        parts = [array_ops.unstack(each) for each in self._flat]
        masks = [None] * count if self._mask is None else array_ops.unstack(self._mask)
        outputs: List[Any] = []
        for time in range(count):
            here = nest.pack_sequence_as(self._inputs, [each[time] for each in parts])
            before = outputs[-1] if outputs else None
            output, states = self._step(here, masks[time], before, states)
            outputs.append(output)
        stacked = [array_ops.stack(each) for each in zip(*map(nest.flatten, outputs))]
        return nest.pack_sequence_as(outputs[0], stacked), states

    def loop(self, states: List[Any], most: Any) -> Tuple[Any, List[Any]]:
        """The same by a loop, of `most` time steps where that is not None."""
        count = array_ops.shape(self._flat[0])[0]
        arrays = [self._array_of(each, count) for each in self._flat]
        masks = None if self._mask is None else self._array_of(self._mask, count)
        first = nest.pack_sequence_as(self._inputs, [each[0] for each in self._flat])
        like, _ = self._function(first, states + self._constants)  # only for dtypes and shapes
        written = [TensorArray(each.dtype, size=count) for each in nest.flatten(like)]
        shapes = [each.shape for each in nest.flatten(states)]

        def body(time: Tensor, outputs: Any, before: Any, states: Any) -> Any:
            read = [array.read(time) for array in arrays]
            here = nest.pack_sequence_as(self._inputs, read)
            counts = None if masks is None else masks.read(time)
            output, after = self._step(here, counts, before, list(states))
            for each, shape in zip(nest.flatten(after), shapes):
                each.set_shape(shape)
            flat = nest.flatten(output)
            outputs = tuple(array.write(time, each) for array, each in zip(outputs, flat))
            return time + 1, outputs, output if masks is not None else before, tuple(after)

        nothing = nest.map_structure(zeros_like, like) if masks is not None else ()
        _, written, _, after = while_loop(
            lambda time, *_: time < count,
            body,
            (0, tuple(written), nothing, tuple(states)),
            maximum_iterations=most,
            parallel_iterations=32,
        )
        outputs = [array.stack() for array in written]
        steps = self._flat[0].shape[0].value
        for each, one in zip(outputs, nest.flatten(like)):
            if one.shape.rank is not None:
                each.set_shape([steps, *one.shape.as_list()])
        return nest.pack_sequence_as(like, outputs), list(after)

    def _array_of(self, values: Tensor, count: Tensor) -> TensorArray:
        array = TensorArray(values.dtype, size=count, element_shape=values.shape[1:])
        return array.unstack(values)

    def _step(
        self, inputs: Any, mask: Optional[Tensor], before: Any, states: List[Any]
    ) -> Tuple[Any, List[Any]]:
        """The output and the states, which stay where the mask says so."""
        output, after = self._function(inputs, states + self._constants)
        if mask is None:
            return output, list(after)
        if before is None or self.has_zero_outputs:
            before = nest.map_structure(zeros_like, output)
        output = nest.map_structure(lambda new, old: _selected(mask, new, old), output, before)
        kept = [
            nest.map_structure(lambda new, old: _selected(mask, new, old), *pair)
            for pair in zip(after, states)
        ]
        return output, kept


def _selected(mask: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """Rows of `new` where the mask, [samples] or [samples, 1...], is true; else those of `old`."""
    for _ in range((new.shape.rank or 0) - (mask.shape.rank or 0)):
        mask = array_ops.expand_dims(mask, -1)
    return where_v2(mask, new, old)
