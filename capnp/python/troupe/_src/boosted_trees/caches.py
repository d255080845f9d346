"""Where the examples of a training are in its trees, from step to step."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable

# Of an example that is in no tree yet.
_NO_NODE = -1


class StatesCache:
    """The tree, node and logits of each example: of a batch that is always the same, in variables;
    else those of examples that are in no tree.

    Args:
        labels: The labels of the batch.
        logits_dimension: How many logits an example has.
        is_kept: Whether the batch is always the same.
    """

    def __init__(self, labels: Any, logits_dimension: int, is_kept: bool) -> None:
        tensor = convert_to_tensor(labels)
        known = tensor.shape[0].value if tensor.shape.rank else None
        batch = array_ops.shape(tensor)[0] if known is None else known
        trees = creation_ops.zeros([batch], dtypes.int32)
        nodes = creation_ops.fill([batch], _NO_NODE)
        logits = creation_ops.zeros([batch, logits_dimension], dtypes.float32)
        self._variables = None
        if is_kept:
            self._variables = (
                _kept(trees, "tree_ids_cache"),
                _kept(nodes, "node_ids_cache"),
                _kept(logits, "logits_cache"),
            )
            trees, nodes, logits = (each.read_value() for each in self._variables)
        self.tree_ids: Tensor = trees
        self.node_ids: Tensor = nodes
        self.logits: Tensor = logits

    def store(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """Keeps where the examples are now, if it keeps that."""
        if self._variables is None:
            return no_op()
        values = (tree_ids, node_ids, logits)
        return group(*(each.assign(value) for each, value in zip(self._variables, values)))


def _kept(initial: Tensor, name: str) -> Variable:
    return Variable(
        initial, trainable=False, validate_shape=False, name=name, use_resource=True
    )
