"""Losses, which are kept in the collection LOSSES until get_total_loss adds them up."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe import _array, _dtypes, math, nn
from troupe._convert import convert_to_tensor
from troupe._elements import Tensor
from troupe._graph import get_default_graph
from troupe._graph_keys import GraphKeys
from troupe._missing import missing


class Reduction:
    """How the losses of a batch become one."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls) -> List[str]:
        return [cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS]


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:
    """The losses times their weights, as one; 0 where no weight counts."""
    if reduction not in Reduction.all():
        raise ValueError(f"Invalid Reduction Key {reduction}.")
    graph = get_default_graph()
    with graph.name_scope(scope or "weighted_loss"):
        each = convert_to_tensor(losses)
        weight = math.cast(convert_to_tensor(weights), each.dtype)
        weighted = each * weight
        loss = _reduced(weighted, weight, reduction)
    graph.add_to_collections([loss_collection] if loss_collection else [], loss)
    return loss


def _reduced(weighted: Tensor, weight: Tensor, reduction: str) -> Tensor:
    if reduction == Reduction.NONE:
        return weighted
    total = math.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    each = weight + _array.zeros_like(weighted)
    if reduction == Reduction.MEAN:
        count = math.reduce_sum(each)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = math.reduce_sum(_array.ones_like(weighted))
    else:
        count = math.reduce_sum(math.cast(math.not_equal(each, 0.0), weighted.dtype))
    nobody = math.cast(math.equal(count, 0.0), weighted.dtype)
    return math.divide(total, count + nobody)


def _pair(labels: Any, predictions: Any) -> List[Tensor]:
    if labels is None or predictions is None:
        raise ValueError("labels and predictions must not be None.")
    right = convert_to_tensor(predictions)
    left = math.cast(convert_to_tensor(labels), right.dtype)
    if not left.shape.is_compatible_with(right.shape):
        raise ValueError(f"Shapes {left.shape} and {right.shape} are incompatible")
    return [left, right]


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The mean of the differences' squares."""
    left, right = _pair(labels, predictions)
    each = math.squared_difference(right, left)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The mean of the differences."""
    left, right = _pair(labels, predictions)
    each = math.abs(right - left)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """Half the squares of differences up to delta, beyond that as steep as there."""
    left, right = _pair(labels, predictions)
    error = math.abs(right - left)
    near = math.minimum(error, delta)
    each = 0.5 * near * near + delta * (error - near)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of predictions that are probabilities."""
    left, right = _pair(labels, predictions)
    yes = left * math.log(right + epsilon)
    no = (1.0 - left) * math.log(1.0 - right + epsilon)
    return compute_weighted_loss(-yes - no, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """How far logits are from 1 on the side that their labels, 0 or 1, name."""
    left, right = _pair(labels, logits)
    each = nn.relu(1.0 - (2.0 * left - 1.0) * right)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy where each class is true or not by itself."""
    left, right = _pair(multi_class_labels, logits)
    if label_smoothing:
        left = left * (1.0 - label_smoothing) + 0.5 * label_smoothing
    each = nn.sigmoid_cross_entropy_with_logits(labels=left, logits=right)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy where one class is true."""
    left, right = _pair(onehot_labels, logits)
    if label_smoothing:
        left = left * (1.0 - label_smoothing) + label_smoothing / int(left.shape[-1])
    each = nn.softmax_cross_entropy_with_logits(labels=left, logits=right)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The same, where labels are the numbers of classes."""
    numbers = convert_to_tensor(labels)
    if numbers.dtype not in (_dtypes.int32, _dtypes.int64):
        numbers = math.cast(numbers, _dtypes.int64)
    each = nn.sparse_softmax_cross_entropy_with_logits(labels=numbers, logits=logits)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Adds it to the collection."""
    get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES) -> List[Any]:
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: Optional[str] = None) -> List[Any]:
    return get_losses(scope, GraphKeys.REGULARIZATION_LOSSES)


def get_regularization_loss(
    scope: Optional[str] = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of what variables' regularizers have added."""
    losses = get_regularization_losses(scope)
    return math.add_n(losses, name=name) if losses else convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: Optional[str] = None
) -> Tensor:
    """The sum of all losses of the graph."""
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return math.add_n(losses, name=name)


def __getattr__(name: str) -> Any:
    return missing(__name__, name)
