"""Distributions whose batch has another shape."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from troupe._src.distributions.distribution import Distribution
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, as_shape, unknown_shape


@set_module("troupe.contrib.distributions")
class BatchReshape(Distribution):
    """Another distribution, whose batch members are in another shape."""

    def __init__(
        self,
        distribution: Any,
        batch_shape: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: Optional[str] = None,
    ) -> None:
        """The batch members in that shape.

        Args:
            distribution: The other distribution.
            batch_shape: The new shape; -1 is the size that the others leave.
            validate_args: Whether steps check the shape, and those of values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The shape is not a vector, or of another number of members.
        """
        parameters = dict(locals())
        with name_scope(name or "BatchReshape" + distribution.name) as scope:
            self._given = convert_to_tensor(batch_shape, dtypes.int32, name="batch_shape")
            self._known = _known_shape(self._given)
            _check(distribution, self._given, self._known)
            self._sizes, self._assertions = _reshaped(
                distribution, self._given, self._known, validate_args
            )
            self._distribution = distribution
        super().__init__(
            distribution.dtype, distribution.reparameterization_type, validate_args,
            allow_nan_stats, parameters, [self._given, *distribution._graph_parents], scope,
        )  # fmt: skip

    @property
    def distribution(self) -> Any:
        """The other distribution."""
        return self._distribution

    def _checked(self, value: Any) -> Tensor:
        with control_dependencies(self._assertions):
            return array_ops.identity(value)

    def _batch_shape(self) -> TensorShape:
        return self._known

    def _batch_shape_tensor(self) -> Tensor:
        return self._checked(self._sizes)

    def _event_shape(self) -> TensorShape:
        found: TensorShape = self._distribution.event_shape
        return found

    def _event_shape_tensor(self) -> Tensor:
        return self._checked(self._distribution.event_shape_tensor())

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        drawn = self._checked(self._distribution.sample(n, seed=seed))
        shape = array_ops.concat([[n], self._given, self._event_shape_tensor()], 0)
        return array_ops.reshape(drawn, shape)

    def _of_values(self, function: Callable[[Any], Any], x: Tensor) -> Tensor:
        """What the other distribution computes of values."""
        with control_dependencies(self._assertions + self._value_checks(x)):
            sizes = array_ops.shape(x)
            outer = array_ops.size(sizes) - array_ops.size(self._given)
            outer = outer - array_ops.size(self._event_shape_tensor())
            samples = sizes[:outer]
            shape = array_ops.concat(
                [samples, self._distribution.batch_shape_tensor(), self._event_shape_tensor()], 0
            )
            reshaped = array_ops.reshape(x, shape)
            known = self._known_samples(x)
            reshaped.set_shape(
                known.concatenate(self._distribution.batch_shape).concatenate(self.event_shape)
            )
            found = function(reshaped)
            result = array_ops.reshape(found, array_ops.concat([samples, self._given], 0))
            result.set_shape(known.concatenate(self.batch_shape))
            return result

    def _known_samples(self, x: Tensor) -> TensorShape:
        """The sample's part of the shape of values."""
        rank, batch, event = x.shape.rank, self.batch_shape.rank, self.event_shape.rank
        if rank is None or batch is None or event is None:
            return unknown_shape()
        return x.shape[: rank - batch - event]

    def _log_prob(self, value: Tensor) -> Tensor:
        return self._of_values(self._distribution.log_prob, value)

    def _prob(self, value: Tensor) -> Tensor:
        return self._of_values(self._distribution.prob, value)

    def _log_cdf(self, value: Tensor) -> Tensor:
        return self._of_values(self._distribution.log_cdf, value)

    def _cdf(self, value: Tensor) -> Tensor:
        return self._of_values(self._distribution.cdf, value)

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return self._of_values(self._distribution.log_survival_function, value)

    def _survival_function(self, value: Tensor) -> Tensor:
        return self._of_values(self._distribution.survival_function, value)

    def _statistic_of(self, found: Any, events: Sequence[Any], known: TensorShape) -> Tensor:
        """What the other distribution computes, in the new shape."""
        with control_dependencies(self._assertions):
            shape = array_ops.concat([self._given, *events], 0)
            result = array_ops.reshape(found, shape)
            result.set_shape(self.batch_shape.concatenate(known))
            return result

    def _per_event(self, found: Any) -> Tensor:
        return self._statistic_of(found, [self._event_shape_tensor()], self.event_shape)

    def _entropy(self) -> Tensor:
        return self._statistic_of(self._distribution.entropy(), [], as_shape([]))

    def _mean(self) -> Tensor:
        return self._per_event(self._distribution.mean())

    def _mode(self) -> Tensor:
        return self._per_event(self._distribution.mode())

    def _stddev(self) -> Tensor:
        return self._per_event(self._distribution.stddev())

    def _variance(self) -> Tensor:
        return self._per_event(self._distribution.variance())

    def _covariance(self) -> Tensor:
        events = [self._event_shape_tensor()] * 2
        known = self.event_shape.concatenate(self.event_shape)
        return self._statistic_of(self._distribution.covariance(), events, known)

    def _value_checks(self, x: Tensor) -> List[Any]:
        """Values do not broadcast: what is known to be wrong raises, and steps check the rest."""
        rank, batch, event = x.shape.rank, self.batch_shape.rank, self.event_shape.rank
        text = "Broadcasting is not supported; "
        checks: List[Any] = []
        own = array_ops.size(self._sizes) + array_ops.size(self._event_shape_tensor())
        given, few = unknown_shape(), f"{text}too few batch and event dims"
        if rank is not None and batch is not None and event is not None:
            if rank < batch + event:
                raise NotImplementedError(
                    f"{few} (expected at least {batch + event}, saw {rank})."
                )
            given = x.shape[rank - batch - event :]
        elif self.validate_args:
            checks.append(assert_ops.assert_greater_equal(array_ops.rank(x), own, message=few))
        wanted = self.batch_shape.concatenate(self.event_shape)
        if wanted.is_fully_defined() and given.is_fully_defined():
            if wanted != given:
                raise NotImplementedError(
                    f"{text}unexpected batch and event shape (expected {wanted}, saw {given})."
                )
        elif self.validate_args:
            with control_dependencies(checks):
                place = gen_ops.maximum(array_ops.rank(x) - own, 0)
                sizes = array_ops.concat([self._sizes, self._event_shape_tensor()], 0)
                other = f"{text}unexpected batch and event shape."
                checks = [
                    assert_ops.assert_equal(sizes, array_ops.shape(x)[place:], message=other)
                ]
        return checks


