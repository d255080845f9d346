"""The heads of `tf.contrib.estimator`."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.heads.checks import within
from troupe._src.heads.head import Head, HeadOptions
from troupe._src.heads.kinds import BinaryKind, MultiClassKind, RegressionKind
from troupe._src.heads.multi_head import MultiHead
from troupe._src.heads.multi_label import MultiLabelKind
from troupe._src.heads.single_heads import (
    BinaryHead,
    MultiClassHead,
    MultiLabelHead,
    RegressionHead,
)
from troupe._src.nn.cross_entropies import log_poisson_loss, sigmoid_cross_entropy_with_logits
from troupe._src.nn.losses import Reduction
from troupe._src.ops import gen_ops
from troupe._src.set_module import set_module


def _check_vocabulary(vocabulary: Any, error: Any) -> None:
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise error(
            f"label_vocabulary should be a list or a tuple. Given type: {type(vocabulary)}"
        )


@set_module("troupe.contrib.estimator")
def multi_class_head(
    n_classes: Any,
    weight_column: Any = None,
    label_vocabulary: Optional[Sequence[Any]] = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    name: Optional[str] = None,
) -> Head:
    """A head of more than two classes, with the cross entropies of a softmax.

    Args:
        n_classes: How many classes there are. Logits are [..., n_classes].
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings; else they are their numbers.
            Labels are [...] or [..., 1].
        loss_reduction: A value of `tf.losses.Reduction`.
        loss_fn: Called with `labels` and `logits`, and `features` if it takes them; gives other
            losses, [..., 1].
        name: The name scope, and what keys of metrics and summaries end with.

    Returns:
        The head.

    Raises:
        ValueError: The number of classes, the vocabulary, the reduction or the function is wrong.
    """
    _check_vocabulary(label_vocabulary, ValueError)
    options = HeadOptions(weight_column, loss_reduction, loss_fn, name)
    return MultiClassHead(MultiClassKind(n_classes, label_vocabulary), options)


@set_module("troupe.contrib.estimator")
def binary_classification_head(
    weight_column: Any = None,
    thresholds: Optional[Sequence[float]] = None,
    label_vocabulary: Optional[Sequence[Any]] = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    name: Optional[str] = None,
) -> Head:
    """A head of two classes, with one logit and the cross entropies of a sigmoid.

    Args:
        weight_column: As of `multi_class_head`.
        thresholds: Probabilities; for each there are metrics of who says the second class above it.
        label_vocabulary: The classes, where labels are strings; else labels are in [0, 1].
        loss_reduction: As of `multi_class_head`.
        loss_fn: As of `multi_class_head`.
        name: As of `multi_class_head`.

    Returns:
        The head.

    Raises:
        TypeError: The vocabulary is no list.
        ValueError: A threshold, the reduction or the function is wrong.
    """
    _check_vocabulary(label_vocabulary, TypeError)
    options = HeadOptions(weight_column, loss_reduction, loss_fn, name)
    return BinaryHead(BinaryKind(label_vocabulary), options, thresholds)


@set_module("troupe.contrib.estimator")
def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    inverse_link_fn: Any = None,
    name: Optional[str] = None,
) -> Head:
    """A head of numbers, with the squares of differences.

    Args:
        weight_column: As of `multi_class_head`; each number may have its own weight.
        label_dimension: How many numbers a label has.
        loss_reduction: As of `multi_class_head`.
        loss_fn: As of `multi_class_head`; its losses are [..., label_dimension].
        inverse_link_fn: Makes predictions of logits, which they are without it.
        name: As of `multi_class_head`.

    Returns:
        The head.

    Raises:
        ValueError: The dimension, the reduction or the function is wrong.
    """
    options = HeadOptions(weight_column, loss_reduction, loss_fn, name)
    return RegressionHead(RegressionKind(label_dimension, inverse_link_fn), options)


def poisson_loss_fn(compute_full_loss: bool) -> Any:
    """The losses of counts whose logarithms are predicted.

    Args:
        compute_full_loss: As of `tf.nn.log_poisson_loss`.
    """

    def loss_fn(labels: Tensor, logits: Tensor) -> Tensor:
        return log_poisson_loss(labels, logits, compute_full_loss)

    return loss_fn


def logistic_loss(labels: Tensor, logits: Tensor) -> Tensor:
    """The losses of probabilities, which a step checks to be such."""
    wanted = within(labels, 2, "Labels must be in range [0, 1]")
    return sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits)


@set_module("troupe.contrib.estimator")
def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: Optional[str] = None,
) -> Head:
    """A head of counts, whose logits are their logarithms, with `tf.nn.log_poisson_loss`.

    Args:
        weight_column: As of `regression_head`.
        label_dimension: As of `regression_head`.
        loss_reduction: As of `multi_class_head`.
        compute_full_loss: As of `tf.nn.log_poisson_loss`.
        name: As of `multi_class_head`.

    Returns:
        The head.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """
    loss_fn = poisson_loss_fn(compute_full_loss)
    return regression_head(
        weight_column, label_dimension, loss_reduction, loss_fn, gen_ops.exp, name
    )


@set_module("troupe.contrib.estimator")
def logistic_regression_head(
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    name: Optional[str] = None,
) -> Head:
    """A head of probabilities, with the cross entropies of a sigmoid.

    Args:
        weight_column: As of `multi_class_head`.
        loss_reduction: As of `multi_class_head`.
        name: As of `multi_class_head`.

    Returns:
        The head.

    Raises:
        ValueError: The reduction is wrong.
    """
    return regression_head(weight_column, 1, loss_reduction, logistic_loss, gen_ops.sigmoid, name)


@set_module("troupe.contrib.estimator")
def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Optional[Sequence[float]] = None,
    label_vocabulary: Optional[Sequence[Any]] = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    classes_for_class_based_metrics: Optional[Sequence[Any]] = None,
    name: Optional[str] = None,
) -> Head:
    """A head of classes of which an example has any number, with the cross entropies of a sigmoid.

    Args:
        n_classes: How many classes there are. Logits are [..., n_classes]. Labels have 0 or 1 for
            each class, or are a SparseTensor of classes.
        weight_column: As of `multi_class_head`.
        thresholds: As of `binary_classification_head`.
        label_vocabulary: The classes, where labels are a SparseTensor of strings.
        loss_reduction: As of `multi_class_head`.
        loss_fn: As of `multi_class_head`.
        classes_for_class_based_metrics: The numbers or names of classes with metrics of their own.
        name: As of `multi_class_head`.

    Returns:
        The head.

    Raises:
        ValueError: The number of classes, the vocabulary, a threshold, a class of a metric, the
            reduction or the function is wrong.
    """
    kind = MultiLabelKind(n_classes, label_vocabulary, classes_for_class_based_metrics)
    options = HeadOptions(weight_column, loss_reduction, loss_fn, name)
    return MultiLabelHead(kind, options, thresholds)


@set_module("troupe.contrib.estimator")
def multi_head(heads: Sequence[Head], head_weights: Optional[Sequence[float]] = None) -> Head:
    """A head of several, each of which has labels of its own.

    Args:
        heads: The heads, which have names. Logits are those of all side by side, or a dict by
            their names; labels are such a dict.
        head_weights: What the loss of each counts.

    Returns:
        The head.

    Raises:
        ValueError: There are no heads, one has no name, or there are more or fewer weights.
    """
    return MultiHead(heads, head_weights)
