"""Trainings of a graph."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from troupe._src.checkpoints.checkpoint_reader import load_variable
from troupe._src.framework.model_variables import assert_or_get_global_step
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph
from troupe._src.learn.monitor_kinds import NanLossDuringTrainingError, get_default_monitors
from troupe._src.learn_actions.runs import saver_of
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.summary.summary_ops import merge_all
from troupe._src.train.supervisor import Supervisor
from troupe._src.types import errors


@set_module("troupe.contrib.learn")
def train(
    graph: Graph, output_dir: str, train_op: Any, loss_op: Any, global_step_tensor: Any = None,
    init_op: Any = None, init_feed_dict: Any = None,
    init_fn: Optional[Callable[[Any], None]] = None, log_every_steps: int = 10,
    supervisor_is_chief: bool = True, supervisor_master: str = "",
    supervisor_save_model_secs: float = 600, keep_checkpoint_max: int = 5,
    supervisor_save_summaries_steps: int = 100, feed_fn: Optional[Callable[[], Any]] = None,
    steps: Optional[int] = None, fail_on_nan_loss: bool = True,
    monitors: Optional[Sequence[Any]] = None, max_steps: Optional[int] = None,
) -> Any:  # fmt: skip
    """Runs a training with a supervisor, from the latest checkpoint of a folder.

    Args:
        graph: The graph.
        output_dir: The folder of checkpoints and summaries.
        train_op: What each step runs; it has to increment the global step.
        loss_op: The loss.
        global_step_tensor: The global step, by default that of the graph.
        init_op: What sets variables where there is no checkpoint, by default all initializers.
        init_feed_dict: {tensor: value} for it.
        init_fn: Called with the session after it.
        log_every_steps: How many steps are from one log of the loss to the next.
        supervisor_is_chief: Whether this process sets variables, and writes.
        supervisor_master: The target of the session.
        supervisor_save_model_secs: How many seconds are from one checkpoint to the next.
        keep_checkpoint_max: How many checkpoints are kept.
        supervisor_save_summaries_steps: How many steps are from one summary to the next.
        feed_fn: Makes the feed of a step; StopIteration ends the training.
        steps: The number of steps; None until queues end.
        fail_on_nan_loss: Whether a loss that is no number is an error.
        monitors: What is called around steps, by default what logs and writes summaries.
        max_steps: The global step of the end, in place of `steps`.

    Returns:
        The loss of the last step, None without a step.

    Raises:
        ValueError: An argument lacks, both numbers of steps are given, or the graph has no global
            step.
        NanLossDuringTrainingError: The loss is no number.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    for name, op in (("train_op", train_op), ("loss_op", loss_op)):
        if op is None:
            raise ValueError(f"Missing {name}.")
    with graph.as_default():
        step_tensor = assert_or_get_global_step(graph, global_step_tensor)
        if step_tensor is None:
            raise ValueError('No "global_step" was provided or found in the graph.')
        writer = FileWriterCache.get(output_dir) if supervisor_is_chief else None
        watching = list(monitors or [])
        if not watching and supervisor_is_chief:
            watching = get_default_monitors(
                loss_op, merge_all(), supervisor_save_summaries_steps, summary_writer=writer
            )
        if not supervisor_is_chief:
            watching = [monitor for monitor in watching if monitor.run_on_all_workers]
        if max_steps is None and steps:
            max_steps = _first_step(output_dir, step_tensor) + steps
        for monitor in watching:
            monitor.begin(max_steps=max_steps)
        supervisor = Supervisor(
            graph, is_chief=supervisor_is_chief, logdir=output_dir,
            init_op=Supervisor.USE_DEFAULT if init_op is None else init_op,
            init_feed_dict=init_feed_dict, init_fn=init_fn, global_step=step_tensor,
            saver=saver_of(graph, keep_checkpoint_max), summary_op=None, summary_writer=writer,
            save_model_secs=supervisor_save_model_secs,
        )  # fmt: skip
    training = _Training(supervisor, supervisor_is_chief, step_tensor, train_op, loss_op, watching)
    training.log_every_steps, training.fails_on_nan = log_every_steps, fail_on_nan_loss
    while True:
        try:
            return training.run(supervisor_master, feed_fn, max_steps)
        except errors.AbortedError:
            logging.warning("Training got Aborted error. Keep training.")


