"""Networks over lists of tensors, with a cell for each."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import reverse_sequence
from troupe._src.rnn.cell import assert_like_rnncell
from troupe._src.rnn.foreign_cells import build_for, stepped
from troupe._src.rnn.cell import initial_state as state_of
from troupe._src.rnn.sizes import dtype_of_state, zeros_of
from troupe._src.rnn.step import Lengths, Step, network_scope
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable_store import variable_scope


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Optional[DTypeLike] = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[List[Any], Any]:
    """The outputs of a cell for the inputs of each time, and its last state.

    Args:
        cell: The cell.
        inputs: A list of tensors of the shape [batch, size], or of nested ones.
        initial_state: The state before, by default zeros.
        dtype: The dtype of these zeros, and of outputs.
        sequence_length: The length of each sequence. After it, outputs are zeros and the state
            stays; a step calls the cell no more when all sequences have ended.
        scope: The scope of the variables, or its name, by default "rnn".

    Returns:
        (a list of outputs, state)

    Raises:
        TypeError: `cell` is no cell, or the inputs no sequence.
        ValueError: There are no inputs, neither a state nor a dtype is given, or shapes are wrong
            or not known.
    """
    assert_like_rnncell("cell", cell)
    _check_inputs(inputs)
    outputs = []
    with network_scope(scope) as entered:
        batch_size = _batch_size(nest.flatten(inputs))
        state = initial_state
        if state is None:
            if not dtype:
                raise ValueError("If no initial_state is provided, dtype must be specified")
            state = state_of(cell, batch_size, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = _lengths(sequence_length)
            kind = dtype_of_state(dtype, state)
            zeros = [zeros_of(batch_size, size, kind) for size in nest.flatten(cell.output_size)]
            zero_output = nest.pack_sequence_as(cell.output_size, zeros)
        for time, each in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()
            build_for(cell, each)
            if lengths is None:
                output, state = stepped(cell, each, state)
            else:
                step = Step(time, lengths, zero_output, state, _call(cell, each, state))
                output, state = step.conditional()
            outputs.append(output)
    return outputs, state


def _check_inputs(inputs: Any) -> None:
    if not nest.is_nested(inputs):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")


def _call(cell: Any, inputs: Any, state: Any) -> Any:
    return lambda: stepped(cell, inputs, state)


def _lengths(given: Any) -> Lengths:
    lengths = convert_to_tensor(given, name="sequence_length")
    if lengths.shape.rank not in (None, 1):
        raise ValueError("sequence_length must be a vector of length batch_size")
    return Lengths(math_ops.cast(lengths, dtypes.int32))


def _batch_size(flat: List[Any]) -> Any:
    """A number where one is known, else a tensor."""
    first = flat[0]
    known = TensorShape([None])
    if first.shape.rank == 1:
        known = first.shape
    else:
        for tensor in flat:
            shape = tensor.shape.with_rank_at_least(2)
            known = known.merge_with(shape[:1])
            for axis, size in enumerate(shape.as_list()[1:]):
                if size is None:
                    raise ValueError(
                        f"Input size (dimension {axis} of inputs) must be accessible via shape "
                        "inference, but saw value None."
                    )
    return known[0].value or array_ops.shape(first)[0]


def static_state_saving_rnn(
    cell: Any,
    inputs: Any,
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[List[Any], Any]:
    """`static_rnn` that begins with a saved state, and saves the last one.

    Args:
        cell: The cell.
        inputs: As of `static_rnn`.
        state_saver: It has `state(name)`, a tensor, and `save_state(name, tensor)`, an operation,
            after which the last output and the state are there.
        state_name: The name of the state, or nested names for a nested state.
        sequence_length: As of `static_rnn`.
        scope: As of `static_rnn`.

    Returns:
        (a list of outputs, state)

    Raises:
        TypeError: As of `static_rnn`.
        ValueError: The names are not those of one state each, or as of `static_rnn`.
    """
    sizes = cell.state_size
    if nest.is_nested(sizes) != nest.is_nested(state_name):
        raise ValueError(
            f"state_name should be the same type as cell.state_size.  state_name: {state_name}, "
            f"cell.state_size: {sizes}"
        )
    names, count = nest.flatten(state_name), len(nest.flatten(sizes))
    if len(names) != count:
        raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {count}")
    before = nest.pack_sequence_as(sizes, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, before, None, sequence_length, scope)
    saved = [state_saver.save_state(*pair) for pair in zip(names, nest.flatten(state))]
    with get_default_graph().control_dependencies(saved):
        outputs[-1] = nest.map_structure(array_ops.identity, outputs[-1])
        return outputs, nest.map_structure(array_ops.identity, state)


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Optional[DTypeLike] = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[Any, Any, Any]:
    """The outputs of two cells, of which one gets the sequences from their ends on.

    Args:
        cell_fw: The cell that gets the sequences as they are.
        cell_bw: The cell that gets them reversed.
        inputs: As of `static_rnn`, and so are the others.
        initial_state_fw: The state of the first cell before.
        initial_state_bw: The state of the second cell before.
        dtype: The dtype of states of zeros, and of outputs.
        sequence_length: The length of each sequence, of which only so much is reversed.
        scope: The scope of the variables, by default "bidirectional_rnn".

    Returns:
        (a list of outputs of both, concatenated, state_fw, state_bw)

    Raises:
        TypeError: A cell is none, or the inputs are no sequence.
        ValueError: As of `static_rnn`.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            outputs_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, forward
            )
        with variable_scope("bw") as backward:
            outputs_bw, state_bw = static_rnn(
                cell_bw, _reversed(inputs, sequence_length), initial_state_bw, dtype,
                sequence_length, backward,
            )  # fmt: skip
    outputs_bw = _reversed(outputs_bw, sequence_length)
    pairs = zip(nest.flatten(outputs_fw), nest.flatten(outputs_bw))
    both = [array_ops.concat([one, other], 1) for one, other in pairs]
    return nest.pack_sequence_as(outputs_fw, both), state_fw, state_bw


def _reversed(sequence: Any, lengths: Any) -> List[Any]:
    """The elements of each time in reverse, of each row as many as its length."""
    if lengths is None:
        return list(reversed(sequence))
    steps = [nest.flatten(each) for each in sequence]
    parts = [_reversed_parts(list(part), lengths) for part in zip(*steps)]
    return [
        nest.pack_sequence_as(like, list(leaves)) for like, leaves in zip(sequence, zip(*parts))
    ]


def _reversed_parts(tensors: List[Tensor], lengths: Any) -> List[Tensor]:
    shape = tensors[0].shape
    for tensor in tensors:
        shape = shape.merge_with(tensor.shape)
    turned = reverse_sequence(array_ops.stack(tensors), lengths, seq_axis=0, batch_axis=1)
    parts = array_ops.as_list(array_ops.unstack(turned, len(tensors)))
    for part in parts:
        part.set_shape(shape)
    return parts
