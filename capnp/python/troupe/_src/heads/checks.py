"""Checks of what heads are given: logits, labels, weights, and functions of losses."""

from __future__ import annotations

import numbers
from typing import Any, Dict, Optional, Sequence, Tuple

from troupe._src.api.source_utilities import fn_args
from troupe._src.feature_columns.column import Transformed
from troupe._src.feature_columns.numbers import NumericColumn, numeric_column
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.losses import Reduction
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import (
    Assert,
    assert_equal,
    assert_less_equal,
    assert_non_negative,
)
from troupe._src.ops.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from troupe._src.types import dtypes

_NO_LABELS = (
    "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that "
    "your data contain your label feature. Check that your input_fn properly parses and returns "
    "labels."
)
_FIX = (
    "Suggested Fix: If your classifier expects one-hot encoding label, check your n_classes "
    "argument to the estimator and/or the shape of your label. Otherwise, check the shape of your "
    "label."
)


def check_reduction(reduction: str) -> None:
    """ValueError for a reduction that gives no scalar."""
    if reduction not in Reduction.all() or reduction == Reduction.NONE:
        raise ValueError(f"Invalid loss_reduction: {reduction}")


def check_loss_fn(loss_fn: Any, optional: Sequence[str] = ("features",)) -> None:
    """ValueError for a function that takes other arguments than labels, logits and those."""
    if loss_fn is None:
        return
    names = fn_args(loss_fn)
    for name in ("labels", "logits"):
        if name not in names:
            raise ValueError(f"loss_fn must contain argument: {name}. Given arguments: {names}")
    unknown = [name for name in names if name not in ("labels", "logits", *optional)]
    if unknown:
        raise ValueError(f"loss_fn has unexpected args: {unknown}")


def checked_thresholds(thresholds: Any) -> Tuple[float, ...]:
    """The thresholds of metrics; ValueError where one is not within (0, 1)."""
    found = tuple(thresholds or ())
    for threshold in found:
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"thresholds not in (0, 1): {found}.")
    return found


def check_features(features: Any) -> None:
    """ValueError for features that are no dict."""
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def checked_logits(logits: Any, size: Any) -> Tensor:
    """The logits as floats, [..., size].

    Args:
        logits: The logits.
        size: How many an example has.

    Raises:
        ValueError: It is known that they have another shape; else the step checks it.
    """
    tensor = math_ops.cast(logits, dtypes.float32)
    shape = tensor.shape
    if shape.rank is not None and shape.rank < 2:
        raise ValueError(
            "logits shape must be [D0, D1, ... DN, logits_dimension] Tensor must have rank at "
            f"least 2. Received rank {shape.rank}, shape {shape}"
        )
    if shape.rank is not None and shape[-1].value is not None:
        if isinstance(size, numbers.Integral) and shape[-1].value != size:
            raise ValueError(
                f"logits shape must be [D0, D1, ... DN, logits_dimension], got {shape}."
            )
        return tensor
    message = "logits shape must be [D0, D1, ... DN, logits_dimension]"
    check = assert_equal(size, array_ops.shape(tensor)[-1], message=message)
    with get_default_graph().control_dependencies([check]):
        return array_ops.identity(tensor)


def checked_labels(labels: Any, logits: Tensor, size: int) -> Tensor:
    """The labels, [..., size]; where these are [...] and the size is 1, they get one more axis.

    Args:
        labels: The labels.
        logits: The logits, [..., any].
        size: How many labels an example has.

    Raises:
        ValueError: There are none, they are sparse, or it is known that their shape is another one.
            Else the step checks it.
    """
    if labels is None:
        raise ValueError(_NO_LABELS)
    tensor = convert_to_tensor_or_sparse_tensor(labels)
    if isinstance(tensor, SparseTensor):
        raise ValueError(
            f"SparseTensor labels are not supported. labels must be a Tensor of shape "
            f"[D0, D1, ..., DN, {size}], e.g. [batch_size, {size}]. Suggested Fix: In your "
            "input_fn, use tf.sparse_tensor_to_dense() to turn labels into a Tensor."
        )
    known, given = tensor.shape, logits.shape
    if known.rank is not None and given.rank is not None and known.rank == given.rank - 1:
        tensor = array_ops.expand_dims(tensor, -1)
        known = tensor.shape
    if known.rank is not None and known.rank < 2:
        raise ValueError(f"labels must have rank at least 2. Received shape {known}")
    if known.rank is not None and known[-1].value not in (None, size):
        raise ValueError(
            f"Mismatched label shape. Expected labels dimension={size}.  Received "
            f"{known[-1].value}. {_FIX}"
        )
    wanted = array_ops.concat([array_ops.shape(logits)[:-1], [size]], axis=0)
    message = (
        f"labels shape must be [D0, D1, ... DN, {size}]. Suggested Fix: check your n_classes "
        "argument to the estimator and/or the shape of your label."
    )
    if given.rank is not None and known.rank is not None:
        sizes = [*given.as_list()[:-1], size]
        if None not in sizes and sizes == known.as_list():
            as_it_is: Tensor = tensor
            return as_it_is
    check = assert_equal(wanted, array_ops.shape(tensor), message=message)
    with get_default_graph().control_dependencies([check]):
        found: Tensor = array_ops.identity(tensor)
        return found


