"""What all heads of `tf.contrib.estimator` have in common: the spec of a model of its logits."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.heads.checks import (
    called_loss,
    check_loss_fn,
    check_reduction,
    checked_logits,
    weights_of,
)
from troupe._src.heads.kinds import Kind, Predictions
from troupe._src.metrics.means import mean
from troupe._src.nn.losses import Reduction, compute_weighted_loss
from troupe._src.ops import creation_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.global_step import get_global_step

Metrics = Dict[str, Any]
TrainOpFn = Optional[Callable[[Tensor], Any]]


class LossSpec(NamedTuple):
    """The loss of a training, and what it is made of. Heads of several have dicts of these."""

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class Head:
    """Makes the EstimatorSpec of a model of its logits."""

    @property
    def name(self) -> Optional[str]:
        """What the keys of metrics and summaries end with, or None."""
        raise NotImplementedError("Calling an abstract method.")

    @property
    def logits_dimension(self) -> Any:
        """How many logits an example has."""
        raise NotImplementedError("Calling an abstract method.")

    def create_loss(self, features: Dict[str, Any], mode: str, logits: Any, labels: Any) -> Any:
        """The loss of logits.

        Args:
            features: The features, which may have weights of examples.
            mode: One of `tf.estimator.ModeKeys`.
            logits: [..., logits_dimension].
            labels: The labels.

        Returns:
            (training_loss, unreduced_loss, weights, processed_labels), a named tuple.

        Raises:
            ValueError: The labels are missing, or of another shape or dtype.
        """
        raise NotImplementedError("Calling an abstract method.")

    def create_estimator_spec(
        self, features: Dict[str, Any], mode: str, logits: Any, labels: Any = None,
        optimizer: Any = None, train_op_fn: TrainOpFn = None, regularization_losses: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        """The spec that a model function returns.

        Args:
            features: The features, which may have weights of examples.
            mode: One of `tf.estimator.ModeKeys`.
            logits: [..., logits_dimension].
            labels: The labels, unless the mode predicts.
            optimizer: What trains, or
            train_op_fn: what makes the op of a training step of a loss.
            regularization_losses: Scalars that are added to the loss.

        Returns:
            The spec.

        Raises:
            ValueError: The labels or the logits are of another shape, or there are none or two of
                the optimizer and the function in a training.
        """
        raise NotImplementedError("Calling an abstract method.")


class HeadOptions(NamedTuple):
    """What heads of one kind of labels have in common."""

    weight_column: Any
    loss_reduction: str
    loss_fn: Any = None
    name: Optional[str] = None


class Evaluated(NamedTuple):
    """What metrics are of."""

    labels: Tensor
    predictions: Predictions
    weights: Any


class OfKind:
    """What heads of one kind of labels have in common, also those of `tf.estimator`."""

    kind: Kind
    options: HeadOptions

    @property
    def name(self) -> Optional[str]:
        """What the keys of metrics and summaries end with, or None."""
        return self.options.name

    @property
    def logits_dimension(self) -> Any:
        """How many logits an example has."""
        return self.kind.logits_dimension

    def _key(self, key: str) -> str:
        return f"{key}/{self.name}" if self.name else key

    def _losses(self, wanted: Tensor, logits: Tensor, features: Any) -> Tuple[Tensor, Any]:
        """The losses of examples, and their weights."""
        kind, options = self.kind, self.options
        if options.loss_fn is None:
            losses = kind.losses(wanted, logits)
        else:
            losses = called_loss(options.loss_fn, wanted, logits, features, kind.loss_dimension)
        column = options.weight_column
        return losses, weights_of(features, column, logits, kind.has_weights_of_logits)


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
        check_loss_fn(options.loss_fn)
        self.kind, self.options = kind, options

    def create_loss(
        self, features: Dict[str, Any], mode: str, logits: Any, labels: Any
    ) -> LossSpec:
        given = convert_to_tensor(logits)
        wanted = self.kind.labels(labels, given)
        losses, weights = self._losses(wanted, given, features)
        loss = compute_weighted_loss(losses, weights, reduction=self.options.loss_reduction)
        return LossSpec(loss, losses, weights, wanted)

    def create_estimator_spec(
        self, features: Dict[str, Any], mode: str, logits: Any, labels: Any = None,
        optimizer: Any = None, train_op_fn: TrainOpFn = None, regularization_losses: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        graph = get_default_graph()
        with graph.name_scope(self.name or "head"):
            checked = checked_logits(logits, self.logits_dimension)
            with graph.name_scope("predictions"):
                predictions = self.kind.predictions(checked)
            if mode == ModeKeys.PREDICT:
                outputs = self.kind.outputs(predictions)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            spec = self.create_loss(features, mode, checked, labels)
            regularization = add_n(regularization_losses) if regularization_losses else None
            loss = spec.training_loss
            if regularization is not None:
                loss = add_n([loss, regularization])
            if mode == ModeKeys.EVAL:
                with graph.name_scope("metrics"):
                    metrics = self._all_metrics(spec, predictions, regularization)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            train_op = with_updates(train_op_of(loss, optimizer, train_op_fn))
            average = self._average(spec)
        with graph.name_scope(None):
            scalar(self._key("loss"), loss)
            if average is not None:
                scalar(self._key("average_loss"), average)
            if regularization is not None:
                scalar(self._key("regularization_loss"), regularization)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _average(self, spec: LossSpec) -> Optional[Tensor]:
        """The average of a loss that is a sum; of another one None."""
        if self.options.loss_reduction != Reduction.SUM:
            return None
        ones = creation_ops.ones_like(spec.unreduced_loss)
        average: Tensor = spec.training_loss / math_ops.reduce_sum(spec.weights * ones)
        return average

    def _all_metrics(
        self, spec: LossSpec, predictions: Predictions, regularization: Optional[Tensor]
    ) -> Metrics:
        evaluated = Evaluated(spec.processed_labels, predictions, spec.weights)
        found = {
            "average_loss": mean(spec.unreduced_loss, spec.weights, name="average_loss"),
            **self._metrics(evaluated),
        }
        if regularization is not None:
            found["regularization_loss"] = mean(regularization, name="regularization_loss")
        return {self._key(key): metric for key, metric in found.items()}

    def _metrics(self, given: Evaluated) -> Metrics:
        """Those besides the losses, by keys without the name of the head."""
        raise NotImplementedError


def train_op_of(loss: Tensor, optimizer: Any, train_op_fn: TrainOpFn) -> Any:
    """The op of a training step.

    Raises:
        ValueError: There are none or two of the optimizer and the function.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        return optimizer.minimize(loss, global_step=get_global_step())
    if train_op_fn is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    return train_op_fn(loss)


def with_updates(train_op: Any) -> Any:
    """The step of a training with the updates that layers have asked for."""
    updates: List[Any] = get_default_graph().get_collection(GraphKeys.UPDATE_OPS)
    return group(train_op, *updates) if updates else train_op
