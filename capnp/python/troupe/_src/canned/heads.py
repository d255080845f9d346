"""Heads: what models make of their logits, for classifications and regressions."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.estimator.export_outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, EstimatorSpec, ModeKeys
from troupe._src.feature_columns.column import Transformed
from troupe._src.feature_columns.numbers import NumericColumn, numeric_column
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.lookup.index_tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from troupe._src.metrics.counts import precision, recall
from troupe._src.metrics.curves import auc
from troupe._src.metrics.means import accuracy, mean
from troupe._src.nn import cross_entropies, losses, nn_ops
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.sparse.conversions import sparse_tensor_to_dense
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.global_step import get_global_step
from troupe._src.types import dtypes

Metrics = Dict[str, Any]


class Head:
    """Makes the EstimatorSpec of a model of its logits."""

    # How many logits an example has.
    size: int

    def __init__(self, weight_column: Any, loss_reduction: str) -> None:
        self._weight_column = weight_column
        if loss_reduction not in losses.Reduction.all() or loss_reduction == "none":
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self._reduction = loss_reduction

    def spec(
        self,
        features: Dict[str, Any],
        labels: Any,
        mode: str,
        logits: Tensor,
        train_op_fn: Callable[[Tensor], Any],
        scope: str = "",
    ) -> EstimatorSpec:
        """The spec of a mode; its nodes have the names that programs log and serve.

        Args:
            features: The features, for the weights.
            labels: The labels, unless the mode predicts.
            mode: One of `ModeKeys`.
            logits: [batch, size].
            train_op_fn: Makes the op of a training step, for a loss.
            scope: The name scope of the model, in which the nodes are below "head".

        Returns:
            The spec.

        Raises:
            ValueError: The labels are missing, or of another shape.
        """
        graph = get_default_graph()
        scopes = [graph.get_name_scope(), scope, "head"]
        with graph.name_scope("/".join(filter(None, scopes)) + "/"):
            checked = _checked_logits(logits, self.size)
            with graph.name_scope("predictions"):
                predictions = self._predictions(checked)
            if mode == ModeKeys.PREDICT:
                outputs = self._outputs(predictions)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            if labels is None:
                raise ValueError("You must provide a labels Tensor. Given: None.")
            wanted = self._labels(labels)
            unreduced = self._losses(wanted, checked)
            weights = self._weights(features)
            loss = losses.compute_weighted_loss(
                unreduced, 1.0 if weights is None else weights, reduction=self._reduction
            )
            if mode == ModeKeys.EVAL:
                with graph.name_scope("metrics"):
                    metrics = self._metrics(wanted, predictions, weights)
                    metrics["average_loss"] = mean(unreduced, weights)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            average = self._average(loss, unreduced, weights)
            train_op = train_op_fn(loss)
        scalar("loss", loss)
        if average is not None:
            scalar("average_loss", average)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _average(self, loss: Tensor, unreduced: Tensor, weights: Any) -> Optional[Tensor]:
        """The average of a loss that is a sum; of another one None."""
        if self._reduction != losses.Reduction.SUM:
            return None
        ones = creation_ops.ones_like(unreduced)
        average: Tensor = loss / math_ops.reduce_sum(
            ones if weights is None else weights * ones
        )
        return average

    def _weights(self, features: Dict[str, Any]) -> Optional[Tensor]:
        """The weights of the examples, [batch, 1]."""
        if self._weight_column is None:
            return None
        column = self._weight_column
        column = column if isinstance(column, NumericColumn) else numeric_column(column)
        found: Tensor = Transformed(features).get(column)
        return found

    def _labels(self, labels: Any) -> Tensor:
        raise NotImplementedError

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """[batch, 1], or [batch, size]"""
        raise NotImplementedError

    def _predictions(self, logits: Tensor) -> Dict[str, Tensor]:
        raise NotImplementedError

    def _outputs(self, predictions: Dict[str, Tensor]) -> Dict[str, ExportOutput]:
        raise NotImplementedError

    def _metrics(self, labels: Tensor, predictions: Dict[str, Tensor], weights: Any) -> Metrics:
        raise NotImplementedError


def _checked_logits(logits: Tensor, size: int) -> Tensor:
    if not logits.shape.is_compatible_with([None, size]):
        raise ValueError(f"logits shape must be [D0, {size}], got {logits.shape}")
    return logits


def _checked_labels(labels: Any, size: int) -> Tensor:
    """[batch, size]; a vector where the size is 1 gets one more axis."""
    if isinstance(labels, dict):
        raise ValueError("labels must be a Tensor, not a dict")
    tensor = labels if isinstance(labels, Tensor) else _dense(labels)
    if tensor.shape.rank == 1 and size == 1:
        tensor = array_ops.expand_dims(tensor, -1)
    if not tensor.shape.is_compatible_with([None, size]):
        raise ValueError(
            f"Mismatched label shape. Expected labels dimension={size}. Received {tensor.shape}. "
            "Suggested Fix: If your classifier expects one-hot encoding label, check your "
            "n_classes argument to the estimator and/or the shape of your label."
        )
    return tensor


def _dense(labels: Any) -> Tensor:
    return (
        sparse_tensor_to_dense(labels)
        if hasattr(labels, "dense_shape")
        else convert_to_tensor(labels)
    )


class _ClassHead(Head):
    """A head of classes, which are numbers or words of a vocabulary."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any,
        label_vocabulary: Optional[Sequence[Any]],
        loss_reduction: str,
    ) -> None:
        super().__init__(weight_column, loss_reduction)
        self._count = n_classes
        self._vocabulary = None if label_vocabulary is None else list(label_vocabulary)
        if self._vocabulary is not None and len(self._vocabulary) != n_classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({n_classes}). Given: "
                f"{len(self._vocabulary)}"
            )

    def _labels(self, labels: Any) -> Tensor:
        given = _checked_labels(labels, 1)
        if self._vocabulary is None:
            if given.dtype == dtypes.string:
                raise ValueError("Labels of strings need a label_vocabulary.")
            return given
        if given.dtype != dtypes.string:
            raise ValueError(f"Labels dtype should be string if there is a vocabulary. {given}")
        table = index_table_from_tensor(self._vocabulary, name="class_id_lookup")
        found: Tensor = table.lookup(given)
        return found

    def _names(self, ids: Tensor) -> Tensor:
        """The classes as strings."""
        if self._vocabulary is None:
            return gen_ops.as_string(ids, name="str_classes")
        table = index_to_string_table_from_tensor(self._vocabulary, name="class_string_lookup")
        found: Tensor = table.lookup(ids)
        return found

    def _with_classes(self, found: Dict[str, Tensor], scores: Tensor) -> Dict[str, Tensor]:
        ids = array_ops.expand_dims(reduction_ops.argmax(scores, axis=-1, name="class_ids"), -1)
        batch = array_ops.shape(scores)[0]
        numbers = array_ops.expand_dims(math_ops.range(self._count), 0)
        names: List[Any] = self._vocabulary or [str(number) for number in range(self._count)]
        times = array_ops.stack([batch, 1])
        return {
            **found,
            "class_ids": ids,
            "classes": self._names(ids),
            "all_class_ids": gen_ops.tile(numbers, times),
            "all_classes": gen_ops.tile(constant([names]), times),
        }

    def _outputs(self, predictions: Dict[str, Tensor]) -> Dict[str, ExportOutput]:
        classification = ClassificationOutput(
            predictions["probabilities"], predictions["all_classes"]
        )
        return {
            DEFAULT_SERVING_SIGNATURE: classification,
            "classification": classification,
            "predict": PredictOutput(predictions),
        }


