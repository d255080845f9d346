"""The choice of centers from which k-means begins."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.loops import while_loop
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.norm_ops import l2_normalize
from troupe._src.ops import (
    arithmetic_ops, array_ops, assert_ops, gen_ops, math_ops, raw_ops, selection_ops,
)  # fmt: skip
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.random.random_ops import random_uniform
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.assign_ops import assign

RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"


class InitialCenters(NamedTuple):
    """How centers are chosen of batches of points, in as many steps as it takes."""

    inputs: List[Tensor]
    wanted: Tensor
    initial: Any  # one of the names above, a function, or the centers
    on_sphere: bool  # centers are normalized
    seed: int
    retries: int
    chain_length: int
    # Variables: the centers, the copies that are the same until there is a training, and whether
    # there are all.
    centers: Any
    copies: List[Any]
    is_complete: Any

    def op(self) -> Any:
        """Adds centers of the current batch, until there are `wanted`."""
        remaining = self._remaining()
        return cond(
            arithmetic_ops.equal(remaining, 0),
            lambda: group(assert_ops.assert_equal(self.is_complete, True)),
            lambda: self._choose(remaining),
        )

    def _choose(self, remaining: Tensor) -> Any:
        graph = get_default_graph()
        with graph.control_dependencies([assert_ops.assert_positive(remaining)]):
            centers = self._normalized(self._with_chosen(remaining))
            changes = [assign(each, centers, validate_shape=False) for each in self._stores()]
        left = self.wanted - array_ops.shape(centers)[0]
        with graph.control_dependencies(changes):
            return cond(
                arithmetic_ops.equal(left, 0),
                lambda: group(assign(self.is_complete, True)),
                no_op,
            )

    def _stores(self) -> List[Any]:
        return [self.centers, *self.copies]

    def _remaining(self) -> Tensor:
        return self.wanted - self._selected()

    def _selected(self) -> Tensor:
        return array_ops.shape(self.centers)[0]

    def _normalized(self, points: Tensor) -> Tensor:
        return l2_normalize(points, 1) if self.on_sphere else points

    def _with_chosen(self, remaining: Tensor) -> Any:
        """The centers so far, and new ones."""
        if isinstance(self.initial, str) and self.initial == KMC2_INIT:
            return self._with_ends_of_chains(remaining)
        chosen = self._chosen(remaining)
        return cond(
            arithmetic_ops.equal(self._selected(), 0),  # and has no columns
            lambda: array_ops.identity(chosen),
            lambda: array_ops.concat([self.centers, chosen], 0),
        )

    def _chosen(self, remaining: Tensor) -> Any:
        graph = get_default_graph()
        if callable(self.initial):
            return self.initial(self.inputs, remaining)
        if not isinstance(self.initial, str):
            given = array_ops.shape(self.initial)[0]
            with graph.control_dependencies([assert_ops.assert_equal(remaining, given)]):
                return array_ops.identity(self.initial)
        points = array_ops.concat(self.inputs, 0)
        there = array_ops.shape(points)[0]
        if self.initial == RANDOM_INIT:
            return cond(
                gen_ops.less_equal(there, remaining),
                lambda: array_ops.identity(points),
                lambda: self._random_rows(points, remaining),
            )
        with graph.control_dependencies([assert_ops.assert_greater_equal(there, remaining)]):
            return raw_ops.KmeansPlusPlusInitialization(
                points=self._normalized(self.inputs[0]),
                num_to_sample=math_ops.cast(remaining, dtypes.int64),
                seed=self.seed,
                num_retries_per_sample=self.retries,
            )

    def _random_rows(self, points: Tensor, count: Tensor) -> Tensor:
        most = math_ops.cast(array_ops.shape(points)[0], dtypes.int64)
        rows = random_uniform(
            array_ops.reshape(count, [-1]), 0, most, dtypes.int64, seed=self.seed
        )
        return selection_ops.gather(points, rows)

    def _with_ends_of_chains(self, remaining: Tensor) -> Any:
        """The centers, and the last state of a Markov chain over each few points of the batch.

        The first center of all is the first point.
        """
        points = self.inputs[0]
        chains = gen_ops.floor_div(array_ops.shape(points)[0], self.chain_length)
        count = gen_ops.maximum(gen_ops.minimum(remaining, chains), 1)

        def add(place: Tensor, centers: Tensor) -> Tuple[Tensor, Tensor]:
            some = points[place * self.chain_length : (place + 1) * self.chain_length]
            _, distances = raw_ops.NearestNeighbors(points=some, centers=centers, k=1)
            end = raw_ops.KMC2ChainInitialization(
                distances=array_ops.reshape(distances, [-1]), seed=self.seed
            )
            added = self._normalized(array_ops.expand_dims(some[end], 0))
            return place + 1, array_ops.concat([centers, added], 0)

        def add_all() -> Tensor:
            unknown = TensorShape([None, points.shape[1]])
            found = while_loop(
                lambda place, _: place < count,
                add,
                [0, array_ops.reshape(self.centers, [-1, array_ops.shape(points)[1]])],
                shape_invariants=[TensorShape([]), unknown],
            )
            last: Tensor = found[1]
            return last

        return cond(arithmetic_ops.equal(self._selected(), 0), lambda: points[:1], add_all)
