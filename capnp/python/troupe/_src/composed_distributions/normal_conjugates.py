"""What observations tell of the mean of a normal distribution."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.distributions.normal import Normal
from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
def normal_conjugates_known_scale_posterior(prior: Normal, scale: Any, s: Any, n: Any) -> Normal:
    """The distribution of the mean of a normal distribution, after observations.

    Args:
        prior: The one before.
        scale: The standard deviation of observations.
        s: Their sum.
        n: How many there are.

    Returns:
        The distribution.

    Raises:
        TypeError: `prior` is not normal, or the dtype of `s` is another one.
    """
    mean, variance, _ = _posterior(prior, scale, s, n)
    return Normal(loc=mean, scale=gen_ops.sqrt(variance))


@set_module("troupe.contrib.distributions")
def normal_conjugates_known_scale_predictive(prior: Normal, scale: Any, s: Any, n: Any) -> Normal:
    """The distribution of the next observation, after others.

    Args:
        prior: That of the mean before.
        scale: The standard deviation of observations.
        s: Their sum.
        n: How many there are.

    Returns:
        The distribution.

    Raises:
        TypeError: `prior` is not normal, or the dtype of `s` is another one.
    """
    mean, variance, of_one = _posterior(prior, scale, s, n)
    return Normal(loc=mean, scale=gen_ops.sqrt(variance + of_one))


def _posterior(prior: Normal, scale: Any, s: Any, n: Any) -> Tuple[Tensor, Tensor, Tensor]:
    """The mean and the variance of the mean, and the variance of an observation."""
    if not isinstance(prior, Normal):
        raise TypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise TypeError(
            f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}"
        )
    count = math_ops.cast(n, prior.dtype)
    before = gen_ops.square(prior.scale)
    of_one = gen_ops.square(convert_to_tensor(scale, prior.dtype))
    variance = 1.0 / (1.0 / before + count / of_one)
    return (prior.loc / before + s / of_one) * variance, variance, of_one
