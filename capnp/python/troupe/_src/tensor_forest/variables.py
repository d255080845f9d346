"""Trees, and what they learn from, in containers and in checkpoints."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.data_flow.resources import register_resource
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import gen_ops


class TreeVariableSavable(SaveableObject):
    """A tree in checkpoints, as bytes.

    Args:
        params: The parameters of the forest.
        tree_handle: The handle of the tree.
        stats_handle: Has no effect.
        create_op: What makes the tree.
        name: Its name in checkpoints.
    """

    def __init__(
        self, params: Any, tree_handle: Tensor, stats_handle: Any, create_op: Any, name: str
    ) -> None:
        self.params, self._tree_handle, self._create_op = params, tree_handle, create_op
        specs = [SaveSpec(gen_ops.tree_serialize(tree_handle), "", name)]
        super().__init__(tree_handle, specs, name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        with control_dependencies([self._create_op]):
            return gen_ops.tree_deserialize(
                self._tree_handle, restored_tensors[0], params=self.params.serialized_params_proto
            )


class FertileStatsVariableSavable(SaveableObject):
    """What a tree learns from in checkpoints, as bytes.

    Args:
        params: The parameters of the forest.
        stats_handle: The handle of the statistics.
        create_op: What makes them.
        name: Their name in checkpoints.
    """

    def __init__(self, params: Any, stats_handle: Tensor, create_op: Any, name: str) -> None:
        self.params, self._stats_handle, self._create_op = params, stats_handle, create_op
        serialized = gen_ops.fertile_stats_serialize(
            stats_handle, params=params.serialized_params_proto
        )
        super().__init__(stats_handle, [SaveSpec(serialized, "", name)], name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        with control_dependencies([self._create_op]):
            return gen_ops.fertile_stats_deserialize(
                self._stats_handle, restored_tensors[0], params=self.params.serialized_params_proto
            )


class _Variable:
    """A resource that bytes describe, which is made when the program says so."""

    def __init__(self, params: Any, config: Any, name: str, container: Optional[str]) -> None:
        self._params, self._config, self._name = params, config, name
        self._container = container
        self._init_op: Optional[Operation] = None
        self.resource_handle: Tensor = self._create_resource()

    def _create_resource(self) -> Tensor:
        raise NotImplementedError

    def _initialize(self) -> Operation:
        raise NotImplementedError

    @property
    def initializer(self) -> Operation:
        """What makes it."""
        if self._init_op is None:
            self._init_op = self._initialize()
        return self._init_op

    def _named(self) -> Any:
        return {
            "container": self._container or "", "shared_name": self._name, "name": self._name
        }  # fmt: skip


class TreeVariable(_Variable):
    """A tree.

    Args:
        params: The parameters of the forest, with their message as bytes.
        tree_config: What it is as the bytes of a decision_trees.Model; none for one leaf.
        stats_handle: The handle of what it learns from; None where it does not.
        name: The name of its handle, by which other sessions know it, too.
        container: The container that it is in.
    """

    def __init__(
        self, params: Any, tree_config: Any, stats_handle: Any, name: str,
        container: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._stats_handle = stats_handle
        super().__init__(params, tree_config, name, container)

    def _create_resource(self) -> Tensor:
        handle: Tensor = gen_ops.decision_tree_resource_handle_op(**self._named())
        return handle

    def _initialize(self) -> Operation:
        made: Operation = gen_ops.create_tree_variable(
            self.resource_handle, self._config, params=self._params.serialized_params_proto
        )
        return made

    def is_initialized(self) -> Tensor:
        """Whether it is made."""
        made: Tensor = gen_ops.tree_is_initialized_op(self.resource_handle)
        return made


class FertileStatsVariable(_Variable):
    """What a tree learns from.

    Args:
        params: The parameters of the forest, with their message as bytes.
        stats_config: What it is as the bytes of a FertileStats; none for that of one leaf.
        name: The name of its handle, by which other sessions know it, too.
        container: The container that it is in.
    """

    def __init__(
        self, params: Any, stats_config: Any, name: str, container: Optional[str] = None
    ) -> None:
        super().__init__(params, stats_config, name, container)

    def _create_resource(self) -> Tensor:
        handle: Tensor = gen_ops.fertile_stats_resource_handle_op(**self._named())
        return handle

    def _initialize(self) -> Operation:
        made: Operation = gen_ops.create_fertile_stats_variable(
            self.resource_handle, self._config, params=self._params.serialized_params_proto
        )
        return made

    def is_initialized(self) -> Tensor:
        """Whether it is made."""
        made: Tensor = gen_ops.fertile_stats_is_initialized_op(self.resource_handle)
        return made


def tree_variable(
    params: Any, tree_config: Any, stats_handle: Any, name: str, container: Optional[str] = None
) -> Tensor:
    """Makes a tree, which savers of all variables save.

    Args:
        params: The parameters of the forest, with their message as bytes.
        tree_config: What it is as the bytes of a decision_trees.Model; none for one leaf.
        stats_handle: The handle of what it learns from; None where it does not.
        name: Its name.
        container: The container that it is in.

    Returns:
        Its handle.
    """
    graph = get_default_graph()
    with graph.name_scope(name or "TreeVariable") as scope:
        variable = TreeVariable(params, tree_config, stats_handle, scope, container)
        handle, create_op = variable.resource_handle, variable.initializer
        is_made = variable.is_initialized()
        saved = TreeVariableSavable(params, handle, stats_handle, create_op, handle.name)
        graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)
        register_resource(handle, create_op, is_made)
        return handle


def fertile_stats_variable(
    params: Any, stats_config: Any, name: str, container: Optional[str] = None
) -> Tensor:
    """Makes what a tree learns from, which savers of all variables save.

    Args:
        params: The parameters of the forest, with their message as bytes.
        stats_config: What it is as the bytes of a FertileStats; none for that of one leaf.
        name: Its name.
        container: The container that it is in.

    Returns:
        Its handle.
    """
    graph = get_default_graph()
    with graph.name_scope(name or "FertileStatsVariable") as scope:
        variable = FertileStatsVariable(params, stats_config, scope, container)
        handle, create_op = variable.resource_handle, variable.initializer
        is_made = variable.is_initialized()
        saved = FertileStatsVariableSavable(params, handle, create_op, handle.name)
        graph.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saved)
        register_resource(handle, create_op, is_made)
        return handle
