"""Connectionist temporal classification: labels of a sequence without their places in it."""

from __future__ import annotations

from typing import List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, raw_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor


def ctc_loss(
    labels: SparseTensor,
    inputs: Optional[TensorLike] = None,
    sequence_length: Optional[TensorLike] = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Optional[TensorLike] = None,
) -> Tensor:
    """The negative logarithm of the probability of each sequence's labels, a SparseTensor.

    The activations, [time, batch, classes] or else [batch, time, classes], are those before
    softmax; the last class is the blank.

    Args:
        labels: int32, [batch, time]: labels in order, without blanks.
        inputs: floats, the activations.
        sequence_length: the number of time steps of each sequence, int32 [batch].
        preprocess_collapse_repeated: whether equal labels in a row count as one.
        ctc_merge_repeated: whether equal outputs in a row count as one.
        ignore_longer_outputs_than_inputs: whether sequences that are too short for their labels
            have the loss 0 instead of an error.
        time_major: whether the time is the first axis of the activations.
        logits: another name of `inputs`.

    Returns:
        The losses, float32 [batch].

    Raises:
        TypeError: if the labels are not sparse.
        ValueError: if activations or lengths are missing.
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
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True
) -> Tuple[List[SparseTensor], Tensor]:
    """The labels of the greatest activations without blanks, and the negative sum of those.

    Args:
        inputs: floats, [time, batch, classes]; the last class is the blank.
        sequence_length: the number of time steps of each sequence, int32 [batch].
        merge_repeated: whether equal outputs in a row are one label.

    Returns:
        A list of one SparseTensor of int64, [batch, time]; and the sums, float32 [batch, 1].
    """
    indices, values, shape, negative_sums = raw_ops.CTCGreedyDecoder(
        inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated
    )
    return [SparseTensor(indices, values, shape)], negative_sums


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Tuple[List[SparseTensor], Tensor]:
    """The most probable labels, the best first, and the logarithms of their probabilities.

    With merge_repeated, equal labels in a row are one.

    Args:
        inputs: floats, [time, batch, classes]; the last class is the blank.
        sequence_length: the number of time steps of each sequence, int32 [batch].
        beam_width: the number of candidates that the search keeps at a time.
        top_paths: the number of results, at most `beam_width`.
        merge_repeated: whether equal labels in a row of the result are one.

    Returns:
        A list of `top_paths` SparseTensors of int64, [batch, time]; and the logarithms, float32
        [batch, top_paths].
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
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> Tuple[List[SparseTensor], Tensor]:
    """The most probable labels, of which equal ones in a row stay apart.

    Args:
        inputs: floats, [time, batch, classes]; the last class is the blank.
        sequence_length: the number of time steps of each sequence, int32 [batch].
        beam_width: the number of candidates that the search keeps at a time.
        top_paths: the number of results, at most `beam_width`.

    Returns:
        A list of `top_paths` SparseTensors of int64, [batch, time]; and the logarithms, float32
        [batch, top_paths].
    """
    return ctc_beam_search_decoder(
        inputs, sequence_length, beam_width, top_paths, merge_repeated=False
    )
