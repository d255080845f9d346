"""Decoders, and the loop that calls one until all sequences are finished."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.space_ops import transposed
from troupe._src.rnn.sizes import static_shape, zeros_of
from troupe._src.rnn.step import copied, network_scope
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


@set_module("troupe.contrib.seq2seq")
class Decoder:
    """What makes sequences step by step; `dynamic_decode` runs it."""

    @property
    def batch_size(self) -> Any:
        """The number of sequences, a tensor."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The sizes of an output: numbers or shapes, nested as the output is."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The dtypes of an output, nested as it is."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` says of all sequences whether they are finished, not of new ones only.

        So does a decoder that changes the places of sequences in the batch.
        """
        return False

    def initialize(self, name: Optional[str] = None) -> Any:
        """Called before the first step.

        Returns:
            (finished, inputs, state): which sequences are finished before, [batch] of bool; and
            what the first step is given.
        """
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """A step of all sequences.

        Args:
            time: The number of the step, a tensor of int32.
            inputs: The inputs of this step.
            state: The state after the step before.
            name: The scope of its nodes.

        Returns:
            (outputs, next state, next inputs, finished)
        """
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Called after the last step, by default without effect.

        Args:
            outputs: The outputs of all steps, [time, batch, ...].
            final_state: The state after the last step.
            sequence_lengths: The steps of each sequence, [batch].

        Returns:
            (outputs, state)
        """
        return outputs, final_state


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> Tuple[Any, Any, Tensor]:
    """Runs a decoder until all its sequences are finished.

    Args:
        decoder: The `Decoder`.
        output_time_major: Whether outputs are [time, batch, ...], not [batch, time, ...].
        impute_finished: Whether a finished sequence has outputs of zeros, and keeps its state.
        maximum_iterations: The number of steps at most, a scalar.
        parallel_iterations: How many steps run at once.
        swap_memory: Changes nothing.
        scope: The scope of the variables, or its name, by default a new "decoder".

    Returns:
        (outputs, state after the last step, steps of each sequence as int32)

    Raises:
        TypeError: It is no decoder.
        ValueError: The number is no scalar, or structures differ.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with network_scope(scope, "decoder"):
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(
                maximum_iterations, dtypes.int32, name="maximum_iterations"
            )
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
            finished = gen_ops.logical_or(finished, maximum_iterations <= 0)
        loop = _Loop(decoder, impute_finished)
        time, lengths = constant(0, dtypes.int32), creation_ops.zeros_like(finished, dtypes.int32)
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: gen_ops.logical_not(
                math_ops.reduce_all(finished)
            ),
            loop.step,
            (time, loop.arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(transposed, outputs)
        return outputs, state, lengths


class _Loop:
    """The arrays of the outputs, and an iteration."""

    def __init__(self, decoder: Decoder, impute_finished: bool) -> None:
        self._decoder, self._imputes = decoder, impute_finished
        sizes, kinds = decoder.output_size, decoder.output_dtype
        batch_size = decoder.batch_size
        self._zeros = nest.map_structure(
            lambda size, kind: zeros_of(batch_size, size, kind), sizes, kinds
        )
        self.arrays = nest.map_structure(self._array, sizes, kinds)

    def _array(self, size: Any, dtype: Any) -> TensorArray:
        # The shape of others is that of what is written.
        is_known = isinstance(size, TensorShape) and size.rank != 0
        shape = static_shape(self._decoder.batch_size, size) if is_known else None
        return TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape)

    def step(
        self, time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any
    ) -> Any:
        outputs, next_state, next_inputs, now_finished = self._decoder.step(time, inputs, state)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(arrays, outputs)
        nest.assert_same_structure(inputs, next_inputs)
        if self._imputes:
            outputs = nest.map_structure(
                lambda output, zeros: selection_ops.where(finished, zeros, output),
                outputs,
                self._zeros,
            )
            next_state = nest.map_structure(
                lambda after, before: _kept(finished, before, after), next_state, state
            )
        lasted = creation_ops.fill(array_ops.shape(lengths), time + 1)
        lengths = selection_ops.where(finished, lengths, lasted)
        if not self._decoder.tracks_own_finished:
            now_finished = gen_ops.logical_or(now_finished, finished)
        arrays = nest.map_structure(lambda array, each: array.write(time, each), arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, now_finished, lengths


def _kept(finished: Tensor, before: Any, after: Any) -> Any:
    if not isinstance(before, TensorArray):
        after.set_shape(before.shape)
    return copied(finished, before, after)
