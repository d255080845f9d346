"""The model function of boosted trees."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.boosted_trees import features as tree_features
from troupe._src.boosted_trees.caches import StatesCache
from troupe._src.boosted_trees.ensembles import (
    EnsembleStates,
    QuantileAccumulator,
    TreeEnsemble,
)
from troupe._src.boosted_trees.growers import (
    BatchGrower,
    BatchOptions,
    Grower,
    done_by,
)
from troupe._src.boosted_trees.hooks import GrowerInitializationHook, StopAtAttemptsHook
from troupe._src.boosted_trees.options import TreeOptions
from troupe._src.control_flow.conditional import cond
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.feature_columns.numbers import NumericColumn, numeric_column
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable import Variable

# Gradients and hessians of logits and labels, where these are known.
ClosedForm = Callable[[Tensor, Any], Tuple[Tensor, Tensor]]

# A sketch of quantiles may keep as many boundaries more than it is asked for.
_MORE_BUCKETS = 2


class ModelOptions(NamedTuple):
    """What a model is made of."""

    head: Any
    columns: List[Any]  # in order
    trees: TreeOptions
    n_batches_per_layer: Any = 1
    closed_form: Optional[ClosedForm] = None
    weight_column: Any = None
    train_in_memory: bool = False
    name: str = "boosted_trees"


class Parts(NamedTuple):
    """The resources of a model, and the features of a batch."""

    ensemble: TreeEnsemble
    quantiles: Optional[QuantileAccumulator]
    features: List[Tensor]


def float_columns(columns: Sequence[Any]) -> List[Any]:
    """Those of numbers, which quantiles bucketize."""
    return [column for column in columns if tree_features.is_float(column)]


def quantile_count(options: TreeOptions) -> int:
    """How many buckets a feature of numbers has."""
    return int(1.0 / options.quantile_sketch_epsilon)


def make_parts(features: Dict[Any, Any], options: ModelOptions, scope: str) -> Parts:
    """The resources of the model, in its name scope, and its features of a batch."""
    ensemble = TreeEnsemble(scope)
    numbers = float_columns(options.columns)
    quantiles, boundaries = None, None
    if numbers:
        quantiles = QuantileAccumulator(
            options.trees.quantile_sketch_epsilon,
            sum(map(tree_features.feature_count, numbers)),
            quantile_count(options.trees),
            "QuantileAccumulator",
        )
        boundaries = tree_features.boundaries_by_column(numbers, quantiles.bucket_boundaries())
    found = tree_features.transformed(features, options.columns, boundaries)
    return Parts(ensemble, quantiles, found)


def predicted_logits(parts: Parts, head: Any) -> Tensor:
    """The logits of a batch."""
    logits: Tensor = parts.ensemble.apply(
        raw_ops.BoostedTreesPredict,
        bucketized_features=parts.features,
        logits_dimension=head.logits_dimension,
    )
    return logits


def model_fn_of(options: ModelOptions) -> Callable[..., EstimatorSpec]:
    """The model function of trees."""

    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        get_or_create_global_step()
        with get_default_graph().name_scope(options.name) as scope:
            parts = make_parts(features, options, scope)
            if mode == ModeKeys.TRAIN:
                return _Training(options, config, parts, features, labels).spec(scope)
            logits = predicted_logits(parts, options.head)
            spec: EstimatorSpec = options.head.create_estimator_spec(
                features=features,
                mode=mode,
                labels=labels,
                train_op_fn=lambda _: no_op(),
                logits=logits,
            )
            return spec

    return model_fn


class _Training:
    """The graph of a training."""

    def __init__(
        self, options: ModelOptions, config: RunConfig, parts: Parts, features: Any, labels: Any
    ) -> None:
        if labels is None:
            raise ValueError("You must provide a labels Tensor. Given: None.")
        _check_memory(options, config)
        self._options, self._config, self._parts = options, config, parts
        self._features, self._labels = features, labels
        self._groups = tree_features.grouped(options.columns, quantile_count(options.trees))
        self._is_ready = _state(parts.quantiles is None, "are_boundaries_ready")

    def spec(self, scope: str) -> EstimatorSpec:
        """The spec of the model, in the name scope `scope`."""
        options, trees = self._options, self._options.trees
        cache = StatesCache(self._labels, options.head.logits_dimension, options.train_in_memory)
        states, predicted = self._predict(cache, scope)
        partial, tree_ids, node_ids = predicted
        logits = cache.logits + partial
        grower = self._grower(states.stamp_token)
        for name in ("num_trees", "num_finalized_trees", "num_attempted_layers"):
            scalar(f"ensemble/{name}", getattr(states, name))
        centers = _state(trees.center_bias, "center_bias_needed")

        def train_op(loss: Tensor) -> Operation:
            gradient, hessian = self._derivatives(loss, logits)

            def store() -> Operation:
                return cache.store(tree_ids, node_ids, logits)

            def grow() -> Operation:
                summaries = self._summaries(node_ids, gradient, hessian)
                return group(grower.grow(summaries, states.last_layer_nodes_range), store())

            def center_or_grow() -> Operation:
                if not trees.center_bias:
                    return grow()
                needed = array_ops.identity(centers.read_value())
                with control_dependencies([needed]):  # before it changes
                    center = done_by(lambda: grower.center_bias(centers, gradient, hessian))
                    return group(cond(needed, center, done_by(grow)))

            def step() -> Operation:
                with control_dependencies([center_or_grow()]):
                    return group(get_or_create_global_step().assign_add(1))

            if self._parts.quantiles is None:
                return step()
            return group(
                cond(self._is_ready, done_by(step), done_by(lambda: self._add_numbers(grower)))
            )

        spec: EstimatorSpec = options.head.create_estimator_spec(
            features=self._features,
            mode=ModeKeys.TRAIN,
            labels=self._labels,
            train_op_fn=train_op,
            logits=logits,
        )
        stop = StopAtAttemptsHook(
            states.num_finalized_trees, states.num_attempted_layers, trees.n_trees, trees.max_depth
        )
        return spec._replace(
            training_hooks=(*spec.training_hooks, stop),
            training_chief_hooks=(
                GrowerInitializationHook(grower.initializer()), *spec.training_chief_hooks
            ),
        )  # fmt: skip

    def _predict(self, cache: StatesCache, scope: str) -> Tuple[EnsembleStates, List[Tensor]]:
        """How far the ensemble has grown, and what that changes of the logits that are cached."""
        ensemble, reload = self._parts.ensemble, no_op()
        if self._config.num_worker_replicas > 1:
            # What the chief grows meanwhile is not to be seen within a step.
            ensemble = TreeEnsemble(f"{scope}local", is_local=True)
            with control_dependencies([ensemble.initializer]):
                reload = ensemble.deserialize(*self._parts.ensemble.serialize())
        with control_dependencies([reload]):
            predicted: List[Tensor] = ensemble.apply(
                raw_ops.BoostedTreesTrainingPredict,
                cached_tree_ids=cache.tree_ids,
                cached_node_ids=cache.node_ids,
                bucketized_features=self._parts.features,
                logits_dimension=self._options.head.logits_dimension,
            )
            return ensemble.states(), predicted

    def _bucket_count(self, of_group: tree_features.FeatureGroup) -> int:
        """How many buckets the summaries of those features have."""
        has_quantiles = self._parts.quantiles is not None
        is_of_quantiles = of_group.bucket_count == quantile_count(self._options.trees)
        return of_group.bucket_count + (_MORE_BUCKETS if has_quantiles and is_of_quantiles else 0)

    def _grower(self, stamp: Tensor) -> Grower:
        options, parts = self._options, self._parts
        if options.train_in_memory:
            return Grower(parts.ensemble, options.trees, self._groups)
        return BatchGrower(
            parts.ensemble,
            options.trees,
            self._groups,
            BatchOptions(
                stamp,
                options.n_batches_per_layer,
                [self._bucket_count(each) for each in self._groups],
                self._config.is_chief,
            ),
        )

    def _derivatives(self, loss: Tensor, logits: Tensor) -> Tuple[Tensor, Tensor]:
        """The gradient and the hessian of the loss of each example."""
        if self._options.closed_form is not None:
            return self._options.closed_form(logits, self._labels)
        first = gradients(loss, logits, name="Gradients")[0]
        return first, gradients(first, logits, name="Hessians")[0]

    def _summaries(
        self, node_ids: Tensor, gradient: Tensor, hessian: Tensor
    ) -> List[List[Tensor]]:
        """For each group and each of its features the sums by nodes and buckets."""
        return [
            [
                array_ops.squeeze(
                    raw_ops.BoostedTreesMakeStatsSummary(
                        node_ids=node_ids,
                        gradients=gradient,
                        hessians=hessian,
                        bucketized_features_list=[
                            tree_features.within(self._parts.features[i], self._bucket_count(each))
                        ],
                        max_splits=self._options.trees.max_splits,
                        num_buckets=self._bucket_count(each),
                    ),
                    axis=[0],
                )
                for i in each.feature_ids
            ]
            for each in self._groups
        ]

    def _add_numbers(self, grower: Grower) -> Operation:
        """Adds the numbers of the batch to their quantiles."""
        assert self._parts.quantiles is not None
        with get_default_graph().name_scope("UpdateQuantile"):
            columns = float_columns(self._options.columns)
            numbers = tree_features.transformed(self._features, columns)
            return grower.accumulate_quantiles(
                self._parts.quantiles, numbers, self._weights(), self._is_ready
            )

    def _weights(self) -> Tensor:
        column = self._options.weight_column
        if column is None:
            return constant([1.0])
        column = column if isinstance(column, NumericColumn) else numeric_column(column)
        return tree_features.transformed(self._features, [column])[0]


def _state(initial: bool, name: str) -> Variable:
    # As in TensorFlow, a checkpoint has it.
    return Variable(initial, trainable=False, name=name, use_resource=True)


def _check_memory(options: ModelOptions, config: RunConfig) -> None:
    if not options.train_in_memory:
        return
    if not isinstance(options.n_batches_per_layer, int) or options.n_batches_per_layer != 1:
        raise AssertionError(
            "When train_in_memory is enabled, input_fn should return the entire dataset as a "
            "single batch, and n_batches_per_layer should be set as 1."
        )
    if not config.is_chief or config.num_worker_replicas > 1 or config.num_ps_replicas > 0:
        raise ValueError("train_in_memory is supported only for non-distributed training.")
