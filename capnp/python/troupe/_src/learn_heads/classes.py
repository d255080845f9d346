"""Heads of classes: of two, of more, and of several at once."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.learn.keys import MetricKey, PredictionKey, ProblemType
from troupe._src.learn_heads import measures
from troupe._src.learn_heads.head import Predictions, SingleHead
from troupe._src.learn_heads.losses import (
    custom_loss,
    hinge_loss,
    log_loss_with_two_classes,
    sigmoid_cross_entropy_loss,
    softmax_cross_entropy_loss,
)
from troupe._src.lookup.index_tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from troupe._src.metrics.means import accuracy, mean
from troupe._src.nn.nn_ops import softmax
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.reduction_ops import argmax
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.conversions import sparse_to_indicator
from troupe._src.types import dtypes


class ClassOptions(NamedTuple):
    """The options that heads of classes have in common."""

    label_name: Optional[str]
    weight_column_name: Optional[str]
    enable_centered_bias: bool
    head_name: Optional[str]
    thresholds: Optional[Sequence[float]]
    metric_class_ids: Optional[Sequence[int]] = None
    loss_fn: Any = None
    label_keys: Optional[Sequence[Any]] = None


class _ClassHead(SingleHead):
    """A head of classes."""

    _loss: Any = None

    def __init__(self, problem_type: int, logits_dimension: int, options: ClassOptions) -> None:
        super().__init__(
            problem_type, logits_dimension, options.label_name, options.weight_column_name,
            options.head_name, options.enable_centered_bias,
            custom_loss(options.loss_fn) or type(self)._loss,
        )  # fmt: skip
        self._thresholds = options.thresholds or (0.5,)
        self._label_keys = None if options.label_keys is None else list(options.label_keys)
        self._class_ids = tuple(options.metric_class_ids or ())
        for class_id in self._class_ids:
            if not 0 <= class_id < logits_dimension:
                raise ValueError(f"Class ID {class_id} not in [0, {logits_dimension}).")

    def _alternative(self, predictions: Predictions) -> Any:
        """The probabilities, and the names of all classes for each example."""
        probabilities = predictions[PredictionKey.PROBABILITIES]
        batch, count = array_ops.unstack(array_ops.shape(probabilities), 2)
        if self._label_keys:
            names: Any = constant(self._label_keys, dtypes.string)
        else:
            names = gen_ops.as_string(math_ops.range(count))
        classes = gen_ops.tile(array_ops.expand_dims(names, 0), array_ops.stack([batch, 1]))
        return self._problem_type, {
            PredictionKey.PROBABILITIES: probabilities,
            PredictionKey.CLASSES: classes,
        }

    def _common_metrics(
        self, loss: Tensor, predictions: Predictions, labels: Any, weights: Any
    ) -> Dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        return {
            self._key(MetricKey.LOSS): mean(loss),
            self._key(MetricKey.ACCURACY): accuracy(labels, classes, weights),
        }

    def _areas(self, numbers: Any, labels: Any, weights: Any) -> Dict[str, Any]:
        return {
            self._key(MetricKey.AUC): measures.area(numbers, labels, weights),
            self._key(MetricKey.AUC_PR): measures.area(numbers, labels, weights, curve="PR"),
        }


def _two_classes(logits: Tensor) -> Tensor:
    return array_ops.concat([creation_ops.zeros_like(logits), logits], 1)


class BinaryLogisticHead(_ClassHead):
    """A head of labels 0 and 1."""

    _default_scope = "binary_logistic_head"
    _loss = staticmethod(log_loss_with_two_classes)

    def __init__(self, options: ClassOptions) -> None:
        super().__init__(ProblemType.LOGISTIC_REGRESSION, 1, options)

    def _predictions(self, logits: Tensor) -> Predictions:
        key = PredictionKey
        with name_scope(None, "predictions"):
            both = _two_classes(logits)
            return {
                key.LOGITS: logits,
                key.LOGISTIC: gen_ops.sigmoid(logits, name=key.LOGISTIC),
                key.PROBABILITIES: softmax(both, name=key.PROBABILITIES),
                key.CLASSES: argmax(both, 1, name=key.CLASSES),
            }

    def _metrics(self, loss: Tensor, predictions: Predictions, labels: Any, weights: Any) -> Any:
        key, logistic = MetricKey, predictions[PredictionKey.LOGISTIC]
        found = self._common_metrics(loss, predictions, labels, weights)
        found[self._key(key.PREDICTION_MEAN)] = measures.mean_of(logistic, weights)
        found[self._key(key.LABEL_MEAN)] = measures.mean_of(labels, weights)
        found[self._key(key.ACCURACY_BASELINE)] = measures.mean_of(labels, weights)
        found.update(self._areas(logistic, labels, weights))
        for name, measure in (
            (key.ACCURACY_MEAN, measures.accuracy_at),
            (key.PRECISION_MEAN, measures.precision_at),
            (key.RECALL_MEAN, measures.recall_at),
        ):
            for threshold in self._thresholds:
                value = measure(logistic, labels, weights, threshold)
                found[self._key(name % threshold)] = value
        return found


class BinarySvmHead(_ClassHead):
    """A head of labels 0 and 1, whose loss is that of support vectors."""

    _default_scope = "binary_svm_head"
    _loss = staticmethod(hinge_loss)

    def __init__(self, options: ClassOptions) -> None:
        super().__init__(ProblemType.LOGISTIC_REGRESSION, 1, options)

    def _predictions(self, logits: Tensor) -> Predictions:
        key = PredictionKey
        with name_scope(None, "predictions"):
            classes = argmax(_two_classes(logits), 1, name=key.CLASSES)
            return {key.LOGITS: logits, key.CLASSES: classes}

    def _alternative(self, predictions: Predictions) -> Any:
        return self._problem_type, predictions

    def _metrics(self, loss: Tensor, predictions: Predictions, labels: Any, weights: Any) -> Any:
        return self._common_metrics(loss, predictions, labels, weights)


class _Labels(NamedTuple):
    given: Any
    ids: Any


class MultiClassHead(_ClassHead):
    """A head of more than two classes, which are numbers or strings."""

    _default_scope = "multi_class_head"
    _loss = staticmethod(softmax_cross_entropy_loss)

    def __init__(self, n_classes: int, options: ClassOptions) -> None:
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(ProblemType.CLASSIFICATION, n_classes, options)
        if self._label_keys and len(self._label_keys) != n_classes:
            raise ValueError("Length of label_keys must equal n_classes.")

    def _wanted_labels(self, labels: Any) -> _Labels:
        given = super()._wanted_labels(labels)
        if not self._label_keys:
            return _Labels(given, given)
        table = index_table_from_tensor(self._label_keys, name="label_id_lookup")
        return _Labels(given, table.lookup(given))

    def _losses(self, labels: _Labels, logits: Any, weights: Any) -> Any:
        return self._loss_fn(labels.ids, logits, weights)

    def _predictions(self, logits: Tensor) -> Predictions:
        key = PredictionKey
        with name_scope(None, "predictions"):
            classes = argmax(logits, 1, name=key.CLASSES)
            if self._label_keys:
                table = index_to_string_table_from_tensor(
                    self._label_keys, name="class_string_lookup"
                )
                classes = table.lookup(classes)
            probabilities = softmax(logits, name=key.PROBABILITIES)
            return {key.LOGITS: logits, key.PROBABILITIES: probabilities, key.CLASSES: classes}

    def _metrics(
        self, loss: Tensor, predictions: Predictions, labels: _Labels, weights: Any
    ) -> Any:
        key = MetricKey
        found = self._common_metrics(loss, predictions, labels.given, weights)
        for number in () if self._label_keys else self._class_ids:
            classes, ids = predictions[PredictionKey.CLASSES], labels.ids
            being = measures.mean_of_being
            found[self._key(key.CLASS_PREDICTION_MEAN % number)] = being(classes, weights, number)
            found[self._key(key.CLASS_LABEL_MEAN % number)] = being(ids, weights, number)
            found.update(_class_means(self._key, predictions, weights, number))
        return found


def _class_means(key_of: Any, predictions: Predictions, weights: Any, number: int) -> Any:
    """The means of the probabilities and the logits of a class."""
    return {
        key_of(name % number): measures.mean_of(predictions[which], weights, number)
        for name, which in (
            (MetricKey.CLASS_PROBABILITY_MEAN, PredictionKey.PROBABILITIES),
            (MetricKey.CLASS_LOGITS_MEAN, PredictionKey.LOGITS),
        )
    }


class MultiLabelHead(_ClassHead):
    """A head of classes of which an example may have several, or none."""

    _default_scope = "multi_label_head"
    _loss = staticmethod(sigmoid_cross_entropy_loss)

    def __init__(self, n_classes: int, options: ClassOptions) -> None:
        super().__init__(ProblemType.CLASSIFICATION, n_classes, options)

    def _wanted_labels(self, labels: Any) -> Any:
        if not isinstance(labels, SparseTensor):
            return labels
        return math_ops.cast(sparse_to_indicator(labels, self.logits_dimension), dtypes.int64)

    def _predictions(self, logits: Tensor) -> Predictions:
        key = PredictionKey
        with name_scope(None, "predictions"):
            is_class = gen_ops.greater(logits, 0)
            return {
                key.LOGITS: logits,
                key.PROBABILITIES: gen_ops.sigmoid(logits, name=key.PROBABILITIES),
                key.CLASSES: math_ops.cast(is_class, dtypes.int64, name=key.CLASSES),
            }

    def _metrics(self, loss: Tensor, predictions: Predictions, labels: Any, weights: Any) -> Any:
        key, probabilities = MetricKey, predictions[PredictionKey.PROBABILITIES]
        found = self._common_metrics(loss, predictions, labels, weights)
        found.update(self._areas(probabilities, labels, weights))
        for number in self._class_ids:
            classes, area = predictions[PredictionKey.CLASSES], measures.area
            given = probabilities, labels, weights, number
            found[self._key(key.CLASS_PREDICTION_MEAN % number)] = measures.mean_of(
                classes, weights, number
            )
            found[self._key(key.CLASS_LABEL_MEAN % number)] = measures.mean_of(
                labels, weights, number
            )
            found.update(_class_means(self._key, predictions, weights, number))
            found[self._key(key.CLASS_AUC % number)] = area(*given)
            found[self._key(key.CLASS_AUC_PR % number)] = area(*given, curve="PR")
        return found