class MultiClassHead(_ClassHead):
    """A head of more than two classes."""

    @property
    def size(self) -> int:  # type: ignore[override]
        return self._count

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        loss = cross_entropies.sparse_softmax_cross_entropy_with_logits(
            labels=array_ops.squeeze(labels, axis=[-1]), logits=logits
        )
        return array_ops.expand_dims(loss, -1)

    def _predictions(self, logits: Tensor) -> Dict[str, Tensor]:
        scores = nn_ops.softmax(logits, name="probabilities")
        return self._with_classes({"logits": logits, "probabilities": scores}, logits)

    def _metrics(self, labels: Tensor, predictions: Dict[str, Tensor], weights: Any) -> Metrics:
        return {"accuracy": accuracy(labels, predictions["class_ids"], weights)}


class BinaryHead(_ClassHead):
    """A head of two classes, with one logit."""

    size = 1

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        wanted = math_ops.cast(labels, logits.dtype)
        return cross_entropies.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits)

    def _predictions(self, logits: Tensor) -> Dict[str, Tensor]:
        logistic = gen_ops.sigmoid(logits, name="logistic")
        zeros = creation_ops.zeros_like(logits)
        both = array_ops.concat([zeros, logits], axis=-1, name="two_class_logits")
        found = {
            "logits": logits,
            "logistic": logistic,
            "probabilities": nn_ops.softmax(both, name="probabilities"),
        }
        return self._with_classes(found, both)

    def _outputs(self, predictions: Dict[str, Tensor]) -> Dict[str, ExportOutput]:
        regression = RegressionOutput(predictions["logistic"])
        return {**super()._outputs(predictions), "regression": regression}

    def _metrics(self, labels: Tensor, predictions: Dict[str, Tensor], weights: Any) -> Metrics:
        scores, ids = predictions["logistic"], predictions["class_ids"]
        wanted = math_ops.cast(labels, dtypes.float32)
        label_mean = mean(wanted, weights)
        value, update = label_mean
        baseline = gen_ops.maximum(value, 1 - value), gen_ops.maximum(update, 1 - update)
        return {
            "accuracy": accuracy(labels, ids, weights),
            "precision": precision(labels, ids, weights),
            "recall": recall(labels, ids, weights),
            "prediction/mean": mean(scores, weights),
            "label/mean": label_mean,
            "accuracy_baseline": baseline,
            "auc": auc(labels, scores, weights),
            "auc_precision_recall": auc(labels, scores, weights, curve="PR"),
        }


