"""Labels of sequences, dense with padding, as losses of CTC take them."""

from __future__ import annotations

from typing import List, Optional, Tuple

from troupe._src.control_flow.functional import map_fn
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, math_ops, raw_ops, rearrange_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.ops.segment_ops import cumsum
from troupe._src.ops.selection_ops import where
from troupe._src.types import dtypes


def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: Optional[str] = None
) -> Tuple[Tensor, Tensor]:
    """The labels of each sequence without those that equal the one before: `AABBA` is `ABA`.

    As `tf.nn.collapse_repeated`.

    Args:
        labels: Numbers, [batch, time].
        seq_length: The number of labels of each sequence, integers [batch]; those beyond it are
            padding.

    Returns:
        The labels, [batch, the most that a sequence has], with zeros as padding, of the dtype of
        `labels`; and their numbers, of the dtype of `seq_length`.
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        all_labels = convert_to_tensor(labels)
        lengths = convert_to_tensor(seq_length)
        is_first = creation_ops.ones_like(all_labels[:, :1], dtypes.bool_)
        differs = raw_ops.NotEqual(x=all_labels[:, 1:], y=all_labels[:, :-1])
        is_in = rearrange_ops.sequence_mask(lengths, array_ops.shape(all_labels)[1])
        is_kept = raw_ops.LogicalAnd(x=array_ops.concat([is_first, differs], 1), y=is_in)
        counts = cumsum(cast(is_kept, dtypes.int64), axis=1)
        places = where(is_kept)
        targets = array_ops.stack(
            [places[:, 0], rearrange_ops.gather_nd(counts, places) - 1], axis=1
        )
        new_lengths = math_ops.reduce_sum(cast(is_kept, dtypes.int64), axis=1)
        # The maximum of no sequence at all would be the least integer.
        most = raw_ops.Maximum(x=math_ops.reduce_max(new_lengths), y=0)
        sizes = array_ops.stack([array_ops.shape(all_labels, out_type=dtypes.int64)[0], most])
        collapsed = raw_ops.ScatterNd(
            indices=targets, updates=rearrange_ops.gather_nd(all_labels, places), shape=sizes
        )
        return collapsed, cast(new_lengths, lengths.dtype)


def ctc_unique_labels(labels: TensorLike, name: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """The labels of each sequence once each, in the order of their first places.

    As `tf.nn.ctc_unique_labels`: `[[3, 4, 4, 3]]` gives `[[3, 4, 0, 0]]` and `[[0, 1, 1, 0]]`.

    Args:
        labels: Integers, [batch, time].

    Returns:
        The different labels, int64 [batch, time], with zeros as padding; and the place of each
        label of `labels` among them, int32 of the same shape.
    """

    def find(sequence: Tensor) -> List[Tensor]:
        different, places = raw_ops.Unique(x=sequence)
        padding = array_ops.size(places) - array_ops.size(different)
        return [cast(creation_ops.pad(different, [[0, padding]]), dtypes.int64), places]

    with name_scope(name, "ctc_unique_labels", [labels]):
        found, places = map_fn(find, convert_to_tensor(labels), dtype=[dtypes.int64, dtypes.int32])
        return found, places
