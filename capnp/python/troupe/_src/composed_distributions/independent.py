"""Distributions whose batch axes count as axes of an event."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.divergences import RegisterKL, kl_divergence
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, unknown_shape


@set_module("troupe.contrib.distributions")
class Independent(Distribution):
    """Another distribution, some of whose last batch axes are axes of an event."""

    def __init__(
        self,
        distribution: Any,
        reinterpreted_batch_ndims: Any = None,
        validate_args: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """One of the events of a number of batch members together.

        Args:
            distribution: The other distribution.
            reinterpreted_batch_ndims: How many of its batch axes, by default all but the first.
            validate_args: Whether steps check that it has so many.

        Raises:
            ValueError: It has fewer.
        """
        parameters = dict(locals())
        self._distribution = distribution
        with name_scope(name or "Independent" + distribution.name) as scope:
            rank = distribution.batch_shape.rank
            if reinterpreted_batch_ndims is None:
                count = array_ops.size(distribution.batch_shape_tensor())
                reinterpreted_batch_ndims = (
                    gen_ops.maximum(0, count - 1) if rank is None else max(0, rank - 1)
                )
            tensor = convert_to_tensor(reinterpreted_batch_ndims, dtypes.int32)
            known = array_ops.get_static_value(tensor)
            self._known_ndims = None if known is None else int(known)
            self._ndims: Any = tensor if self._known_ndims is None else self._known_ndims
            self._assertions = self._checks(rank, validate_args)
        super().__init__(
            distribution.dtype, distribution.reparameterization_type, validate_args,
            distribution.allow_nan_stats, parameters, [tensor, *distribution._graph_parents], scope,
        )  # fmt: skip

    def _checks(self, rank: Optional[int], validate_args: bool) -> List[Any]:
        text = "reinterpreted_batch_ndims cannot exceed distribution.batch_ndims"
        if rank is not None and self._known_ndims is not None:
            if self._known_ndims > rank:
                raise ValueError(f"{text}: {self._known_ndims} > {rank}")
            return []
        if not validate_args:
            return []
        own = array_ops.size(self._distribution.batch_shape_tensor())
        return [assert_ops.assert_less_equal(self._ndims, own, message=text)]

    @property
    def distribution(self) -> Any:
        """The other distribution."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> Any:
        """How many of its batch axes are axes of an event: a number if it is known, or a tensor."""
        return self._ndims

    def _split(self) -> Any:
        sizes = self._distribution.batch_shape_tensor()
        return sizes, array_ops.size(sizes) - self._ndims

    def _batch_shape_tensor(self) -> Tensor:
        with control_dependencies(self._assertions):
            sizes, place = self._split()
            found: Tensor = sizes[:place]
            return found

    def _event_shape_tensor(self) -> Tensor:
        with control_dependencies(self._assertions):
            sizes, place = self._split()
            return array_ops.concat([sizes[place:], self._distribution.event_shape_tensor()], 0)

    def _known_split(self) -> Optional[int]:
        rank = self._distribution.batch_shape.rank
        if rank is None or self._known_ndims is None:
            return None
        return int(rank) - self._known_ndims

    def _batch_shape(self) -> TensorShape:
        place = self._known_split()
        return unknown_shape() if place is None else self._distribution.batch_shape[:place]

    def _event_shape(self) -> TensorShape:
        place = self._known_split()
        if place is None:
            return unknown_shape()
        own: TensorShape = self._distribution.batch_shape[place:]
        return own.concatenate(self._distribution.event_shape)

    def _total(self, values: Tensor) -> Tensor:
        """The sums over the axes that belong to an event."""
        if self._known_ndims is None:
            return math_ops.reduce_sum(values, -1 - math_ops.range(self._ndims))
        return math_ops.reduce_sum(values, [-1 - axis for axis in range(self._known_ndims)])

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return self._checked(self._distribution.sample(n, seed=seed))

    def _checked(self, value: Any) -> Tensor:
        with control_dependencies(self._assertions):
            return array_ops.identity(value)

    def _log_prob(self, value: Tensor) -> Tensor:
        return self._checked(self._total(self._distribution.log_prob(value)))

    def _entropy(self) -> Tensor:
        return self._checked(self._total(self._distribution.entropy()))

    def _mean(self) -> Tensor:
        return self._checked(self._distribution.mean())

    def _variance(self) -> Tensor:
        return self._checked(self._distribution.variance())

    def _stddev(self) -> Tensor:
        return self._checked(self._distribution.stddev())

    def _mode(self) -> Tensor:
        return self._checked(self._distribution.mode())


@RegisterKL(Independent, Independent)
def _kl_of_independents(a: Independent, b: Independent, name: Optional[str] = None) -> Tensor:
    p, q = a.distribution, b.distribution
    with name_scope(name, "kl_independent"):
        found = kl_divergence(p, q)
        if a.event_shape.is_fully_defined() and b.event_shape.is_fully_defined():
            if a.event_shape != b.event_shape:
                raise ValueError("Event shapes do not match.")
            if p.event_shape != q.event_shape:
                raise NotImplementedError(
                    "KL between Independents with different event shapes not supported."
                )
            count = a.event_shape.rank - p.event_shape.rank
            return math_ops.reduce_sum(found, [-1 - axis for axis in range(count)])
        checks = [
            assert_ops.assert_equal(x.event_shape_tensor(), y.event_shape_tensor())
            for x, y in ((a, b), (p, q))
        ]
        with control_dependencies(checks):
            inner = array_ops.size(p.event_shape_tensor())
            axes = -1 - math_ops.range(array_ops.size(a.event_shape_tensor()) - inner)
            return math_ops.reduce_sum(found, axes)
