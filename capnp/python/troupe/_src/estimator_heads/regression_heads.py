"""Heads of `tf.estimator` of numbers, of counts and of probabilities."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.estimator_heads import keras_metrics
from troupe._src.estimator_heads.head import Metrics
from troupe._src.estimator_heads.single_head import SingleHead
from troupe._src.graph.elements import Tensor
from troupe._src.heads.constructors import logistic_loss, poisson_loss_fn
from troupe._src.heads.head import HeadOptions
from troupe._src.heads.kinds import RegressionKind
from troupe._src.ops import gen_ops
from troupe._src.set_module import set_module


@set_module("troupe.estimator")
class RegressionHead(SingleHead):
    """A head of numbers, with the squares of differences.

    Args:
        label_dimension: How many numbers a label has. Logits are [..., label_dimension].
        weight_column: The name of the feature that has the weights of examples, or its column;
            each number may have its own weight.
        loss_reduction: "sum_over_batch_size", "sum" or "auto".
        loss_fn: Called with `labels` and `logits`, and `features` if it takes them; gives other
            losses, [..., label_dimension].
        inverse_link_fn: Makes predictions of logits, which they are without it.
        name: The name scope, and what keys of metrics and summaries end with.

    Raises:
        ValueError: The dimension, the reduction or the function is wrong.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        loss_fn: Any = None,
        inverse_link_fn: Any = None,
        name: Optional[str] = None,
    ) -> None:
        kind = RegressionKind(label_dimension, inverse_link_fn)
        super().__init__(kind, HeadOptions(weight_column, loss_reduction, loss_fn, name))

    def _new_metrics(self) -> Metrics:
        keys = ("prediction/mean", "label/mean")
        return {self._key(key): keras_metrics.make("Mean", key) for key in keys}

    def _count(
        self, metrics: Metrics, labels: Tensor, predictions: Dict[Any, Tensor], weights: Any
    ) -> None:
        found = predictions["predictions"]
        keras_metrics.count_mean(metrics[self._key("prediction/mean")], found, weights)
        keras_metrics.count_mean(metrics[self._key("label/mean")], labels, weights)


@set_module("troupe.estimator")
class PoissonRegressionHead(RegressionHead):
    """A head of counts, whose logits are their logarithms, with `tf.nn.log_poisson_loss`.

    Args:
        label_dimension: As of RegressionHead.
        weight_column: As of RegressionHead.
        loss_reduction: As of RegressionHead.
        compute_full_loss: As of `tf.nn.log_poisson_loss`.
        name: As of RegressionHead.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        compute_full_loss: bool = True,
        name: Optional[str] = None,
    ) -> None:
        loss_fn = poisson_loss_fn(compute_full_loss)
        super().__init__(
            label_dimension, weight_column, loss_reduction, loss_fn, gen_ops.exp, name
        )


@set_module("troupe.estimator")
class LogisticRegressionHead(RegressionHead):
    """A head of probabilities, with the cross entropies of a sigmoid.

    Args:
        weight_column: As of RegressionHead.
        loss_reduction: As of RegressionHead.
        name: As of RegressionHead.

    Raises:
        ValueError: The reduction is wrong.
    """

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(1, weight_column, loss_reduction, logistic_loss, gen_ops.sigmoid, name)
