"""Metrics of `tf.keras` as those of evaluations: a value, and the op that counts a batch."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.grouping_ops import group

_LOCAL = (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES)
_NOT_LOCAL = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


def is_metric_object(value: Any) -> bool:
    """Whether it is a metric of `tf.keras`, which need not be loaded."""
    return all(hasattr(value, name) for name in ("result", "update_state", "updates", "weights"))


def value_and_update(metric: Any) -> Tuple[Any, Any]:
    """The value of a metric, and the op that counts a batch.

    Its variables become those of the evaluation, which no checkpoint has.

    Args:
        metric: A metric of `tf.keras`, which has been updated.

    Returns:
        (value, update).

    Raises:
        ValueError: It was not updated.
    """
    updates = list(metric.updates)
    if not updates:
        raise ValueError(f'Please call update_state(...) on the "{metric.name}" metric')
    graph = get_default_graph()
    own = {id(variable) for variable in metric.weights}
    for name in _NOT_LOCAL:
        kept = graph.get_collection_ref(name)
        kept[:] = [variable for variable in kept if id(variable) not in own]
    for name in _LOCAL:
        present = {id(variable) for variable in graph.get_collection(name)}
        for variable in metric.weights:
            if id(variable) not in present:
                graph.add_to_collection(name, variable)
    return metric.result(), group(*updates)
