"""Conditional random fields over sequences of tags: their scores, and the best sequences.

The score of a sequence of tags is the sum of a unary score for each step and tag, and a binary
score for each tag after another one.
"""

from __future__ import annotations

from typing import Any, Callable, List, Tuple, TypeVar

import numpy as np

from troupe._src.contrib.crf_cells import (
    CrfDecodeBackwardRnnCell,
    CrfDecodeForwardRnnCell,
    CrfForwardRnnCell,
)
from troupe._src.control_flow.smart_cond import smart_cond
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import reverse_sequence, sequence_mask
from troupe._src.ops.selection_ops import gather, where
from troupe._src.rnn.dynamic import dynamic_rnn
from troupe._src.types import dtypes
from troupe._src.variables.variable_scope import get_variable

_Result = TypeVar("_Result")


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Tensor:
    """The scores of sequences of tags, before they are normalized.

    Args:
        inputs: The unary scores, [batch, time, tags].
        tag_indices: The tags, [batch, time].
        sequence_lengths: The number of steps of each sequence, [batch].
        transition_params: The binary scores, [tags, tags].

    Returns:
        The scores, [batch]; 0 for a sequence without steps.
    """
    inputs, tags = convert_to_tensor(inputs), convert_to_tensor(tag_indices)
    lengths = convert_to_tensor(sequence_lengths)

    def of_one_step() -> Tensor:
        rows = array_ops.expand_dims(
            math_ops.range(array_ops.shape(inputs, out_type=tags.dtype)[0], dtype=tags.dtype), 1
        )
        places = array_ops.concat([rows, tags], axis=1)
        return _without_empty(gen_ops.gather_nd(array_ops.squeeze(inputs, [1]), places), lengths)

    def of_steps() -> Tensor:
        unary = crf_unary_score(tags, lengths, inputs)
        return unary + crf_binary_score(tags, lengths, transition_params)

    return _by_steps(inputs, of_one_step, of_steps)


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Tensor:
    """The logarithm of the sum over all sequences of tags that are allowed.

    This is for steps of which only some tags are known to be wrong.

    Args:
        inputs: The unary scores, [batch, time, tags].
        tag_bitmap: Whether each tag is allowed, bool, [batch, time, tags].
        sequence_lengths: The number of steps of each sequence, [batch].
        transition_params: The binary scores, [tags, tags].

    Returns:
        The scores, [batch].
    """
    inputs = convert_to_tensor(inputs)
    never = creation_ops.fill(
        array_ops.shape(inputs), math_ops.cast(float("-inf"), inputs.dtype)
    )
    allowed = where(tag_bitmap, inputs, never)
    return _by_steps(
        inputs,
        lambda: reduction_ops.reduce_logsumexp(allowed, axis=[1, 2]),
        lambda: crf_log_norm(allowed, sequence_lengths, transition_params),
    )


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The logarithm of the sum over all sequences of tags, by which scores are normalized.

    Args:
        inputs: The unary scores, [batch, time, tags].
        sequence_lengths: The number of steps of each sequence, [batch].
        transition_params: The binary scores, [tags, tags].

    Returns:
        The logarithms, [batch]; 0 for a sequence without steps.
    """
    inputs, lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_lengths)
    first, rest = _first_and_rest(inputs)

    def of_steps() -> Tensor:
        _, sums = dynamic_rnn(
            CrfForwardRnnCell(transition_params),
            rest,
            sequence_length=_less_one(lengths),
            initial_state=first,
            dtype=inputs.dtype,
        )
        return _without_empty(reduction_ops.reduce_logsumexp(sums, [1]), lengths)

    return _by_steps(
        inputs,
        lambda: _without_empty(reduction_ops.reduce_logsumexp(first, [1]), lengths),
        of_steps,
    )


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> Tuple[Tensor, Any]:
    """The logarithm of the probability of sequences of tags.

    Args:
        inputs: The unary scores, [batch, time, tags].
        tag_indices: The tags, [batch, time].
        sequence_lengths: The number of steps of each sequence, [batch].
        transition_params: The binary scores, [tags, tags]; by default the variable "transitions"
            of the scope, which is trained.

    Returns:
        The logarithms, [batch], and the binary scores.
    """
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2].value
        transition_params = get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Tensor:
    """The sums of the unary scores of sequences of tags.

    Args:
        tag_indices: The tags, [batch, time].
        sequence_lengths: The number of steps of each sequence, [batch].
        inputs: The unary scores, [batch, time, tags].

    Returns:
        The sums, [batch].
    """
    inputs, tags = convert_to_tensor(inputs), convert_to_tensor(tag_indices)
    sizes = array_ops.shape(inputs, out_type=tags.dtype)
    steps = math_ops.range(sizes[0] * sizes[1], dtype=tags.dtype) * sizes[2]
    places = array_ops.reshape(tags, [-1]) + steps
    found = array_ops.reshape(
        gather(array_ops.reshape(inputs, [-1]), places), array_ops.shape(tags)
    )
    return math_ops.reduce_sum(found * _mask(tags, sequence_lengths, inputs.dtype), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The sums of the binary scores of sequences of tags.

    Args:
        tag_indices: The tags, [batch, time].
        sequence_lengths: The number of steps of each sequence, [batch].
        transition_params: The binary scores, [tags, tags].

    Returns:
        The sums, [batch].
    """
    tags, transitions = convert_to_tensor(tag_indices), convert_to_tensor(transition_params)
    count = array_ops.shape(tags)[1] - 1
    before = array_ops.slice(tags, [0, 0], array_ops.stack([-1, count]))
    after = array_ops.slice(tags, [0, 1], array_ops.stack([-1, count]))
    width = array_ops.shape(transitions, out_type=tags.dtype)[1]
    found = gather(array_ops.reshape(transitions, [-1]), before * width + after)
    mask = _mask(tags, sequence_lengths, transitions.dtype)
    return math_ops.reduce_sum(found * array_ops.slice(mask, [0, 1], [-1, -1]), 1)


