"""Mixtures of the batch members of one distribution."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.composed_distributions.mixture_shapes import with_event_axes
from troupe._src.distributions.arguments import gen_new_seed
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


@set_module("troupe.contrib.distributions")
class MixtureSameFamily(Distribution):
    """A mixture of the members of a distribution along the last axis of its batch."""

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        """Mixtures by those probabilities of the components.

        Args:
            mixture_distribution: A `Categorical` of the components, without a batch or with that
                of the mixtures.
            components_distribution: The components, along the last axis of its batch.
            validate_args: Whether steps check that the shapes fit.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The shapes do not fit, or the first one is not of integers.
        """
        parameters = dict(locals())
        self._mixture, self._components = mixture_distribution, components_distribution
        if not mixture_distribution.dtype.is_integer:
            raise ValueError(
                f"`mixture_distribution.dtype` ({mixture_distribution.dtype.name}) is not over "
                "integers"
            )
        with name_scope(name) as scope:
            rank = components_distribution.event_shape.rank
            count = array_ops.size(components_distribution.event_shape_tensor())
            self._event_rank: Any = count if rank is None else rank
            self._assertions = [*self._batch_checks(validate_args)]
            self._assertions += self._count_checks(validate_args)
        super().__init__(
            components_distribution.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters,
            [*mixture_distribution._graph_parents, *components_distribution._graph_parents], scope,
        )  # fmt: skip

    def _batch_checks(self, validate_args: bool) -> List[Any]:
        event = self._mixture.event_shape.rank
        if event not in (None, 0):
            raise ValueError("`mixture_distribution` must have scalar `event_dim`s")
        checks = []
        if event is None and validate_args:
            size = array_ops.size(self._mixture.event_shape_tensor())
            text = "`mixture_distribution` must have scalar `event_dim`s"
            checks.append(assert_ops.assert_equal(size, 0, message=text))
        own = self._mixture.batch_shape
        wanted = self._components.batch_shape.with_rank_at_least(1)[:-1]
        text = "`mixture_distribution.batch_shape` is not compatible with that of the components"
        if own.is_fully_defined() and wanted.is_fully_defined():
            if own.rank != 0 and own != wanted:
                raise ValueError(f"{text}: {own} and {wanted}")
        elif validate_args:
            batch = self._mixture.batch_shape_tensor()
            outer = self._components.batch_shape_tensor()[:-1]
            # The batch of the components, if the mixture has none.
            count = where_v2(self._mixture.is_scalar_batch(), array_ops.size(outer), 0)
            found = array_ops.concat([batch, outer[:count]], 0)
            checks.append(assert_ops.assert_equal(found, outer, message=text))
        return checks

    def _count_checks(self, validate_args: bool) -> List[Any]:
        logits = self._mixture.logits
        own = logits.shape.with_rank_at_least(1)[-1].value
        wanted = self._components.batch_shape.with_rank_at_least(1)[-1].value
        self._count: Any = array_ops.shape(logits)[-1] if own is None else own
        text = "`mixture_distribution components` does not equal that of the components' batch"
        if own is not None and wanted is not None:
            if own != wanted:
                raise ValueError(f"{text}: {own} and {wanted}")
        elif validate_args:
            size = self._components.batch_shape_tensor()[-1]
            given = convert_to_tensor(self._count, dtypes.int32)
            return [assert_ops.assert_equal(given, size, message=text)]
        return []

    @property
    def mixture_distribution(self) -> Any:
        """That of the components' numbers."""
        return self._mixture

    @property
    def components_distribution(self) -> Any:
        """The components, along the last axis of its batch."""
        return self._components

    def _batch_shape(self) -> TensorShape:
        found: TensorShape = self._components.batch_shape.with_rank_at_least(1)[:-1]
        return found

    def _batch_shape_tensor(self) -> Tensor:
        with control_dependencies(self._assertions):
            return array_ops.identity(self._components.batch_shape_tensor()[:-1])

    def _event_shape(self) -> TensorShape:
        found: TensorShape = self._components.event_shape
        return found

    def _event_shape_tensor(self) -> Tensor:
        with control_dependencies(self._assertions):
            return array_ops.identity(self._components.event_shape_tensor())

    def _of_events(self, x: Tensor) -> Tensor:
        return with_event_axes(x, self, self._mixture, self._event_rank)

    def _sum(self, values: Tensor) -> Tensor:
        """Over the components, before the axes of an event."""
        return math_ops.reduce_sum(values, -1 - self._event_rank)

    def _per_component(self, x: Tensor) -> Tensor:
        """With an axis of size 1 for the components."""
        return array_ops.expand_dims(x, -1 - self._event_rank)

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        with control_dependencies(self._assertions):
            drawn = self._components.sample(n, seed=seed)
            chosen = self._mixture.sample(n, seed=gen_new_seed(seed, "mixture"))
            is_chosen = creation_ops.one_hot(chosen, self._count, dtype=drawn.dtype)
            return self._sum(drawn * self._of_events(is_chosen))

    def _mixed(self, logs: Tensor) -> Tensor:
        weights = nn_ops.log_softmax(self._mixture.logits)
        return reduction_ops.reduce_logsumexp(logs + weights, -1)

    def _log_prob(self, value: Tensor) -> Tensor:
        with control_dependencies(self._assertions):
            return self._mixed(self._components.log_prob(self._per_component(value)))

    def _log_cdf(self, value: Tensor) -> Tensor:
        return self._mixed(self._components.log_cdf(self._per_component(value)))

    def _mean(self) -> Tensor:
        with control_dependencies(self._assertions):
            return self._sum(self._of_events(self._mixture.probs) * self._components.mean())

    def _variance(self) -> Tensor:
        # The mean of the variances, and the variance of the means.
        with control_dependencies(self._assertions):
            probs = self._of_events(self._mixture.probs)
            shift = self._components.mean() - self._per_component(self._mean())
            within = self._sum(probs * self._components.variance())
            return within + self._sum(probs * gen_ops.square(shift))

    def _covariance(self) -> Tensor:
        if self.event_shape.rank != 1:
            raise NotImplementedError("covariance is not implemented")
        with control_dependencies(self._assertions):
            probs = array_ops.expand_dims(self._of_events(self._mixture.probs), -1)
            shift = self._components.mean() - self._per_component(self._mean())
            outer = array_ops.expand_dims(shift, -1) * array_ops.expand_dims(shift, -2)
            within = math_ops.reduce_sum(probs * self._components.covariance(), -3)
            return within + math_ops.reduce_sum(probs * outer, -3)
