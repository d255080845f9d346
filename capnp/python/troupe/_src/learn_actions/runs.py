"""Runs of a graph in a session that is opened for them."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, Iterator, List, Optional

from troupe._src.checkpoints.saver import Saver
from troupe._src.data_flow.resources import (
    initialize_resources,
    local_resources,
    shared_resources,
)
from troupe._src.framework.graph_parts import get_graph_from_inputs
from troupe._src.graph.graph import Graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.lookup.initializers import tables_initializer
from troupe._src.train.coordinator import Coordinator
from troupe._src.queues.queue_runner import start_queue_runners
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.variables.variable_sets import (
    global_variables_initializer,
    local_variables_initializer,
)

_MODULE = "troupe.contrib.learn"
Values = Dict[str, Any]


@set_module(_MODULE)
def infer(
    restore_checkpoint_path: Optional[str], output_dict: Values, feed_dict: Any = None
) -> Values:
    """Runs tensors once.

    Args:
        restore_checkpoint_path: A checkpoint, or None for the first values of all variables.
        output_dict: {name: tensor}, of one graph.
        feed_dict: {tensor: value}.

    Returns:
        {name: array}.

    Raises:
        ValueError: There is no tensor.
    """
    return run_feeds(output_dict, [feed_dict], restore_checkpoint_path)[0]


@set_module(_MODULE)
def run_n(
    output_dict: Values,
    feed_dict: Any = None,
    restore_checkpoint_path: Optional[str] = None,
    n: int = 1,
) -> List[Values]:
    """`infer` for several steps of one session.

    Args:
        output_dict: {name: tensor}, of one graph.
        feed_dict: {tensor: value}.
        restore_checkpoint_path: A checkpoint, or None for the first values of all variables.
        n: The number of steps.

    Returns:
        A list of {name: array}.

    Raises:
        ValueError: There is no tensor.
    """
    return run_feeds(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path)


@set_module(_MODULE)
def run_feeds(
    output_dict: Values,
    feed_dicts: Iterable[Any],
    restore_checkpoint_path: Optional[str] = None,
) -> List[Values]:
    """`infer` for one step for each of several feeds, of one session.

    Args:
        output_dict: {name: tensor}, of one graph.
        feed_dicts: A {tensor: value} for each step.
        restore_checkpoint_path: A checkpoint, or None for the first values of all variables.

    Returns:
        A list of {name: array}.

    Raises:
        ValueError: There is no tensor, or no feed.
    """
    return list(_results(output_dict, feed_dicts, restore_checkpoint_path))


def _results(output_dict: Values, feed_dicts: Any, path: Optional[str]) -> Iterator[Values]:
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    if not feed_dicts:
        raise ValueError(f"feed_dicts is invalid: {feed_dicts}.")
    graph = get_graph_from_inputs(output_dict.values())
    with graph.as_default(), Session("") as session:
        session.run(initialize_resources(shared_resources() + local_resources()))
        if path:
            restore(session, graph, path)
        else:
            session.run(global_variables_initializer())
        session.run([local_variables_initializer(), tables_initializer()])
        coordinator = Coordinator()
        threads = start_queue_runners(session, coord=coordinator)
        try:
            for feed_dict in feed_dicts:
                yield session.run(output_dict, feed_dict)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=120)


def saver_of(graph: Graph, max_to_keep: int = 5) -> Optional[Saver]:
    """A saver of all variables and saveable objects, or None where there are none."""
    objects = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    objects += graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
    return Saver(objects, sharded=True, max_to_keep=max_to_keep) if objects else None


def restore(session: Session, graph: Graph, path: str, saver: Optional[Saver] = None) -> None:
    """Reads all variables from a checkpoint."""
    reader = saver or saver_of(graph)
    if reader is not None:
        reader.restore(session, path)
