"""Vectors A z + b, of independent elements of z: what their distributions have in common."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.linalg.diagonal_ops import matrix_diag
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import DiagonalOperator
from troupe._src.ops import array_ops, arithmetic_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.types.shapes import TensorShape, as_shape
from troupe._src.vector_distributions.scales import rows_multiplied, rows_solved, tensor_or_none


class AffineDistribution(Distribution):
    """One of the vectors A z + b.

    A class defines the density, the samples and the moments of one element of z. The constructor
    keeps a scale that is not singular in steps that use it, if it validates arguments.
    """

    # The variance of an element of z.
    _unit_variance = 1.0

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool, allow_nan_stats: bool, name: str,
        parameters: Dict[str, Any],
    ) -> None:  # fmt: skip
        """For the constructors of classes of distributions.

        Args:
            loc: b, [..., size], or None for 0.
            scale: A, a linear operator.
            validate_args: Whether steps check that A is not singular.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
            parameters: The arguments of the constructor.

        Raises:
            ValueError: There is no scale, or its size or dtype is another one.
            TypeError: It is not of floating point numbers.
        """
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise TypeError("`scale` parameter must have floating-point dtype.")
        with name_scope(name) as scope:
            self._loc = tensor_or_none(loc, "loc", scale.dtype)
            assert_same_float_dtype([self._loc, scale])
            self._scale: LinearOperator = scale
            self._check_sizes()
        parents = [each for each in scale.graph_parents if isinstance(each, Tensor)]
        super().__init__(
            scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            parents + ([] if self._loc is None else [self._loc]), scope,
        )  # fmt: skip

    def _check_sizes(self) -> None:
        own = self._scale.range_dimension.value
        if self._loc is None or self._loc.shape.rank is None or own is None:
            return
        given = self._loc.shape.with_rank_at_least(1)[-1].value
        if given not in (None, 1, own):
            raise ValueError(
                f"Event size of 'scale' ({own}) could not be broadcast up to that of 'loc' "
                f"({given})."
            )

    @property
    def loc(self) -> Optional[Tensor]:
        """b, or None for 0."""
        return self._loc

    @property
    def scale(self) -> LinearOperator:
        """A, a linear operator."""
        return self._scale

    def _unit_sample(self, shape: Tensor, seed: Optional[int]) -> Tensor:
        """Elements of z."""
        raise NotImplementedError

    def _unit_log_prob(self, z: Tensor) -> Tensor:
        """The logarithms of the densities of elements of z."""
        raise NotImplementedError

    def _unit_entropy(self) -> float:
        """The entropy of an element of z."""
        raise NotImplementedError

    def _batch_shape(self) -> TensorShape:
        own = self._scale.batch_shape
        if self._loc is None:
            return own
        if self._loc.shape.rank is None:
            return as_shape(None)
        return broadcast_static_shape(own, self._loc.shape[:-1])

    def _batch_shape_tensor(self) -> Tensor:
        own = self._scale.batch_shape_tensor()
        if self._loc is None:
            return own
        return broadcast_dynamic_shape(own, array_ops.shape(self._loc)[:-1])

    def _event_shape(self) -> TensorShape:
        return self._scale.shape.with_rank_at_least(2)[-2:-1]

    def _event_shape_tensor(self) -> Tensor:
        return array_ops.expand_dims(self._scale.range_dimension_tensor(), 0)

    def _shape(self) -> Tensor:
        return array_ops.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

    def _in_whole(self, value: Any) -> Tensor:
        """In the shape of a sample."""
        found: Tensor = value + creation_ops.zeros(self._shape(), self.dtype)
        return found

    def _shifted(self, value: Tensor) -> Tensor:
        return value if self._loc is None else value + self._loc

    def _checks(self) -> Any:
        return control_dependencies(
            [self._scale.assert_non_singular()] if self.validate_args else []
        )

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        with self._checks():
            drawn = self._unit_sample(array_ops.concat([[n], self._shape()], 0), seed)
            return self._shifted(rows_multiplied(self._scale, drawn))

    def _standardized(self, value: Tensor) -> Tensor:
        """The z of a value."""
        with self._checks():
            shifted = value if self._loc is None else value - self._loc
            return rows_solved(self._scale, shifted)

    def _log_prob(self, value: Tensor) -> Tensor:
        logs = math_ops.reduce_sum(self._unit_log_prob(self._standardized(value)), -1)
        return logs - self._scale.log_abs_determinant()

    def _entropy(self) -> Tensor:
        size = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        of_one = self._unit_entropy() * size + self._scale.log_abs_determinant()
        found = of_one + creation_ops.zeros(self.batch_shape_tensor(), self.dtype)
        found.set_shape(self.batch_shape)
        return found

    def _mean(self) -> Tensor:
        if self._loc is None:
            return creation_ops.zeros(self._shape(), self.dtype)
        return self._in_whole(self._loc)

    def _mode(self) -> Tensor:
        return self._mean()

    def _square(self) -> Tensor:
        """A A*."""
        found: Tensor = self._scale.matmul(self._scale.to_dense(), adjoint_arg=True)
        return found

    def _covariance(self) -> Tensor:
        if isinstance(self._scale, DiagonalOperator):
            return matrix_diag(self._variance())
        return self._unit_variance * self._square()

    def _variance(self) -> Tensor:
        if isinstance(self._scale, DiagonalOperator):
            return self._unit_variance * gen_ops.square(self._scale.diag_part())
        return self._unit_variance * gen_ops.matrix_diag_part(self._square())

    def _stddev(self) -> Tensor:
        factor = float(np.sqrt(self._unit_variance))
        if isinstance(self._scale, DiagonalOperator):
            return factor * arithmetic_ops.abs(self._scale.diag_part())
        return factor * gen_ops.sqrt(gen_ops.matrix_diag_part(self._square()))

