"""Hooks that are implemented in C++."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


@set_module("troupe.train")
class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


def step_name(graph: Graph) -> str:
    """The name of the tensor of the global step."""
    step = get_global_step(graph)
    if step is None:
        raise RuntimeError("Global step should be created to use this hook.")
    return str(getattr(step, "_as_graph_element", lambda: step)()._place)


def value_of(value: Any) -> Tensor:
    """The tensor of the default graph that a tensor, variable or name stands for."""
    element = get_default_graph().as_graph_element(value)
    if not isinstance(element, Operation):
        return element
    if len(element.outputs) != 1:
        raise ValueError(f"{element!r} does not have exactly one output")
    return element.outputs[0]


@set_module("troupe.train")
class StopAtStepHook(SessionRunHook):
    """Stops at a global step, or after a number of further steps.

    Args:
        num_steps: The number of steps; exactly one of it and `last_step` is given.
        last_step: The global step. Of numbers that are not whole it is the next step.

    Raises:
        ValueError: Both or none are given.
    """

    def __init__(
        self, num_steps: Optional[float] = None, last_step: Optional[float] = None
    ) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    # Of sessions that the runtime has not opened.

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None and self._num_steps is not None:
            self._last_step = int(session.run(step_name(session.graph))) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(step_name(run_context.session.graph))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The step was read before or while it was counted.
        if self._last_step is not None and int(run_values.results) + 1 >= self._last_step:
            step = run_context.session.run(step_name(run_context.session.graph))
            if step >= self._last_step:
                run_context.request_stop()

    def _native_hook(self, training: Any) -> Any:
        # Steps that are quotients end with the step that reaches them.
        num_steps, last_step = (
            None if each is None else math.ceil(each) for each in (self._num_steps, self._last_step)
        )
        return _native.stop_at_step(step_name(training.graph), num_steps, last_step)


@set_module("troupe.train")
class NanTensorHook(SessionRunHook):
    """Raises NanLossDuringTrainingError, or stops, when the loss is NaN.

    Args:
        loss_tensor: The loss, a scalar.
        fail_on_nan_loss: Whether it raises the error.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def begin(self) -> None:
        self._loss = value_of(self._loss)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not np.isnan(run_values.results):
            return
        if self._fail:
            logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logging.warning("Model diverged with loss = NaN.")
        run_context.request_stop()
