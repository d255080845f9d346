"""Bernoulli distributions."""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Sequence

from troupe._src.distributions.arguments import ScalarDistribution, checked, logits_and_probs
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


@set_module("troupe.distributions")
class Bernoulli(ScalarDistribution):
    """Distributions of 0 and 1."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("logits",)

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        """Distributions of those logits or probabilities.

        Args:
            logits: log(p / (1 - p)) for the probability p of 1.
            probs: The probabilities of 1, instead of the logits.
            dtype: The dtype of samples.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args)
        super().__init__(
            dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs], scope,
        )  # fmt: skip

    @property
    def logits(self) -> Tensor:
        """log(p / (1 - p)) for the probability p of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        drawn = random_uniform(self._draw_shape(n), dtype=self.probs.dtype, seed=seed)
        return math_ops.cast(gen_ops.less(drawn, self.probs), self.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        event = math_ops.cast(value, self.logits.dtype)
        if self.validate_args:
            one = creation_ops.ones([], event.dtype)
            square = gen_ops.square(event)
            event = checked(
                event,
                assert_ops.assert_equal(event, square, message="Elements must be 0 or 1."),
                assert_ops.assert_less_equal(event, one, message="Elements must be 0 or 1."),
            )
        # As the cross entropy with logits, which neither overflows nor takes a logarithm of 0.
        logits = self.logits + creation_ops.zeros_like(event)
        smooth = gen_ops.softplus(-arithmetic_ops.abs(logits))
        return event * logits - gen_ops.maximum(logits, 0.0) - smooth

    def _entropy(self) -> Tensor:
        return self.logits * gen_ops.sigmoid(-self.logits) + gen_ops.softplus(-self.logits)

    def _mean(self) -> Tensor:
        return array_ops.identity(self.probs)

    def _variance(self) -> Tensor:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        return math_ops.cast(gen_ops.greater(self.probs, 0.5), self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_of_bernoullis(a: Bernoulli, b: Bernoulli, name: Optional[str] = None) -> Tensor:
    with name_scope(name, "kl_bernoulli_bernoulli"):
        of_ones = gen_ops.softplus(-b.logits) - gen_ops.softplus(-a.logits)
        of_zeros = gen_ops.softplus(b.logits) - gen_ops.softplus(a.logits)
        return gen_ops.sigmoid(a.logits) * of_ones + gen_ops.sigmoid(-a.logits) * of_zeros
