"""How ensembles grow: by the statistics of one batch, or of several."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Sequence

from troupe._src.boosted_trees.ensembles import QuantileAccumulator, TreeEnsemble
from troupe._src.boosted_trees.features import FeatureGroup
from troupe._src.boosted_trees.options import TreeOptions
from troupe._src.control_flow.conditional import cond
from troupe._src.data_flow.accumulators import ConditionalAccumulator
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.types import dtypes


class Grower:
    """Grows an ensemble by statistics that are all there: those of one batch.

    Args:
        ensemble: The ensemble.
        options: What trees are like.
        groups: The features.
    """

    def __init__(
        self, ensemble: TreeEnsemble, options: TreeOptions, groups: Sequence[FeatureGroup]
    ) -> None:
        self._ensemble, self._options, self._groups = ensemble, options, groups
        self._pruning = options.checked_pruning()

    def initializer(self) -> Operation:
        """What the chief runs in a new session."""
        return no_op()

    def accumulate_quantiles(
        self, quantiles: QuantileAccumulator, features: List[Tensor], weights: Tensor, ready: Any
    ) -> Operation:
        """Adds numbers to their quantiles; once there are enough, makes boundaries of them.

        Args:
            quantiles: The quantiles.
            features: The numbers.
            weights: Of the examples.
            ready: The variable that says that there are boundaries.
        """
        with control_dependencies([quantiles.add_summaries(features, weights)]):
            with control_dependencies([quantiles.flush()]):
                return group(ready.assign(True))

    def center_bias(self, needed: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        """Adds to the root of the first tree what all examples ask for.

        Args:
            needed: The variable that says whether that is to be done.
            gradients: Of the examples, [batch, 1].
            hessians: Likewise.
        """
        means = [
            array_ops.expand_dims(math_ops.reduce_mean(each, 0), 0)
            for each in (gradients, hessians)
        ]
        return self._center(needed, *means)

    def grow(self, summaries: List[List[Tensor]], nodes: Tensor) -> Operation:
        """Adds a layer.

        Args:
            summaries: For each group and each of its features the sums of gradients and hessians,
                by nodes and buckets.
            nodes: The range of those that can be split.
        """
        return self._grow_by(summaries, nodes)

    def _center(self, needed: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        goes_on = self._ensemble.apply(
            raw_ops.BoostedTreesCenterBias,
            mean_gradients=gradients,
            mean_hessians=hessians,
            l1=self._options.l1_regularization,
            l2=self._options.l2_regularization,
        )
        return group(needed.assign(goes_on))

    def _grow_by(self, summaries: List[List[Tensor]], nodes: Tensor) -> Operation:
        options, ids = self._options, []
        # Of all features: nodes, gains, thresholds, and what goes to the left and to the right.
        found: List[List[Tensor]] = [[] for _ in range(5)]
        for each, of_group in zip(self._groups, summaries):
            count = len(each.feature_ids)
            flat = raw_ops.BoostedTreesCalculateBestGainsPerFeature(
                node_id_range=nodes,
                stats_summary_list=of_group,
                l1=options.l1_regularization,
                l2=options.l2_regularization,
                tree_complexity=options.tree_complexity,
                min_node_weight=options.min_node_weight,
                max_splits=options.max_splits,
            )
            ids += each.feature_ids
            for i, part in enumerate(found):
                part += flat[i * count : (i + 1) * count]
        grown: Operation = self._ensemble.apply(
            raw_ops.BoostedTreesUpdateEnsemble,
            feature_ids=ids,
            node_ids=found[0],
            gains=found[1],
            thresholds=found[2],
            left_node_contribs=found[3],
            right_node_contribs=found[4],
            max_depth=options.max_depth,
            learning_rate=options.learning_rate,
            pruning_mode=self._pruning,
        )
        return grown


class BatchOptions(NamedTuple):
    """The batches that a layer takes."""

    stamp: Tensor  # of the ensemble at the beginning of a step
    n_batches_per_layer: Any
    bucket_counts: Sequence[int]  # of the summaries of each group
    is_chief: bool  # whether this worker grows the trees


class BatchGrower(Grower):
    """Grows an ensemble by the statistics of several batches, which any workers compute.

    Args:
        ensemble: The ensemble.
        options: What trees are like.
        groups: The features.
        batches: The batches.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        options: TreeOptions,
        groups: Sequence[FeatureGroup],
        batches: BatchOptions,
    ) -> None:
        super().__init__(ensemble, options, groups)
        self._stamp, self._is_chief = batches.stamp, batches.is_chief
        self._batches = math_ops.cast(batches.n_batches_per_layer, dtypes.int32)
        self._accumulators = [
            ConditionalAccumulator(
                dtypes.float32,
                [len(each.feature_ids), options.max_splits, buckets, 2],
                shared_name=f"numeric_stats_summary_accumulator_{i}",
            )
            for i, (each, buckets) in enumerate(zip(groups, batches.bucket_counts))
        ]
        self._bias: Optional[ConditionalAccumulator] = None
        if options.center_bias:
            self._bias = ConditionalAccumulator(
                dtypes.float32, [2, 1], shared_name="bias_accumulator"
            )

    def initializer(self) -> Operation:
        all_of_them = [*self._accumulators, *([self._bias] if self._bias else [])]
        return group(*(each.set_global_step(self._stamp) for each in all_of_them))

    def accumulate_quantiles(
        self, quantiles: QuantileAccumulator, features: List[Tensor], weights: Tensor, ready: Any
    ) -> Operation:
        batches = ConditionalAccumulator(dtypes.float32, [], shared_name="quantile_summary_accum")
        added = group(
            quantiles.add_summaries(features, weights),
            batches.set_global_step(self._stamp),
            batches.apply_grad(constant(0.0), self._stamp),
        )
        if not self._is_chief:
            return added

        def flush() -> Operation:
            return group(quantiles.flush(), batches.take_grad(1), ready.assign(True))

        with control_dependencies([added]):
            return self._once_enough(
                batches.num_accumulated(), flush, "wait_until_quaniles_accumulated"
            )

    def center_bias(self, needed: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        assert self._bias is not None
        bias = self._bias
        means = math_ops.reduce_mean(array_ops.stack([gradients, hessians], axis=0), axis=1)

        def next_step() -> Operation:
            steps = (each.set_global_step(self._stamp + 1) for each in self._accumulators)
            return group(*steps)

        def center() -> Operation:
            both = array_ops.unstack(bias.take_grad(1), 2, axis=0)
            centered = self._center(needed, *(array_ops.expand_dims(each, 0) for each in both))
            with control_dependencies([centered]):
                still = array_ops.identity(needed.read_value())
                return group(cond(still, _nothing, done_by(next_step)))

        with control_dependencies([bias.apply_grad(means, self._stamp)]):
            if not self._is_chief:
                return no_op()
            return self._once_enough(
                bias.num_accumulated(), center, "wait_until_n_batches_for_bias_accumulated"
            )

    def grow(self, summaries: List[List[Tensor]], nodes: Tensor) -> Operation:
        added = [
            accumulator.apply_grad(array_ops.stack(of_group, axis=0), self._stamp)
            for accumulator, of_group in zip(self._accumulators, summaries)
        ]

        def grow() -> Operation:
            taken = [
                array_ops.unstack(accumulator.take_grad(1), len(each.feature_ids), axis=0)
                for accumulator, each in zip(self._accumulators, self._groups)
            ]
            return self._grow_by(taken, nodes)

        with control_dependencies(added):
            if not self._is_chief:
                return no_op()
            counts = array_ops.stack([each.num_accumulated() for each in self._accumulators])
            least = math_ops.reduce_min(counts)
            return self._once_enough(least, grow, "wait_until_n_batches_accumulated")

    def _once_enough(self, count: Tensor, act: Callable[[], Any], name: str) -> Operation:
        """Acts once as many batches are there as a layer takes."""
        is_enough = gen_ops.greater_equal(count, self._batches)
        return group(cond(is_enough, done_by(act), _nothing, name=name))


def _nothing() -> Tensor:
    return constant(False)


def done_by(act: Callable[[], Any]) -> Callable[[], Tensor]:
    """A branch: a tensor that is there once what `act` makes has run."""

    def branch() -> Tensor:
        with control_dependencies([act()]):
            return constant(True)

    return branch
