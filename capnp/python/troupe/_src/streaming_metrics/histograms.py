"""Areas and rates of counts in bins, so that an update takes as long for any number of them."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

from troupe._src.checks import check_ops
from troupe._src.checks.rank_ops import assert_rank
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.streaming import metric_variable
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops, rearrange_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.rearrange_ops import boolean_mask
from troupe._src.ops.segment_ops import histogram_fixed_width
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


def auc_using_histogram(
    boolean_labels: TensorLike, scores: TensorLike, score_range: TensorLike, nbins: int = 100,
    collections: Any = None, check_shape: bool = True, name: Optional[str] = None,
) -> Tuple[Tensor, Operation]:  # fmt: skip
    """The area under the curve of the rates of true and false positives, of histograms of scores.

    Args:
        boolean_labels: A vector of booleans.
        scores: As many numbers.
        score_range: The least and the greatest score, two numbers; those beyond are in the first
            and the last bin.
        nbins: The number of bins.
        collections: Those of the variables, by default that of local ones.
        check_shape: Whether the ranks of labels and scores are checked.
        name: The scope of the variables.

    Returns:
        The area, and the op that counts labels and scores.

    Raises:
        ValueError: The labels are no booleans, or something that is known to be no vector.
    """
    with variable_scope(name, "auc_using_histogram"):
        labels, values = convert_to_tensor(boolean_labels), convert_to_tensor(scores)
        if labels.dtype != dtypes.bool_:
            raise ValueError(
                f"Argument boolean_labels should have dtype bool.  Found: {labels.dtype}"
            )
        checks = [assert_rank(each, 1) for each in (labels, values)] if check_shape else []
        with get_default_graph().control_dependencies(checks):
            labels, values = gen_ops.identity(labels), gen_ops.identity(values)
        bounds = convert_to_tensor(score_range, values.dtype)
        keys = [GraphKeys.LOCAL_VARIABLES] if collections is None else collections
        totals, updates = [], []
        with variable_scope(None, "hist_accumulate"):
            for kind, chosen in (("true", labels), ("false", gen_ops.logical_not(labels))):
                total = get_variable(
                    f"hist_{kind}_acc", [nbins], dtypes.int64, Zeros(), collections=keys,
                    trainable=False,
                )  # fmt: skip
                counts = histogram_fixed_width(
                    boolean_mask(values, chosen), bounds, nbins, dtypes.int64, name=f"hist_{kind}"
                )
                totals.append(convert_to_tensor(total))
                updates.append(total.assign_add(counts))
            update = group(*updates, name="update_op")
        return _area(*totals), update


def _area(positives: Tensor, negatives: Tensor) -> Tensor:
    """By trapezia between the bins, from the greatest scores down."""
    rates = []
    for counts in (positives, negatives):
        share = counts / math_ops.reduce_sum(counts)
        rates.append(math_ops.cast(rearrange_ops.reverse(share, [0]), dtypes.float32))
    heights = gen_ops.cumsum(rates[0], 0)
    mean = heights - rates[0] / 2.0
    return math_ops.reduce_sum(rates[1] * mean, name="auc")


@set_module("troupe.contrib.metrics")
class PrecisionRecallData(NamedTuple):
    """Counts and rates at thresholds, each a vector.

    Args:
        tp: True positives.
        fp: False positives.
        tn: True negatives.
        fn: False negatives.
        precision: The share of true ones among the positives.
        recall: The share of positives among the true ones.
        thresholds: The thresholds.
    """

    tp: Tensor
    fp: Tensor
    tn: Tensor
    fn: Tensor
    precision: Tensor
    recall: Tensor
    thresholds: Tensor


def precision_recall_at_equal_thresholds(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    num_thresholds: Optional[int] = None, use_locking: Optional[bool] = None,
    name: Optional[str] = None,
) -> Tuple[PrecisionRecallData, Operation]:  # fmt: skip
    """Counts of predictions at thresholds of equal distances in [0, 1].

    Args:
        labels: Booleans.
        predictions: As many floats in [0, 1].
        weights: Numbers in a shape that broadcasts with theirs; 1 by default.
        num_thresholds: The number of thresholds, by default 201.
        use_locking: Has no effect.
        name: The scope of the variables.

    Returns:
        Counts and rates at the thresholds, and the op that counts labels and predictions.

    Raises:
        TypeError: The labels are no booleans.
        ValueError: Their shapes are not those of the predictions.
    """
    del use_locking
    count = 201 if num_thresholds is None else num_thresholds
    truths, given = convert_to_tensor(labels), convert_to_tensor(predictions)
    check_ops.assert_type(truths, dtypes.bool_)
    truths.shape.assert_is_compatible_with(given.shape)
    with variable_scope(name, "precision_recall_at_equal_thresholds"):
        message = "predictions must be in [0, 1]"
        checks = [
            assert_ops.assert_greater_equal(given, math_ops.cast(0, given.dtype), message=message),
            assert_ops.assert_less_equal(given, math_ops.cast(1, given.dtype), message=message),
        ]
        with get_default_graph().control_dependencies(checks):
            given = gen_ops.identity(given)
        of_each = math_ops.cast(1.0 if weights is None else weights, dtypes.float64)
        ones = math_ops.cast(truths, dtypes.float64)
        bins = math_ops.cast(gen_ops.floor(given * (count - 1)), dtypes.int32)
        bins, sums, updates = array_ops.reshape(bins, [-1]), [], []
        with get_default_graph().name_scope("variables"):
            totals = [
                metric_variable([count], dtypes.float64, f"{kind}_buckets") for kind in ("tp", "fp")
            ]
        for total, chosen in zip(totals, (ones, 1.0 - ones)):
            rows = array_ops.reshape(chosen * of_each, [-1])
            updates.append(total.scatter_add(IndexedSlices(rows, bins)))
            sums.append(gen_ops.cumsum(convert_to_tensor(total), 0, reverse=True))
        data = _rates(sums[0], sums[1], given.dtype, count)
        return data, group(*updates, name="update_op")


def _rates(true: Tensor, false: Tensor, dtype: Any, count: int) -> PrecisionRecallData:
    below, missed = false[0] - false, true[0] - true
    precision = true / gen_ops.maximum(true + false, 1e-7)
    recall = true / gen_ops.maximum(true + missed, 1e-7)
    thresholds = math_ops.cast([index / (count - 1.0) for index in range(count)], dtype)
    parts = (true, false, below, missed, precision, recall)
    return PrecisionRecallData._make([*(math_ops.cast(each, dtype) for each in parts), thresholds])
