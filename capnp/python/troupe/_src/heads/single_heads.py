"""Heads of one kind of labels: their metrics."""

from __future__ import annotations

from typing import Any, Sequence

from troupe._src.heads import measures
from troupe._src.heads.checks import checked_thresholds
from troupe._src.heads.head import Evaluated, HeadOptions, Metrics, SingleHead
from troupe._src.heads.kinds import BinaryKind, MultiClassKind, RegressionKind
from troupe._src.heads.multi_label import MultiLabelKind, of_class
from troupe._src.metrics.counts import precision, recall
from troupe._src.metrics.curves import auc
from troupe._src.metrics.means import accuracy, mean


def at_thresholds(given: Evaluated, scores: Any, thresholds: Sequence[float]) -> Metrics:
    """Accuracies, precisions and recalls of scores, for each of some thresholds."""
    found = {}
    for threshold in thresholds:
        for kind, measure in (
            ("accuracy", measures.accuracy_at),
            ("precision", measures.precision_at),
            ("recall", measures.recall_at),
        ):
            key = f"{kind}/positive_threshold_{threshold:g}"
            found[key] = measure(given.labels, scores, given.weights, threshold, key)
    return found


class BinaryHead(SingleHead):
    """A head of two classes, with one logit."""

    def __init__(self, kind: BinaryKind, options: HeadOptions, thresholds: Any = None) -> None:
        super().__init__(kind, options)
        self._thresholds = checked_thresholds(thresholds)

    def _metrics(self, given: Evaluated) -> Metrics:
        labels, weights = given.labels, given.weights
        scores, ids = given.predictions["logistic"], given.predictions["class_ids"]
        label_mean = measures.mean_of(labels, weights, "label/mean")
        curve = "auc_precision_recall"
        return {
            "accuracy": accuracy(labels, ids, weights, name="accuracy"),
            "precision": precision(labels, ids, weights, name="precision"),
            "recall": recall(labels, ids, weights, name="recall"),
            "prediction/mean": measures.mean_of(scores, weights, "prediction/mean"),
            "label/mean": label_mean,
            "accuracy_baseline": measures.accuracy_baseline(label_mean),
            "auc": measures.area(labels, scores, weights, "auc"),
            curve: measures.area(labels, scores, weights, curve, "PR"),
            **at_thresholds(given, scores, self._thresholds),
        }


class MultiClassHead(SingleHead):
    """A head of more than two classes."""

    def _metrics(self, given: Evaluated) -> Metrics:
        ids = given.predictions["class_ids"]
        return {"accuracy": accuracy(given.labels, ids, given.weights, name="accuracy")}


class MultiLabelHead(SingleHead):
    """A head of classes of which an example has any number."""

    def __init__(
        self, kind: MultiLabelKind, options: HeadOptions, thresholds: Any = None
    ) -> None:
        super().__init__(kind, options)
        self._kind = kind
        self._thresholds = checked_thresholds(thresholds)

    def _metrics(self, given: Evaluated) -> Metrics:
        labels, weights = given.labels, given.weights
        scores = given.predictions["probabilities"]
        area = "auc_precision_recall"
        found = {
            "auc": auc(labels, scores, weights, name="auc"),
            area: auc(labels, scores, weights, curve="PR", name=area),
            **at_thresholds(given, scores, self._thresholds),
        }
        for number in self._kind.measured:
            name = self._kind.name_of(number)
            wanted, chosen = of_class(labels, number), of_class(scores, number)
            key = f"probability_mean/{name}"
            found[key] = measures.mean_of(chosen, weights, key)
            for kind, curve in (("auc", "ROC"), (area, "PR")):
                key = f"{kind}/{name}"
                found[key] = measures.area(wanted, chosen, weights, key, curve)
        return found


class RegressionHead(SingleHead):
    """A head of numbers."""

    def _metrics(self, given: Evaluated) -> Metrics:
        found = given.predictions["predictions"]
        return {
            "prediction/mean": measures.mean_of(found, given.weights, "prediction/mean"),
            "label/mean": mean(given.labels, given.weights),
        }


def class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> SingleHead:
    """The head of so many classes.

    Raises:
        ValueError: There are fewer than two, or an option is wrong.
    """
    options = HeadOptions(weight_column, loss_reduction)
    if n_classes == 2:
        return BinaryHead(BinaryKind(label_vocabulary), options)
    return MultiClassHead(MultiClassKind(n_classes, label_vocabulary), options)


def number_head(label_dimension: int, weight_column: Any, loss_reduction: str) -> SingleHead:
    """The head of so many numbers.

    Raises:
        ValueError: There is none, or an option is wrong.
    """
    options = HeadOptions(weight_column, loss_reduction)
    return RegressionHead(RegressionKind(label_dimension), options)
