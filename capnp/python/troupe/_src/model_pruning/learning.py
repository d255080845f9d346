"""Trainings that update masks after each step."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.slim import learning


def train(
    train_op: Any,
    logdir: Optional[str],
    mask_update_op: Any,
    train_step_fn: Callable[..., Any] = learning.train_step,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Trains until a number of steps is reached, or the inputs end; updates masks after each step.

    Args:
        train_op: What trains, and gives the loss, as of `slim.learning.create_train_op`.
        logdir: The folder of checkpoints and summaries; None for none.
        mask_update_op: What updates the masks, as `Pruning.conditional_mask_update_op` gives it.
        train_step_fn: Makes a step, as for `slim.learning.train`.
        *args: The arguments of `slim.learning.train` that follow this one.
        **kwargs: The same, by name.

    Returns:
        The last loss.

    Raises:
        ValueError: As of `slim.learning.train`.
    """

    def step(session: Any, op: Any, global_step: Any, step_arguments: Any) -> Any:
        loss, should_stop = train_step_fn(session, op, global_step, step_arguments)
        session.run(mask_update_op)
        return loss, should_stop

    return learning.train(train_op, logdir, step, *args, **kwargs)
