"""The distribution of a function of samples."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.event_ndims import static_event_ndims
from troupe._src.bijectors.sigmoids import Identity
from troupe._src.distributions.distribution import Distribution
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_static_shape
from troupe._src.ops.creation_ops import zeros
from troupe._src.ops.reduction_ops import reduce_logsumexp
from troupe._src.set_module import set_module
from troupe._src.transformed_distributions.shape_overrides import Override, Rotation
from troupe._src.transformed_distributions.static_choices import all_of, condition, negated
from troupe._src.types.shapes import TensorShape

_Arguments = Optional[Dict[str, Any]]


@set_module("troupe.contrib.distributions")
class TransformedDistribution(Distribution):
    """The distribution of y = f(x), of the samples x of another one and of a bijector f.

    A distribution of numbers may stand for one of a batch or of events of some shape: then its
    samples are independent of each other before `f`.
    """

    def __init__(
        self,
        distribution: Any,
        bijector: Optional[Bijector] = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """The distribution.

        Args:
            distribution: That of x.
            bijector: f; None for y = x.
            batch_shape: The shape of the batch, in place of that of `distribution`, which has to
                have none.
            event_shape: The shape of an x, likewise.
            validate_args: Whether steps check the arguments and the values.
            name: The name scope of its nodes, by default of the names of both.

        Raises:
            TypeError: A shape is not of integers.
            ValueError: A shape is no vector, or not positive, or both it and `distribution` have
                sizes.
        """
        parameters = dict(locals())
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with name_scope(name) as scope:
            self._batch_override = Override(
                batch_shape, distribution.is_scalar_batch(), validate_args, "batch_shape"
            )
            self._event_override = Override(
                event_shape, distribution.is_scalar_event(), validate_args, "event_shape"
            )
            is_rotated = all_of(
                self._event_override.is_given,
                negated(self._batch_override.is_given),
                negated(condition(distribution.is_scalar_batch())),
            )
            self._rotation = Rotation(is_rotated, self._event_override.length)
            self._distribution = distribution
            self._bijector = Identity(validate_args) if bijector is None else bijector
        super().__init__(
            distribution.dtype, distribution.reparameterization_type, validate_args,
            distribution.allow_nan_stats, parameters,
            [*distribution._graph_parents, *self._bijector.graph_parents], scope,
        )  # fmt: skip

    @property
    def distribution(self) -> Any:
        """That of x."""
        return self._distribution

    @property
    def bijector(self) -> Bijector:
        """f."""
        return self._bijector

    def _event_shape_tensor(self) -> Any:
        own = self.distribution.event_shape_tensor()
        return self.bijector.forward_event_shape_tensor(self._event_override.sizes_or(own))

    def _event_shape(self) -> TensorShape:
        shape = self._event_override.shape(self.distribution.event_shape)
        return self.bijector.forward_event_shape(shape)

    def _batch_shape_tensor(self) -> Any:
        return self._batch_override.sizes_or(self.distribution.batch_shape_tensor())

    def _batch_shape(self) -> TensorShape:
        return self._batch_override.shape(self.distribution.batch_shape)

    def _sample_n(
        self, n: Any, seed: Any = None, bijector_kwargs: _Arguments = None,
        distribution_kwargs: _Arguments = None,
    ) -> Any:  # fmt: skip
        """Samples of x, in the shapes of a batch and an event."""
        shape = self._rotation.sample_shape(
            n, self._batch_override.sizes, self._event_override.sizes
        )
        drawn = self.distribution.sample(shape, seed=seed, **(distribution_kwargs or {}))
        return self._rotation.rotated(drawn)

    def _call_sample_n(
        self, sample_shape: Any, seed: Optional[int], name: str, **kwargs: Any
    ) -> Any:
        given = kwargs.get("bijector_kwargs") or {}
        with self._name_scope(name):
            return self._in_shape(
                sample_shape,
                lambda count: self._sample_n(count, seed, **kwargs),
                lambda x: self.bijector.forward(x, **given),
            )

    def _log_prob(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        found = self._of_branches(
            value, bijector_kwargs, distribution_kwargs,
            lambda x, **given: self.distribution.log_prob(x, **given),
            math_ops.reduce_sum, lambda log_prob, log_det: log_prob + log_det,
        )  # fmt: skip
        return found[0] if len(found) == 1 else reduce_logsumexp(array_ops.stack(found), 0)

    def _prob(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        found = self._of_branches(
            value, bijector_kwargs, distribution_kwargs,
            lambda x, **given: self.distribution.prob(x, **given),
            math_ops.reduce_prod, lambda prob, log_det: prob * gen_ops.exp(log_det),
        )  # fmt: skip
        return found[0] if len(found) == 1 else sum(found[1:], found[0])

    def _of_branches(
        self, y: Any, bijector_kwargs: _Arguments, distribution_kwargs: _Arguments,
        of_x: Callable[..., Any], of_event: Callable[..., Any], joined: Callable[[Any, Any], Any],
    ) -> Any:  # fmt: skip
        """What a function gives for each x of y, together with the determinant."""
        given, ndims = bijector_kwargs or {}, self._event_ndims()
        branches = self.bijector.inverse(y, **given)
        log_dets = self.bijector.inverse_log_det_jacobian(y, event_ndims=ndims, **given)
        if self.bijector._is_injective:
            branches, log_dets = [branches], [log_dets]
        found = []
        for x, log_det in zip(branches, log_dets):
            of_one = of_x(self._rotation.rotated(x, to_right=True), **(distribution_kwargs or {}))
            if self._event_override.may_be:
                of_one = of_event(of_one, self._rotation.reduced_axes())
            of_one = joined(of_one, math_ops.cast(log_det, of_one.dtype))
            if self._event_override.may_be and isinstance(ndims, int):
                samples = y.shape.with_rank_at_least(ndims)
                shape = samples[: -ndims or None] if samples.rank is not None else samples
                of_one.set_shape(broadcast_static_shape(shape, self.batch_shape))
            found.append(of_one)
        return found

    def _event_ndims(self) -> Any:
        if self.event_shape.rank is not None:
            return self.event_shape.rank
        rank = array_ops.size(self.event_shape_tensor())
        known = static_event_ndims(rank)
        return rank if known is None else known

    def _check_scalar(self, what: str) -> None:
        """An error unless y and x have one probability of lower values."""
        if self._event_override.may_be:
            raise NotImplementedError(
                f"{what} is not implemented when overriding event_shape"
            )
        if not self.bijector._is_injective:
            raise NotImplementedError(
                f"{what} is not implemented when bijector is not injective."
            )

    def _lower(
        self, what: str, y: Any, bijector_kwargs: _Arguments, distribution_kwargs: _Arguments
    ) -> Any:
        self._check_scalar(what)
        x = self.bijector.inverse(y, **(bijector_kwargs or {}))
        return getattr(self.distribution, what)(x, **(distribution_kwargs or {}))

    def _log_cdf(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        return self._lower("log_cdf", value, bijector_kwargs, distribution_kwargs)

    def _cdf(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        return self._lower("cdf", value, bijector_kwargs, distribution_kwargs)

    def _log_survival_function(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        return self._lower("log_survival_function", value, bijector_kwargs, distribution_kwargs)

    def _survival_function(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        return self._lower("survival_function", value, bijector_kwargs, distribution_kwargs)

    def _quantile(
        self, value: Any, bijector_kwargs: _Arguments = None, distribution_kwargs: _Arguments = None
    ) -> Any:
        self._check_scalar("quantile")
        x = self.distribution.quantile(value, **(distribution_kwargs or {}))
        return self.bijector.forward(x, **(bijector_kwargs or {}))

    def _entropy(self) -> Any:
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        if not self.bijector._is_injective:
            raise NotImplementedError(
                "entropy is not implemented when bijector is not injective."
            )
        entropy = self.distribution.entropy()
        if self._event_override.may_be:
            count = math_ops.reduce_prod(self._event_override.sizes)
            entropy *= math_ops.cast(count, entropy.dtype)
        batch = self.batch_shape_tensor()
        entropy += zeros(batch, entropy.dtype)
        any_y = zeros(array_ops.concat([batch, self.event_shape_tensor()], 0), self.dtype)
        log_det = self.bijector.inverse_log_det_jacobian(any_y, event_ndims=self._event_ndims())
        entropy -= math_ops.cast(log_det, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy
