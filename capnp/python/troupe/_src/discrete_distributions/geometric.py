"""Geometric distributions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    integers,
    logits_and_probs,
    one_of,
)
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, creation_ops, gen_ops
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class Geometric(ScalarDistribution):
    """Geometric distributions: how many attempts fail before the first one that succeeds."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        """Distributions of those logits or probabilities.

        Args:
            logits: log(p / (1 - p)) for the probability p of a success.
            probs: The probabilities of a success, positive ones, instead of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, given = logits_and_probs(logits, probs, False, validate_args)
            checks = [assert_ops.assert_positive(given)] if validate_args else []
            self._probs = checked(given, *checks)
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._probs, self._logits], scope,
        )  # fmt: skip

    @property
    def logits(self) -> Tensor:
        """log(p / (1 - p)) for the probability p of a success."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of a success."""
        return self._probs

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        # 0 would be an infinite sample.
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        drawn = random_uniform(self._draw_shape(n), tiny, 1.0, self.dtype, seed)
        return gen_ops.floor(gen_ops.log(drawn) / gen_ops.log1p(-self.probs))

    def _valid(self, value: Tensor) -> Tensor:
        """The whole numbers, in the shape of the batch."""
        x = integers(value) if self.validate_args else gen_ops.floor(value)
        return x * creation_ops.ones_like(self.probs)

    def _cdf(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        below = -gen_ops.expm1((1.0 + x) * gen_ops.log1p(-self.probs))
        return where_v2(gen_ops.less(x, 0.0), creation_ops.zeros_like(x), below)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        probs = self.probs * creation_ops.ones_like(x)
        # 0 * log(0) is 0 here: nothing has failed.
        zeros = creation_ops.zeros_like(probs)
        safe = where_v2(gen_ops.equal(x, 0.0), zeros, probs)
        return x * gen_ops.log1p(-safe) + gen_ops.log(probs)

    def _entropy(self) -> Tensor:
        probs = self.probs
        if self.validate_args:
            text = "Entropy is undefined when logits = inf or probs = 1."
            less = assert_ops.assert_less(probs, one_of(probs.dtype), message=text)
            probs = checked(probs, less)
        return gen_ops.softplus(self.logits) / probs - self.logits

    def _mean(self) -> Tensor:
        return gen_ops.exp(-self.logits)

    def _variance(self) -> Tensor:
        return self._mean() / self.probs

    def _mode(self) -> Tensor:
        return creation_ops.zeros(self.batch_shape_tensor(), self.dtype)
