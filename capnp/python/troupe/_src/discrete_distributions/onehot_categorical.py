"""Distributions of classes as one-hot vectors."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.distributions.arguments import VectorDistribution, checked, logits_and_probs
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.diagonal_ops import matrix_set_diag
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import multinomial
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


@set_module("troupe.contrib.distributions")
class OneHotCategorical(VectorDistribution):
    """Distributions of vectors that are 1 at a class and 0 elsewhere."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        """Distributions of those logits or probabilities, whose last axis is that of classes.

        Args:
            logits: The logarithms of the probabilities, up to a number for each distribution.
            probs: The probabilities, instead of the logits.
            dtype: The dtype of samples.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args)
            self._event_size = array_ops.shape(self._logits)[-1]
        super().__init__(
            dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs], scope,
        )  # fmt: skip

    @property
    def event_size(self) -> Tensor:
        """The number of classes."""
        return self._event_size

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, up to a number for each distribution."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    def _shaped(self) -> Tensor:
        return self.logits

    def _one_hot(self, classes: Tensor) -> Tensor:
        return creation_ops.one_hot(classes, self.event_size, dtype=self.dtype)

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        rows = array_ops.reshape(self.logits, array_ops.stack([-1, self.event_size]))
        drawn = array_ops.transpose(multinomial(rows, n, seed=seed))
        shape = array_ops.concat([[n], array_ops.shape(self.logits)], 0)
        return array_ops.reshape(self._one_hot(drawn), shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        if self.validate_args:
            text = "sample must be a one-hot vector."
            one = math_ops.cast(1, value.dtype)
            value = checked(
                value,
                assert_ops.assert_non_negative(value, message=text),
                assert_ops.assert_equal(math_ops.reduce_sum(value, -1), one, message=text),
                assert_ops.assert_equal(value, value * value, message=text),
            )
        x = math_ops.cast(value, self.logits.dtype)
        parts = x * nn_ops.log_softmax(self.logits)
        # A class that is not drawn has no part, also where its probability is 0.
        has_none = gen_ops.equal(x + creation_ops.zeros_like(parts), 0.0)
        return math_ops.reduce_sum(where_v2(has_none, creation_ops.zeros_like(parts), parts), -1)

    def _entropy(self) -> Tensor:
        return -math_ops.reduce_sum(nn_ops.log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> Tensor:
        found = self._one_hot(reduction_ops.argmax(self.logits, axis=-1))
        found.set_shape(self.logits.shape)
        return found

    def _variance(self) -> Tensor:
        return self.probs * (1.0 - self.probs)

    def _covariance(self) -> Tensor:
        rows, columns = array_ops.expand_dims(self.probs, -1), array_ops.expand_dims(self.probs, -2)
        return matrix_set_diag(-(rows * columns), self._variance())


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_of_one_hots(
    a: OneHotCategorical, b: OneHotCategorical, name: Optional[str] = None
) -> Tensor:
    with name_scope(name, "kl_categorical_categorical"):
        ratio = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return math_ops.reduce_sum(nn_ops.softmax(a.logits) * ratio, -1)
