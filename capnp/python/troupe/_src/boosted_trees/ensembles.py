"""Ensembles of trees, and quantile streams, in containers and in checkpoints."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Sequence

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.data_flow.resources import register_resource
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.array_ops import as_list


class EnsembleStates(NamedTuple):
    """How far an ensemble has grown."""

    stamp_token: Tensor
    num_trees: Tensor
    num_finalized_trees: Tensor
    num_attempted_layers: Tensor
    last_layer_nodes_range: Tensor


class _SavedEnsemble(SaveableObject):
    """The stamp of an ensemble, and the ensemble as bytes."""

    def __init__(self, ensemble: TreeEnsemble, name: str) -> None:
        self._ensemble = ensemble
        stamp, serialized = ensemble.serialize()
        specs = [
            SaveSpec(stamp, "", f"{name}_stamp"), SaveSpec(serialized, "", f"{name}_serialized")
        ]  # fmt: skip
        super().__init__(ensemble.handle, specs, name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        with control_dependencies([self._ensemble.initializer]):
            return self._ensemble.deserialize(*restored_tensors)


class TreeEnsemble:
    """An ensemble of trees, which is created empty. Savers of all variables save it.

    Args:
        name: The name of its handle, by which other sessions know it, too.
        is_local: Whether it is the session's alone, and not saved.
    """

    def __init__(self, name: str, is_local: bool = False) -> None:
        graph = get_default_graph()
        with graph.name_scope(name or "TreeEnsemble") as scope:
            self.handle: Tensor = raw_ops.BoostedTreesEnsembleResourceHandleOp(
                shared_name="" if is_local else scope, name=scope
            )
            self.initializer: Operation = self.apply(
                raw_ops.BoostedTreesCreateEnsemble, stamp_token=0, tree_ensemble_serialized=""
            )
            is_made = self.apply(raw_ops.IsBoostedTreesEnsembleInitialized)
            if not is_local:
                saved = _SavedEnsemble(self, self.handle.name)
                graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)
        register_resource(self.handle, self.initializer, is_made, is_shared=not is_local)

    def apply(self, op: Callable[..., Any], **inputs: Any) -> Any:
        """What an op makes of it, where it is.

        Args:
            op: A function of raw_ops, which takes the handle.
            **inputs: All else that it takes.
        """
        with get_default_graph().colocate_with(self.handle.op):
            return op(tree_ensemble_handle=self.handle, **inputs)

    def states(self) -> EnsembleStates:
        """How far it has grown."""
        found = self.apply(raw_ops.BoostedTreesGetEnsembleStates)
        names = EnsembleStates._fields
        return EnsembleStates(*map(array_ops.identity, found, names))

    def serialize(self) -> Sequence[Tensor]:
        """Its stamp, and what it is as bytes."""
        found: Sequence[Tensor] = self.apply(raw_ops.BoostedTreesSerializeEnsemble)
        return found

    def deserialize(self, stamp: Any, serialized: Any) -> Operation:
        """Makes it what the bytes say."""
        made: Operation = self.apply(
            raw_ops.BoostedTreesDeserializeEnsemble,
            stamp_token=stamp,
            tree_ensemble_serialized=serialized,
        )
        return made


class _SavedBoundaries(SaveableObject):
    """The boundaries of the buckets of each feature."""

    def __init__(self, accumulator: QuantileAccumulator, name: str) -> None:
        self._accumulator = accumulator
        specs = [
            SaveSpec(boundaries, "", f"{name}_bucket_boundaries_{i}")
            for i, boundaries in enumerate(accumulator.bucket_boundaries())
        ]
        super().__init__(accumulator.handle, specs, name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        with control_dependencies([self._accumulator.initializer]):
            return self._accumulator._apply(
                raw_ops.BoostedTreesQuantileStreamResourceDeserialize,
                bucket_boundaries=restored_tensors,
            )


class QuantileAccumulator:
    """Streams of features, and the boundaries of their buckets, which savers of all variables save.

    Args:
        epsilon: The error of quantiles.
        num_streams: How many features there are.
        num_quantiles: For about how many buckets boundaries are made.
        name: The name of its handle, by which other sessions know it, too.
    """

    def __init__(self, epsilon: float, num_streams: int, num_quantiles: int, name: str) -> None:
        self._epsilon, self._num_streams = epsilon, num_streams
        self._num_quantiles = num_quantiles
        graph = get_default_graph()
        with graph.name_scope(name) as scope:
            self.handle: Tensor = raw_ops.BoostedTreesQuantileStreamResourceHandleOp(
                shared_name=scope, name=scope
            )
            self.initializer: Operation = self._apply(
                raw_ops.BoostedTreesCreateQuantileStreamResource,
                epsilon=epsilon,
                num_streams=num_streams,
            )
            is_made = self._apply(raw_ops.IsBoostedTreesQuantileStreamResourceInitialized)
        register_resource(self.handle, self.initializer, is_made)
        saved = _SavedBoundaries(self, self.handle.name)
        graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)

    def add_summaries(self, features: Sequence[Tensor], weights: Tensor) -> Operation:
        """Adds the values of each feature to its stream."""
        summaries = raw_ops.BoostedTreesMakeQuantileSummaries(
            float_values=features, example_weights=weights, epsilon=self._epsilon
        )
        added: Operation = self._apply(
            raw_ops.BoostedTreesQuantileStreamResourceAddSummaries, summaries=as_list(summaries)
        )
        return added

    def flush(self) -> Operation:
        """Makes boundaries of all that was added."""
        flushed: Operation = self._apply(
            raw_ops.BoostedTreesQuantileStreamResourceFlush, num_buckets=self._num_quantiles
        )
        return flushed

    def bucket_boundaries(self) -> List[Tensor]:
        """The boundaries of each feature, none before they were made."""
        return as_list(
            self._apply(
                raw_ops.BoostedTreesQuantileStreamResourceGetBucketBoundaries,
                num_features=self._num_streams,
            )
        )

    def _apply(self, op: Callable[..., Any], **inputs: Any) -> Any:
        with get_default_graph().colocate_with(self.handle.op):
            return op(quantile_stream_resource_handle=self.handle, **inputs)
