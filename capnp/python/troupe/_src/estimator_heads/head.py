"""`tf.estimator.Head`: what makes a model of its logits."""

from __future__ import annotations

import abc
from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.elements import Tensor
from troupe._src.set_module import set_module

Metrics = Dict[str, Any]
TrainOpFn = Optional[Callable[[Tensor], Any]]


@set_module("troupe.estimator")
class Head(abc.ABC):
    """The losses, the predictions and the metrics of a model, made of its logits.

    Programs derive heads of their own from it, which define all of its methods.
    """

    @property
    @abc.abstractmethod
    def name(self) -> Optional[str]:
        """What the keys of metrics and summaries end with, or None."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> Any:
        """How many logits an example has."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """How the losses of a batch become one: "sum", "sum_over_batch_size" or "auto"."""

    @abc.abstractmethod
    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Optional[str] = None,
        regularization_losses: Any = None,
    ) -> Tensor:
        """The loss of logits.

        Args:
            labels: The labels.
            logits: [..., logits_dimension].
            features: The features, which may have weights of examples.
            mode: One of `tf.estimator.ModeKeys`.
            regularization_losses: Scalars that are added to the loss.

        Returns:
            A scalar.

        Raises:
            ValueError: The labels are missing, or of another shape or dtype.
        """

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Any = None) -> Dict[Any, Tensor]:
        """What logits say.

        Args:
            logits: [..., logits_dimension].
            keys: The names of the wanted predictions, by default of all.

        Returns:
            The predictions by their names.

        Raises:
            ValueError: There is no such prediction.
        """

    @abc.abstractmethod
    def metrics(self, regularization_losses: Any = None) -> Metrics:
        """Metrics of `tf.keras`, yet of no batch.

        Args:
            regularization_losses: Where they are given, there is a metric of them.

        Returns:
            The metrics by their keys.
        """

    @abc.abstractmethod
    def update_metrics(
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        mode: Optional[str] = None,
        regularization_losses: Any = None,
    ) -> Metrics:
        """Lets metrics count a batch.

        Args:
            eval_metrics: What `metrics` has given.
            features: The features, which may have weights of examples.
            logits: [..., logits_dimension].
            labels: The labels.
            mode: One of `tf.estimator.ModeKeys`.
            regularization_losses: Scalars that are added to the loss.

        Returns:
            The metrics.
        """

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
        """The spec that a model function returns.

        Args:
            features: The features, which may have weights of examples.
            mode: One of `tf.estimator.ModeKeys`.
            logits: [..., logits_dimension].
            labels: The labels, unless the mode predicts.
            optimizer: An optimizer of `tf.keras` that trains
            trainable_variables: these variables; or
            train_op_fn: what makes the op of a training step of a loss.
            update_ops: What a training step runs besides.
            regularization_losses: Scalars that are added to the loss.

        Returns:
            The spec.

        Raises:
            ValueError: The labels or the logits are of another shape, or there are none or two of
                the optimizer and the function in a training.
            NotImplementedError: A derived head does not define it.
        """
        raise NotImplementedError("Subclasses of Head must implement `create_estimator_spec()`.")
