"""The bijectors that multiply vectors by a matrix, and add one."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.bijectors.columns import of_columns
from troupe._src.bijectors.scales import make_tril_scale
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.low_rank_update import LinearOperatorLowRankUpdate
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


class _OfOperator(Bijector):
    """y = scale x + shift, of vectors along the last axis."""

    _shift: Any
    _scale: Any

    @property
    def shift(self) -> Any:
        """What is added, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """What multiplies."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        with control_dependencies(self._checks()):
            y = x if self._scale is None else self._multiplied(x)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x = y if self._shift is None else y - self._shift
        return x if self._scale is None else self._divided(x)

    def _multiplied(self, x: Tensor) -> Any:
        return of_columns(self._scale.matmul, x, _batch_ndims(self._scale))

    def _divided(self, x: Tensor) -> Any:
        return of_columns(self._scale.solve, x, _batch_ndims(self._scale))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return convert_to_tensor(0.0, x.dtype)
        with control_dependencies(self._checks()):
            return self._scale.log_abs_determinant()

    def _checks(self) -> List[Operation]:
        if not self.validate_args or not isinstance(self._scale, LinearOperator):
            return []
        try:
            return [self._scale.assert_non_singular()]
        except NotImplementedError:
            return []


def _batch_ndims(scale: LinearOperator) -> Any:
    if scale.tensor_rank is not None:
        return scale.tensor_rank - 2
    return scale.tensor_rank_tensor() - 2


def _check_dtypes(shift: Optional[Tensor], scale: Any) -> None:
    if shift is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
        raise TypeError(
            f"shift.dtype({shift.dtype.name}) is incompatible with "
            f"scale.dtype({scale.dtype.name})."
        )


@set_module("troupe.contrib.distributions.bijectors")
class AffineLinearOperator(_OfOperator):
    """y = scale x + shift, of vectors along the last axis; `scale` is a linear operator."""

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        """The bijector.

        Args:
            shift: What is added, [..., rows]; None for 0.
            scale: The linear operator; None for the identity.
            validate_args: Whether steps check that `scale` has an inverse.
            name: The name scope of its nodes.

        Raises:
            TypeError: `scale` is no linear operator, or of another dtype.
            ValueError: Arguments are checked, and `scale` is not said to have an inverse.
        """
        self._graph_parents, self._name = [], name
        dtype = dtypes.float32
        with self._name_scope("init"):
            self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
            parents: List[Any] = [] if self._shift is None else [self._shift]
            if self._shift is not None:
                dtype = self._shift.dtype.base_dtype
            if scale is not None:
                if not isinstance(scale, LinearOperator):
                    raise TypeError("scale is not an instance of tf.LinearOperator")
                _check_dtypes(self._shift, scale)
                if validate_args and not scale.is_non_singular:
                    raise ValueError("Scale matrix must be non-singular.")
                parents += scale.graph_parents
                dtype = scale.dtype.base_dtype
            self._scale = scale
        super().__init__(
            graph_parents=parents, is_constant_jacobian=True, validate_args=validate_args,
            dtype=dtype, forward_min_event_ndims=1, name=name,
        )  # fmt: skip


@set_module("troupe.contrib.distributions.bijectors")
class Affine(_OfOperator):
    """y = scale x + shift, of vectors along the last axis.

    The matrix `scale` is the sum of those that are given: a multiple of the identity, a diagonal, a
    lower triangle, and factor diag(perturb_diag) factor^T. Without any it is the identity.
    """

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        """The bijector.

        Args:
            shift: What is added, [..., rows]; None for 0.
            scale_identity_multiplier: The number that multiplies the identity, [...].
            scale_diag: The diagonal, [..., rows].
            scale_tril: The lower triangle, [..., rows, rows].
            scale_perturb_factor: The factor of an update of low rank, [..., rows, rank].
            scale_perturb_diag: The diagonal of that update, [..., rank]; by default ones.
            validate_args: Whether steps check that the matrix has an inverse.
            name: The name scope of its nodes.

        Raises:
            ValueError: `scale_perturb_diag` is given without a factor, or nothing says the number
                of rows.
            TypeError: The dtypes differ.
        """
        self._graph_parents, self._name = [], name
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError(
                "When scale_perturb_diag is specified, scale_perturb_factor must be specified."
            )
        matrices = (scale_diag, scale_tril, scale_perturb_factor)
        self._is_multiple = all(each is None for each in matrices)
        with self._name_scope("init"):
            self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
            if self._is_multiple:
                self._scale = self._number(scale_identity_multiplier, validate_args)
                parents: List[Any] = [self._scale]
            else:
                self._scale = self._operator(
                    scale_identity_multiplier, scale_diag, scale_tril, scale_perturb_factor,
                    scale_perturb_diag, validate_args,
                )  # fmt: skip
                _check_dtypes(self._shift, self._scale)
                parents = list(self._scale.graph_parents)
            parents += [] if self._shift is None else [self._shift]
        super().__init__(
            graph_parents=parents, is_constant_jacobian=True, validate_args=validate_args,
            dtype=self._scale.dtype.base_dtype, forward_min_event_ndims=1, name=name,
        )  # fmt: skip

    def _number(self, multiplier: Any, validate_args: bool) -> Tensor:
        """The multiplier of the identity."""
        if multiplier is None:
            dtype = dtypes.float32 if self._shift is None else self._shift.dtype.base_dtype
            return convert_to_tensor(1.0, dtype)
        number = convert_to_tensor(multiplier, name="identity_multiplier")
        if not validate_args:
            return number
        zero = convert_to_tensor(0, number.dtype)
        text = "identity_multiplier should be non-zero."
        return checked(number, assert_ops.assert_none_equal(number, zero, message=text))

    def _operator(
        self, multiplier: Any, diag: Any, tril: Any, factor: Any, weights: Any,
        validate_args: bool,
    ) -> LinearOperator:  # fmt: skip
        """The sum of those matrices that are given."""
        if factor is None:
            return make_tril_scale(
                self._shift, tril, diag, multiplier, validate_args=validate_args
            )
        thin = convert_to_tensor(factor, name="perturb_factor")
        known = thin.shape.with_rank_at_least(2)[-2].value
        rows = array_ops.shape(thin)[-2] if known is None else known
        like = thin[..., 0] if self._shift is None else self._shift
        base = make_tril_scale(like, tril, diag, multiplier, rows, validate_args)
        return LinearOperatorLowRankUpdate(base, thin, weights, is_non_singular=True)

    def _multiplied(self, x: Tensor) -> Any:
        return x * self._scale if self._is_multiple else super()._multiplied(x)

    def _divided(self, x: Tensor) -> Any:
        return x / self._scale if self._is_multiple else super()._divided(x)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if not self._is_multiple:
            return super()._forward_log_det_jacobian(x)
        rows = math_ops.cast(array_ops.shape(x)[-1], self._scale.dtype)
        return gen_ops.log(arithmetic_ops.abs(self._scale)) * rows