def viterbi_decode(score: Any, transition_params: Any) -> Tuple[List[Any], Any]:
    """The best sequence of tags of one sequence, computed by NumPy.

    Args:
        score: The unary scores, an array [time, tags].
        transition_params: The binary scores, an array [tags, tags].

    Returns:
        The tags, a list, and the score of the sequence.
    """
    best, befores = np.array(score[0]), []
    for unary in score[1:]:
        scores = np.expand_dims(best, 1) + transition_params
        befores.append(np.argmax(scores, 0))
        best = (unary + np.max(scores, 0)).astype(best.dtype)
    tags = [np.argmax(best)]
    for before in reversed(befores):
        tags.append(before[tags[-1]])
    return tags[::-1], np.max(best)


def crf_decode(
    potentials: Any, transition_params: Any, sequence_length: Any
) -> Tuple[Tensor, Tensor]:
    """The best sequences of tags.

    Args:
        potentials: The unary scores, [batch, time, tags].
        transition_params: The binary scores, [tags, tags].
        sequence_length: The number of steps of each sequence, [batch].

    Returns:
        The tags, int32, [batch, time], and the scores of the sequences, [batch].
    """
    unary, lengths = convert_to_tensor(potentials), convert_to_tensor(sequence_length)
    first, rest = _first_and_rest(unary)

    def of_one_step() -> Tuple[Tensor, Tensor]:
        tags = reduction_ops.argmax(first, axis=1, output_type=dtypes.int32)
        return array_ops.expand_dims(tags, 1), math_ops.reduce_max(first, axis=1)

    def of_steps() -> Tuple[Tensor, Tensor]:
        others = _less_one(lengths)
        befores, scores = dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            rest,
            sequence_length=others,
            initial_state=first,
            dtype=dtypes.int32,
        )
        last = array_ops.expand_dims(
            reduction_ops.argmax(scores, axis=1, output_type=dtypes.int32), -1
        )
        tags, _ = dynamic_rnn(
            CrfDecodeBackwardRnnCell(unary.shape[2].value),
            reverse_sequence(befores, others, seq_axis=1),
            sequence_length=others,
            initial_state=last,
            dtype=dtypes.int32,
        )
        backwards = array_ops.concat([last, array_ops.squeeze(tags, axis=[2])], axis=1)
        found = reverse_sequence(backwards, lengths, seq_axis=1)
        return found, math_ops.reduce_max(scores, axis=1)

    return _by_steps(unary, of_one_step, of_steps)


def _by_steps(
    inputs: Tensor, of_one_step: Callable[[], _Result], of_steps: Callable[[], _Result]
) -> _Result:
    """What the first function gives if the sequences have one step; there are no transitions."""
    steps = inputs.shape[1].value
    is_one = steps == 1 if steps else gen_ops.equal(array_ops.shape(inputs)[1], 1)
    result: _Result = smart_cond(is_one, of_one_step, of_steps)
    return result


def _first_and_rest(inputs: Tensor) -> Tuple[Tensor, Tensor]:
    first = array_ops.squeeze(array_ops.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])
    return first, array_ops.slice(inputs, [0, 1, 0], [-1, -1, -1])


def _less_one(lengths: Tensor) -> Tensor:
    return gen_ops.maximum(math_ops.cast(0, lengths.dtype), lengths - 1)


def _without_empty(scores: Tensor, lengths: Tensor) -> Tensor:
    return where(gen_ops.less_equal(lengths, 0), creation_ops.zeros_like(scores), scores)


def _mask(tags: Tensor, lengths: Any, dtype: Any) -> Tensor:
    return sequence_mask(lengths, maxlen=array_ops.shape(tags)[1], dtype=dtype)
