"""The decoder that keeps the best sequences of each example."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform import logging
from troupe._src.rnn.cell import assert_like_rnncell
from troupe._src.rnn.sizes import static_shape
from troupe._src.seq2seq.beam_steps import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
    Penalties,
    attention_of,
    beam_search_step,
    rank_of,
)
from troupe._src.seq2seq.beam_trees import gather_tree, gather_tree_from_array
from troupe._src.seq2seq.decoder import Decoder
from troupe._src.seq2seq.helpers import embedding_function
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape

_ADVICE = (
    "Consider setting reorder_tensor_arrays to False to disable TensorArray reordering during the "
    "beam search."
)


@set_module("troupe.contrib.seq2seq")
class BeamSearchDecoder(Decoder):
    """A decoder that keeps the sequences of the best scores, `beam_width` for each example.

    A step continues each sequence with each id, and keeps the best of all of an example. The score
    is the sum of the logarithms of the probabilities, with the penalties. The cell is called with a
    batch of [batch * beam_width], so that the encoder's outputs, states and lengths have to be
    repeated by `tile_batch`, and `AttentionWrapper.zero_state` called for that many.
    `dynamic_decode` gives a `FinalBeamSearchDecoderOutput`, a `BeamSearchDecoderState`, and the
    steps of each place among the beams; the lengths of the sequences are in the state.

    Args:
        cell: The cell.
        embedding: A function of numbers, [batch, beam_width], or the tables of
            `tf.nn.embedding_lookup`.
        start_tokens: The numbers of the first inputs, int32 [batch].
        end_token: The number that ends a sequence, an int32 scalar.
        initial_state: The state of the cell before the first step, [batch * beam_width, ...].
        beam_width: The number of sequences of each example, an int.
        output_layer: A layer that makes the logits of the outputs of the cell, or None.
        length_penalty_weight: The sum is divided by ((5 + length) / 6) to the power of it.
        coverage_penalty_weight: Times it, finished sequences pay for the steps of the memory that
            they did not attend to; the cell has to be an `AttentionWrapper`, or a tuple of states
            has one.
        reorder_tensor_arrays: Whether arrays in the state are stacked at the end, with the
            elements of each sequence's own path.

    Raises:
        TypeError: The cell or the layer is of another class.
        ValueError: The first numbers are no vector, the end is no scalar, or a state has other
            sizes than the cell and the beams.
    """

    def __init__(
        self, cell: Any, embedding: Any, start_tokens: TensorLike, end_token: TensorLike,
        initial_state: Any, beam_width: int, output_layer: Optional[Layer] = None,
        length_penalty_weight: Any = 0.0, coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:  # fmt: skip
        assert_like_rnncell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._output_layer = cell, output_layer
        self._embed, self._beam_width = embedding_function(embedding), beam_width
        self._penalties = Penalties(length_penalty_weight, coverage_penalty_weight)
        self._reorders = reorder_tensor_arrays
        start = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if start.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = array_ops.size(start)
        known = array_ops.get_static_value(self._batch_size)
        self._known_batch_size = None if known is None else int(known)
        self._initial = nest.map_structure(self._split, initial_state, cell.state_size)
        start = gen_ops.tile(array_ops.expand_dims(start, 1), [1, beam_width])
        self._first_inputs = self._embed(start)

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True, because a step changes the places of sequences."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        size = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=size, predicted_ids=size, parent_ids=size)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        return BeamSearchDecoderOutput(
            scores=self._dtype(), predicted_ids=dtypes.int32, parent_ids=dtypes.int32
        )

    def _dtype(self) -> Any:
        return nest.flatten(self._initial)[0].dtype

    def initialize(self, name: Optional[str] = None) -> Any:
        # All beams are equal before the first step. Only one of them is continued: the others are
        # finished, with a probability of 0.
        firsts, beams = creation_ops.zeros([self._batch_size], dtypes.int32), self._beam_width
        finished = creation_ops.one_hot(firsts, beams, False, True, dtype=dtypes.bool_)
        none, least = (convert_to_tensor(value, self._dtype()) for value in (0.0, -np.inf))
        seen = attention_of(self._initial, self._penalties.coverage)
        state = BeamSearchDecoderState(
            cell_state=self._initial,
            log_probs=creation_ops.one_hot(firsts, beams, none, least),
            finished=finished,
            lengths=creation_ops.zeros([self._batch_size, beams], dtypes.int64),
            accumulated_attention_probs=() if seen is None else seen,
        )
        return finished, self._first_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Any:
        with get_default_graph().name_scope(name or "BeamSearchDecoderStep"):
            inputs = nest.map_structure(lambda each: self._merged(each, each.shape[2:]), inputs)
            before = nest.map_structure(self._merge, state.cell_state, self._cell.state_size)
            outputs, after = self._cell(inputs, before)
            outputs = nest.map_structure(lambda each: self._parted(each, each.shape[1:]), outputs)
            after = nest.map_structure(self._split, after, self._cell.state_size)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            chosen, next_state = beam_search_step(
                outputs, after, state, self._batch_size, self._beam_width, self._end,
                self._penalties,
            )  # fmt: skip
            next_inputs = cond(
                math_ops.reduce_all(next_state.finished),
                lambda: self._first_inputs,
                lambda: self._embed(chosen.predicted_ids),
            )
        return chosen, next_state, next_inputs, next_state.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The sequences that lead to the ids of the last step.

        Args:
            outputs: The BeamSearchDecoderOutput of all steps, [time, batch, beams].
            final_state: The BeamSearchDecoderState after the last step.
            sequence_lengths: Is not used: the lengths are in the state.

        Returns:
            A FinalBeamSearchDecoderOutput, and the state, in which arrays are sorted.
        """
        longest = math_ops.cast(math_ops.reduce_max(final_state.lengths, axis=1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end)
        if self._reorders:
            cell_state = nest.map_structure(
                lambda each: self._sorted(each, outputs.parent_ids, final_state.lengths),
                final_state.cell_state,
            )
            final_state = final_state._replace(cell_state=cell_state)
        final = FinalBeamSearchDecoderOutput(predicted_ids=ids, beam_search_decoder_output=outputs)
        return final, final_state

    def _merge(self, value: Any, size: Any) -> Any:
        """[batch, beams, size] as the cell takes it; what has no beams is as it is."""
        if isinstance(value, TensorArray) or rank_of(value) < 2:
            return value
        return self._merged(value, size)

    def _merged(self, tensor: Tensor, size: Any) -> Tensor:
        rows = self._batch_size * self._beam_width
        shape = array_ops.concat([[rows], array_ops.shape(tensor)[2:]], 0)
        merged = array_ops.reshape(tensor, shape)
        known = self._known_batch_size
        merged.set_shape(static_shape([None if known is None else known * self._beam_width], size))
        return merged

    def _split(self, value: Any, size: Any) -> Any:
        """[batch * beams, size] as [batch, beams, size]; scalars and arrays are as they are."""
        if isinstance(value, TensorArray) or rank_of(value) < 1:
            return value
        return self._parted(value, size)

    def _parted(self, tensor: Tensor, size: Any) -> Tensor:
        beams = [self._batch_size, self._beam_width]
        parted = array_ops.reshape(
            tensor, array_ops.concat([beams, array_ops.shape(tensor)[1:]], 0)
        )
        wanted = static_shape([self._known_batch_size, self._beam_width], size)
        if not parted.shape.is_compatible_with(wanted):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The "
                f"reshaped tensor has shape: {parted.shape}.  We expected it to have shape "
                f"(batch_size, beam_width, depth) == {wanted}.  Perhaps you forgot to create a "
                "zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        parted.set_shape(wanted)
        return parted

    def _sorted(self, value: Any, parents: Tensor, lengths: Tensor) -> Any:
        """An array as a tensor, in the order of each sequence's path, where that is possible."""
        if not isinstance(value, TensorArray):
            return value
        shape = value.element_shape
        if not shape.rank:
            logging.warning(
                "The TensorArray %s in the cell state is not amenable to sorting based on the beam "
                "search result. For a TensorArray to be sorted, its elements shape must be defined "
                "and have at least a rank of 1, but saw shape: %s",
                value.handle.name,
                shape,
            )
            return value
        if not self._fits(shape):
            return value
        stacked = value.stack()
        with get_default_graph().control_dependencies([self._check(stacked)]):
            return gather_tree_from_array(stacked, parents, lengths)

    def _fits(self, shape: TensorShape) -> bool:
        """Whether elements of that shape may have the beams, merged or not."""
        batch, beams = self._known_batch_size, self._beam_width
        first, second, *_ = [*shape.as_list(), None]
        # As TensorFlow does, which keeps an array whose elements have two known sizes.
        is_merged = first == (batch or 0) * beams and second is None
        if batch is None or first is None or is_merged or (first, second, beams) == (batch, 1, 1):
            return True
        logging.warning(
            "TensorArray reordering expects elements to be reshapable to %s which is incompatible "
            "with the current shape %s. %s",
            TensorShape([batch, beams, None]),
            shape,
            _ADVICE,
        )
        return False

    def _check(self, stacked: Tensor) -> Any:
        sizes, batch, beams = array_ops.shape(stacked), self._batch_size, self._beam_width
        fits = gen_ops.equal(sizes[1], batch * beams)
        if rank_of(stacked) > 2:
            is_parted = gen_ops.logical_and(
                gen_ops.equal(sizes[1], batch), gen_ops.equal(sizes[2], beams)
            )
            fits = gen_ops.logical_or(fits, is_parted)
        text = (
            "TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, "
            f"-1] which is incompatible with the dynamic shape of {stacked.name} elements. "
            + _ADVICE
        )
        return Assert(fits, [text])
