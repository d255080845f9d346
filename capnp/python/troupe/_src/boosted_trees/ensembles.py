"""Ensembles of trees, and quantile streams, in containers and in checkpoints."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.libraries.resources import register_resource
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
            self.initializer: Operation = raw_ops.BoostedTreesCreateEnsemble(
                tree_ensemble_handle=self.handle, stamp_token=0, tree_ensemble_serialized=""
            )
            is_made = raw_ops.IsBoostedTreesEnsembleInitialized(tree_ensemble_handle=self.handle)
            if not is_local:
                saved = _SavedEnsemble(self, self.handle.name)
                graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)
        register_resource(self.handle, self.initializer, is_made, is_shared=not is_local)

    def states(self) -> EnsembleStates:
        """How far it has grown."""
        found = raw_ops.BoostedTreesGetEnsembleStates(tree_ensemble_handle=self.handle)
        names = EnsembleStates._fields
        return EnsembleStates(*map(array_ops.identity, found, names))

    def serialize(self) -> Sequence[Tensor]:
        """Its stamp, and what it is as bytes."""
        found: Sequence[Tensor] = raw_ops.BoostedTreesSerializeEnsemble(
            tree_ensemble_handle=self.handle
        )
        return found

    def deserialize(self, stamp: Any, serialized: Any) -> Operation:
        """Makes it what the bytes say."""
        made: Operation = raw_ops.BoostedTreesDeserializeEnsemble(
            tree_ensemble_handle=self.handle, stamp_token=stamp, tree_ensemble_serialized=serialized
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
            return raw_ops.BoostedTreesQuantileStreamResourceDeserialize(
                quantile_stream_resource_handle=self.op, bucket_boundaries=restored_tensors
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
            self.initializer: Operation = raw_ops.BoostedTreesCreateQuantileStreamResource(
                quantile_stream_resource_handle=self.handle,
                epsilon=epsilon,
                num_streams=num_streams,
            )
            is_made = raw_ops.IsBoostedTreesQuantileStreamResourceInitialized(
                quantile_stream_resource_handle=self.handle
            )
        register_resource(self.handle, self.initializer, is_made)
        saved = _SavedBoundaries(self, self.handle.name)
        graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)

    def add_summaries(self, features: Sequence[Tensor], weights: Tensor) -> Operation:
        """Adds the values of each feature to its stream."""
        summaries = raw_ops.BoostedTreesMakeQuantileSummaries(
            float_values=features, example_weights=weights, epsilon=self._epsilon
        )
        added: Operation = raw_ops.BoostedTreesQuantileStreamResourceAddSummaries(
            quantile_stream_resource_handle=self.handle, summaries=as_list(summaries)
        )
        return added

    def flush(self) -> Operation:
        """Makes boundaries of all that was added."""
        flushed: Operation = raw_ops.BoostedTreesQuantileStreamResourceFlush(
            quantile_stream_resource_handle=self.handle, num_buckets=self._num_quantiles
        )
        return flushed

    def bucket_boundaries(self) -> List[Tensor]:
        """The boundaries of each feature, none before they were made."""
        return as_list(
            raw_ops.BoostedTreesQuantileStreamResourceGetBucketBoundaries(
                quantile_stream_resource_handle=self.handle, num_features=self._num_streams
            )
        )
