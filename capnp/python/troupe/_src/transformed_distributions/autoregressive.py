"""Distributions of which each element depends on those before it."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from troupe._src.distributions.arguments import gen_new_seed
from troupe._src.distributions.distribution import Distribution
from troupe._src.graph.scopes import name_scope
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


@set_module("troupe.contrib.distributions")
class Autoregressive(Distribution):
    """p(x) = the product of p(x[i] | x[:i]), by a function from x to the distribution of each x[i].

    A sample takes as many steps as it has elements: each one draws the same numbers, of the
    distribution by the result of the last step, so that one element more is final.
    """

    def __init__(
        self,
        distribution_fn: Callable[..., Any],
        sample0: Any = None,
        num_steps: Optional[int] = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Autoregressive",
    ) -> None:
        """The distribution.

        Args:
            distribution_fn: Makes a distribution of a sample, whose element i depends on earlier
                elements of the sample only.
            sample0: What the first step makes the distribution of; by default it is made of no
                argument.
            num_steps: How many steps a sample takes after the first one, by default as many as it
                has elements.
            validate_args: Has no effect: the distributions check.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
            name: The name scope of its nodes.

        Raises:
            ValueError: `num_steps` is less than 1, or not given and not known.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._distribution_fn, self._sample0 = distribution_fn, sample0
            self._distribution0 = (
                distribution_fn() if sample0 is None else distribution_fn(sample0)
            )
            steps = num_steps
            if steps is None:
                steps = self._distribution0.event_shape.num_elements()
            if steps is None:
                raise ValueError(
                    "distribution_fn must generate a distribution with fully known `event_shape`."
                )
            if steps < 1:
                raise ValueError(f"num_steps ({steps}) must be at least 1.")
            self._num_steps = steps
        super().__init__(
            self._distribution0.dtype, self._distribution0.reparameterization_type, validate_args,
            allow_nan_stats, parameters, self._distribution0._graph_parents, scope,
        )  # fmt: skip

    @property
    def distribution_fn(self) -> Callable[..., Any]:
        """What makes a distribution of a sample."""
        return self._distribution_fn

    @property
    def sample0(self) -> Any:
        """What the first step makes the distribution of, or None."""
        return self._sample0

    @property
    def num_steps(self) -> int:
        """How many steps a sample takes after the first one."""
        return self._num_steps

    @property
    def distribution0(self) -> Any:
        """The distribution of the first step."""
        return self._distribution0

    def _batch_shape(self) -> TensorShape:
        shape: TensorShape = self.distribution0.batch_shape
        return shape

    def _batch_shape_tensor(self) -> Any:
        return self.distribution0.batch_shape_tensor()

    def _event_shape(self) -> TensorShape:
        shape: TensorShape = self.distribution0.event_shape
        return shape

    def _event_shape_tensor(self) -> Any:
        return self.distribution0.event_shape_tensor()

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        if seed is None:
            # Without one the steps would not draw the same numbers.
            seed = gen_new_seed(np.random.randint(2**31 - 1), "autoregressive")
        samples = self.distribution0.sample(n, seed=seed)
        for _ in range(self._num_steps):
            samples = self.distribution_fn(samples).sample(seed=seed)
        return samples

    def _log_prob(self, value: Any) -> Any:
        return self.distribution_fn(value).log_prob(value)

    def _prob(self, value: Any) -> Any:
        return self.distribution_fn(value).prob(value)
