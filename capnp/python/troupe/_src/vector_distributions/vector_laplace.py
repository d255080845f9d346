"""Distributions of vectors A z + b, of Laplace and of exponential distributed elements of z."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, creation_ops, gen_ops
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module
from troupe._src.vector_distributions.affine import AffineDistribution
from troupe._src.vector_distributions.scales import diagonal_scale, rows_multiplied


@set_module("troupe.contrib.distributions")
class VectorLaplaceLinearOperator(AffineDistribution):
    """Distributions of A z + b, of independent Laplace distributed elements of z."""

    _unit_variance = 2.0

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceLinearOperator",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: b, the means, [..., size], by default 0.
            scale: A, a linear operator: the covariance is 2 A A*.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: There is no scale, or its size is another one.
            TypeError: It is not of floating point numbers.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _unit_sample(self, shape: Tensor, seed: Optional[int]) -> Tensor:
        # -1 would be an infinite sample.
        dtype = self.dtype.as_numpy_dtype
        low = float(np.nextafter(dtype(-1.0), dtype(0.0)))
        drawn = random_uniform(shape, low, 1.0, dtype=self.dtype, seed=seed)
        return -gen_ops.sign(drawn) * gen_ops.log1p(-arithmetic_ops.abs(drawn))

    def _unit_log_prob(self, z: Tensor) -> Tensor:
        return -arithmetic_ops.abs(z) - math.log(2)

    def _unit_entropy(self) -> float:
        return 1 + math.log(2)


@set_module("troupe.contrib.distributions")
class VectorLaplaceDiag(VectorLaplaceLinearOperator):
    """Distributions of vectors whose elements are independent and Laplace distributed."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The means, [..., size], by default 0.
            scale_diag: The scales, by default 1 if no multiplier is given.
            scale_identity_multiplier: Is added to all scales of a vector, in the shape of the
                batch.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_diag` says the length of the vectors.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class VectorExponentialLinearOperator(AffineDistribution):
    """Distributions of A z + b, of independent exponential distributed elements of z."""

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialLinearOperator",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: b, [..., size], by default 0: where all of z is 0.
            scale: A, a linear operator: the covariance is A A*.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: There is no scale, or its size is another one.
            TypeError: It is not of floating point numbers.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _unit_sample(self, shape: Tensor, seed: Optional[int]) -> Tensor:
        # 0 would be an infinite sample.
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        return -gen_ops.log(random_uniform(shape, tiny, 1.0, self.dtype, seed))

    def _unit_log_prob(self, z: Tensor) -> Tensor:
        return -z

    def _unit_entropy(self) -> float:
        return 1.0

    def _mean(self) -> Tensor:
        ones = creation_ops.ones(self._shape(), self.dtype)
        return self._shifted(rows_multiplied(self.scale, ones))

    def _mode(self) -> Tensor:
        return self._shifted(creation_ops.zeros(self._shape(), self.dtype))


@set_module("troupe.contrib.distributions")
class VectorExponentialDiag(VectorExponentialLinearOperator):
    """Distributions of vectors whose elements are independent and exponential distributed."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The lower ends, [..., size], by default 0.
            scale_diag: The scales, by default 1 if no multiplier is given.
            scale_identity_multiplier: Is added to all scales of a vector, in the shape of the
                batch.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_diag` says the length of the vectors.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
