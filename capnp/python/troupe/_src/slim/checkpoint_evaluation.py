"""Evaluations of models for some steps each, with summaries at their end."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.checkpoints.saver import Saver
from troupe._src.slim import evaluations
from troupe._src.summary import summary_ops
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.scaffold import Scaffold

_DEFAULT: Any = 0  # as in TensorFlow


def evaluate_once(
    master: str, checkpoint_path: str, logdir: str, num_evals: int = 1, initial_op: Any = None,
    initial_op_feed_dict: Any = None, eval_op: Any = None, eval_op_feed_dict: Any = None,
    final_op: Any = None, final_op_feed_dict: Any = None, summary_op: Any = _DEFAULT,
    summary_op_feed_dict: Any = None, variables_to_restore: Any = None, session_config: Any = None,
    hooks: Optional[Sequence[SessionRunHook]] = None,
) -> Any:  # fmt: skip
    """Evaluates a checkpoint.

    Args:
        master: The target of the session.
        checkpoint_path: The checkpoint.
        logdir: The folder of the summaries.
        num_evals: How often `eval_op` runs.
        initial_op: What initializes variables; None for all.
        initial_op_feed_dict: What it is fed.
        eval_op: What each step runs; None for no steps.
        eval_op_feed_dict: What it is fed.
        final_op: What is run at the end.
        final_op_feed_dict: What it is fed.
        summary_op: What gives the summaries, by default all merged; None for none.
        summary_op_feed_dict: What it is fed.
        variables_to_restore: The variables that the checkpoint has; None for all.
        session_config: The options of the session.
        hooks: Further hooks.

    Returns:
        The value of `final_op`.
    """
    everything, saver = _prepared(
        num_evals, logdir, summary_op, summary_op_feed_dict, hooks, variables_to_restore
    )
    return evaluations.evaluate_once(
        checkpoint_path, master,
        Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver),
        eval_op, eval_op_feed_dict, final_op, final_op_feed_dict, everything, session_config,
    )  # fmt: skip


def evaluation_loop(
    master: str, checkpoint_dir: str, logdir: str, num_evals: int = 1, initial_op: Any = None,
    initial_op_feed_dict: Any = None, init_fn: Optional[Callable[..., Any]] = None,
    eval_op: Any = None, eval_op_feed_dict: Any = None, final_op: Any = None,
    final_op_feed_dict: Any = None, summary_op: Any = _DEFAULT, summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None, eval_interval_secs: float = 60,
    max_number_of_evaluations: Optional[int] = None, session_config: Any = None,
    timeout: Optional[float] = None, timeout_fn: Optional[Callable[[], bool]] = None,
    hooks: Optional[Sequence[SessionRunHook]] = None,
) -> Any:  # fmt: skip
    """Evaluates each new checkpoint of a folder.

    Args:
        master: The target of the sessions.
        checkpoint_dir: The folder.
        logdir: The folder of the summaries.
        num_evals: How often `eval_op` runs in each evaluation.
        initial_op: What initializes variables; None for all.
        initial_op_feed_dict: What it is fed.
        init_fn: Is called with the scaffold and the session after that.
        eval_op: What each step runs; None for no steps.
        eval_op_feed_dict: What it is fed.
        final_op: What is run at the end of each evaluation.
        final_op_feed_dict: What it is fed.
        summary_op: What gives the summaries, by default all merged; None for none.
        summary_op_feed_dict: What it is fed.
        variables_to_restore: The variables that the checkpoints have; None for all.
        eval_interval_secs: The least time between the begins of two evaluations, in seconds.
        max_number_of_evaluations: How many there are; None for no end.
        session_config: The options of the sessions.
        timeout: How long it waits for a checkpoint, in seconds; None for no end.
        timeout_fn: Is called then, and returns whether it gives up.
        hooks: Further hooks.

    Returns:
        The value of `final_op` in the last one.
    """
    everything, saver = _prepared(
        num_evals, logdir, summary_op, summary_op_feed_dict, hooks, variables_to_restore
    )
    scaffold = Scaffold(
        init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn, saver=saver
    )
    return evaluations.evaluate_repeatedly(
        checkpoint_dir, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict,
        eval_interval_secs, everything, session_config, max_number_of_evaluations, timeout,
        timeout_fn,
    )  # fmt: skip


def _prepared(
    num_evals: int, logdir: str, summary_op: Any, feed_dict: Any, hooks: Any, variables: Any
) -> Tuple[List[SessionRunHook], Optional[Saver]]:
    """The hooks of an evaluation, and the saver of those variables."""
    if isinstance(summary_op, int):
        summary_op = summary_ops.merge_all()
    everything: List[SessionRunHook] = [evaluations.StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        everything.append(
            evaluations.SummaryAtEndHook(
                log_dir=logdir, summary_op=summary_op, feed_dict=feed_dict
            )
        )
    everything.extend(hooks or [])
    return everything, None if variables is None else Saver(variables)
