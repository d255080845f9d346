"""Poisson distributions whose rates are log-normal, by a grid of rates."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from troupe._src.discrete_distributions.poisson import Poisson
from troupe._src.distributions.arguments import gen_new_seed
from troupe._src.distributions.categorical import Categorical
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.normal import Normal
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import (
    arithmetic_ops,
    array_ops,
    creation_ops,
    gen_ops,
    math_ops,
    reduction_ops,
)
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_poisson
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, as_shape


def quadrature_scheme_lognormal_gauss_hermite(
    loc: Tensor,
    scale: Tensor,
    quadrature_size: int,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """A grid of values of a normal distribution, by the quadrature of Gauss and Hermite.

    Args:
        loc: The means, floats.
        scale: The standard deviations, of the same dtype.
        quadrature_size: How many values there are for each.
        validate_args: Has no effect.

    Returns:
        The grid, [..., quadrature_size], and the probabilities, [quadrature_size].
    """
    with name_scope(name, "quadrature_scheme_lognormal_gauss_hermite"):
        places, weights = np.polynomial.hermite.hermgauss(deg=quadrature_size)
        dtype = loc.dtype.as_numpy_dtype
        probs = convert_to_tensor((weights / np.sum(weights)).astype(dtype), name="probs")
        spread = np.sqrt(2.0) * array_ops.expand_dims(scale, -1)
        grid = array_ops.expand_dims(loc, -1) + spread * places.astype(dtype)
        return grid, probs


def quadrature_scheme_lognormal_quantiles(
    loc: Tensor,
    scale: Tensor,
    quadrature_size: int,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """A grid of values of a log-normal distribution, each between two of its quantiles.

    Args:
        loc: The means of the logarithms, floats.
        scale: Their standard deviations, of the same dtype.
        quadrature_size: How many values there are for each.
        validate_args: Whether steps check the scales.

    Returns:
        The grid, [..., quadrature_size], and the probabilities, [quadrature_size].
    """
    with name_scope(name, "quadrature_scheme_lognormal_quantiles"):
        batched = Normal(
            array_ops.expand_dims(loc, -1), array_ops.expand_dims(scale, -1), validate_args
        )
        dtype = loc.dtype.as_numpy_dtype
        edges = np.linspace(0.0, 1.0, quadrature_size + 3)[1:-1].astype(dtype)
        quantiles = gen_ops.exp(batched.quantile(edges))
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        probs = creation_ops.fill([quadrature_size], dtype(1.0 / quadrature_size))
        return grid, probs


@set_module("troupe.contrib.distributions")
class PoissonLogNormalQuadratureCompound(Distribution):
    """Mixtures of Poisson distributions, of rates on a grid of a log-normal distribution."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means of the logarithms of the rates, floats.
            scale: Their standard deviations, of the same dtype.
            quadrature_size: How many rates there are for each.
            quadrature_fn: Makes of `loc`, `scale`, `quadrature_size` and `validate_args` the grid,
                whose values are taken as the logarithms of rates, and the probabilities.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            TypeError: The dtypes of the grid and of its probabilities differ.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._loc = convert_to_tensor(loc, name="loc")
            self._scale = convert_to_tensor(scale, self._loc.dtype, name="scale")
            grid, probs = quadrature_fn(self._loc, self._scale, quadrature_size, validate_args)
            if grid.dtype != probs.dtype:
                raise TypeError(
                    f"Quadrature grid dtype ({grid.dtype.name}) does not match quadrature probs "
                    f"dtype ({probs.dtype.name})."
                )
            self._size = quadrature_size
            self._poisson = Poisson(
                log_rate=grid, validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            self._mixture = Categorical(
                logits=gen_ops.log(probs), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )  # fmt: skip
        super().__init__(
            grid.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._loc, self._scale], scope,
        )  # fmt: skip

    @property
    def mixture_distribution(self) -> Categorical:
        """That of the places on the grid."""
        return self._mixture

    @property
    def distribution(self) -> Poisson:
        """The Poisson distributions, [..., quadrature_size]."""
        return self._poisson

    @property
    def loc(self) -> Tensor:
        """The means of the logarithms of the rates."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """Their standard deviations."""
        return self._scale

    @property
    def quadrature_size(self) -> int:
        """How many rates there are for each."""
        return self._size

    def _batch_shape(self) -> TensorShape:
        own, weights = self._poisson.batch_shape, self._mixture.logits.shape
        return broadcast_static_shape(own, weights)[:-1]

    def _batch_shape_tensor(self) -> Tensor:
        own, weights = self._poisson.batch_shape_tensor(), array_ops.shape(self._mixture.logits)
        return broadcast_dynamic_shape(own, weights)[:-1]

    def _event_shape(self) -> TensorShape:
        return as_shape([])

    def _event_shape_tensor(self) -> Tensor:
        return convert_to_tensor([], dtypes.int32)

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        own = array_ops.size(self._mixture.batch_shape_tensor())
        # The mixture's batch is the last part of this one.
        outer = shape[: array_ops.size(shape) - own]
        chosen = self._mixture.sample(outer, seed=gen_new_seed(
            seed, "poisson_lognormal_quadrature_compound"
        ))
        is_chosen = creation_ops.one_hot(chosen, self._size, dtype=self.dtype)
        rates = math_ops.reduce_sum(is_chosen * self._poisson.rate, -1)
        return random_poisson(array_ops.reshape(rates, shape), [], dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        logs = self._poisson.log_prob(array_ops.expand_dims(value, -1))
        return reduction_ops.reduce_logsumexp(self._mixture.logits + logs, -1)

    def _mean(self) -> Tensor:
        logs = self._mixture.logits + self._poisson.log_rate
        return gen_ops.exp(reduction_ops.reduce_logsumexp(logs, -1))

    def _log_variance(self) -> Tensor:
        # The mean of the variances, which are the rates, and the variance of the means.
        shift = arithmetic_ops.abs(
            self._poisson.mean() - array_ops.expand_dims(self._mean(), -1)
        )
        both = array_ops.stack([self._poisson.log_rate, 2.0 * gen_ops.log(shift)], -1)
        logs = array_ops.expand_dims(self._mixture.logits, -1) + both
        return reduction_ops.reduce_logsumexp(logs, [-2, -1])

    def _variance(self) -> Tensor:
        return gen_ops.exp(self._log_variance())

    def _stddev(self) -> Tensor:
        return gen_ops.exp(0.5 * self._log_variance())
