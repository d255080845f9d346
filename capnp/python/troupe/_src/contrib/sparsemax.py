"""Projections onto the simplex, in the place of softmax."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.order_ops import top_k
from troupe._src.ops.rearrange_ops import gather_nd
from troupe._src.ops.segment_ops import cumsum
from troupe._src.ops.selection_ops import where
from troupe._src.types import dtypes


def sparsemax(logits: TensorLike, name: Optional[str] = None) -> Tensor:
    """The distribution that is nearest to each row, which has zeros (Martins et al., 2016).

    It is max(logits - t, 0), with the t of the row for which that sums to 1.

    Args:
        logits: Floats, [batch, classes].

    Returns:
        A tensor of that shape; NaN in a row with NaN or infinity, or of -infinity alone.
    """
    with get_default_graph().name_scope(name or "sparsemax"):
        z = convert_to_tensor(logits)
        rows, classes = array_ops.unstack(array_ops.shape(z), 2)
        ordered = top_k(z, classes).values
        sums = cumsum(ordered, axis=1)
        places = math_ops.range(1, math_ops.cast(classes, z.dtype) + 1, dtype=z.dtype)
        is_above = gen_ops.greater(1 + places * ordered, sums)
        # Those that stay positive: the first of the row in descending order.
        count = math_ops.reduce_sum(math_ops.cast(is_above, dtypes.int32), 1)
        last = gen_ops.maximum(count, 1) - 1
        total = gather_nd(sums, array_ops.stack([math_ops.range(0, rows), last], axis=1))
        shift = (total - 1) / math_ops.cast(count, z.dtype)
        result = gen_ops.maximum(z - array_ops.expand_dims(shift, 1), constant(0, z.dtype))
        is_undefined = gen_ops.logical_or(gen_ops.equal(count, 0), gen_ops.is_nan(sums[:, -1]))
        undefined = creation_ops.fill([rows, classes], constant(float("nan"), z.dtype))
        return where(is_undefined, undefined, result)


def sparsemax_loss(
    logits: TensorLike, sparsemax: TensorLike, labels: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The convex loss of sparsemax, as the cross entropy is that of softmax.

    Args:
        logits: Floats, [batch, classes].
        sparsemax: The sparsemax of the logits.
        labels: A distribution over the classes for each row.

    Returns:
        The loss of each row, [batch].
    """
    with get_default_graph().name_scope(name or "sparsemax_loss"):
        z, p, q = convert_to_tensor(logits), convert_to_tensor(sparsemax), convert_to_tensor(labels)
        nothing = creation_ops.zeros_like(p)
        # Where a class has no weight, its logit may be infinite: 0 * infinity is no number.
        counts = gen_ops.logical_or(gen_ops.greater(p, 0), gen_ops.is_nan(p))
        given = where(counts, p * (z - 0.5 * p), nothing)
        is_unwanted = gen_ops.logical_and(gen_ops.equal(q, 0), gen_ops.is_inf(z))
        wanted = where(is_unwanted, nothing, q * (0.5 * q - z))
        return math_ops.reduce_sum(given + wanted, 1)
