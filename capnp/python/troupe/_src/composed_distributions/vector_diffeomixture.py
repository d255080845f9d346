"""Mixtures of affine maps of vectors, whose scales are between two."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.bijectors.affine import AffineLinearOperator
from troupe._src.composed_distributions.softmaxnormal_grids import (
    quadrature_scheme_softmaxnormal_quantiles,
)
from troupe._src.distributions.arguments import gen_new_seed
from troupe._src.distributions.categorical import Categorical
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.identity_operators import (
    LinearOperatorIdentity, LinearOperatorScaledIdentity,
)  # fmt: skip
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import (
    LinearOperatorDiag, LinearOperatorLowerTriangular,
)  # fmt: skip
from troupe._src.linalg.operator_addition import add_operators
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, reduction_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape, as_shape


@set_module("troupe.contrib.distributions")
class VectorDiffeomixture(Distribution):
    """Vectors L x + m of independent x, where L and m are random between two operators and shifts.

    It is `tf.contrib.distributions.VectorDiffeomixture` (Dillon and Langmore, Quadrature compound,
    2018): the distribution of the weights between them is approximated by a grid.
    """

    def __init__(
        self,
        mix_loc: Any,
        temperature: Any,
        distribution: Distribution,
        loc: Optional[Sequence[Any]] = None,
        scale: Optional[Sequence[LinearOperator]] = None,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_softmaxnormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDiffeomixture",
    ) -> None:
        """Distributions of those parameters.

        Args:
            mix_loc: Floats, [..., 1]: the greater, the more weight has the first component.
            temperature: Floats that broadcast with it: the less, the more weight has one of both.
            distribution: That of each x, without batches.
            loc: For each component the shift, floats [..., d], or None for 0; None for no shifts.
            scale: For each of the two components a linear operator of d rows.
            quadrature_size: How many weights are on the grid.
            quadrature_fn: Makes of the mean, the standard deviation, `quadrature_size` and
                `validate_args` the grid, [..., 2, n], and the probabilities, [n].
            validate_args: Whether operators must be positive definite, and steps check the rest.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
            name: The name.

        Raises:
            NotImplementedError: There are more than two components.
            TypeError: The dtypes of the operators differ.
            ValueError: There are not as many shifts as operators, or too few of them.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            if not scale or len(scale) < 2:
                raise ValueError(
                    "Must specify list (or list-like object) of scale LinearOperators, one for "
                    "each component with num_component >= 2."
                )
            given = [None] * len(scale) if loc is None else loc
            if len(given) != len(scale):
                raise ValueError("loc/scale must be same-length lists (or list-like objects).")
            dtype = scale[0].dtype.base_dtype
            _check_operators(scale, dtype, validate_args)
            shifts = [None if each is None else convert_to_tensor(each, dtype) for each in given]
            self._endpoint_affine = _maps(shifts, scale, validate_args, "endpoint_affine")
            if len(scale) != 2:
                raise NotImplementedError(
                    f"Currently only bimixtures are supported; len(scale)={len(scale)} is not 2."
                )
            mean = convert_to_tensor(mix_loc, dtype, name="mix_loc")
            heat = convert_to_tensor(temperature, dtype, name="temperature")
            self._grid, probs = quadrature_fn(
                mean / heat, 1.0 / heat, quadrature_size, validate_args
            )
            self._mixture = Categorical(
                logits=gen_ops.log(probs), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )  # fmt: skip
            self._base = distribution
            between = _between(self._grid, shifts, scale)
            self._interpolated_affine = _maps(*between, validate_args, "interpolated_affine")
            self._find_shapes()
        parents = [each for each in shifts if each is not None]
        parents += [each for operator in scale for each in operator.graph_parents]
        super().__init__(
            dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [*distribution._graph_parents, *parents], scope,
        )  # fmt: skip

    def _find_shapes(self) -> None:
        batch, event = self._grid.shape[:-2], as_shape([1])
        batch_tensor, size = array_ops.shape(self._grid)[:-2], convert_to_tensor([1])
        for each in self._endpoint_affine:
            if each.shift is not None:
                batch = broadcast_static_shape(batch, each.shift.shape[:-1])
                shape = array_ops.shape(each.shift)
                batch_tensor = broadcast_dynamic_shape(batch_tensor, shape[:-1])
                event = broadcast_static_shape(event, each.shift.shape[-1:])
                size = broadcast_dynamic_shape(size, shape[-1:])
            batch = broadcast_static_shape(batch, each.scale.batch_shape)
            batch_tensor = broadcast_dynamic_shape(batch_tensor, each.scale.batch_shape_tensor())
            event = broadcast_static_shape(event, as_shape([each.scale.range_dimension.value]))
            rows = array_ops.reshape(each.scale.range_dimension_tensor(), [1])
            size = broadcast_dynamic_shape(size, rows)
        self._shapes: Tuple[TensorShape, Tensor, TensorShape, Tensor]
        self._shapes = batch, batch_tensor, event, size

    @property
    def mixture_distribution(self) -> Categorical:
        """That of the weights on the grid."""
        return self._mixture

    @property
    def distribution(self) -> Distribution:
        """That of each x."""
        return self._base

    @property
    def grid(self) -> Tensor:
        """The weights of the two components, [..., 2, quadrature_size]."""
        grid: Tensor = self._grid
        return grid

    @property
    def endpoint_affine(self) -> List[AffineLinearOperator]:
        """The maps of the two components."""
        return self._endpoint_affine

    @property
    def interpolated_affine(self) -> List[AffineLinearOperator]:
        """The maps for the weights on the grid."""
        return self._interpolated_affine

    def _batch_shape(self) -> TensorShape:
        return self._shapes[0]

    def _batch_shape_tensor(self) -> Tensor:
        return self._shapes[1]

    def _event_shape(self) -> TensorShape:
        return self._shapes[2]

    def _event_shape_tensor(self) -> Tensor:
        return self._shapes[3]

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        batch = self._batch_shape_tensor()
        shape = array_ops.concat([[n], batch, self._event_shape_tensor()], 0)
        x = self._base.sample(shape, seed=seed)
        first, second = (each.forward(x) for each in self._endpoint_affine)
        count = math_ops.reduce_prod(batch)
        own_seed = gen_new_seed(seed, "vector_diffeomixture")
        chosen = self._mixture.sample(array_ops.stack([n, count]), seed=own_seed)
        weights = creation_ops.zeros(batch, self.dtype)
        # The weights of the first component, for each distribution of the batch.
        table = array_ops.expand_dims(weights, -1) + self._grid[..., 0, :]
        size = array_ops.shape(table)[-1]
        places = chosen + math_ops.cast(math_ops.range(count) * size, chosen.dtype)
        weight = gather(array_ops.reshape(table, [-1]), places)
        weight = array_ops.reshape(weight, array_ops.concat([[n], batch, [1]], 0))
        drawn: Tensor = weight * (first - second) + second
        return drawn

    def _log_prob(self, value: Tensor) -> Tensor:
        maps = self._interpolated_affine
        inverses = array_ops.stack([each.inverse(value) for each in maps], axis=-1)
        own = math_ops.reduce_sum(self._base.log_prob(inverses), -2)
        volumes = array_ops.stack(
            [each.forward_log_det_jacobian(value, event_ndims=1) for each in maps], axis=-1
        )
        return reduction_ops.reduce_logsumexp(self._mixture.logits - volumes + own, -1)

    def _probs(self) -> List[Tensor]:
        """The probability of each weight, which broadcasts with vectors."""
        probs = self._mixture.probs
        return [array_ops.expand_dims(probs[..., k], -1) for k in range(int(probs.shape[-1]))]

    def _means(self) -> List[Tensor]:
        """The mean of each map, [..., d]."""
        shape = array_ops.concat([self._batch_shape_tensor(), self._event_shape_tensor()], 0)
        base = creation_ops.zeros(shape, self.dtype) + self._base.mean()
        return [each.forward(base) for each in self._interpolated_affine]

    def _mean(self) -> Tensor:
        return _sum([p * each for p, each in zip(self._probs(), self._means())])

    def _variance(self) -> Tensor:
        mean = self._mean()
        parts = []
        for p, own_mean, each in zip(self._probs(), self._means(), self._interpolated_affine):
            rows = math_ops.reduce_sum(gen_ops.square(each.scale.to_dense()), -1)
            parts.append(p * (rows * self._base.variance() + gen_ops.square(own_mean - mean)))
        return _sum(parts)

    def _covariance(self) -> Tensor:
        mean = array_ops.expand_dims(self._mean(), -1)
        parts = []
        for p, own_mean, each in zip(self._probs(), self._means(), self._interpolated_affine):
            scale = each.scale
            own = scale.matmul(scale.to_dense(), adjoint_arg=True) * self._base.variance()
            rest = array_ops.expand_dims(own_mean, -1) - mean
            outer = raw_ops.BatchMatMulV2(x=rest, y=rest, adj_y=True)
            parts.append(array_ops.expand_dims(p, -1) * (own + outer))
        return _sum(parts)


