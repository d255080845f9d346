"""Networks whose inputs, ends and outputs a function of the program decides on, step by step."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.rnn.cell import assert_like_rnncell
from troupe._src.rnn.foreign_cells import stepped
from troupe._src.rnn.sizes import static_shape, zeros_of
from troupe._src.rnn.step import copied, network_scope
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: Optional[int] = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> Tuple[Any, Any, Any]:
    """A network whose inputs, ends and outputs come from a function.

    Args:
        cell: The cell.
        loop_fn: A function of (time, cell_output, cell_state, loop_state) that gives
            (is_finished, next_input, next_state, emit_output, next_loop_state). It is called
            before the loop with None but for the time, and gives an example of what it emits, or
            None for outputs of the cell; and in the loop for each further time. What it emits for
            sequences that had finished is replaced by zeros, and their state stays.
        parallel_iterations: How many iterations run at once, by default 32.
        swap_memory: Changes nothing.
        scope: The scope of the variables, or its name, by default "rnn".

    Returns:
        (TensorArrays of what was emitted, state, loop state)

    Raises:
        TypeError: `cell` is no cell, or `loop_fn` no function.
        ValueError: Structures or the numbers of sequences differ.
    """
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with network_scope(scope):
        time = constant(0, dtypes.int32)
        is_finished, first, state, emitted, loop_state = loop_fn(time, None, None, None)
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        loop = _Loop(cell, loop_fn, nest.flatten(first), state, emitted)
        start = constant(0, dtypes.int32) if loop_state is None else loop_state
        *_, arrays, state, last = while_loop(
            lambda _, finished, *rest: gen_ops.logical_not(math_ops.reduce_all(finished)),
            loop.step,
            [time, is_finished, first, loop.arrays, state, start],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        return arrays, state, None if loop_state is None else last


class _Loop:
    """The arrays of what is emitted, and an iteration."""

    def __init__(
        self, cell: Any, loop_fn: Any, inputs: List[Any], state: Any, emitted: Any
    ) -> None:
        self._cell, self._loop_fn = cell, loop_fn
        known = TensorShape([None])
        for tensor in inputs:
            shape = tensor.shape
            known = known.merge_with(shape[:1] if shape.rank is not None else [None])
        batch_size = known[0].value
        like = cell.output_size if emitted is None else emitted
        if emitted is None:
            sizes = nest.flatten(like)
            kinds = [nest.flatten(state)[0].dtype] * len(sizes)
        else:
            sizes = [_size_of(tensor) for tensor in nest.flatten(emitted)]
            kinds = [tensor.dtype for tensor in nest.flatten(emitted)]
        self.arrays = nest.pack_sequence_as(
            like,
            [
                TensorArray(
                    kind, size=0, dynamic_size=True, element_shape=static_shape(batch_size, size),
                    name=f"rnn_output_{i}",
                )
                for i, (size, kind) in enumerate(zip(sizes, kinds))
            ],
        )  # fmt: skip
        count = array_ops.shape(inputs[0])[0] if batch_size is None else batch_size
        zeros = [zeros_of(count, size, kind) for size, kind in zip(sizes, kinds)]
        self._zeros = nest.pack_sequence_as(like, zeros)

    def step(
        self, time: Tensor, finished: Any, inputs: Any, arrays: Any, state: Any, loop_state: Any
    ) -> Any:
        output, after = stepped(self._cell, inputs, state)
        nest.assert_same_structure(state, after)
        nest.assert_same_structure(self._cell.output_size, output)
        now_finished, next_inputs, next_state, emitted, next_loop_state = self._loop_fn(
            time + 1, output, after, loop_state
        )
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(inputs, next_inputs)
        nest.assert_same_structure(arrays, emitted)

        def kept(before: Any, value: Any) -> Any:
            return copied(finished, before, value)

        emitted = nest.map_structure(kept, self._zeros, emitted)
        next_state = nest.map_structure(kept, state, next_state)
        written = nest.map_structure(lambda array, each: array.write(time, each), arrays, emitted)
        is_finished = gen_ops.logical_or(finished, now_finished)
        last = loop_state if next_loop_state is None else next_loop_state
        return time + 1, is_finished, next_inputs, written, next_state, last


def _size_of(tensor: Any) -> Any:
    return tensor.shape if tensor.shape.is_fully_defined() else array_ops.shape(tensor)
