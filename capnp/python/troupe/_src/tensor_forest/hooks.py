"""Hooks of the trainings of forests."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

LOSS_NAME = "rf_training_loss"


@set_module("troupe.contrib.tensor_forest.client.random_forest")
class TensorForestRunOpAtEndHook(SessionRunHook):
    """Runs operations at the end of a session, and logs what they give.

    Args:
        op_dict: The operations by names, in whose order they run.
    """

    def __init__(self, op_dict: Dict[str, Any]) -> None:
        self._ops = op_dict

    def end(self, session: Any) -> None:
        for name in sorted(self._ops):
            logging.info("%s: %s", name, session.run(self._ops[name]))


@set_module("troupe.contrib.tensor_forest.client.random_forest")
class TensorForestLossHook(SessionRunHook):
    """Ends a training once its loss does not fall any more.

    Args:
        early_stopping_rounds: How many steps that may take.
        early_stopping_loss_threshold: By which part of itself the loss must fall to count.
        loss_op: The loss; by default the output of the operation "rf_training_loss".
    """

    def __init__(
        self, early_stopping_rounds: int, early_stopping_loss_threshold: Any = None,
        loss_op: Any = None,
    ) -> None:  # fmt: skip
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_loss_threshold = early_stopping_loss_threshold
        self.loss_op = loss_op
        self.min_loss: Optional[float] = None
        self.last_step = -1
        self.steps = 0  # since the loss has fallen

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        loss = self.loss_op
        if loss is None:
            loss = run_context.session.graph.get_operation_by_name(LOSS_NAME).outputs[0]
        return SessionRunArgs({"global_step": get_global_step(), "current_loss": loss})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        loss = run_values.results["current_loss"]
        step = run_values.results["global_step"]
        self.steps += 1
        # The step may fall where a training goes on from a checkpoint.
        if self.last_step == -1 or self.last_step > step:
            logging.info("TensorForestLossHook resetting last_step.")
            self.last_step, self.steps, self.min_loss = step, 0, None
            return
        self.last_step = step
        least = self.min_loss
        if least is None or loss < least - least * self.early_stopping_loss_threshold:
            self.min_loss, self.steps = loss, 0
        if self.steps > self.early_stopping_rounds:
            logging.info("TensorForestLossHook requesting stop.")
            run_context.request_stop()
