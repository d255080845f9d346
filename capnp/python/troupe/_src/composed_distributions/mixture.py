"""Mixtures of different distributions."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.composed_distributions.mixture_shapes import with_event_axes
from troupe._src.distributions.arguments import gen_new_seed
from troupe._src.distributions.categorical import Categorical
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape, as_shape


@set_module("troupe.contrib.distributions")
class Mixture(Distribution):
    """A mixture of distributions, each of which is drawn from with a probability."""

    def __init__(
        self,
        cat: Categorical,
        components: Sequence[Any],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        """A mixture by those probabilities.

        Args:
            cat: The distribution of the components' numbers, of the batch shape of each.
            components: The distributions, of one dtype and of the same shapes.
            validate_args: Whether steps check that the batches have the same shapes.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
            use_static_graph: Draws as many samples from each component as there are in all, and
                chooses among them: no shapes depend on what is drawn.

        Raises:
            TypeError: Arguments are of other classes, or dtypes differ.
            ValueError: There are no components, their number or shapes do not fit, or the rank of
                an event is not known.
        """
        parameters = dict(locals())
        _check_classes(cat, components)
        event, batch = components[0].event_shape, cat.batch_shape
        for each in components:
            event, batch = event.merge_with(each.event_shape), batch.merge_with(each.batch_shape)
        if event.rank is None:
            raise ValueError("Expected to know rank(event_shape) from components, but none do")
        self._known_event, self._known_batch = event, batch
        with name_scope(name) as scope:
            count = array_ops.get_static_value(cat.event_size)
            if count is None:
                raise ValueError("Could not infer number of classes from cat")
            if int(count) != len(components):
                raise ValueError(
                    f"cat.num_classes != len(components): {count} vs. {len(components)}"
                )
            self._cat, self._components = cat, list(components)
            self._uses_static_graph = use_static_graph
            self._assertions = self._batch_checks() if validate_args else []
        parents = [*cat._graph_parents]
        for each in components:
            parents += each._graph_parents
        super().__init__(
            components[0].dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            parents, scope,
        )  # fmt: skip

    def _batch_checks(self) -> List[Any]:
        wanted = self._cat.batch_shape_tensor()
        checks = []
        for index, each in enumerate(self._components):
            text = f"components[{index}] batch shape must match cat batch shape"
            found = each.batch_shape_tensor()
            ranks = array_ops.size(wanted), array_ops.size(found)
            with control_dependencies([assert_ops.assert_equal(*ranks, message=text)]):
                checks.append(assert_ops.assert_equal(wanted, found, message=text))
        return checks

    @property
    def cat(self) -> Categorical:
        """The distribution of the components' numbers."""
        return self._cat

    @property
    def components(self) -> List[Any]:
        """The distributions."""
        return self._components

    @property
    def num_components(self) -> int:
        """How many there are."""
        return len(self._components)

    def _batch_shape(self) -> TensorShape:
        return as_shape(self._known_batch)

    def _batch_shape_tensor(self) -> Tensor:
        return self._cat.batch_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return as_shape(self._known_event)

    def _event_shape_tensor(self) -> Tensor:
        found: Tensor = self._components[0].event_shape_tensor()
        return found

    def _weights(self, logs: bool = False) -> List[Tensor]:
        """The probabilities of each component, or their logarithms."""
        function = nn_ops.log_softmax if logs else nn_ops.softmax
        return array_ops.unstack(function(self._cat.logits), self.num_components, -1)

    def _of_events(self, x: Tensor) -> Tensor:
        for _ in range(self._known_event.rank):
            x = array_ops.expand_dims(x, -1)
        return x

    def _mixed(self, values: Sequence[Tensor]) -> Tensor:
        """The mean over the components of what each has for an event."""
        return add_n([self._of_events(p) * x for p, x in zip(self._weights(), values)])

    def _mean(self) -> Tensor:
        with control_dependencies(self._assertions):
            return self._mixed([each.mean() for each in self._components])

    def _variance(self) -> Tensor:
        with control_dependencies(self._assertions):
            means = [each.mean() for each in self._components]
            # The mean of the variances, and the variance of the means.
            mean = self._mixed(means)
            within = self._mixed([gen_ops.square(each.stddev()) for each in self._components])
            return within + self._mixed([gen_ops.square(each - mean) for each in means])

    def _stddev(self) -> Tensor:
        return gen_ops.sqrt(self._variance())

    def _log_mixed(self, logs: Sequence[Tensor]) -> Tensor:
        parts = [p + each for p, each in zip(self._weights(logs=True), logs)]
        return reduction_ops.reduce_logsumexp(array_ops.stack(parts, 0), [0])

    def _log_prob(self, value: Tensor) -> Tensor:
        with control_dependencies(self._assertions):
            return self._log_mixed([each.log_prob(value) for each in self._components])

    def _log_cdf(self, value: Tensor) -> Tensor:
        with control_dependencies(self._assertions):
            return self._log_mixed([each.log_cdf(value) for each in self._components])

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        with control_dependencies(self._assertions):
            chosen = self._cat.sample(n, seed=seed)
            if self._uses_static_graph:
                return self._chosen_of_all(n, chosen, seed)
            return self._drawn_as_chosen(chosen, seed)

    def _seeds(self, seed: Optional[int]) -> List[Optional[int]]:
        """Those of the components, each made of the one before."""
        seeds = []
        for _ in self._components:
            seed = gen_new_seed(seed, "mixture")
            seeds.append(seed)
        return seeds

    def _chosen_of_all(self, n: Any, chosen: Tensor, seed: Optional[int]) -> Tensor:
        seeds = self._seeds(seed)
        drawn = [each.sample(n, seed=own) for each, own in zip(self._components, seeds)]
        rank = self._known_event.rank
        # Not a product with 0 and 1: samples may be infinite.
        one_hot = creation_ops.one_hot(chosen, self.num_components, dtype=drawn[0].dtype)
        mask = with_event_axes(one_hot, self, self._cat, rank)
        stacked = array_ops.stack(drawn, -1 - rank)
        return math_ops.reduce_sum(gen_ops.multiply_no_nan(stacked, mask), -1 - rank)

    def _drawn_as_chosen(self, chosen: Tensor, seed: Optional[int]) -> Tensor:
        """Draws from each component as many samples as it is chosen for."""
        size = math_ops.reduce_prod(self.batch_shape_tensor())
        sizes, total = array_ops.shape(chosen), array_ops.size(chosen)
        places = array_ops.reshape(math_ops.range(total), sizes)
        count = self.num_components
        of_components = gen_ops.dynamic_partition(places, chosen, count)
        drawn = []
        for component, of_one, own in zip(self._components, of_components, self._seeds(seed)):
            # One sample of the whole batch for each place, of which one member is taken.
            number = array_ops.size(of_one)
            samples = component.sample(number, seed=own)
            event = self.event_shape_tensor()
            flat = array_ops.reshape(samples, array_ops.concat([[number * size], event], 0))
            members = size * math_ops.range(number) + gen_ops.floormod(of_one, size)
            drawn.append(gather(flat, members))
        found = gen_ops.dynamic_stitch(of_components, drawn)
        shape = array_ops.concat([sizes, self.event_shape_tensor()], 0)
        result = array_ops.reshape(found, shape)
        result.set_shape(chosen.shape.concatenate(self.event_shape))
        return result

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Tensor:
        """A lower bound of the entropy: the mean of the components' entropies."""
        with self._name_scope(name), control_dependencies(self._assertions):
            entropies = [each.entropy() for each in self._components]
            return add_n([p * each for p, each in zip(self._weights(), entropies)])


def _check_classes(cat: Any, components: Any) -> None:
    if not isinstance(cat, Categorical):
        raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
    if not components:
        raise ValueError("components must be a non-empty list or tuple")
    if not isinstance(components, (list, tuple)):
        raise TypeError(f"components must be a list or tuple, but saw: {components}")
    if not all(isinstance(each, Distribution) for each in components):
        raise TypeError(f"all entries in components must be Distribution instances: {components}")
    dtypes = [each.dtype for each in components]
    if any(each != dtypes[0] for each in dtypes):
        raise TypeError(f"All components must have the same dtype, but saw dtypes: {dtypes}")
