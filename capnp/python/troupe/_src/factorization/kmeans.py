"""The graph of k-means: initial centers, distances of points, updates of centers."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.factorization.initial_centers import (
    KMC2_INIT, KMEANS_PLUS_PLUS_INIT, RANDOM_INIT, InitialCenters,
)  # fmt: skip
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.norm_ops import l2_normalize
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign, assign_sub
from troupe._src.variables.scatter_ops import scatter_add
from troupe._src.variables.variable import Variable

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
CLUSTERS_VAR_NAME = "clusters"


def check_options(initial_clusters: Any, distance_metric: str) -> None:
    """ValueError, if there is no such choice of centers or distance."""
    named = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)
    if isinstance(initial_clusters, str) and initial_clusters not in named:
        raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
    if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
        raise ValueError(f"Unsupported distance metric '{distance_metric}'")


class _State(NamedTuple):
    centers: Any
    updated: Any  # what a step changes: the centers, or a copy until the end of an iteration
    is_complete: Any
    counts: Any = None  # of mini-batches: how many points each center is the mean of
    steps_left: Any = None  # of the iteration, where that has several


@set_module("troupe.contrib.factorization")
class KMeans:
    """Clusters of points around centers, each of which is the mean of those nearest to it.

    A step takes all points, or a batch of them, by which it moves the centers less the more points
    they are means of.

    Args:
        inputs: Points as the rows of float32 [n, d], or a list of such tensors.
        num_clusters: How many centers there are.
        initial_clusters: The centers to begin with; or a function of the inputs and a number that
            returns at most so many; or "random" or "kmeans_plus_plus" points, or "kmc2" ones.
        distance_metric: "squared_euclidean" or "cosine".
        use_mini_batch: Whether the inputs are a batch of the points.
        mini_batch_steps_per_iteration: After how many batches the centers by which points are told
            apart are those that the batches have moved.
        random_seed: Makes the choice of centers repeatable.
        kmeans_plus_plus_num_retries: Of how many more points, than one, each next is the best;
            a negative one for a number that grows with the logarithm of the clusters.
        kmc2_chain_length: How many points the Markov chain goes over that ends at a center.

    Raises:
        ValueError: There is no such distance or choice of centers.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: Any,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        check_options(initial_clusters, distance_metric)
        given = inputs if isinstance(inputs, list) else [inputs]
        self._inputs = [convert_to_tensor(each) for each in given]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._is_cosine = distance_metric == COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._random_seed = random_seed
        self._retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    def training_graph(self) -> Tuple[Any, Any, Any, Any, Any, Any]:
        """Adds the nodes.

        One program runs the fifth result until the fourth is true; then any number of programs run
        the last one.

        Returns:
            For each input the distances from all centers [n, num_clusters], the numbers of the
            nearest ones [n], and the distances from those [n]; a bool variable: whether the initial
            centers are chosen; an op that chooses some; an op that moves the centers.
        """
        initial: Any = self._initial_clusters
        if isinstance(initial, str) or callable(initial):
            count = convert_to_tensor(self._num_clusters, dtypes.int32)
        else:
            initial = convert_to_tensor(initial, dtypes.float32)
            count = array_ops.shape(initial)[0]
        state = self._state(count)
        init_op = InitialCenters(
            self._inputs, count, initial, self._is_cosine, self._random_seed, self._retries,
            self._chain_length, state.centers,
            [] if state.updated is state.centers else [state.updated], state.is_complete,
        ).op()  # fmt: skip
        inputs, centers = self._inputs, array_ops.identity(state.centers)
        if self._is_cosine:
            inputs = [l2_normalize(each, 1) for each in inputs]
            centers = centers if self._has_normalized_centers() else l2_normalize(centers, 1)
        distances = [self._distances(each, centers) for each in inputs]
        nearest = [self._nearest(each, centers) for each in inputs]
        numbers = [each[0] for each in nearest]
        train_op = self._train(inputs, numbers, count, state)
        scores = tuple(each[1] for each in nearest)
        return tuple(distances), tuple(numbers), scores, state.is_complete, init_op, train_op

    def _has_iterations(self) -> bool:
        return self._use_mini_batch and self._steps > 1

    def _has_normalized_centers(self) -> bool:
        return self._is_cosine and (not self._use_mini_batch or self._has_iterations())

    def _state(self, count: Tensor) -> _State:
        def empty(name: str) -> Variable:
            none = constant([], dtypes.float32)
            return Variable(none, name=name, validate_shape=False)

        centers = empty(CLUSTERS_VAR_NAME)
        is_complete = Variable(False, name="initialized")
        if not self._use_mini_batch:
            return _State(centers, centers, is_complete)
        sizes = array_ops.reshape(count, [1])
        if not self._has_iterations():
            counts = Variable(gen_ops.fill(sizes, constant(1, dtypes.int64)))
            return _State(centers, centers, is_complete, counts)
        updated = empty("clusters_updated")
        steps_left = Variable(constant(self._steps, dtypes.int64), name="update_in_steps")
        counts = Variable(gen_ops.fill(sizes, constant(0, dtypes.int64)))
        return _State(centers, updated, is_complete, counts, steps_left)

    def _distances(self, points: Tensor, centers: Tensor) -> Tensor:
        products = math_ops.matmul(points, centers, transpose_b=True)
        if self._is_cosine:
            return 1.0 - products
        of_points = math_ops.reduce_sum(gen_ops.square(points), 1, keepdims=True)
        return of_points - 2.0 * products + math_ops.reduce_sum(gen_ops.square(centers), 1)

    def _nearest(self, points: Tensor, centers: Tensor) -> Tuple[Tensor, Tensor]:
        numbers, distances = raw_ops.NearestNeighbors(points=points, centers=centers, k=1)
        # Of points on the sphere the squared distance is twice the other one.
        factor = 0.5 if self._is_cosine else 1.0
        return array_ops.squeeze(numbers, [-1]), array_ops.squeeze(distances, [-1]) * factor

    def _train(
        self, inputs: List[Tensor], numbers: List[Tensor], count: Tensor, state: _State
    ) -> Any:
        if not self._use_mini_batch:
            return self._move_to_means(inputs, numbers, count, state.centers)
        with get_default_graph().control_dependencies([self._begin_iteration(state)]):
            pairs = zip(inputs, numbers)
            return group(*[self._move_towards(points, own, state) for points, own in pairs])

    def _move_to_means(
        self, inputs: List[Tensor], numbers: List[Tensor], count: Tensor, centers: Any
    ) -> Any:
        points, own = array_ops.concat(inputs, 0), array_ops.concat(numbers, 0)
        ones = creation_ops.ones_like(points[:, :1])
        means = raw_ops.UnsortedSegmentSum(data=points, segment_ids=own, num_segments=count) / (
            raw_ops.UnsortedSegmentSum(data=ones, segment_ids=own, num_segments=count) + 1e-6
        )
        return assign(centers, l2_normalize(means, 1) if self._is_cosine else means)

    def _begin_iteration(self, state: _State) -> Any:
        """Counts a batch and, after the last of an iteration, shows what it has moved."""
        if not self._has_iterations():
            return no_op()

        def show() -> Any:
            moved = array_ops.identity(state.updated)
            shown = l2_normalize(moved, 1) if self._is_cosine else moved
            return group(
                assign(state.steps_left, self._steps - 1),
                assign(state.centers, shown),
                assign(state.counts, creation_ops.zeros_like(state.counts)),
            )

        is_last = gen_ops.less_equal(state.steps_left, 0)
        return cond(is_last, show, lambda: group(assign_sub(state.steps_left, 1)))

    def _move_towards(self, points: Tensor, numbers: Tensor, state: _State) -> Any:
        """Moves centers by a batch: each remains the mean of all points that were its own."""
        distinct, places = raw_ops.Unique(x=numbers)
        count = array_ops.size(distinct)
        new = raw_ops.UnsortedSegmentSum(
            data=creation_ops.ones_like(numbers), segment_ids=places, num_segments=count
        )
        sums = raw_ops.UnsortedSegmentSum(data=points, segment_ids=places, num_segments=count)
        before = selection_ops.gather(state.counts, distinct)
        centers = selection_ops.gather(state.updated, distinct)

        def column(counts: Any) -> Tensor:
            return array_ops.expand_dims(math_ops.cast(counts, dtypes.float32), 1)

        moves = (sums - column(new) * centers) / column(before + new)
        return group(
            scatter_add(state.counts, distinct, new), scatter_add(state.updated, distinct, moves)
        )
