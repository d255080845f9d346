"""A step of a beam search: the best continuations of all beams of an example."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from troupe._src.control_flow import nest
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.nn.nn_ops import log_softmax
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, order_ops, selection_ops
from troupe._src.ops.arithmetic_ops import floordiv
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.seq2seq.attention_wrapper import AttentionWrapperState
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.contrib.seq2seq")
class BeamSearchDecoderState(NamedTuple):
    """What a beam search knows of each beam of each example, [batch, beams, ...].

    `cell_state` is the state of the cell; `log_probs` the sum of the logarithms of the
    probabilities of its ids; `finished` whether it has ended; `lengths` its number of ids, int64;
    `accumulated_attention_probs` the sums of its alignments, or () without a penalty of coverage.
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


@set_module("troupe.contrib.seq2seq")
class BeamSearchDecoderOutput(NamedTuple):
    """What a step chose for each beam: the score, the id, and the beam that it goes on with."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


@set_module("troupe.contrib.seq2seq")
class FinalBeamSearchDecoderOutput(NamedTuple):
    """The sequences of ids, the best beam first, [batch, time, beams], and what the steps chose."""

    predicted_ids: Any
    beam_search_decoder_output: Any


class Penalties(NamedTuple):
    """The weights of the penalties in the score of a beam, 0 for none.

    The sum of the logarithms is divided by ((5 + length) / 6) ** length; the sum over the memory
    of log(min(accumulated alignment, 1)), times coverage, is added to that of finished beams.
    """

    length: Any
    coverage: Any

    def scores(self, log_probs: Tensor, lengths: Tensor, finished: Tensor, seen: Any) -> Tensor:
        """The scores of continuations, [batch, beams, classes].

        Args:
            log_probs: The sums of logarithms, [batch, beams, classes].
            lengths: The numbers of ids, of the same shape.
            finished: Whether the beam had ended before, [batch, beams].
            seen: The accumulated alignments, [batch, beams, time], or None without that penalty.

        Raises:
            ValueError: A weight is no scalar.
        """
        scores: Tensor = log_probs / self._of_lengths(lengths, log_probs.dtype)
        weight = convert_to_tensor(self.coverage, name="coverage_penalty_weight")
        if weight.shape.rank != 0:
            raise ValueError(
                f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}"
            )
        if array_ops.get_static_value(weight) == 0.0:
            return scores
        # Nothing attends to steps behind the end of a memory, which are not to be covered.
        is_behind = gen_ops.equal(seen, 0.0)
        seen = selection_ops.where(is_behind, creation_ops.ones_like(seen), seen)
        coverage = math_ops.reduce_sum(gen_ops.log(gen_ops.minimum(seen, 1.0)), 2)
        coverage = coverage * math_ops.cast(finished, dtypes.float32) * weight
        with_coverage: Tensor = scores + array_ops.expand_dims(coverage, 2)
        return with_coverage

    def _of_lengths(self, lengths: Tensor, dtype: Any) -> Any:
        weight = convert_to_tensor(self.length, name="penalty_factor")
        if weight.shape.rank not in (None, 0):
            raise ValueError(
                f"length_penalty_weight should be a scalar, but saw shape: {weight.shape}"
            )
        if array_ops.get_static_value(weight) == 0:
            return 1.0
        numbers = 5.0 + math_ops.cast(lengths, dtypes.float32)
        return math_ops.cast(numbers**weight / (5.0 + 1.0) ** weight, dtype)


def attention_of(cell_state: Any, coverage_penalty_weight: Any) -> Optional[Tensor]:
    """The alignments of a state, the mean of those of all memories; None without a weight.

    Args:
        cell_state: An AttentionWrapperState, or a tuple that has some.
        coverage_penalty_weight: The weight of the penalty that needs them.

    Raises:
        ValueError: There is a weight, but no AttentionWrapperState.
    """
    if isinstance(coverage_penalty_weight, (int, float)) and coverage_penalty_weight == 0:
        return None
    states: List[Any] = []
    if isinstance(cell_state, AttentionWrapperState):
        states = [cell_state]
    elif isinstance(cell_state, tuple):
        states = [each for each in cell_state if isinstance(each, AttentionWrapperState)]
    if not states:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return _mean([_mean(each.alignments) for each in states])


def _mean(values: Any) -> Tensor:
    if not isinstance(values, (list, tuple)):
        tensor: Tensor = values
        return tensor
    if len(values) == 1:
        return convert_to_tensor(values[0])
    return math_ops.reduce_mean(array_ops.stack(list(values), -1), -1)


def beam_search_step(
    logits: Tensor, next_cell_state: Any, state: BeamSearchDecoderState, batch_size: Tensor,
    beam_width: int, end_token: Tensor, penalties: Penalties,
) -> Tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:  # fmt: skip
    """The best continuations of all beams of each example.

    A finished beam goes on with the end, for which it pays nothing.

    Args:
        logits: Those of each beam's next id, [batch, beams, classes].
        next_cell_state: The state of the cell behind the step, [batch, beams, ...].
        state: The state before the step.
        batch_size: The number of examples, a scalar.
        beam_width: The number of beams.
        end_token: The id that ends a sequence, a scalar.
        penalties: The weights in the score.

    Returns:
        What was chosen for each beam, the best first, and the state in the same order.
    """
    classes = logits.shape[-1].value or array_ops.shape(logits)[-1]
    goes_on = gen_ops.logical_not(state.finished)
    totals = array_ops.expand_dims(state.log_probs, 2) + _masked(
        log_softmax(logits), end_token, state.finished, classes
    )
    # The end is no id of a sequence that the length counts.
    added = creation_ops.one_hot(end_token, classes, np.int64(0), np.int64(1))
    added = added * array_ops.expand_dims(math_ops.cast(goes_on, dtypes.int64), 2)
    lengths = array_ops.expand_dims(state.lengths, 2) + added
    seen = attention_of(next_cell_state, penalties.coverage)
    if seen is not None:
        attended = math_ops.cast(goes_on, dtypes.float32)
        seen = state.accumulated_attention_probs + seen * array_ops.expand_dims(attended, 2)
    scores = penalties.scores(totals, lengths, state.finished, seen)

    # Shapes are those before the step, as a loop demands it.
    known = array_ops.get_static_value(batch_size)
    rows = array_ops.stack([batch_size, -1]) if known is None else [int(known), -1]
    best, places = order_ops.top_k(array_ops.reshape(scores, rows), beam_width)
    ids, parents = gen_ops.floormod(places, classes), floordiv(places, classes)

    was_finished = gathered(state.finished, parents)
    output = BeamSearchDecoderOutput(scores=best, predicted_ids=ids, parent_ids=parents)
    return output, BeamSearchDecoderState(
        cell_state=nest.map_structure(lambda each: gathered(each, parents), next_cell_state),
        log_probs=gathered(array_ops.reshape(totals, rows), places),
        finished=gen_ops.logical_or(was_finished, gen_ops.equal(ids, end_token)),
        lengths=gathered(state.lengths, parents)
        + math_ops.cast(gen_ops.logical_not(was_finished), dtypes.int64),
        accumulated_attention_probs=() if seen is None else gathered(seen, parents),
    )


def _masked(log_probs: Tensor, end_token: Tensor, finished: Tensor, classes: Any) -> Tensor:
    """Those of finished beams are 0 at the end, and elsewhere the least number."""
    kind = log_probs.dtype
    none, least = (convert_to_tensor(value, kind) for value in (0.0, kind.min))
    row = creation_ops.one_hot(end_token, classes, none, least)
    return selection_ops.where_v2(array_ops.expand_dims(finished, 2), row, log_probs)


def gathered(value: Any, indices: Tensor) -> Any:
    """The beams of those numbers of each example; scalars and arrays are as they are.

    Args:
        value: A tensor [batch, beams, ...], or what has no beams.
        indices: [batch, beams].

    Raises:
        ValueError: The rank of a tensor is not known.
    """
    if isinstance(value, TensorArray) or rank_of(value) < 2:
        return value
    return selection_ops.gather(value, indices, axis=1, batch_dims=1)


def rank_of(tensor: Tensor) -> int:
    """The rank of a tensor; ValueError where it is not known."""
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"Expected tensor ({tensor}) to have known rank, but ndims == None.")
    return int(rank)
