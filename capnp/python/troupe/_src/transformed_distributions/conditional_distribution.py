"""Distributions whose functions take more arguments than a value."""

from __future__ import annotations

import functools
from typing import Any, Optional

from troupe._src.distributions.distribution import Distribution
from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops
from troupe._src.set_module import set_module
from troupe._src.transformed_distributions.transformed_distribution import TransformedDistribution


@set_module("troupe.contrib.distributions")
class ConditionalDistribution(Distribution):
    """A distribution whose functions pass further arguments on to those that a class defines."""

    def sample(
        self,
        sample_shape: Any = (),
        seed: Optional[int] = None,
        name: str = "sample",
        **condition_kwargs: Any,
    ) -> Any:
        """Draws samples.

        Args:
            sample_shape: A number of samples for each distribution, or their shape; by default
                one.
            seed: Makes the samples repeatable, together with the seed of the graph.
            **condition_kwargs: Arguments of `_sample_n`.

        Returns:
            The samples, of the shape `sample_shape` + `batch_shape` + `event_shape`.
        """
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def log_prob(self, value: Any, name: str = "log_prob", **condition_kwargs: Any) -> Tensor:
        """The logarithm of the probability or its density.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.
            **condition_kwargs: Arguments of `_log_prob`.

        Returns:
            A number for each value.
        """
        own, other = _given(self._log_prob, condition_kwargs), _given(self._prob, condition_kwargs)
        return self._of_value(name, value, own, other, gen_ops.log)

    def prob(self, value: Any, name: str = "prob", **condition_kwargs: Any) -> Tensor:
        """The probability or its density.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.
            **condition_kwargs: Arguments of `_prob`.

        Returns:
            A number for each value.
        """
        own, other = _given(self._prob, condition_kwargs), _given(self._log_prob, condition_kwargs)
        return self._of_value(name, value, own, other, gen_ops.exp)

    def log_cdf(self, value: Any, name: str = "log_cdf", **condition_kwargs: Any) -> Tensor:
        """The logarithm of the probability of this value and lower ones.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.
            **condition_kwargs: Arguments of `_log_cdf`.

        Returns:
            A number for each value.
        """
        own, other = _given(self._log_cdf, condition_kwargs), _given(self._cdf, condition_kwargs)
        return self._of_value(name, value, own, other, gen_ops.log)

    def cdf(self, value: Any, name: str = "cdf", **condition_kwargs: Any) -> Tensor:
        """The probability of this value and lower ones.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.
            **condition_kwargs: Arguments of `_cdf`.

        Returns:
            A number for each value.
        """
        own, other = _given(self._cdf, condition_kwargs), _given(self._log_cdf, condition_kwargs)
        return self._of_value(name, value, own, other, gen_ops.exp)

    def log_survival_function(
        self, value: Any, name: str = "log_survival_function", **condition_kwargs: Any
    ) -> Tensor:
        """The logarithm of the probability of higher values.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.
            **condition_kwargs: Arguments of `_log_survival_function`, or of `_cdf`.

        Returns:
            A number for each value.
        """
        own, cdf = self._log_survival_function, self.cdf
        return self._of_value(
            name, value, _given(own, condition_kwargs), _given(cdf, condition_kwargs),
            lambda found: gen_ops.log1p(-found),
        )  # fmt: skip

    def survival_function(
        self, value: Any, name: str = "survival_function", **condition_kwargs: Any
    ) -> Tensor:
        """The probability of higher values.

        Args:
            value: Of a shape that broadcasts with `batch_shape` + `event_shape`.
            **condition_kwargs: Arguments of `_survival_function`, or of `_cdf`.

        Returns:
            A number for each value.
        """
        own, cdf = self._survival_function, self.cdf
        return self._of_value(
            name, value, _given(own, condition_kwargs), _given(cdf, condition_kwargs),
            lambda found: 1.0 - found,
        )  # fmt: skip


def _given(function: Any, arguments: Any) -> Any:
    return functools.partial(function, **arguments)


@set_module("troupe.contrib.distributions")
class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """The distribution of y = f(x), where `f` or the distribution of x takes further arguments.

    They are given as `bijector_kwargs` and `distribution_kwargs`, dictionaries by their names.
    """