def _known_shape(given: Tensor) -> TensorShape:
    known = array_ops.get_static_value(given)
    if known is None:
        size = given.shape[0].value if given.shape.rank == 1 else None
        return unknown_shape() if size is None else TensorShape([None] * size)
    return TensorShape([None if size == -1 else int(size) for size in np.reshape(known, [-1])])


def _check(distribution: Any, given: Tensor, known: TensorShape) -> None:
    """Raises where the new shape is known to be wrong."""
    if given.shape.rank not in (None, 1):
        raise ValueError(f"`batch_shape` must be a vector (saw rank: {given.shape.rank}).")
    sizes = array_ops.get_static_value(given)
    if sizes is not None and np.any((sizes < 1) & (sizes != -1)):
        raise ValueError("`batch_shape` elements must be >=-1.")
    own, wanted = distribution.batch_shape.num_elements(), known.num_elements()
    if own is not None and wanted is not None and own != wanted:
        raise ValueError(
            f"`batch_shape` size ({wanted}) must match `distribution.batch_shape` size ({own})."
        )


def _reshaped(
    distribution: Any, given: Tensor, known: TensorShape, validate_args: bool
) -> Tuple[Tensor, List[Any]]:
    """The new shape without -1, and the checks of steps."""
    if known.is_fully_defined():
        return convert_to_tensor(known.as_list(), dtypes.int32), []
    sizes = distribution.batch_shape_tensor()
    total = math_ops.reduce_prod(sizes)
    is_rest = gen_ops.equal(given, -1)
    rest = gen_ops.floor_div(total, gen_ops.maximum(1, -math_ops.reduce_prod(given)))
    is_rest_numbers = math_ops.cast(is_rest, dtypes.int32)
    found = given + is_rest_numbers * (rest - given)
    if not validate_args:
        return found, []
    return found, [
        assert_ops.assert_less_equal(
            math_ops.reduce_sum(is_rest_numbers), 1,
            message="At most one dimension can be unknown.",
        ),
        assert_ops.assert_positive(found, message="Shape elements must be >=-1."),
        assert_ops.assert_equal(
            math_ops.reduce_prod(found), total, message="Shape sizes do not match."
        ),
    ]  # fmt: skip