def require_labels(labels: Any) -> None:
    """ValueError where there are no labels."""
    if labels is None:
        raise ValueError(_NO_LABELS)


def within(labels: Tensor, count: int, message: Optional[str] = None) -> Tensor:
    """The labels, which a step checks to be in [0, count)."""
    largest = math_ops.cast(count - 1, labels.dtype)
    checks = [
        assert_less_equal(labels, largest, message=message or "Labels must be <= n_classes - 1"),
        assert_non_negative(labels, message=message or "Labels must be >= 0"),
    ]
    with get_default_graph().control_dependencies(checks):
        return array_ops.identity(labels)


def weights_of(
    features: Optional[Dict[str, Any]], column: Any, logits: Tensor, may_be_of_logits: bool
) -> Any:
    """The weights of the examples, [..., 1] or with one for each logit, or 1.0 without a column.

    Args:
        features: The features.
        column: The name of the weights, or their numeric column, or None.
        logits: The logits, [..., any].
        may_be_of_logits: Whether each logit may have its own.

    Raises:
        TypeError: The column is of another kind.
        ValueError: The weights are no numbers.
    """
    if column is None:
        return 1.0
    numeric = numeric_column(column, (1,)) if isinstance(column, str) else column
    if not isinstance(numeric, NumericColumn):
        raise TypeError(
            "Weight column must be either a string or _NumericColumn. Given type: "
            f"{type(column)}."
        )
    found = Transformed(features or {}).get(numeric)
    if not (found.dtype.is_floating or found.dtype.is_integer):
        raise ValueError(f"Weight column should be castable to float. Given dtype: {found.dtype}")
    weights = math_ops.cast(found, dtypes.float32)
    outer, shape = array_ops.shape(logits)[:-1], array_ops.shape(weights)
    of_logits = ", or [D0, D1, ... DN, logits_dimension]" if may_be_of_logits else ""
    message = f"weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]{of_logits}"
    rank = weights.shape.rank
    graph = get_default_graph()
    if rank is not None and logits.shape.rank is not None and rank == logits.shape.rank - 1:
        with graph.control_dependencies([assert_equal(outer, shape, message=message)]):
            return array_ops.expand_dims(weights, -1)
    single = array_ops.concat([outer, [1]], axis=0)
    if may_be_of_logits:
        fits = [
            math_ops.reduce_all(gen_ops.equal(each, shape))
            for each in (array_ops.shape(logits), single)
        ]
        check = Assert(gen_ops.logical_or(fits[0], fits[1]), [message, shape])
    else:
        check = assert_equal(single, shape, message=message)
    with graph.control_dependencies([check]):
        return array_ops.identity(weights)


def called_loss(
    loss_fn: Any, labels: Tensor, logits: Tensor, features: Any, size: int
) -> Tensor:
    """What a function of a program gives, which a step checks to be [..., size].

    Args:
        loss_fn: Called with labels and logits, and features where it takes them.
        labels: The labels.
        logits: The logits, [..., any].
        features: The features.
        size: How many losses an example has.
    """
    more = {"features": features} if "features" in fn_args(loss_fn) else {}
    with get_default_graph().name_scope("call_loss_fn"):
        losses = loss_fn(labels=labels, logits=logits, **more)
        wanted = array_ops.concat([array_ops.shape(logits)[:-1], [size]], axis=0)
        shape = array_ops.shape(losses)
        message = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {size}]. "
        is_as_wanted = math_ops.reduce_all(gen_ops.equal(shape, wanted))
        check = Assert(is_as_wanted, [message, "loss_shape: ", shape])
        with get_default_graph().control_dependencies([check]):
            found: Tensor = array_ops.identity(losses)
            return found
