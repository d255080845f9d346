"""An estimator of clusters: `KMeansClustering`."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator, Optional, Sequence

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, EstimatorSpec
from troupe._src.factorization import initial_centers, kmeans
from troupe._src.feature_columns.layers import input_layer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.metrics.means import mean
from troupe._src.ops import array_ops, math_ops
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
)  # fmt: skip
from troupe._src.types.paths import PathLike
from troupe._src.variables.assign_ops import assign_add


class SettledHook(SessionRunHook):
    """Ends a training whose loss hardly changes."""

    def __init__(self, loss: Tensor, tolerance: float) -> None:
        self._loss = loss
        self._tolerance = tolerance
        self._last: Optional[float] = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        loss, last = run_values.results, self._last
        if last is not None and abs(loss - last) < self._tolerance * (1 + abs(last)):
            run_context.request_stop()
        self._last = loss


class CentersHook(SessionRunHook):
    """Begins a training when the initial centers are chosen, which the chief does."""

    SECONDS = 0.2  # after which another worker looks again

    def __init__(self, init_op: Any, is_complete: Any, is_chief: bool) -> None:
        self._init_op = init_op
        self._is_complete = is_complete
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        while not session.run(self._is_complete):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(self.SECONDS)


def _points(features: Any, columns: Optional[Sequence[Any]]) -> Any:
    """The features as one matrix, whose columns are in the order of their names."""
    if not isinstance(features, dict):
        return features
    if columns:
        return input_layer(features, columns)
    return array_ops.concat([features[key] for key in sorted(features)], 1)


def _model_fn(
    columns: Optional[Sequence[Any]], tolerance: Optional[float], **options: Any
) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        model = kmeans.KMeans(_points(features, columns), **options)
        distances, numbers, scores, is_complete, init_op, train_op = model.training_graph()
        loss = math_ops.reduce_sum(scores[0])
        summary_ops.scalar("loss/raw", loss)
        counted = assign_add(get_global_step(), 1)
        with get_default_graph().control_dependencies([train_op, counted]):
            train_op = array_ops.identity(loss)
        hooks: list[SessionRunHook] = [CentersHook(init_op, is_complete, config.is_chief)]
        if tolerance is not None:
            hooks.append(SettledHook(loss, tolerance))
        predictions = {
            KMeansClustering.ALL_DISTANCES: distances[0],
            KMeansClustering.CLUSTER_INDEX: numbers[0],
        }
        outputs = {name: PredictOutput(tensor) for name, tensor in predictions.items()}
        outputs[DEFAULT_SERVING_SIGNATURE] = PredictOutput(numbers[0])
        return EstimatorSpec(
            mode, predictions, loss, train_op, {KMeansClustering.SCORE: mean(loss)},
            training_hooks=hooks, export_outputs=outputs,
        )  # fmt: skip

    return model_fn


@set_module("troupe.contrib.factorization")
class KMeansClustering(Estimator):
    """Clusters of points around centers, each of which is the mean of those nearest to it.

    Args:
        num_clusters: How many centers there are.
        model_dir: As of Estimator.
        initial_clusters: The centers to begin with; or a function of the inputs and a number that
            returns at most so many; or `RANDOM_INIT` or `KMEANS_PLUS_PLUS_INIT`.
        distance_metric: `SQUARED_EUCLIDEAN_DISTANCE` or `COSINE_DISTANCE`.
        random_seed: Makes the choice of centers repeatable.
        use_mini_batch: Whether the inputs are batches of points; else they are all of them.
        mini_batch_steps_per_iteration: After how many batches the centers by which points are told
            apart are those that the batches have moved.
        kmeans_plus_plus_num_retries: Of how many more points, than one, each next is the best.
        relative_tolerance: A training ends when its loss changes by less, in proportion.
        config: As of Estimator.
        feature_columns: What the points are made of, where features are a dict; by default of all,
            in the order of their names.

    Raises:
        ValueError: There is no such distance or choice of centers.
    """

    SQUARED_EUCLIDEAN_DISTANCE = kmeans.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = kmeans.COSINE_DISTANCE
    RANDOM_INIT = initial_centers.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = initial_centers.KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    CLUSTER_CENTERS_VAR_NAME = kmeans.CLUSTERS_VAR_NAME

    def __init__(
        self,
        num_clusters: Any,
        model_dir: Optional[PathLike] = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: Optional[float] = None,
        config: Optional[RunConfig] = None,
        feature_columns: Optional[Sequence[Any]] = None,
    ) -> None:
        model_fn = _model_fn(
            feature_columns, relative_tolerance, num_clusters=num_clusters,
            initial_clusters=initial_clusters, distance_metric=distance_metric,
            random_seed=random_seed, use_mini_batch=use_mini_batch,
            mini_batch_steps_per_iteration=mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries=kmeans_plus_plus_num_retries,
        )  # fmt: skip
        kmeans.check_options(initial_clusters, distance_metric)
        super().__init__(model_fn, model_dir, config)

    def predict_cluster_index(self, input_fn: Any) -> Iterator[Any]:
        """The number of the nearest center of each point.

        Args:
            input_fn: Returns the points; as of `predict`.

        Returns:
            An iterator over integers.
        """
        return self._predicted(input_fn, self.CLUSTER_INDEX)

    def transform(self, input_fn: Any) -> Iterator[Any]:
        """The distances of each point from all centers.

        Args:
            input_fn: Returns the points; as of `predict`.

        Returns:
            An iterator over arrays [num_clusters].
        """
        return self._predicted(input_fn, self.ALL_DISTANCES)

    def _predicted(self, input_fn: Any, key: str) -> Iterator[Any]:
        for each in self.predict(input_fn, predict_keys=[key]):
            yield each[key]

    def score(self, input_fn: Any) -> Any:
        """The sum of the distances of the first batch's points from their nearest centers.

        Args:
            input_fn: Returns the points; as of `evaluate`.

        Returns:
            A float.
        """
        return self.evaluate(input_fn, steps=1)[self.SCORE]

    def cluster_centers(self) -> Any:
        """The centers [num_clusters, d] of the latest checkpoint."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)
