"""What metrics have in common: local variables that add up, and collections of the results."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import creation_ops
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable import Variable

Metric = Tuple[Tensor, Tensor]


def metric_variable(shape: Any, dtype: DTypeLike, name: str) -> Variable:
    """A local variable of zeros, in METRIC_VARIABLES too."""
    return Variable(
        lambda: creation_ops.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        name=name,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
    )


def collected(value: Tensor, update: Tensor, metrics: Any, updates: Any) -> Metric:
    """The value and the update of a metric, once they are in those collections."""
    graph = get_default_graph()
    graph.add_to_collections(metrics, value)
    graph.add_to_collections(updates, update)
    return value, update
