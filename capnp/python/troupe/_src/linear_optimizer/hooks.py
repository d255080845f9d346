"""The hook of trainings by dual ascent."""

from __future__ import annotations

from typing import Any

from troupe._src.linear_optimizer.models import DualAscentModel
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)


class UpdateWeightsHook(SessionRunHook):
    """Gives a model's variables what was learned, in each step of the chief."""

    def __init__(self, model: DualAscentModel, train_op: Any) -> None:
        self._model = model
        self._train_op = train_op
        self._update: Any = None

    def begin(self) -> None:
        self._update = self._model.update_weights(self._train_op)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._update)
