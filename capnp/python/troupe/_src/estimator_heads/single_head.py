"""What heads of `tf.estimator` of one kind of labels have in common."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator_heads import keras_metrics
from troupe._src.estimator_heads.head import Head, Metrics, TrainOpFn
from troupe._src.estimator_heads.training import (
    check_reduction,
    regularized_loss,
    summarize_losses,
    train_op_of,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.checks import check_loss_fn, checked_logits
from troupe._src.heads.head import HeadOptions, OfKind
from troupe._src.heads.kinds import Kind
from troupe._src.ops.arithmetic_ops import add_n

_OPTIONAL = ("features", "loss_reduction")


def check_vocabulary(vocabulary: Any) -> None:
    """ValueError for a vocabulary that is no list."""
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise ValueError(
            f"label_vocabulary should be a list or a tuple. Given type: {type(vocabulary)}"
        )


class SingleHead(OfKind, Head):
    """A head of one kind of labels.

    Args:
        kind: The kind.
        options: The options.

    Raises:
        ValueError: The reduction or the function of losses is wrong.
    """

    def __init__(self, kind: Kind, options: HeadOptions) -> None:
        check_reduction(options.loss_reduction)
        check_loss_fn(options.loss_fn, _OPTIONAL)
        self.kind, self.options = kind, options

    @property
    def loss_reduction(self) -> str:
        return self.options.loss_reduction

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Optional[str] = None,
        regularization_losses: Any = None,
    ) -> Tensor:
        with get_default_graph().name_scope("losses"):
            given = checked_logits(logits, self.logits_dimension)
            wanted = self.kind.labels(labels, given)
            losses, weights = self._losses(wanted, given, features)
            return regularized_loss(losses, weights, self.loss_reduction, regularization_losses)

    def predictions(self, logits: Any, keys: Any = None) -> Dict[Any, Tensor]:
        given = checked_logits(logits, self.logits_dimension)
        with get_default_graph().name_scope("predictions"):
            found = self.kind.predictions(given)
        unknown = [key for key in keys or () if key not in found]
        if unknown:
            raise ValueError(
                f"Prediction key must be in PredictionKeys, given: {unknown[0]}. Valid prediction "
                f"keys include {list(found)}."
            )
        return {key: found[key] for key in keys} if keys else found

    def metrics(self, regularization_losses: Any = None) -> Metrics:
        with get_default_graph().name_scope("metrics"):
            found = {self._key("average_loss"): keras_metrics.make("Mean", "average_loss")}
            found.update(self._new_metrics())
            if regularization_losses is not None:
                key = "regularization_loss"
                found[self._key(key)] = keras_metrics.make("Mean", key)
            return found

    def _new_metrics(self) -> Metrics:
        """Those besides the losses."""
        raise NotImplementedError

    def update_metrics(
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        mode: Optional[str] = None,
        regularization_losses: Any = None,
    ) -> Metrics:
        predictions = self.predictions(logits)
        given = checked_logits(logits, self.logits_dimension)
        wanted = self.kind.labels(labels, given)
        losses, weights = self._losses(wanted, given, features)
        keras_metrics.count_mean(eval_metrics[self._key("average_loss")], losses, weights)
        self._count(eval_metrics, wanted, predictions, weights)
        if regularization_losses is not None:
            metric = eval_metrics[self._key("regularization_loss")]
            keras_metrics.count_mean(metric, add_n(regularization_losses))
        return eval_metrics

    def _count(
        self, metrics: Metrics, labels: Tensor, predictions: Dict[Any, Tensor], weights: Any
    ) -> None:
        """Lets those besides the losses count a batch."""
        raise NotImplementedError

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Optional[Sequence[Any]] = None,
        train_op_fn: TrainOpFn = None,
        update_ops: Optional[Sequence[Any]] = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        with get_default_graph().name_scope(self.name or "head"):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self.kind.outputs(predictions)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.update_metrics(
                    self.metrics(regularization_losses), features, logits, labels,
                    regularization_losses=regularization_losses,
                )  # fmt: skip
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            train_op = train_op_of(
                loss, self.loss_reduction, optimizer, trainable_variables, train_op_fn, update_ops
            )
        summarize_losses(loss, regularization_losses, self._key)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)
