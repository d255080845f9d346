"""Hooks that the runtime has itself."""

from __future__ import annotations

import os
from typing import Any, Optional

from troupe import _dtypes, _native, errors, math
from troupe._elements import Operation, Tensor
from troupe._graph import Graph, get_default_graph
from troupe.train.hook import SessionRunHook
from troupe.train.step import get_global_step

NanLossDuringTrainingError = errors.InvalidArgumentError


def step_name(graph: Graph) -> str:
    """The tensor of the graph's global step, which hooks read."""
    step = get_global_step(graph)
    if step is None:
        raise RuntimeError("Global step should be created to use this hook.")
    return step._as_graph_element().name


def value_of(value: Any) -> Tensor:
    """The tensor of the default graph that a hook looks at; "x" is another way to write "x:0"."""
    element = get_default_graph().as_graph_element(value)
    if not isinstance(element, Operation):
        return element
    if len(element.outputs) != 1:
        raise ValueError(f"{element!r} has not one output that could be looked at")
    return element.outputs[0]


class StopAtStepHook(SessionRunHook):
    """Stops at a global step, or after so many further ones."""

    def __init__(self, num_steps: Optional[int] = None, last_step: Optional[int] = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def _native_hook(self, training: Any) -> Any:
        return _native.stop_at_step(step_name(training.graph), self._num_steps, self._last_step)


class CheckpointSaverHook(SessionRunHook):
    """Saves when a session begins, every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: Optional[float] = None,
        save_steps: Optional[int] = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
    ) -> None:
        if (save_secs is None) == (save_steps is None):
            raise ValueError("exactly one of save_steps and save_secs should be provided.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        if listeners:
            raise NotImplementedError("listeners are not part of this version: use a hook")
        self._prefix = os.path.join(os.fspath(checkpoint_dir), checkpoint_basename)
        self._save_secs, self._save_steps = save_secs, save_steps
        self._saver, self._scaffold = saver, scaffold

    def begin(self) -> None:
        from troupe.train.saver import Saver

        if self._saver is None and self._scaffold is not None:
            self._saver = self._scaffold.finalize().saver
        if self._saver is None:
            self._saver = Saver()
        os.makedirs(os.path.dirname(self._prefix), exist_ok=True)

    def _native_hook(self, training: Any) -> Any:
        return _native.checkpoint_saver(
            self._saver._native,
            self._prefix,
            step_name(training.graph),
            self._save_steps,
            self._save_secs,
        )


class StepCounterHook(SessionRunHook):
    """Logs how many global steps are done in a second."""

    def __init__(
        self,
        every_n_steps: Optional[int] = 100,
        every_n_secs: Optional[float] = None,
        output_dir: Any = None,
        summary_writer: Any = None,
    ) -> None:
        every_n_steps = None if every_n_secs is not None else every_n_steps
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._steps, self._secs = every_n_steps, every_n_secs

    def _native_hook(self, training: Any) -> Any:
        name = step_name(training.graph)
        return _native.step_counter(training.host, name, self._steps, self._secs)


class NanTensorHook(SessionRunHook):
    """Fails with InvalidArgumentError, or stops, once the loss is NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def begin(self) -> None:
        self._loss = math.cast(value_of(self._loss), _dtypes.float32)

    def _native_hook(self, training: Any) -> Any:
        return _native.nan_guard(training.host, self._loss.name, self._fail)
