"""Heads of `tf.estimator` of several heads."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator_heads import keras_metrics
from troupe._src.estimator_heads.head import Head, Metrics, TrainOpFn
from troupe._src.estimator_heads.training import (
    summarize_losses,
    train_op_of,
    with_regularization,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.heads.multi_head import (
    checked_heads,
    merged_loss,
    merged_outputs,
    split_logits,
)
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.grouping_ops import no_op
from troupe._src.set_module import set_module


@set_module("troupe.estimator")
class MultiHead(Head):
    """A head of several, each of which has labels of its own; their losses are added.

    Args:
        heads: The heads, which have names. Logits are those of all side by side, or a dict by
            their names; labels are such a dict.
        head_weights: What the loss of each counts.

    Raises:
        ValueError: There are no heads, one has no name, or there are more or fewer weights.
    """

    def __init__(
        self, heads: Sequence[Head], head_weights: Optional[Sequence[float]] = None
    ) -> None:
        self._heads, self._head_weights = checked_heads(heads, head_weights)

    @property
    def name(self) -> str:
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    @property
    def loss_reduction(self) -> str:
        reductions = [head.loss_reduction for head in self._heads]
        if len(set(reductions)) > 1:
            raise ValueError(
                "The loss_reduction must be the same for different heads. Given: "
                f"{reductions}"
            )
        return str(reductions[0])

    def _by_head(self, logits: Any, labels: Any = None) -> Dict[str, Any]:
        """The logits of each head; ValueError where a head has no logits or labels."""
        names = [head.name for head in self._heads]
        if labels is not None and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        for what, given in (("logits", logits), ("labels", labels)):
            lacking = [name for name in names if isinstance(given, dict) and name not in given]
            if lacking:
                raise ValueError(f"{what} has missing values for head(s): {lacking}")
        return split_logits(self._heads, logits)

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Optional[str] = None,
        regularization_losses: Any = None,
    ) -> Tensor:
        given = self._by_head(logits, labels)
        losses = [
            head.loss(
                logits=given[head.name], labels=labels[head.name], features=features, mode=mode
            )
            for head in self._heads
        ]
        return with_regularization(merged_loss(losses, self._head_weights), regularization_losses)

    def predictions(self, logits: Any, keys: Any = None) -> Dict[Any, Tensor]:
        given = self._by_head(logits)
        with get_default_graph().name_scope("merge_pred"):
            return {
                (head.name, key): value
                for head in self._heads
                for key, value in head.predictions(logits=given[head.name]).items()
            }

    def metrics(self, regularization_losses: Any = None) -> Metrics:
        found = {}
        if regularization_losses is not None:
            key = "regularization_loss"
            found[f"{key}/{self.name}"] = keras_metrics.make("Mean", key)
        with get_default_graph().name_scope("merge_eval"):
            for head in self._heads:
                key = f"loss/{head.name}"
                found[key] = keras_metrics.make("Mean", key)
        return found

    def update_metrics(
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        mode: Optional[str] = None,
        regularization_losses: Any = None,
    ) -> Metrics:
        given = self._by_head(logits, labels)
        if regularization_losses is not None:
            metric = eval_metrics[f"regularization_loss/{self.name}"]
            keras_metrics.count_mean(metric, add_n(regularization_losses))
        for head in self._heads:
            own = {"logits": given[head.name], "labels": labels[head.name], "features": features}
            keras_metrics.count_mean(eval_metrics[f"loss/{head.name}"], head.loss(**own))
            eval_metrics.update(head.update_metrics(head.metrics(), **own) or {})
        return eval_metrics

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
        with get_default_graph().name_scope(self.name):
            given = self._by_head(logits, labels)
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                specs = [
                    head.create_estimator_spec(
                        features=features, mode=mode, logits=given[head.name]
                    )
                    for head in self._heads
                ]
                outputs = merged_outputs(self._heads, specs)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.update_metrics(
                    self.metrics(regularization_losses), features, logits, labels,
                    regularization_losses=regularization_losses,
                )  # fmt: skip
                return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
            if mode != ModeKeys.TRAIN:
                raise ValueError(f"mode={mode} unrecognized")
            for head in self._heads:  # they have summaries, too
                head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    logits=given[head.name],
                    labels=labels[head.name],
                    train_op_fn=lambda _: no_op(),
                )
            train_op = train_op_of(
                loss, self.loss_reduction, optimizer, trainable_variables, train_op_fn, update_ops
            )
        summarize_losses(loss, regularization_losses, lambda key: key)
        return EstimatorSpec(mode, predictions, loss, train_op)
