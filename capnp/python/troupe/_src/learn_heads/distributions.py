"""Heads of numbers that a distribution makes of logits."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.learn_heads.head import Head
from troupe._src.learn_heads.kinds import RegressionHead
from troupe._src.learn_heads.losses import Loss, weighted_means
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


class DistributionRegressionHead(RegressionHead):
    """A head whose loss is that labels are improbable, and whose predictions are means.

    Raises:
        TypeError: The function is none.
    """

    def __init__(
        self, make_distribution_fn: Callable[[Tensor], Any], logits_dimension: int,
        label_name: Optional[str], weight_column_name: Optional[str], enable_centered_bias: bool,
        head_name: Optional[str],
    ) -> None:  # fmt: skip
        if not callable(make_distribution_fn):
            raise TypeError("`make_distribution_fn` must be a callable function.")
        self._make = make_distribution_fn
        self._distributions: Dict[Tensor, Any] = {}
        super().__init__(
            self._improbability, lambda logits: self.distribution(logits).mean(),
            logits_dimension, label_name, weight_column_name, enable_centered_bias, head_name,
        )  # fmt: skip

    @property
    def distributions(self) -> Dict[Tensor, Any]:
        """All distributions so far, by their logits."""
        return self._distributions

    def distribution(self, logits: Tensor, name: Optional[str] = None) -> Any:
        """The distribution of logits, which is made once.

        Args:
            logits: The logits.
            name: The name scope of its nodes, by default "distribution".

        Returns:
            The distribution.
        """
        with name_scope(name, "distribution"):
            if logits not in self._distributions:
                self._distributions[logits] = self._make(logits)
            return self._distributions[logits]

    def _improbability(self, labels: Any, logits: Tensor, weights: Any = None) -> Loss:
        found, wanted = self.distribution(logits), convert_to_tensor(labels)
        outer: Any = array_ops.shape(wanted)[:-1]
        if wanted.shape.rank is not None and None not in wanted.shape.as_list()[:-1]:
            outer = wanted.shape.as_list()[:-1]
        events = found.event_shape.as_list() if found.event_shape.is_fully_defined() else None
        if events is not None and isinstance(outer, list):
            shape: Any = [*outer, *events]
        else:
            shape = array_ops.concat([outer, found.event_shape_tensor()], axis=0)
        return weighted_means(-found.log_prob(array_ops.reshape(wanted, shape)), weights)


@set_module("troupe.contrib.distributions")
def estimator_head_distribution_regression(
    make_distribution_fn: Callable[[Tensor], Any], label_dimension: int = 1,
    logits_dimension: Optional[int] = None, label_name: Optional[str] = None,
    weight_column_name: Optional[str] = None, enable_centered_bias: bool = False,
    head_name: Optional[str] = None,
) -> Head:  # fmt: skip
    """A head of `tf.contrib.learn` of numbers that a distribution makes of logits.

    Args:
        make_distribution_fn: Gives the distribution of logits.
        label_dimension: How many numbers a label has.
        logits_dimension: How many logits an example has, by default as many.
        label_name: The name of its labels, where these are a dict.
        weight_column_name: The name of the feature of weights; None for none.
        enable_centered_bias: Whether a bias learns the mean of labels by itself.
        head_name: Its name, among several heads.

    Returns:
        The head, whose loss is the mean of `-log_prob` of the labels, and whose predictions are
        the means of distributions.

    Raises:
        TypeError: The function is none.
        ValueError: The number of logits is not positive.
    """
    count = label_dimension if logits_dimension is None else logits_dimension
    return DistributionRegressionHead(
        make_distribution_fn, count, label_name, weight_column_name, enable_centered_bias,
        head_name,
    )  # fmt: skip
