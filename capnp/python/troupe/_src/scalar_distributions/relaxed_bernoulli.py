"""Bernoulli distributions whose samples have gradients."""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Sequence

from troupe._src.distributions.arguments import ScalarDistribution, checked, logits_and_probs
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.scalar_distributions.location_distributions import Logistic
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class RelaxedBernoulli(ScalarDistribution):
    """Distributions of numbers between 0 and 1 that are nearly either, the more so when cold.

    They are the sigmoids of logistic ones: Maddison et al., "The Concrete Distribution", 2016, and
    Jang et al., "Categorical Reparameterization with Gumbel-Softmax", 2016.
    """

    _shaped_parameters: ClassVar[Sequence[str]] = ("logits",)

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        """Distributions of those logits or probabilities.

        Args:
            temperature: How far samples are from 0 and 1, positive floats.
            logits: log(p / (1 - p)) for the probability p of 1.
            probs: The probabilities of 1, instead of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args)
            given = convert_to_tensor(temperature, preferred_dtype=self._logits.dtype)
            checks = [assert_ops.assert_positive(given)] if validate_args else []
            self._temperature = checked(given, *checks)
            self._logistic = Logistic(
                self._logits / self._temperature, 1.0 / self._temperature, validate_args
            )
        super().__init__(
            self._logits.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs, self._temperature], scope,
        )  # fmt: skip

    @property
    def temperature(self) -> Tensor:
        """How far samples are from 0 and 1."""
        return self._temperature

    @property
    def logits(self) -> Tensor:
        """log(p / (1 - p)) for the probability p of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs

    @property
    def distribution(self) -> Logistic:
        """The logistic distribution whose sigmoids are the samples."""
        return self._logistic

    def _valid(self, value: Tensor) -> Tensor:
        if not self.validate_args:
            return value
        one = convert_to_tensor(1, value.dtype)
        return checked(
            value,
            assert_ops.assert_non_negative(value, message="sample must be non-negative"),
            assert_ops.assert_less_equal(value, one, message="sample must not be above 1"),
        )

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return gen_ops.sigmoid(self._logistic._sample_n(n, seed))

    def _log_prob(self, value: Tensor) -> Tensor:
        y = self._valid(value)
        log_y, log_rest = gen_ops.log(y), gen_ops.log1p(-y)
        return self._logistic._log_prob(log_y - log_rest) - log_y - log_rest

    def _cdf(self, value: Tensor) -> Tensor:
        return self._logistic._cdf(self._inverse(value))

    def _log_cdf(self, value: Tensor) -> Tensor:
        return self._logistic._log_cdf(self._inverse(value))

    def _survival_function(self, value: Tensor) -> Tensor:
        return self._logistic._survival_function(self._inverse(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return self._logistic._log_survival_function(self._inverse(value))

    def _inverse(self, value: Tensor) -> Tensor:
        """The number of which it is the sigmoid."""
        y = self._valid(value)
        return gen_ops.log(y) - gen_ops.log1p(-y)
