"""Dirichlet distributions."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.distributions.arguments import (
    VectorDistribution,
    checked,
    one_of,
    where_defined,
)
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.diagonal_ops import matrix_set_diag
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import lbeta
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_gamma
from troupe._src.set_module import set_module


@set_module("troupe.distributions")
class Dirichlet(VectorDistribution):
    """Dirichlet distributions, of the probabilities of classes."""

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        """Distributions of those weights, whose last axis is that of classes.

        Args:
            concentration: The weights, positive floats.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._concentration = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                text = "Concentration parameter must be positive."
                self._concentration = checked(
                    self._concentration,
                    assert_ops.assert_positive(self._concentration, message=text),
                    assert_rank_at_least(self._concentration, 1),
                )
            self._total = math_ops.reduce_sum(self._concentration, -1)
        super().__init__(
            self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters, [self._concentration, self._total], scope,
        )  # fmt: skip

    @property
    def concentration(self) -> Tensor:
        """The weights."""
        return self._concentration

    @property
    def total_concentration(self) -> Tensor:
        """The sums of the weights."""
        return self._total

    def _shaped(self) -> Tensor:
        return self._concentration

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        drawn = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / math_ops.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = value
        if self.validate_args:
            x = checked(
                x,
                assert_ops.assert_positive(x, message="samples must be positive"),
                assert_ops.assert_near(
                    one_of(self.dtype), math_ops.reduce_sum(x, -1),
                    message="sample last-dimension must sum to 1",
                ),
            )  # fmt: skip
        logs = math_ops.reduce_sum(gen_ops.xlogy(self.concentration - 1.0, x), -1)
        return logs - lbeta(self.concentration)

    def _entropy(self) -> Tensor:
        slopes = (self.concentration - 1.0) * gen_ops.digamma(self.concentration)
        total = (self._total - self._size()) * gen_ops.digamma(self._total)
        return lbeta(self.concentration) + total - math_ops.reduce_sum(slopes, -1)

    def _mean(self) -> Tensor:
        return self.concentration / array_ops.expand_dims(self._total, -1)

    def _variance(self) -> Tensor:
        mean = self._mean()
        return mean * (1.0 - mean) / array_ops.expand_dims(1.0 + self._total, -1)

    def _covariance(self) -> Tensor:
        scaled = self._mean() * array_ops.expand_dims(gen_ops.rsqrt(1.0 + self._total), -1)
        outer = array_ops.expand_dims(scaled, -1) * array_ops.expand_dims(scaled, -2)
        return matrix_set_diag(-outer, self._variance())

    def _mode(self) -> Tensor:
        least = math_ops.reduce_min(self.concentration, -1, keepdims=True)
        return where_defined(
            self,
            [(one_of(self.dtype), least)],
            (self.concentration - 1.0) / array_ops.expand_dims(self._total - self._size(), -1),
            "Mode undefined when any concentration <= 1",
        )


@RegisterKL(Dirichlet, Dirichlet)
def _kl_of_dirichlets(a: Dirichlet, b: Dirichlet, name: Optional[str] = None) -> Tensor:
    with name_scope(name, "kl_dirichlet_dirichlet"):
        slopes = gen_ops.digamma(a.concentration) - array_ops.expand_dims(
            gen_ops.digamma(a.total_concentration), -1
        )
        moved = math_ops.reduce_sum((a.concentration - b.concentration) * slopes, -1)
        return moved - lbeta(a.concentration) + lbeta(b.concentration)
