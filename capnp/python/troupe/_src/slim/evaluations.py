"""Evaluations of checkpoints: how often steps run, and what is written at the end."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional, Sequence

from troupe._src.checkpoints.new_checkpoints import checkpoints_iterator
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.hooks.python_hooks import FinalOpsHook
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.train.scaffold import ChiefSessionCreator, Scaffold
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable


def get_or_create_eval_step() -> Any:
    """The local variable that counts the steps of an evaluation, made where there is none.

    Returns:
        The variable, which is in the collection EVAL_STEP.

    Raises:
        ValueError: There is more than one.
    """
    found = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


@set_module("troupe.contrib.training")
class StopAfterNEvalsHook(SessionRunHook):
    """Ends an evaluation after that many steps.

    Args:
        num_evals: How many; None to go on until the inputs end.
        log_progress: Whether steps are logged: each, or ten of them where there are 20 and more.
    """

    def __init__(self, num_evals: Optional[int], log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._log_progress = log_progress
        is_short = num_evals is None or num_evals < 20
        self._log_frequency = 1 if is_short else int(num_evals or 0) // 10
        self._evals_completed: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Tensor) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the number of steps.

        Args:
            run_context: The step.

        Returns:
            What is fetched besides.
        """
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends the evaluation where the steps are done.

        Args:
            run_context: The step.
            run_values: What was fetched.
        """
        count, wanted = run_values.results["evals_completed"], self._num_evals
        if self._log_progress and (count % self._log_frequency == 0 or count == wanted):
            logging.info("Evaluation [%s]", count if wanted is None else f"{count}/{wanted}")
        if wanted is not None and count >= wanted:
            run_context.request_stop()


@set_module("troupe.contrib.training")
class SummaryAtEndHook(SessionRunHook):
    """Writes summaries at the end of a session.

    Args:
        log_dir: The folder of the event file.
        summary_writer: What writes them, instead.
        summary_op: What gives the summaries; None for all, merged.
        feed_dict: What `summary_op` is fed.

    Raises:
        ValueError: There is neither a folder nor a writer.
    """

    def __init__(
        self,
        log_dir: Optional[str] = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._log_dir = log_dir
        self._writer = summary_writer
        self._given_op = self._summary_op = summary_op
        self._feed_dict = feed_dict
        self._global_step: Any = None

    def begin(self) -> None:
        """Finds the summaries and the global step."""
        if self._given_op is None:
            self._summary_op = summary_ops.merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Opens the event file.

        Args:
            session: The session.
            coord: Its coordinator.
        """
        if self._writer is None and self._log_dir:
            self._writer = FileWriterCache.get(self._log_dir)

    def end(self, session: Any) -> None:
        """Writes the summaries.

        Args:
            session: The session.
        """
        if self._summary_op is not None:
            step = int(session.run(self._global_step))
            written = session.run(self._summary_op, self._feed_dict)
            if self._writer:
                self._writer.add_summary(written, step)
        if self._writer:
            self._writer.flush()


def counted(eval_ops: Any, hooks: Sequence[SessionRunHook]) -> Any:
    """The operations of a step, with one that counts it for the hooks."""
    if eval_ops is None:
        return None
    update = assign_add(get_or_create_eval_step(), 1, use_locking=True)
    if isinstance(eval_ops, dict):
        eval_ops["update_eval_step"] = update
        listed = list(eval_ops.values())
    else:
        given = list(eval_ops) if isinstance(eval_ops, (list, tuple)) else [eval_ops]
        eval_ops = listed = [*given, update]
    with get_default_graph().control_dependencies(listed):
        count = array_ops.identity(get_or_create_eval_step().read_value())
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(count)
    return eval_ops


def _run(creator: ChiefSessionCreator, hooks: Any, eval_ops: Any, feed_dict: Any) -> None:
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    with MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))


def evaluate_once(
    checkpoint_path: Optional[str], master: str = "", scaffold: Optional[Scaffold] = None,
    eval_ops: Any = None, feed_dict: Any = None, final_ops: Any = None,
    final_ops_feed_dict: Any = None, hooks: Optional[Sequence[SessionRunHook]] = None,
    config: Any = None,
) -> Any:  # fmt: skip
    """Restores a checkpoint, and runs operations until a hook or the inputs end it.

    Args:
        checkpoint_path: The checkpoint.
        master: The target of the session.
        scaffold: How the session begins.
        eval_ops: What each step runs: an operation, a list or a dict; None for no steps.
        feed_dict: What the steps are fed.
        final_ops: What is run at the end.
        final_ops_feed_dict: What that is fed.
        hooks: Hooks of the session, such as a `StopAfterNEvalsHook`.
        config: The options of the session.

    Returns:
        The values of `final_ops`.
    """
    everything: List[SessionRunHook] = list(hooks or [])
    eval_ops = counted(eval_ops, everything)
    last = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(
        scaffold=scaffold, master=master, config=config,
        checkpoint_filename_with_path=checkpoint_path,
    )  # fmt: skip
    _run(creator, [*everything, last], eval_ops, feed_dict)
    return last.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str, master: str = "", scaffold: Optional[Scaffold] = None,
    eval_ops: Any = None, feed_dict: Any = None, final_ops: Any = None,
    final_ops_feed_dict: Any = None, eval_interval_secs: float = 60,
    hooks: Optional[Sequence[SessionRunHook]] = None, config: Any = None,
    max_number_of_evaluations: Optional[int] = None, timeout: Optional[float] = None,
    timeout_fn: Optional[Callable[[], bool]] = None,
) -> Any:  # fmt: skip
    """Evaluates each new checkpoint of a folder.

    Args:
        checkpoint_dir: The folder.
        master: The target of the sessions.
        scaffold: How they begin.
        eval_ops: What each step runs: an operation, a list or a dict; None for no steps.
        feed_dict: What the steps are fed.
        final_ops: What is run at the end of each evaluation.
        final_ops_feed_dict: What that is fed.
        eval_interval_secs: The least time between the begins of two evaluations, in seconds.
        hooks: Hooks of the sessions.
        config: The options of the sessions.
        max_number_of_evaluations: How many there are; None for no end.
        timeout: How long it waits for a checkpoint, in seconds; None for no end.
        timeout_fn: Is called then, and returns whether it gives up.

    Returns:
        The values of `final_ops` in the last one.
    """
    everything: List[SessionRunHook] = list(hooks or [])
    eval_ops = counted(eval_ops, everything)
    last = FinalOpsHook(final_ops, final_ops_feed_dict)
    count = 0
    for path in checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn):
        creator = ChiefSessionCreator(
            scaffold=scaffold, master=master, config=config, checkpoint_filename_with_path=path
        )
        _run(creator, [*everything, last], eval_ops, feed_dict)
        count += 1
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return last.final_ops_values
