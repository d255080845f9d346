"""Connectionist temporal classification: labels of a sequence without their places in it."""

from __future__ import annotations

from typing import Any, List, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The negative logarithm of the probability of each sequence's labels, a SparseTensor.

    The activations, [time, batch, classes] or else [batch, time, classes], are those before
    softmax; the last class is the blank.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    given = required("inputs", either("inputs", inputs, "logits", logits))
    activations = convert_to_tensor(given)
    if not time_major:
        activations = array_ops.transpose(activations, [1, 0, 2])
    loss, _ = raw_ops.CTCLoss(
        inputs=activations,
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=required("sequence_length", sequence_length),
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return loss


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True
) -> Tuple[List[SparseTensor], Tensor]:
    """The labels of the greatest activations without blanks, and the negative sum of those."""
    indices, values, shape, negative_sums = raw_ops.CTCGreedyDecoder(
        inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated
    )
    return [SparseTensor(indices, values, shape)], negative_sums


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Tuple[List[SparseTensor], Tensor]:
    """The most probable labels, the best first, and the logarithms of their probabilities.

    With merge_repeated, equal labels in a row are one.
    """
    found = raw_ops.CTCBeamSearchDecoder(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    parts = [found[i * top_paths : (i + 1) * top_paths] for i in range(3)]
    return [SparseTensor(*path) for path in zip(*parts)], found[-1]


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> Tuple[List[SparseTensor], Tensor]:
    """The most probable labels, of which equal ones in a row stay apart."""
    return ctc_beam_search_decoder(
        inputs, sequence_length, beam_width, top_paths, merge_repeated=False
    )
