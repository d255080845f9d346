"""Losses of classes."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.nn.losses import Reduction, compute_weighted_loss
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_less
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import one_hot
from troupe._src.types import dtypes


def sparse_multiclass_hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """How far other logits come up to that of the label, which is to be greater by 1.

    Of an example it is max(0, max(logits of other classes) - logit of the label + 1), which is
    added to a collection (Crammer and Singer, 2001).

    Args:
        labels: int32 or int64, [n] or [n, 1]: the classes.
        logits: Floats, [n, classes].
        weights: A number, or a tensor of a number for each example.
        scope: The name scope.
        loss_collection: The collection; None for none.
        reduction: How the losses of the examples are reduced.

    Returns:
        A float32 scalar, or [n] where nothing is reduced.

    Raises:
        ValueError: A shape or a dtype does not fit.
    """
    with name_scope(scope, "sparse_multiclass_hinge_loss") as name:
        logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
        if logits.shape.rank != 2:
            raise ValueError(
                "logits should have rank 2 ([batch_size, num_classes]). Given rank is "
                f"{logits.shape.rank}"
            )
        logits = math_ops.cast(logits, dtypes.float32)
        if labels.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Invalid dtype for labels: {labels.dtype}. Acceptable dtypes: int32 and int64"
            )
        if labels.shape.rank not in (1, 2):
            raise ValueError(
                "labels should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). Given rank is "
                f"{labels.shape.rank}"
            )
        classes = array_ops.shape(logits)[1]
        with control_dependencies([assert_less(labels, math_ops.cast(classes, labels.dtype))]):
            labels = array_ops.reshape(labels, [-1])
        weights = convert_to_tensor(weights)
        if weights.shape.rank not in (0, 1, 2):
            raise ValueError(
                "non-scalar weights should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). "
                f"Given rank is {weights.shape.rank}"
            )
        if weights.shape.rank:
            weights = array_ops.reshape(weights, [-1])
            weights.shape.assert_is_compatible_with(labels.shape)
        others = one_hot(labels, classes, on_value=0.0, off_value=1.0)
        own = math_ops.reduce_sum(logits * (1.0 - others), axis=1, keepdims=True)
        margins = gen_ops.relu(logits - own + others)
        losses = math_ops.reduce_max(margins, axis=1)
        return compute_weighted_loss(losses, weights, name, loss_collection, reduction)
