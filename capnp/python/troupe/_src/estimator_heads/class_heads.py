"""Heads of `tf.estimator` of classes: of one of two or more, and of any number of them."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.estimator_heads import keras_metrics
from troupe._src.estimator_heads.head import Metrics
from troupe._src.estimator_heads.single_head import SingleHead, check_vocabulary
from troupe._src.graph.elements import Tensor
from troupe._src.heads.checks import checked_thresholds
from troupe._src.heads.head import HeadOptions
from troupe._src.heads.kinds import BinaryKind, MultiClassKind
from troupe._src.heads.multi_label import MultiLabelKind, of_class
from troupe._src.set_module import set_module

_PR = "auc_precision_recall"


@set_module("troupe.estimator")
class BinaryClassHead(SingleHead):
    """A head of two classes, with one logit and the cross entropies of a sigmoid.

    Args:
        weight_column: The name of the feature that has the weights of examples, or its column.
        thresholds: Probabilities; for each there are metrics of who says the second class above it.
        label_vocabulary: The classes, where labels are strings; else labels are in [0, 1].
        loss_reduction: "sum_over_batch_size", "sum" or "auto".
        loss_fn: Called with `labels` and `logits`, and `features` if it takes them; gives other
            losses, [..., 1].
        name: The name scope, and what keys of metrics and summaries end with.

    Raises:
        ValueError: A threshold, the vocabulary, the reduction or the function is wrong.
    """

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Optional[Sequence[float]] = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        check_vocabulary(label_vocabulary)
        options = HeadOptions(weight_column, loss_reduction, loss_fn, name)
        super().__init__(BinaryKind(label_vocabulary), options)
        self._thresholds = checked_thresholds(thresholds)

    def _new_metrics(self) -> Metrics:
        found = {
            self._key(key): keras_metrics.make(kind, key)
            for key, kind in (
                ("accuracy", "Accuracy"),
                ("precision", "Precision"),
                ("recall", "Recall"),
                ("prediction/mean", "Mean"),
                ("label/mean", "Mean"),
                ("accuracy_baseline", "Mean"),
                ("auc", "AUC"),
            )
        }
        found[self._key(_PR)] = keras_metrics.make("AUC", _PR, curve="PR")
        found.update(keras_metrics.at_thresholds(self._thresholds, self._key))
        return found

    def _count(
        self, metrics: Metrics, labels: Tensor, predictions: Dict[Any, Tensor], weights: Any
    ) -> None:
        scores, key = predictions["logistic"], self._key
        for name in ("accuracy", "precision", "recall"):
            keras_metrics.count_pairs(
                metrics[key(name)], labels, predictions["class_ids"], weights
            )
        keras_metrics.count_mean(metrics[key("prediction/mean")], scores, weights)
        keras_metrics.count_mean(metrics[key("label/mean")], labels, weights)
        keras_metrics.count_baseline(
            metrics[key("accuracy_baseline")], metrics[key("label/mean")]
        )
        for name in ("auc", _PR):
            keras_metrics.count_pairs(metrics[key(name)], labels, scores, weights)
        given = labels, scores, weights
        keras_metrics.count_at_thresholds(metrics, given, self._thresholds, key)


@set_module("troupe.estimator")
class MultiClassHead(SingleHead):
    """A head of more than two classes, with the cross entropies of a softmax.

    Args:
        n_classes: How many classes there are. Logits are [..., n_classes].
        weight_column: As of BinaryClassHead.
        label_vocabulary: The classes, where labels are strings; else they are their numbers.
        loss_reduction: As of BinaryClassHead.
        loss_fn: As of BinaryClassHead.
        name: As of BinaryClassHead.

    Raises:
        ValueError: The number of classes, the vocabulary, the reduction or the function is wrong.
    """

    def __init__(
        self,
        n_classes: Any,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        check_vocabulary(label_vocabulary)
        kind = MultiClassKind(n_classes, label_vocabulary)
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                '"label_vocabulary" does not have "n_classes" items. '
                f"len(label_vocabulary)={len(label_vocabulary)}, n_classes={n_classes}, "
                f"label_vocabulary={label_vocabulary}"
            )
        super().__init__(kind, HeadOptions(weight_column, loss_reduction, loss_fn, name))

    def _new_metrics(self) -> Metrics:
        return {self._key("accuracy"): keras_metrics.make("Accuracy", "accuracy")}

    def _count(
        self, metrics: Metrics, labels: Tensor, predictions: Dict[Any, Tensor], weights: Any
    ) -> None:
        ids = predictions["class_ids"]
        keras_metrics.count_pairs(metrics[self._key("accuracy")], labels, ids, weights)


@set_module("troupe.estimator")
class MultiLabelHead(SingleHead):
    """A head of classes of which an example has any number, with the cross entropies of a sigmoid.

    Args:
        n_classes: How many classes there are. Logits are [..., n_classes]. Labels have 0 or 1 for
            each class, or are a SparseTensor of classes.
        weight_column: As of BinaryClassHead.
        thresholds: As of BinaryClassHead.
        label_vocabulary: The classes, where labels are a SparseTensor of strings.
        loss_reduction: As of BinaryClassHead.
        loss_fn: As of BinaryClassHead.
        classes_for_class_based_metrics: The numbers or names of classes with metrics of their own.
        name: As of BinaryClassHead.

    Raises:
        ValueError: The number of classes, the vocabulary, a threshold, a class of a metric, the
            reduction or the function is wrong.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Optional[Sequence[float]] = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Any = None,
        classes_for_class_based_metrics: Optional[Sequence[Any]] = None,
        name: Optional[str] = None,
    ) -> None:
        self._classes = MultiLabelKind(
            n_classes, label_vocabulary, classes_for_class_based_metrics
        )
        options = HeadOptions(weight_column, loss_reduction, loss_fn, name)
        super().__init__(self._classes, options)
        self._thresholds = checked_thresholds(thresholds)

    def _keys_of(self, number: int) -> Sequence[str]:
        """The keys of the metrics of one class: a mean, and two areas."""
        name = self._classes.name_of(number)
        return [self._key(f"{kind}/{name}") for kind in ("probability_mean", "auc", _PR)]

    def _new_metrics(self) -> Metrics:
        make = keras_metrics.make
        found = {self._key("auc"): make("AUC", "auc"), self._key(_PR): make("AUC", _PR, curve="PR")}
        found.update(keras_metrics.at_thresholds(self._thresholds, self._key))
        for number in self._classes.measured:
            mean, area, curve = self._keys_of(number)
            found[mean], found[area] = make("Mean", mean), make("AUC", area)
            found[curve] = make("AUC", curve, curve="PR")
        return found

    def _count(
        self, metrics: Metrics, labels: Tensor, predictions: Dict[Any, Tensor], weights: Any
    ) -> None:
        scores = predictions["probabilities"]
        for name in ("auc", _PR):
            keras_metrics.count_pairs(metrics[self._key(name)], labels, scores, weights)
        given = labels, scores, weights
        keras_metrics.count_at_thresholds(metrics, given, self._thresholds, self._key)
        for number in self._classes.measured:
            wanted, chosen = of_class(labels, number), of_class(scores, number)
            mean, *areas = self._keys_of(number)
            keras_metrics.count_mean(metrics[mean], chosen, weights)
            for key in areas:
                keras_metrics.count_pairs(metrics[key], wanted, chosen, weights)
