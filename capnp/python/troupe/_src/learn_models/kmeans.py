"""An older estimator of clusters: `KMeansClustering`."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional

import numpy as np

from troupe._src.factorization import initial_centers, kmeans
from troupe._src.factorization.kmeans_clustering import CentersHook, SettledHook
from troupe._src.graph.graph import get_default_graph
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.ops import array_ops, math_ops
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_global_step
from troupe._src.variables.assign_ops import assign_add


def _model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any) -> ModelFnOps:
    assert labels is None, labels
    points = features
    if isinstance(features, dict):
        points = array_ops.concat([features[key] for key in sorted(features)], 1)
    options = dict(params)
    tolerance = options.pop("relative_tolerance")
    model = kmeans.KMeans(points, **options)
    distances, numbers, losses, is_complete, init_op, train_op = model.training_graph()
    counted = assign_add(get_global_step(), 1)
    loss = math_ops.reduce_sum(losses, name=KMeansClustering.LOSS_OP_NAME)
    summary_ops.scalar("loss/raw", loss)
    with get_default_graph().control_dependencies([train_op, counted]):
        train_op = array_ops.identity(loss)
    hooks: List[Any] = [CentersHook(init_op, is_complete, config.is_chief)]
    if tolerance is not None:
        hooks.append(SettledHook(loss, tolerance))
    return ModelFnOps(
        mode,
        predictions={
            KMeansClustering.ALL_SCORES: distances[0], KMeansClustering.CLUSTER_IDX: numbers[0],
        },
        loss=loss,
        train_op=train_op,
        eval_metric_ops={KMeansClustering.SCORES: loss},
        training_hooks=hooks,
    )  # fmt: skip


@set_module("troupe.contrib.learn")
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
    """

    SQUARED_EUCLIDEAN_DISTANCE = kmeans.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = kmeans.COSINE_DISTANCE
    RANDOM_INIT = initial_centers.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = initial_centers.KMEANS_PLUS_PLUS_INIT
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = "clusters"
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = "kmeans_loss"

    def __init__(
        self,
        num_clusters: Any,
        model_dir: Optional[str] = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: Optional[float] = None,
        config: Any = None,
    ) -> None:
        params = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
            "relative_tolerance": relative_tolerance,
        }
        super().__init__(model_fn=_model_fn, params=params, model_dir=model_dir, config=config)

    def predict_cluster_idx(self, input_fn: Any = None) -> Iterator[Any]:
        """The number of the nearest center of each point.

        Args:
            input_fn: Returns the points; as of `predict`.

        Yields:
            An integer.
        """
        for result in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield result[self.CLUSTER_IDX]

    def score(self, input_fn: Any = None, steps: Optional[int] = None) -> Any:
        """The sum of the distances of points from their nearest centers.

        Args:
            input_fn: Returns the points; as of `evaluate`.
            steps: As of `evaluate`.

        Returns:
            A float.
        """
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Any = None, as_iterable: bool = False) -> Any:
        """The distances of each point from all centers.

        Args:
            input_fn: Returns the points; as of `predict`.
            as_iterable: Whether they come one by one, as {"all_scores": distances}.

        Returns:
            An array [points, num_clusters], or an iterator.
        """
        key = self.ALL_SCORES
        results = self.predict(input_fn=input_fn, outputs=[key], as_iterable=as_iterable)
        return results if as_iterable else results[key]

    def clusters(self) -> Any:
        """The centers [num_clusters, d] of the latest checkpoint."""
        return self.get_variable_value(self.CLUSTERS)
