"""Trains by steps of a monitored session."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.monitored_session import MonitoredTrainingSession
from troupe._src.train.scaffold import Scaffold


def train(
    train_op: Any, logdir: Optional[str], master: str = "", is_chief: bool = True,
    scaffold: Optional[Scaffold] = None, hooks: Optional[Sequence[SessionRunHook]] = None,
    chief_only_hooks: Optional[Sequence[SessionRunHook]] = None,
    save_checkpoint_secs: Optional[float] = 600, save_summaries_steps: Optional[int] = 100,
    config: Any = None, max_wait_secs: int = 7200, run_metadata: Any = None,
) -> Any:  # fmt: skip
    """Runs an operation until a hook or the inputs end the session.

    Args:
        train_op: What each step runs.
        logdir: The folder of checkpoints and summaries; None for none.
        master: The target of the session.
        is_chief: Whether this worker initializes and saves variables.
        scaffold: How the session begins.
        hooks: Its hooks.
        chief_only_hooks: Further hooks, where it is the chief.
        save_checkpoint_secs: After how many seconds variables are saved; None for never.
        save_summaries_steps: After how many steps summaries are written; None for never.
        config: The options of the session.
        max_wait_secs: How long a worker that is no chief waits for variables, in seconds.
        run_metadata: What describes the last step.

    Returns:
        The last value of `train_op`; None without a step.

    Raises:
        ValueError: Something is to be written without a folder.
    """
    if logdir is None and is_chief:
        asked = {
            "save_summaries_steps": save_summaries_steps,
            "save_checkpoint_secs": save_checkpoint_secs,
        }
        for name, value in asked.items():
            if value:
                raise ValueError(f"logdir cannot be None when {name} is not None")
    with MonitoredTrainingSession(
        master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold, hooks=hooks,
        chief_only_hooks=chief_only_hooks, save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps, config=config, max_wait_secs=max_wait_secs,
    ) as session:  # fmt: skip
        value = None
        while not session.should_stop():
            value = session.run(train_op, run_metadata=run_metadata)
    return value
