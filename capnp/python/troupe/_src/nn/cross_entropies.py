"""Cross entropies of logits and labels."""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.arguments import either
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.types import dtypes


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Optional[TensorLike] = None,
    logits: Any = None,
    dim: int = -1,
    name: Optional[str] = None,
    axis: Optional[int] = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and labels that are probabilities, along an axis.

    No gradient passes to the labels.

    Args:
        _sentinel: must be left out: the arguments are given by name.
        labels: probabilities that add up to 1 along the axis, of the shape of the logits.
            Where there is one row or one class in one of the two, it is used for all.
        logits: floats, such as [batch, classes].
        dim: the former name of `axis`.
        axis: the axis of the classes, by default the last.

    Returns:
        The losses, in the shape of the logits without the axis.

    Raises:
        ValueError: if labels or logits are missing.
    """
    _check_named(_sentinel, labels, logits)
    with get_default_graph().name_scope(name or "softmax_cross_entropy_with_logits_sg") as scope:
        assert labels is not None  # as the check has found
        constant_labels = gen_ops.stop_gradient(labels)
        return softmax_cross_entropy_with_logits_v2(
            constant_labels, logits, dim if axis is None else axis, scope
        )


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: Optional[int] = None,
    name: Optional[str] = None,
    dim: Optional[int] = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and labels that are probabilities, along an axis.

    The gradient passes to the labels, too.

    Args:
        labels: probabilities that add up to 1 along the axis, of the shape of the logits.
            Where there is one row or one class in one of the two, it is used for all.
        logits: floats, such as [batch, classes].
        axis: the axis of the classes, by default the last.
        dim: the former name of `axis`.

    Returns:
        The losses, in the shape of the logits without the axis, and in their dtype.

    Raises:
        ValueError: if both names of the axis are given, or the rank is unknown and the axis not the
            last.
    """
    axis = either("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    with get_default_graph().name_scope(name or "softmax_cross_entropy_with_logits"):
        features = convert_to_tensor(logits)
        exact = _in_single_precision(features)
        expected = math_ops.cast(convert_to_tensor(labels), exact.dtype)
        rank = exact.shape.rank
        if axis != -1 and axis + 1 != rank:
            if rank is None:
                raise ValueError("the rank of the logits must be known for an axis before the last")
            axis %= rank
            order = [*range(axis), *range(axis + 1, rank), axis]
            exact = array_ops.transpose(exact, order)
            expected = array_ops.transpose(expected, order)
        shape = array_ops.shape(exact)
        if rank != 2:
            exact, expected = _rows(exact), _rows(expected)
        exact, expected = _of_one_shape(exact, expected)
        loss, _ = raw_ops.SoftmaxCrossEntropyWithLogits(features=exact, labels=expected)
        if rank != 2:
            loss = array_ops.reshape(loss, _outer(shape, rank))
        return math_ops.cast(loss, features.dtype)


def _of_one_shape(exact: Tensor, expected: Tensor) -> Tuple[Tensor, Tensor]:
    """Both matrices, broadcast where one is known to have one row or column."""
    if None in (exact.shape.rank, expected.shape.rank):
        return exact, expected
    pairs = zip(exact.shape.as_list(), expected.shape.as_list())
    if not any(one != other and 1 in (one, other) for one, other in pairs):
        return exact, expected
    shape = broadcast_dynamic_shape(array_ops.shape(exact), array_ops.shape(expected))
    return array_ops.broadcast_to(exact, shape), array_ops.broadcast_to(expected, shape)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Optional[TensorLike] = None,
    logits: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The cross entropy of softmax(logits) along the last axis, and labels that are indices of
    classes.

    Args:
        _sentinel: must be left out: the arguments are given by name.
        labels: int32 or int64, from 0 to classes - 1, of the shape of the logits without its last
            axis.
        logits: floats, [..., classes].

    Returns:
        The losses, in the shape of the labels and the dtype of the logits.

    Raises:
        ValueError: if labels or logits are missing, or their ranks do not fit.
    """
    _check_named(_sentinel, labels, logits)
    with get_default_graph().name_scope(name or "SparseSoftmaxCrossEntropyWithLogits"):
        features, numbers = convert_to_tensor(logits), convert_to_tensor(labels)
        rank = features.shape.rank
        if rank is not None and numbers.shape.rank not in (None, rank - 1):
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {numbers.shape.rank}) should equal rank "
                f"of logits minus 1 (received {rank})."
            )
        exact = _in_single_precision(features)
        shape = array_ops.shape(numbers)
        if rank != 2:
            exact, numbers = _rows(exact), array_ops.reshape(numbers, [-1])
        loss, _ = raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=exact, labels=numbers)
        if rank != 2:
            loss = array_ops.reshape(loss, shape)
        return math_ops.cast(loss, features.dtype)


def _in_single_precision(tensor: Tensor) -> Tensor:
    is_half = tensor.dtype in (dtypes.float16, dtypes.bfloat16)
    return math_ops.cast(tensor, dtypes.float32) if is_half else tensor


def _rows(tensor: Tensor) -> Tensor:
    """All but the last axis as one."""
    if tensor.shape.rank and tensor.shape[-1].value is not None:
        return array_ops.reshape(tensor, [-1, tensor.shape[-1].value])
    last = array_ops.reshape(gen_ops.rank(tensor) - 1, [1])
    classes = array_ops.slice(array_ops.shape(tensor), last, [1])
    return array_ops.reshape(tensor, array_ops.concat([constant([-1]), classes], 0))


def _outer(shape: Tensor, rank: Optional[int]) -> Tensor:
    """A shape without its last size."""
    if rank is not None:
        return array_ops.slice(shape, [0], [rank - 1])
    return array_ops.slice(shape, [0], array_ops.reshape(array_ops.size(shape) - 1, [1]))


def _check_named(sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError("Only call with named arguments (labels=..., logits=..., ...)")


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Optional[TensorLike] = None,
    logits: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The cross entropy of sigmoid(logits) and labels, computed without overflow.

    Args:
        _sentinel: must be left out: the arguments are given by name.
        labels: probabilities, such as 0 and 1, of the shape and dtype of the logits.
        logits: floats of any shape.

    Returns:
        The losses, in the shape of the logits.

    Raises:
        ValueError: if labels or logits are missing, or their shapes differ.
    """
    _check_named(_sentinel, labels, logits)
    with get_default_graph().name_scope(name or "logistic_loss") as scope:
        x = convert_to_tensor(logits)
        z = convert_to_tensor(labels, None if is_tensor(labels) else x.dtype)
        _check_same_shape("logits", x, "labels", z)
        return gen_ops.subtract(gen_ops.softplus(x), x * z, name=scope)


def weighted_cross_entropy_with_logits(
    labels: Optional[TensorLike] = None,
    logits: Optional[TensorLike] = None,
    pos_weight: Any = None,
    name: Optional[str] = None,
    targets: Optional[TensorLike] = None,
) -> Tensor:
    """The cross entropy of sigmoid(logits) and labels, with positive labels weighted by
    `pos_weight`.

    Args:
        labels: probabilities, such as 0 and 1, of the shape and dtype of the logits.
        logits: floats of any shape.
        pos_weight: what a positive label counts, against 1 of a negative one.
        targets: the former name of `labels`.

    Returns:
        The losses, in the shape of the logits.

    Raises:
        ValueError: if the shapes differ, or both names of the labels are given.
    """
    with get_default_graph().name_scope(name or "logistic_loss") as scope:
        x = convert_to_tensor(logits)
        z = convert_to_tensor(either("labels", labels, "targets", targets))
        _check_same_shape("logits", x, "targets", z)
        weight = z * (pos_weight - 1.0) + 1.0
        negative = gen_ops.softplus(-x) * weight
        return math_ops.add((1.0 - z) * x, negative, name=scope)


def _check_same_shape(name: str, x: Tensor, other_name: str, z: Tensor) -> None:
    if not x.shape.is_compatible_with(z.shape):
        raise ValueError(
            f"{name} and {other_name} must have the same shape ({x.shape} vs {z.shape})"
        )


def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The negative log-likelihood of counts of a Poisson process with the logarithm of a rate.

    The full loss also has Stirling's approximation of log(targets!), for targets above 1.

    Args:
        targets: the counts, of the shape and dtype of `log_input`.
        log_input: the logarithms of the rates, floats of any shape.
        compute_full_loss: whether to add Stirling's approximation.

    Returns:
        The losses, in the shape of `log_input`.

    Raises:
        ValueError: if the shapes differ.
    """
    with get_default_graph().name_scope(name or "log_poisson_loss"):
        x, z = convert_to_tensor(log_input), convert_to_tensor(targets)
        _check_same_shape("log_input", x, "targets", z)
        loss: Tensor = gen_ops.exp(x) - x * z
        if compute_full_loss:
            stirling = z * gen_ops.log(z) - z + 0.5 * gen_ops.log(2.0 * math.pi * z)
            zeros, ones = creation_ops.zeros_like(z), creation_ops.ones_like(z)
            is_small = gen_ops.logical_and(gen_ops.greater_equal(z, zeros), z <= ones)
            loss = loss + selection_ops.where(is_small, zeros, stirling)
        return loss