def _sum(parts: List[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _check_operators(scale: Sequence[LinearOperator], dtype: Any, validate_args: bool) -> None:
    for k, each in enumerate(scale):
        if validate_args and not each.is_positive_definite:
            raise ValueError(
                f"scale[{k}].is_positive_definite = {each.is_positive_definite} != True"
            )
        if each.dtype.base_dtype != dtype:
            raise TypeError(
                f'dtype mismatch; scale[{k}].base_dtype="{each.dtype.base_dtype.name}" != '
                f'"{dtype.name}"'
            )


def _maps(
    shifts: Sequence[Any], scale: Sequence[LinearOperator], validate_args: bool, name: str
) -> List[AffineLinearOperator]:
    return [
        AffineLinearOperator(shift, operator, validate_args, f"{name}_{k}")
        for k, (shift, operator) in enumerate(zip(shifts, scale))
    ]


def _between(
    grid: Tensor, shifts: Sequence[Any], scale: Sequence[LinearOperator]
) -> Tuple[List[Any], List[LinearOperator]]:
    """The shifts and operators between those of the components, for each weight on the grid."""
    size = grid.shape.with_rank_at_least(1)[-1].value
    if size is None:
        raise ValueError("Num quadrature grid points must be known prior to graph execution.")
    moved, operators = [], []
    for q in range(size):
        weights = [grid[..., k, q] for k in range(2)]
        parts = [
            array_ops.expand_dims(weight, -1) * shift
            for weight, shift in zip(weights, shifts)
            if shift is not None
        ]
        moved.append(_sum(parts) if parts else None)
        scaled = [_scaled(weight, each) for weight, each in zip(weights, scale)]
        operators.append(add_operators(scaled)[0])
    return moved, operators


def _scaled(weight: Tensor, operator: LinearOperator) -> LinearOperator:
    """A positive multiple of an operator."""
    facts: Dict[str, Any] = {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
    }
    rows = operator.range_dimension_tensor()
    if isinstance(operator, LinearOperatorIdentity):
        return LinearOperatorScaledIdentity(rows, weight, **facts)
    if isinstance(operator, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(rows, weight * operator.multiplier, **facts)
    wider = array_ops.expand_dims(weight, -1)
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(wider * operator.diag_part(), **facts)
    if isinstance(operator, LinearOperatorLowerTriangular):
        dense = array_ops.expand_dims(wider, -1) * operator.to_dense()
        return LinearOperatorLowerTriangular(dense, **facts)
    raise NotImplementedError(f"Unsupported Linop type ({type(operator).__name__})")
