"""Normal distributions of vectors by triangles, covariances, and diagonals plus thin products."""

from __future__ import annotations

from typing import Any

from troupe._src.distributions.arguments import checked
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.identity_operators import LinearOperatorIdentity
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import LinearOperatorLowerTriangular
from troupe._src.linalg.low_rank_update import LinearOperatorLowRankUpdate
from troupe._src.ops import array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.vector_distributions.mvn_linear_operator import (
    MultivariateNormalLinearOperator,
)
from troupe._src.vector_distributions.scales import (
    diagonal_scale,
    size_of_last_axis,
    tensor_or_none,
)


@set_module("troupe.contrib.distributions")
class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """Normal distributions of vectors, whose scale is a lower triangular matrix."""

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The means, [..., size], by default 0.
            scale_tril: L, [..., size, size], of which only the lower triangle counts: the
                covariance is L L*. By default 1.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_tril` is given.
        """
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        with name_scope(name) as scope:
            scale: LinearOperator
            place = tensor_or_none(loc, "loc")
            if scale_tril is not None:
                scale = LinearOperatorLowerTriangular(
                    convert_to_tensor(scale_tril, name="scale_tril"), is_non_singular=True,
                    is_self_adjoint=False, is_positive_definite=False,
                )  # fmt: skip
            elif place is not None:
                scale = LinearOperatorIdentity(
                    size_of_last_axis(place), dtype=place.dtype, is_self_adjoint=True,
                    is_positive_definite=True, assert_proper_shapes=validate_args,
                )  # fmt: skip
        super().__init__(place, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """Normal distributions of vectors, by their covariances."""

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The means, [..., size], by default 0.
            covariance_matrix: The covariances, [..., size, size], symmetric and positive definite;
                by default 1.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `covariance_matrix` is given.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            matrix = tensor_or_none(covariance_matrix, "covariance_matrix")
            if matrix is not None and validate_args:
                turned = array_ops.matrix_transpose(matrix)
                text = "Matrix was not symmetric"
                matrix = checked(matrix, assert_ops.assert_near(matrix, turned, message=text))
            triangle = None if matrix is None else gen_ops.cholesky(matrix)
        super().__init__(loc, triangle, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
    """Normal distributions of vectors, whose scale is a diagonal plus a product U D U*."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The means, [..., size], by default 0.
            scale_diag: The diagonal of the scale, by default 1 if no multiplier is given.
            scale_identity_multiplier: Is added to all of a diagonal, in the shape of the batch.
            scale_perturb_factor: U, [..., size, rank].
            scale_perturb_diag: The diagonal of D, [..., rank], by default 1.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_diag` says the length of the vectors.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            has_product = scale_perturb_factor is not None or scale_perturb_diag is not None
            scale = diagonal_scale(
                loc, scale_diag, scale_identity_multiplier, validate_args, has_product
            )
            if has_product:
                scale = LinearOperatorLowRankUpdate(
                    scale,
                    convert_to_tensor(scale_perturb_factor, name="scale_perturb_factor"),
                    tensor_or_none(scale_perturb_diag, "scale_perturb_diag"),
                    is_diag_update_positive=scale_perturb_diag is None, is_non_singular=True,
                    is_self_adjoint=True, is_positive_definite=True, is_square=True,
                )  # fmt: skip
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