class RegressionHead(Head):
    """A head of numbers."""

    def __init__(self, label_dimension: int, weight_column: Any, loss_reduction: str) -> None:
        super().__init__(weight_column, loss_reduction)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self.size = label_dimension

    def _labels(self, labels: Any) -> Tensor:
        return math_ops.cast(_checked_labels(labels, self.size), dtypes.float32)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return gen_ops.squared_difference(logits, labels)

    def _predictions(self, logits: Tensor) -> Dict[str, Tensor]:
        return {"predictions": logits}

    def _outputs(self, predictions: Dict[str, Tensor]) -> Dict[str, ExportOutput]:
        regression = RegressionOutput(predictions["predictions"])
        return {
            DEFAULT_SERVING_SIGNATURE: regression,
            "regression": regression,
            "predict": PredictOutput(predictions),
        }

    def _metrics(self, labels: Tensor, predictions: Dict[str, Tensor], weights: Any) -> Metrics:
        return {
            "prediction/mean": mean(predictions["predictions"], weights),
            "label/mean": mean(labels, weights),
        }


def class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Head:
    """The head of so many classes.

    Raises:
        ValueError: There are fewer than two, or the vocabulary has another size.
    """
    if not isinstance(n_classes, int) or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    kind = BinaryHead if n_classes == 2 else MultiClassHead
    return kind(n_classes, weight_column, label_vocabulary, loss_reduction)


def minimizer(optimizer: Any) -> Callable[[Tensor], Any]:
    """What makes the op of a training step of one optimizer."""
    return lambda loss: optimizer.minimize(loss, global_step=get_global_step())
