"""Distributions of how often something succeeds: in so many attempts, or until as many fail."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    integers,
    logits_and_probs,
    gen_new_seed,
)
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, assert_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import random_gamma, random_poisson
from troupe._src.set_module import set_module


class _Attempts(ScalarDistribution):
    """One of attempts that each succeed with a probability."""

    _total_count: Tensor
    _logits: Tensor
    _probs: Tensor

    @property
    def total_count(self) -> Tensor:
        """How many attempts there are, or how many fail."""
        return self._total_count

    @property
    def logits(self) -> Tensor:
        """log(p / (1 - p)) for the probability p of a success."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of a success."""
        return self._probs


@set_module("troupe.contrib.distributions")
class Binomial(_Attempts):
    """Binomial distributions: how many of a number of attempts succeed.

    As in TensorFlow 1.15, they have probabilities and statistics, but no samples.
    """

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        """Distributions of so many attempts.

        Args:
            total_count: How many attempts there are, whole numbers as floats of the same dtype.
            logits: log(p / (1 - p)) for the probability p of a success.
            probs: The probabilities of a success, instead of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            count = convert_to_tensor(total_count, name="total_count")
            self._total_count = integers(count) if validate_args else count
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args)
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._total_count, self._logits, self._probs], scope,
        )  # fmt: skip

    def _valid(self, counts: Tensor) -> Tensor:
        if not self.validate_args:
            return counts
        text = "counts are not less than or equal to n."
        is_possible = assert_ops.assert_less_equal(counts, self.total_count, message=text)
        return checked(integers(counts), is_possible)

    def _log_prob(self, value: Tensor) -> Tensor:
        counts = self._valid(value)
        fails = self.total_count - counts
        orders = (
            gen_ops.lgamma(1.0 + self.total_count)
            - gen_ops.lgamma(1.0 + fails)
            - gen_ops.lgamma(1.0 + counts)
        )
        by_success = counts * gen_ops.log(self.probs)
        return by_success + fails * gen_ops.log1p(-self.probs) + orders

    def _cdf(self, value: Tensor) -> Tensor:
        counts = self._in_batch(self._valid(value))
        zeros = creation_ops.zeros_like(counts)
        probs, total = self.probs + zeros, self.total_count + zeros
        ones = creation_ops.ones_like(counts)
        is_all = gen_ops.equal(counts, total)
        # The function is not defined at the last count, and its gradient must be finite there.
        fails = where_v2(is_all, ones, total - counts)
        return where_v2(is_all, ones, gen_ops.betainc(fails, counts + 1.0, 1.0 - probs))

    def _mean(self) -> Tensor:
        return self.total_count * self.probs

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        return gen_ops.floor((1.0 + self.total_count) * self.probs)


@set_module("troupe.contrib.distributions")
class NegativeBinomial(_Attempts):
    """Negative binomial distributions: how many succeed until a number of attempts failed."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        """Distributions of so many attempts that fail.

        Args:
            total_count: How many fail, positive floats of the same dtype.
            logits: log(p / (1 - p)) for the probability p of a success.
            probs: The probabilities of a success, instead of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args)
            checks = [assert_ops.assert_positive(total_count)] if validate_args else []
            self._total_count = checked(convert_to_tensor(total_count), *checks)
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._total_count, self._probs, self._logits], scope,
        )  # fmt: skip

    def _valid(self, counts: Tensor) -> Tensor:
        return integers(counts) if self.validate_args else counts

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        # A Poisson distribution whose rate is drawn from a gamma distribution.
        rates = random_gamma(
            [n], self.total_count, gen_ops.exp(-self.logits), dtype=self.dtype, seed=seed
        )
        seed = gen_new_seed(seed, "negative_binom")
        return random_poisson(rates, [], dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        orders = (
            gen_ops.lgamma(self.total_count + x)
            - gen_ops.lgamma(1.0 + x)
            - gen_ops.lgamma(self.total_count)
        )
        by_fails = self.total_count * arithmetic_ops.log_sigmoid(-self.logits)
        return by_fails + x * arithmetic_ops.log_sigmoid(self.logits) + orders

    def _cdf(self, value: Tensor) -> Tensor:
        x = self._in_batch(self._valid(value))
        zeros = creation_ops.zeros_like(x)
        fail = gen_ops.sigmoid(-self.logits)
        return gen_ops.betainc(self.total_count + zeros, 1.0 + x, fail + zeros)

    def _mean(self) -> Tensor:
        return self.total_count * gen_ops.exp(self.logits)

    def _variance(self) -> Tensor:
        return self._mean() / gen_ops.sigmoid(-self.logits)

    def _mode(self) -> Tensor:
        fails = gen_ops.maximum(self.total_count - 1.0, 0.0)
        return gen_ops.floor(fails * gen_ops.exp(self.logits))
