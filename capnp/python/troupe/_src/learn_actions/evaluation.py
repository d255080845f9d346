"""Evaluations of a graph."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from troupe._src.checkpoints.saver import Saver
from troupe._src.framework.model_variables import assert_or_get_global_step
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.learn_actions.runs import restore
from troupe._src.lookup.initializers import tables_initializer
from troupe._src.messages.summary_messages import Summary
from troupe._src.ops.grouping_ops import group
from troupe._src.platform import logging
from troupe._src.train.coordinator import Coordinator
from troupe._src.queues.queue_runner import start_queue_runners
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.train.session_manager import SessionManager
from troupe._src.types import errors
from troupe._src.variables.variable_sets import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)

Results = Optional[Dict[str, Any]]


@set_module("troupe.contrib.learn")
def evaluate(
    graph: Graph, output_dir: str, checkpoint_path: Optional[str], eval_dict: Dict[str, Any],
    update_op: Any = None, global_step_tensor: Any = None, supervisor_master: str = "",
    log_every_steps: int = 10, feed_fn: Optional[Callable[[], Any]] = None,
    max_steps: Optional[int] = None,
) -> Tuple[Results, Any]:  # fmt: skip
    """Runs an evaluation and writes its results as summaries.

    Args:
        graph: The graph.
        output_dir: The folder of the summaries.
        checkpoint_path: A checkpoint; the latest one of a folder; None for the first values.
        eval_dict: {name: tensor}, the results.
        update_op: What each step runs; the results then run at the end and when they are logged.
        global_step_tensor: The global step, by default that of the graph.
        supervisor_master: The target of the session.
        log_every_steps: How many steps are from one log to the next.
        feed_fn: Makes the feed of a step; StopIteration ends the evaluation.
        max_steps: The number of steps; None until queues end.

    Returns:
        {name: array}, and the global step of the variables.

    Raises:
        ValueError: `output_dir` is empty.
    """
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    with graph.as_default():
        step_tensor = assert_or_get_global_step(graph, global_step_tensor)
        session, coordinator, threads = _opened(graph, checkpoint_path, supervisor_master)
    results = _Results(session, eval_dict, update_op, log_every_steps)
    with session:
        global_step = session.run(step_tensor)
        try:
            try:
                results.run(feed_fn, max_steps)
            finally:
                results.finish()
                session.close()
                _stop(coordinator, threads)
        except errors.OutOfRangeError as error:
            logging.info("Input queue is exhausted: %s", error)
        except StopIteration:
            logging.info("Input iterator is exhausted.")
    if results.values is not None:
        _write(output_dir, results.values, global_step)
    return results.values, global_step


class _Results:
    """The results of the steps so far."""

    def __init__(self, session: Any, tensors: Any, update_op: Any, log_every_steps: int) -> None:
        self._session, self._tensors, self._update_op = session, tensors, update_op
        self._log_every_steps = log_every_steps
        self._feed: Any = None
        self._is_current = False
        self.values: Results = None

    def _read(self) -> None:
        self.values = self._session.run(self._tensors, feed_dict=self._feed)
        self._is_current = True

    def run(self, feed_fn: Any, max_steps: Optional[int]) -> None:
        step = 0
        while max_steps is None or step < max_steps:
            step += 1
            self._is_current = False
            self._feed = feed_fn() if feed_fn is not None else None
            if self._update_op is not None:
                self._session.run(self._update_op, feed_dict=self._feed)
            else:
                self._read()
            if step % self._log_every_steps == 0:
                if not self._is_current:
                    self._read()
                logging.info("Results after %d steps: %s.", step, _text(self.values))

    def finish(self) -> None:
        if self.values is None or not self._is_current:
            self._read()


def _of_collection(name: str, make: Callable[[], Any]) -> Any:
    """The first element of a collection, which is made where there is none."""
    graph = get_default_graph()
    found = graph.get_collection(name)
    if found:
        return found[0]
    made = make()
    if made is not None:
        graph.add_to_collection(name, made)
    return made


def _opened(graph: Graph, path: Optional[str], master: str) -> Tuple[Any, Coordinator, Any]:
    """A session with all values, and the threads of queues."""
    saver = _of_collection(GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
    local = _of_collection(
        GraphKeys.LOCAL_INIT_OP, lambda: group(local_variables_initializer(), tables_initializer())
    )
    ready = _of_collection(GraphKeys.READY_OP, report_uninitialized_variables)
    ready_for_local = graph.get_collection(GraphKeys.READY_FOR_LOCAL_INIT_OP)
    manager = SessionManager(
        local_init_op=local,
        ready_op=ready,
        ready_for_local_init_op=ready_for_local[0] if ready_for_local else None,
    )
    session, is_ready = manager.recover_session(master=master, saver=saver, checkpoint_dir=path)
    coordinator = Coordinator()
    threads = start_queue_runners(session, coordinator)
    if not is_ready:
        logging.warning("Failed to initialize from %s.", path)
        session.run(global_variables_initializer())
        if path:
            restore(session, graph, path, saver)
    return session, coordinator, threads


def _stop(coordinator: Coordinator, threads: Any) -> None:
    try:
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)
    except (RuntimeError, errors.CancelledError) as error:
        logging.warning("Coordinator didn't stop cleanly: %s", error)


def _text(values: Any) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(values.items()))


def _write(folder: str, values: Dict[str, Any], step: Any) -> None:
    logging.info("Saving evaluation summary for step %d: %s", step, _text(values))
    summary = Summary()
    for name, value in values.items():
        if isinstance(value, (np.float32, float)):
            summary.value.add(tag=name, simple_value=float(value))
        elif value is not None:
            logging.warning("Skipping summary for %s, must be a float or np.float32.", name)
    writer = FileWriterCache.get(folder)
    writer.add_summary(summary, step)
    writer.flush()
