"""Wishart distributions, of positive definite matrices."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional

import numpy as np

from troupe._src.distributions.arguments import checked, gen_new_seed
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.diagonal_ops import matrix_set_diag
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import LinearOperatorLowerTriangular
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import random_gamma, random_normal
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


class WishartLinearOperator(Distribution):
    """Wishart distributions, whose scale is the square of a linear operator."""

    def __init__(
        self, df: Any, scale_operator: LinearOperator, cholesky_input_output_matrices: bool,
        validate_args: bool, allow_nan_stats: bool, name: str, parameters: Dict[str, Any],
    ) -> None:  # fmt: skip
        """Distributions of those parameters.

        Args:
            df: The degrees of freedom, at least the size of the matrices.
            scale_operator: A factor of the scale.
            cholesky_input_output_matrices: Whether samples and values are factors, too.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
            parameters: The arguments of the constructor.

        Raises:
            ValueError: `df` is less than the size of the matrices, or they are not square.
            TypeError: They are not of floating point numbers.
        """
        if not scale_operator.dtype.is_floating:
            raise TypeError(f"scale_operator.dtype={scale_operator.dtype} is not floating-point")
        if not scale_operator.is_square:
            raise ValueError("scale_operator must be square.")
        self._scale_operator, self._is_factor = scale_operator, cholesky_input_output_matrices
        dtype = scale_operator.dtype
        with name_scope(name) as scope:
            self._df = convert_to_tensor(df, dtype, name="df")
            known = scale_operator.domain_dimension.value
            if known is None:
                self._dimension = math_ops.cast(scale_operator.domain_dimension_tensor(), dtype)
            else:
                self._dimension = convert_to_tensor(known, dtype)
            self._df = self._checked_df(known, validate_args)
        parents = [each for each in scale_operator.graph_parents if isinstance(each, Tensor)]
        super().__init__(
            dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._df, self._dimension, *parents], scope,
        )  # fmt: skip

    def _checked_df(self, size: Optional[int], validate_args: bool) -> Tensor:
        known = array_ops.get_static_value(self._df)
        text = "Degrees of freedom cannot be less than the dimension of the scale matrix"
        if known is not None and size is not None:
            if np.any(known < size):
                raise ValueError(f"{text}: {known} and {size}")
            return self._df
        if not validate_args:
            return self._df
        return checked(
            self._df, assert_ops.assert_less_equal(self._dimension, self._df, message=text)
        )

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    @property
    def scale_operator(self) -> LinearOperator:
        """A factor of the scale."""
        return self._scale_operator

    @property
    def cholesky_input_output_matrices(self) -> bool:
        """Whether samples and values are factors of the matrices."""
        return self._is_factor

    @property
    def dimension(self) -> Tensor:
        """The size of the matrices, as a number of the dtype."""
        return self._dimension

    def _square(self) -> Tensor:
        dense = self._scale_operator.to_dense()
        found: Tensor = self._scale_operator.matmul(dense, adjoint_arg=True)
        return found

    def scale(self) -> Tensor:
        """The scale, or its factor where `cholesky_input_output_matrices` is true."""
        return self._scale_operator.to_dense() if self._is_factor else self._square()

    def _batch_shape(self) -> TensorShape:
        return self._scale_operator.batch_shape

    def _batch_shape_tensor(self) -> Tensor:
        return self._scale_operator.batch_shape_tensor()

    def _event_shape(self) -> TensorShape:
        size = self._scale_operator.domain_dimension
        return TensorShape([size, size])

    def _event_shape_tensor(self) -> Tensor:
        size = self._scale_operator.domain_dimension_tensor()
        return array_ops.stack([size, size])

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        # Bartlett's decomposition: normal numbers below a diagonal of roots of chi-squared ones.
        batch = self.batch_shape_tensor()
        shape = array_ops.concat([[n], batch, self.event_shape_tensor()], 0)
        drawn = gen_ops.matrix_band_part(random_normal(shape, dtype=self.dtype, seed=seed), -1, 0)
        halves = self._sequence(0.5 * self.df * creation_ops.ones(batch, self.dtype))
        other_seed = gen_new_seed(seed, "wishart")
        squares = random_gamma([n], halves, 0.5, dtype=self.dtype, seed=other_seed)
        lower = matrix_set_diag(drawn, gen_ops.sqrt(squares))
        factors = self._scale_operator.matmul(lower)
        return factors if self._is_factor else math_ops.matmul(factors, factors, adjoint_b=True)

    def _log_prob(self, value: Tensor) -> Tensor:
        root = value if self._is_factor else gen_ops.cholesky(value)
        ratio = self._scale_operator.solve(root)
        trace = math_ops.reduce_sum(gen_ops.square(ratio), [-2, -1])
        half = math_ops.reduce_sum(gen_ops.log(gen_ops.matrix_diag_part(root)), -1)
        return (self.df - self.dimension - 1.0) * half - 0.5 * trace - self.log_normalization()

    def _entropy(self) -> Tensor:
        half_size, half = 0.5 * self.dimension + 0.5, 0.5 * self.df
        return (
            self.dimension * (half + half_size * math.log(2.0))
            + 2.0 * half_size * self._scale_operator.log_abs_determinant()
            + self._log_gamma(half)
            + (half_size - half) * self._digamma(half)
        )

    def _of_matrices(self, values: Tensor) -> Tensor:
        """Numbers of the batch, with axes for the matrices."""
        if values.shape.rank == 0:
            return values
        return array_ops.expand_dims(array_ops.expand_dims(values, -1), -1)

    def _mean(self) -> Tensor:
        df = self._of_matrices(self.df)
        if self._is_factor:
            return gen_ops.sqrt(df) * self._scale_operator.to_dense()
        return df * self._square()

    def _variance(self) -> Tensor:
        scaled = gen_ops.sqrt(self._of_matrices(self.df)) * self._square()
        diagonal = gen_ops.matrix_diag_part(scaled)
        outer = array_ops.expand_dims(diagonal, -1) * array_ops.expand_dims(diagonal, -2)
        found = gen_ops.square(scaled) + outer
        return gen_ops.cholesky(found) if self._is_factor else found

    def _stddev(self) -> Tensor:
        if self._is_factor:
            raise ValueError(
                "Computing std. dev. when is cholesky_input_output_matrices=True does not make "
                "sense."
            )
        return gen_ops.cholesky(self._variance())

    def _mode(self) -> Tensor:
        rest = self._of_matrices(self.df - self.dimension - 1.0)
        nan = convert_to_tensor(np.nan, self.dtype)
        factor = where_v2(gen_ops.less(rest, 0.0), nan, rest)
        if self._is_factor:
            return gen_ops.sqrt(factor) * self._scale_operator.to_dense()
        return factor * self._square()

    def mean_log_det(self, name: str = "mean_log_det") -> Tensor:
        """The means of the logarithms of the determinants."""
        with self._name_scope(name):
            logs = self.dimension * math.log(2.0) + self._digamma(0.5 * self.df)
            return logs + 2.0 * self._scale_operator.log_abs_determinant()

    def log_normalization(self, name: str = "log_normalization") -> Tensor:
        """The logarithm of what the density is divided by."""
        with self._name_scope(name):
            return (
                self.df * self._scale_operator.log_abs_determinant()
                + 0.5 * self.df * self.dimension * math.log(2.0)
                + self._log_gamma(0.5 * self.df)
            )

    def _sequence(self, a: Tensor) -> Tensor:
        """a, a - 1/2, a - 1 and so on, as many as the matrices have rows."""
        size = self._scale_operator.domain_dimension_tensor()
        steps = math_ops.cast(math_ops.range(size), self.dtype)
        return array_ops.expand_dims(a, -1) - 0.5 * steps

    def _log_gamma(self, a: Tensor) -> Tensor:
        p = self.dimension
        logs = math_ops.reduce_sum(gen_ops.lgamma(self._sequence(a)), -1)
        return 0.25 * math.log(math.pi) * p * (p - 1.0) + logs

    def _digamma(self, a: Tensor) -> Tensor:
        return math_ops.reduce_sum(gen_ops.digamma(self._sequence(a)), -1)


def _triangle(scale: Tensor) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        scale, is_non_singular=True, is_positive_definite=True, is_square=True
    )


@set_module("troupe.contrib.distributions")
class WishartCholesky(WishartLinearOperator):
    """Wishart distributions, by the Cholesky factors of their scales."""

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        """Distributions of those parameters.

        Args:
            df: The degrees of freedom, at least the size of the matrices, in the shape of the
                batch.
            scale: The Cholesky factors of the scales, [..., size, size].
            cholesky_input_output_matrices: Whether samples and values are factors, too.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: `df` is less than the size of the matrices.
            TypeError: They are not of floating point numbers.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            matrix = convert_to_tensor(scale)
            if validate_args:
                sizes = array_ops.shape(matrix)
                diagonal = gen_ops.matrix_diag_part(matrix)
                text = "scale must be positive definite"
                matrix = checked(
                    matrix,
                    assert_ops.assert_positive(diagonal, message=text),
                    assert_ops.assert_equal(sizes[-1], sizes[-2], message="scale must be square"),
                )
            operator = _triangle(matrix)
        super().__init__(
            df, operator, cholesky_input_output_matrices, validate_args, allow_nan_stats, scope,
            parameters,
        )  # fmt: skip


@set_module("troupe.contrib.distributions")
class WishartFull(WishartLinearOperator):
    """Wishart distributions, by their scales."""

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        """Distributions of those parameters.

        Args:
            df: The degrees of freedom, at least the size of the matrices, in the shape of the
                batch.
            scale: The scales, [..., size, size], symmetric and positive definite.
            cholesky_input_output_matrices: Whether samples and values are Cholesky factors.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: `df` is less than the size of the matrices.
            TypeError: They are not of floating point numbers.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            matrix = convert_to_tensor(scale)
            if validate_args:
                turned = array_ops.matrix_transpose(matrix)
                text = "Matrix was not symmetric"
                matrix = checked(matrix, assert_ops.assert_equal(matrix, turned, message=text))
            factor = gen_ops.cholesky(matrix)
            if validate_args:
                diagonal = gen_ops.matrix_diag_part(factor)
                factor = checked(factor, assert_ops.assert_positive(diagonal))
            operator = _triangle(factor)
        super().__init__(
            df, operator, cholesky_input_output_matrices, validate_args, allow_nan_stats, scope,
            parameters,
        )  # fmt: skip
