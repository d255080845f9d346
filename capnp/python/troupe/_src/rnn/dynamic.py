"""Networks over tensors of sequences, in a loop."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.space_ops import transposed
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.rearrange_ops import reverse, reverse_sequence
from troupe._src.rnn.cell import assert_like_rnncell
from troupe._src.rnn.foreign_cells import build_for, stepped
from troupe._src.rnn.cell import initial_state as state_of
from troupe._src.rnn.sizes import dtype_of_state, static_shape, zeros_of
from troupe._src.rnn.step import Lengths, Step, network_scope
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable_store import variable_scope


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Optional[DTypeLike] = None,
    parallel_iterations: Optional[int] = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> Tuple[Any, Any]:
    """The outputs of a cell for sequences, and its last states.

    Args:
        cell: The cell.
        inputs: Nested tensors of the shape [batch, time, ...].
        sequence_length: The length of each sequence. After it, outputs are zeros and the state
            stays. By default all are as long as the inputs.
        initial_state: The state before, by default zeros.
        dtype: The dtype of these zeros, and of outputs.
        parallel_iterations: How many iterations run at once, by default 32.
        swap_memory: Changes nothing.
        time_major: Whether inputs and outputs have the shape [time, batch, ...].
        scope: The scope of the variables, or its name, by default "rnn".

    Returns:
        (outputs, state), in the structures of the cell's `output_size` and `state_size`.

    Raises:
        TypeError: `cell` is no cell.
        ValueError: Neither a state nor a dtype is given, or shapes are wrong or not known.
    """
    assert_like_rnncell("cell", cell)
    with network_scope(scope):
        flat = [convert_to_tensor(tensor) for tensor in nest.flatten(inputs)]
        if not time_major:
            flat = [transposed(tensor) for tensor in flat]
        if sequence_length is not None:
            sequence_length = _lengths(sequence_length)
        batch_size = batch_size_of(flat)
        if initial_state is None:
            if not dtype:
                raise ValueError("If there is no initial_state, you must give a dtype.")
            initial_state = state_of(cell, batch_size, dtype)
        if sequence_length is not None:
            with get_default_graph().control_dependencies([_check(sequence_length, batch_size)]):
                sequence_length = array_ops.identity(sequence_length, name="CheckSeqLen")
        packed = nest.pack_sequence_as(inputs, flat)
        build_for(cell, packed, 1)
        loop = _Loop(cell, packed, initial_state, batch_size, sequence_length, dtype)
        outputs, state = loop.run(parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(transposed, outputs)
        return outputs, state


def _lengths(given: Any) -> Tensor:
    lengths = math_ops.cast(given, dtypes.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"sequence_length must be a vector of length batch_size, but saw shape: {lengths.shape}"
        )
    return array_ops.identity(lengths, name="sequence_length")


def batch_size_of(flat_input: List[Tensor]) -> Any:
    """The size of the second axis, the batch.

    Args:
        flat_input: Tensors [time, batch, ...].

    Returns:
        An int where one of them has a known one, else a scalar tensor.

    Raises:
        ValueError: A tensor has less than two axes.
    """
    for tensor in flat_input:
        if tensor.shape.rank is None:
            continue
        if tensor.shape.rank < 2:
            raise ValueError(f"Expected input tensor {tensor} to have rank at least 2")
        if tensor.shape[1].value is not None:
            return tensor.shape[1].value
    return array_ops.shape(flat_input[0])[1]


def _check(lengths: Tensor, batch_size: Any) -> Any:
    found, wanted = array_ops.shape(lengths), array_ops.stack([batch_size])
    text = f"Expected shape for Tensor {lengths.name} is "
    is_same = math_ops.reduce_all(gen_ops.equal(found, wanted))
    return Assert(is_same, [text, wanted, " but saw shape: ", found])


class _Loop:
    """The loop over the time steps, of inputs that have the time as their first axis."""

    def __init__(
        self, cell: Any, inputs: Any, state: Any, batch_size: Any, lengths: Any, dtype: Any
    ) -> None:
        self._cell, self._inputs, self._state = cell, inputs, state
        self._flat = nest.flatten(inputs)
        self._sizes = nest.flatten(cell.output_size)
        self._kind = dtype_of_state(dtype, state)
        self._shapes = [tensor.shape.with_rank_at_least(3) for tensor in self._flat]
        self._static = self._checked_sizes()
        self._time_steps = array_ops.shape(self._flat[0])[0]
        zeros = [zeros_of(batch_size, size, self._kind) for size in self._sizes]
        self._zero_output = nest.pack_sequence_as(cell.output_size, zeros)
        self._lengths = None if lengths is None else Lengths(lengths)

    def _checked_sizes(self) -> List[Optional[int]]:
        """The numbers of time steps and of sequences, as far as they are known."""
        steps, batch = self._shapes[0].as_list()[:2]
        for shape in self._shapes:
            if not shape[2:].is_fully_defined():
                raise ValueError(
                    "Input size (depth of inputs) must be accessible via shape inference, but saw "
                    "value None."
                )
            if shape[0].value != steps:
                raise ValueError(
                    "Time steps is not the same for all the elements in the input in a batch."
                )
            if shape[1].value != batch:
                raise ValueError("Batch_size is not the same for all the elements in the input.")
        return [steps, batch]

    def run(self, parallel_iterations: int, swap_memory: bool) -> Tuple[Any, Any]:
        """(outputs, last state)."""
        time = constant(0, dtypes.int32, name="time")
        with get_default_graph().name_scope("dynamic_rnn") as base:
            names = base
        outputs = [
            self._array(f"{names}output_{i}", static_shape(self._static[1], size), self._kind)
            for i, size in enumerate(self._sizes)
        ]
        self._arrays = [
            self._array(f"{names}input_{i}", tensor.shape[1:], tensor.dtype)
            for i, tensor in enumerate(self._flat)
        ]
        self._arrays = [array.unstack(each) for array, each in zip(self._arrays, self._flat)]
        bound = self._time_steps
        if self._lengths is not None:  # one step at least, in which arrays get their shapes
            bound = gen_ops.minimum(bound, gen_ops.maximum(1, self._lengths.most))
        _, arrays, state = while_loop(
            lambda time, *_: time < bound,
            self._time_step,
            (time, tuple(outputs), self._state),
            parallel_iterations=parallel_iterations,
            maximum_iterations=self._time_steps,
            swap_memory=swap_memory,
        )
        stacked = [array.stack() for array in arrays]
        if self._static[0] is not None:  # which arrays do not say
            shapes = [static_shape(self._static, size) for size in self._sizes]
            stacked = [raw_ops.EnsureShape(input=x, shape=s) for x, s in zip(stacked, shapes)]
        return nest.pack_sequence_as(self._cell.output_size, stacked), state

    def _array(self, name: str, shape: TensorShape, dtype: Any) -> TensorArray:
        return TensorArray(
            dtype, size=self._time_steps, element_shape=shape, tensor_array_name=name
        )

    def _time_step(self, time: Tensor, outputs: Any, state: Any) -> Any:
        read = [array.read(time) for array in self._arrays]
        for tensor, shape in zip(read, self._shapes):
            tensor.set_shape(shape[1:])
        inputs = nest.pack_sequence_as(self._inputs, read)
        if self._lengths is None:
            output, after = stepped(self._cell, inputs, state)
        else:
            step = Step(
                time, self._lengths, self._zero_output, state,
                lambda: stepped(self._cell, inputs, state),
            )  # fmt: skip
            output, after = step.selected()
        written = zip(outputs, nest.flatten(output))
        return time + 1, tuple(array.write(time, each) for array, each in written), after


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Optional[DTypeLike] = None,
    parallel_iterations: Optional[int] = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> Tuple[Any, Any]:
    """The outputs of two cells, of which one gets the sequences from their ends on.

    Args:
        cell_fw: The cell that gets the sequences as they are.
        cell_bw: The cell that gets them reversed; its outputs are in the order of the inputs.
        inputs: As of `dynamic_rnn`, and so are the others.
        sequence_length: The length of each sequence, of which only so much is reversed.
        initial_state_fw: The state of the first cell before.
        initial_state_bw: The state of the second cell before.
        dtype: The dtype of states of zeros, and of outputs.
        parallel_iterations: How many iterations run at once.
        swap_memory: Changes nothing.
        time_major: Whether the time is the first axis.
        scope: The scope of the variables, by default "bidirectional_rnn".

    Returns:
        ((outputs_fw, outputs_bw), (state_fw, state_bw))

    Raises:
        TypeError: A cell is none.
        ValueError: As of `dynamic_rnn`.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    time_axis = 0 if time_major else 1

    def reversed_in_time(tensor: Any) -> Tensor:
        if sequence_length is None:
            return reverse(tensor, [time_axis])
        return reverse_sequence(tensor, sequence_length, time_axis, 1 - time_axis)

    options: Any = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            outputs_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=forward, **options
            )
        with variable_scope("bw") as backward:
            backwards = nest.map_structure(reversed_in_time, inputs)
            outputs_bw, state_bw = dynamic_rnn(
                cell_bw, backwards, initial_state=initial_state_bw, scope=backward, **options
            )
    outputs_bw = nest.map_structure(reversed_in_time, outputs_bw)
    return (outputs_fw, outputs_bw), (state_fw, state_bw)
