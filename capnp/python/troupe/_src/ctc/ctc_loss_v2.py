"""The loss of CTC for dense labels, and for any class as the blank."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ctc.ctc_ops import ctc_loss
from troupe._src.ops import array_ops, creation_ops, raw_ops, rearrange_ops
from troupe._src.arguments import required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.ops.selection_ops import where, where_v2
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes


def ctc_loss_v2(
    labels: Union[SparseTensor, TensorLike],
    logits: TensorLike,
    label_length: Optional[TensorLike],
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The negative logarithm of the probability of each sequence's labels, dense or sparse.

    As `tf.nn.ctc_loss_v2`. Equal outputs in a row count as one, and equal labels in a row do not.
    With dense labels, the loss of a sequence that is too short for its labels is infinite, and has
    no gradient where it has fewer steps than labels; with sparse ones that is an error of the step.

    Args:
        labels: Integers, [batch, most labels], or a SparseTensor of that shape, without blanks.
        logits: Floats, the activations before softmax, [time, batch, classes].
        label_length: The number of labels of each sequence, integers [batch]; what follows is
            padding. None with sparse labels.
        logit_length: The number of time steps of each sequence, integers [batch].
        logits_time_major: False where the activations are [batch, time, classes].
        unique: What `ctc_unique_labels` gives for the labels; the loss does not depend on it.
        blank_index: The class of the blank; from the last one backwards where negative. For dense
            labels None is 0.

    Returns:
        The losses, [batch], of the dtype of `logits`.

    Raises:
        ValueError: If sparse labels have no `blank_index`, dense ones no `label_length`, or the
            blank is not one of the classes.
    """
    if isinstance(labels, SparseTensor) and blank_index is None:
        raise ValueError("the argument 'blank_index' is required for sparse labels")
    with name_scope(name, "ctc_loss_dense", [logits]):
        activations, blank = _move_blank_to_end(convert_to_tensor(logits), blank_index or 0)
        lengths = cast(logit_length, dtypes.int32)
        if isinstance(labels, SparseTensor):
            values = _numbers_without(cast(labels.values, dtypes.int32), blank)
            moved = SparseTensor(labels.indices, values, labels.dense_shape)
            return ctc_loss(moved, activations, lengths, time_major=logits_time_major)
        counts = cast(required("label_length", label_length), dtypes.int32)
        last_class = array_ops.shape(activations)[2] - 1
        dense = _numbers_without(cast(labels, dtypes.int32), blank)
        losses = ctc_loss(
            _to_sparse(dense, counts, padding=last_class),
            activations,
            lengths,
            ignore_longer_outputs_than_inputs=True,
            time_major=logits_time_major,
        )
        return where_v2(
            raw_ops.Greater(x=counts, y=lengths),
            creation_ops.fill(array_ops.shape(losses), cast(float("inf"), losses.dtype)),
            losses,
        )


def _move_blank_to_end(logits: Tensor, blank_index: int) -> Tuple[Tensor, Union[int, Tensor]]:
    """The activations with the blank as the last class, and its class before."""
    classes = logits.shape[2].value if logits.shape.ndims is not None else None
    if classes is not None and not -classes <= blank_index < classes:
        raise ValueError(f"the blank_index {blank_index} is not one of {classes} classes")
    count = array_ops.shape(logits)[2] if classes is None else classes
    blank = blank_index + count if blank_index < 0 else blank_index
    parts = [logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]]
    return array_ops.concat(parts, 2), blank


def _numbers_without(labels: Tensor, blank: Union[int, Tensor]) -> Tensor:
    """The numbers of int32 labels among the classes without the blank."""
    return labels - cast(raw_ops.Greater(x=labels, y=blank), dtypes.int32)


def _to_sparse(labels: Tensor, counts: Tensor, padding: Tensor) -> SparseTensor:
    """The first of the labels of each sequence; one that has none gets a padding.

    The op of the loss refuses sequences without any label, and takes blanks at their ends.
    """
    widened = creation_ops.pad(labels, [[0, 0], [0, 1]])
    width = array_ops.shape(widened)[1]
    is_label = rearrange_ops.sequence_mask(counts, width)
    values = where_v2(is_label, widened, padding)
    taken = rearrange_ops.sequence_mask(raw_ops.Maximum(x=counts, y=1), width)
    places = where(taken)
    return SparseTensor(
        places,
        rearrange_ops.gather_nd(values, places),
        array_ops.shape(widened, out_type=dtypes.int64),
    )