def _first_step(folder: str, step_tensor: Any) -> int:
    try:
        return int(load_variable(folder, step_tensor.name))
    except (errors.NotFoundError, ValueError):
        return 0


class _Training:
    """The steps of a training."""

    log_every_steps = 10
    fails_on_nan = True

    def __init__(
        self, supervisor: Supervisor, is_chief: bool, step_tensor: Any, train_op: Any,
        loss_op: Any, monitors: List[Any],
    ) -> None:  # fmt: skip
        self._supervisor, self._is_chief, self._monitors = supervisor, is_chief, monitors
        self._step_tensor, self._train_op, self._loss_op = step_tensor, train_op, loss_op
        self._loss: Any = None

    def run(self, master: str, feed_fn: Any, max_steps: Optional[int]) -> Any:
        """Trains, and saves at the end; the last loss."""
        supervisor = self._supervisor
        session = supervisor.PrepareSession(master=master, start_standard_services=True)
        supervisor.StartQueueRunners(session)
        with session:
            failure: Optional[BaseException] = None
            try:
                self._steps(session, feed_fn, max_steps)
            except errors.OutOfRangeError as error:
                logging.warning("The training ended, perhaps with its input queue: %s.", error)
            except StopIteration:
                logging.info("The feeds of the training ended.")
            except BaseException as error:
                failure = error
            try:
                self._finish(session)
            except errors.OutOfRangeError as error:
                logging.warning("No checkpoint at the end, perhaps by an empty queue: %s.", error)
            except BaseException as error:
                if failure is None:
                    raise
                logging.error("Got exception during the final checkpoint %s.", error)
            if failure is not None:
                raise failure
        return self._loss

    def _finish(self, session: Any) -> None:
        supervisor = self._supervisor
        supervisor.Stop(close_summary_writer=False)
        if self._is_chief:
            step = session.run(self._step_tensor)
            assert supervisor.saver is not None
            supervisor.saver.save(session, supervisor.save_path or "", global_step=step)
            for monitor in self._monitors:
                monitor.end()

    def _steps(self, session: Any, feed_fn: Any, max_steps: Optional[int]) -> None:
        last = logged = int(session.run(self._step_tensor))
        while not self._supervisor.ShouldStop() and (max_steps is None or last < max_steps):
            feed = feed_fn() if feed_fn is not None else None
            self._loss, is_over = self._step(session, last + 1, feed)
            if np.isnan(self._loss):
                if self.fails_on_nan:
                    raise NanLossDuringTrainingError()
                logging.warning("Model diverged with loss = NaN.")
            if is_over:
                break
            step = int(session.run(self._step_tensor))
            if step <= last:
                logging.error("The train op did not increment the global step %d.", step)
            last = step
            if last == max_steps or last - logged >= self.log_every_steps:
                logging.info("training step %d, loss = %.5f.", last, self._loss)
                logged = last

    def _step(self, session: Any, number: int, feed: Any) -> Tuple[Any, bool]:
        """The loss of a step, and whether a monitor ends the training."""
        fetches = [self._train_op, self._loss_op]
        for monitor in self._monitors:
            fetches += monitor.step_begin(number)
        wanted = list(dict.fromkeys(fetches))
        values = session.run(wanted, feed_dict=feed)
        names = [each.name if isinstance(each, Tensor) else each for each in wanted]
        outputs = dict(zip(names, values))
        stops = [monitor.step_end(number, outputs) for monitor in self._monitors]
        return outputs[self._loss_op.name], any(stops)
