"""Distributions of classes as vectors that are nearly one-hot, whose samples have gradients."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.distributions.arguments import VectorDistribution, checked, logits_and_probs
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike


@set_module("troupe.contrib.distributions")
class ExpRelaxedOneHotCategorical(VectorDistribution):
    """Distributions of the logarithms of `RelaxedOneHotCategorical` vectors."""

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Optional[DTypeLike] = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        """Distributions of those logits or probabilities, whose last axis is that of classes.

        Args:
            temperature: How far samples are from one-hot vectors, positive floats.
            logits: The logarithms of the probabilities, up to a number for each distribution.
            probs: The probabilities, instead of the logits.
            dtype: The dtype of samples, by default that of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args)
            given = convert_to_tensor(temperature, preferred_dtype=self._logits.dtype)
            if dtype is None:
                dtype = self._logits.dtype
                given = given if validate_args else math_ops.cast(given, dtype)
            checks = [assert_ops.assert_positive(given)] if validate_args else []
            self._temperature = checked(given, *checks)
            self._event_size = array_ops.shape(self._logits)[-1]
        super().__init__(
            dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs, self._temperature], scope,
        )  # fmt: skip

    @property
    def event_size(self) -> Tensor:
        """The number of classes."""
        return self._event_size

    @property
    def temperature(self) -> Tensor:
        """How far samples are from the logarithms of one-hot vectors."""
        return self._temperature

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

    def _of_classes(self) -> Tensor:
        """The temperatures, with an axis for the classes."""
        return array_ops.expand_dims(self.temperature, -1)

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        shape = array_ops.concat([[n], array_ops.shape(self.logits)], 0)
        # 0 would be an infinite sample.
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        drawn = random_uniform(shape, tiny, 1.0, self.dtype, seed)
        noise = -gen_ops.log(-gen_ops.log(drawn))
        return nn_ops.log_softmax((noise + self.logits) / self._of_classes())

    def _log_prob(self, value: Tensor) -> Tensor:
        x = value
        if self.validate_args:
            total = reduction_ops.reduce_logsumexp(x, -1)
            x = checked(
                x,
                assert_ops.assert_non_positive(x),
                assert_ops.assert_near(creation_ops.zeros_like(total), total),
            )
        logs = nn_ops.log_softmax(self.logits - x * self._of_classes())
        classes = math_ops.cast(self.event_size, self.dtype)
        norm = gen_ops.lgamma(classes) + (classes - 1.0) * gen_ops.log(self.temperature)
        return math_ops.reduce_sum(logs, -1) + norm


@set_module("troupe.contrib.distributions")
class RelaxedOneHotCategorical(VectorDistribution):
    """Distributions of vectors of positive numbers whose sum is 1, nearly one-hot when cold.

    Maddison et al., "The Concrete Distribution", 2016, and Jang et al., "Categorical
    Reparameterization with Gumbel-Softmax", 2016.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Optional[DTypeLike] = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        """Distributions of those logits or probabilities, whose last axis is that of classes.

        Args:
            temperature: How far samples are from one-hot vectors, positive floats.
            logits: The logarithms of the probabilities, up to a number for each distribution.
            probs: The probabilities, instead of the logits.
            dtype: The dtype of samples, by default that of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._distribution = ExpRelaxedOneHotCategorical(
                temperature, logits, probs, dtype, validate_args, allow_nan_stats
            )
        super().__init__(
            self._distribution.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters, self._distribution._graph_parents, scope,
        )  # fmt: skip

    @property
    def distribution(self) -> ExpRelaxedOneHotCategorical:
        """That of the logarithms."""
        return self._distribution

    def _shaped(self) -> Tensor:
        return self._distribution.logits

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return gen_ops.exp(self._distribution._sample_n(n, seed))

    def _log_prob(self, value: Tensor) -> Tensor:
        logs = gen_ops.log(value)
        found: Tensor = self._distribution._log_prob(logs)
        return found - math_ops.reduce_sum(logs, -1)
