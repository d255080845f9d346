"""What came before hooks: objects that are called around the steps of a training."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Optional, Sequence

from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import get_default_graph
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import SessionRunArgs, SessionRunHook


@set_module("troupe.contrib.learn.monitors")
class BaseMonitor:
    """Called around the steps of a training; by itself it does nothing but check the order."""

    def __init__(self) -> None:
        self._begun = False
        self._current_epoch: Optional[int] = None
        self._current_step: Optional[int] = None
        self._max_steps: Optional[int] = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """Whether it is called on other workers than the chief."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Says whose training it is.

        Args:
            estimator: The estimator.

        Raises:
            ValueError: It is None.
        """
        if estimator is None:
            raise ValueError("Missing estimator.")
        self._estimator = estimator

    def begin(self, max_steps: Optional[int] = None) -> None:
        """Called at the begin of a training, when its graph is there.

        Args:
            max_steps: The last step, if it is known.

        Raises:
            ValueError: The last training has not ended.
        """
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps, self._begun = max_steps, True

    def end(self, session: Any = None) -> None:
        """Called at the end of a training.

        Args:
            session: Its session.

        Raises:
            ValueError: It has not begun.
        """
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps, self._begun = None, False

    def epoch_begin(self, epoch: int) -> None:
        """Called at the begin of an epoch, by programs that count them.

        Args:
            epoch: Its number.

        Raises:
            ValueError: The last one has not ended, or it is negative.
        """
        if self._current_epoch is not None:
            raise ValueError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Called at the end of an epoch.

        Args:
            epoch: Its number.

        Raises:
            ValueError: It is another one than that which has begun.
        """
        if self._current_epoch != epoch:
            raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
        self._current_epoch = None

    def step_begin(self, step: int) -> List[Any]:
        """Called before a step.

        Args:
            step: Its number, from 1.

        Returns:
            Tensors, or their names, that the step gives to `step_end`.

        Raises:
            ValueError: It is negative, or behind the last one.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Dict[Any, Any]) -> bool:
        """Called after a step.

        Args:
            step: Its number.
            output: The values of what `step_begin` wanted, by that.

        Returns:
            Whether the training is to end.

        Raises:
            ValueError: It is another step than that which has begun.
        """
        if self._current_step != step:
            raise ValueError(f"step_end expected {self._current_step} but got {step}.")
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Called after all monitors had their `step_end`.

        Args:
            step: The number of the step.
            session: The session.
        """


@set_module("troupe.contrib.learn.monitors")
class EveryN(BaseMonitor):
    """A monitor of some steps only.

    Args:
        every_n_steps: How many steps are from one to the next.
        first_n_steps: How many of the first steps are among them, besides.
    """

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        super().__init__()
        self._every_n_steps, self._first_n_steps = every_n_steps, first_n_steps
        self._last_successful_step: Optional[int] = None  # the last one that has ended
        self._last_active_step = 0
        self._is_active = False

    def every_n_step_begin(self, step: int) -> List[Any]:
        """Called before such a step.

        Args:
            step: Its number.

        Returns:
            Tensors, or their names, that the step gives to `every_n_step_end`.
        """
        return []

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> Any:
        """Called after such a step.

        Args:
            step: Its number.
            outputs: The values of what `every_n_step_begin` wanted, by that.

        Returns:
            Whether the training is to end.
        """
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        """Called after all monitors had the end of such a step, and at the end of the training.

        Args:
            step: The number of the step.
            session: The session.
        """

    def step_begin(self, step: int) -> List[Any]:
        super().step_begin(step)
        is_due = step >= self._every_n_steps + self._last_active_step
        self._is_active = step <= self._first_n_steps or is_due or step == self._max_steps
        return self.every_n_step_begin(step) if self._is_active else []

    def step_end(self, step: int, output: Dict[Any, Any]) -> bool:
        super().step_end(step, output)
        return bool(self.every_n_step_end(step, output)) if self._is_active else False

    def post_step(self, step: int, session: Any) -> None:
        super().post_step(step, session)
        if self._is_active:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        super().end(session=session)
        last = self._last_successful_step
        if last is not None and last != self._last_active_step:
            self.every_n_post_step(last, session)


@set_module("troupe.contrib.learn.monitors")
class RunHookAdapterForMonitors(SessionRunHook):
    """A hook that calls monitors.

    Args:
        monitors: The monitors.
    """

    def __init__(self, monitors: Sequence[BaseMonitor]) -> None:
        self._monitors = list(monitors)
        self._step: Optional[int] = None
        self._global_step: Any = None

    def begin(self) -> None:
        self._step, self._global_step = None, get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        # By itself, as a step that counts may be read before or after it has counted.
        self._step = int(run_context.session.run(self._global_step)) + 1
        wanted: Dict[Any, Any] = {}
        for monitor in self._monitors:
            requests = monitor.step_begin(self._step) or []
            if not isinstance(requests, list):
                raise ValueError("Monitor.step_begin should return a list.")
            wanted.update((request, _element(request)) for request in requests)
        return SessionRunArgs({"wanted": wanted})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        assert self._step is not None
        for monitor in self._monitors:
            if monitor.step_end(self._step, run_values.results["wanted"]):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._step, run_context.session)

    def end(self, session: Any) -> None:
        self._step = None
        for monitor in self._monitors:
            takes_session = "session" in inspect.signature(monitor.end).parameters
            monitor.end(**({"session": session} if takes_session else {}))


def _element(request: Any) -> Any:
    """The tensor of a name, or of the only output of an operation's name."""
    graph = get_default_graph()
    if not isinstance(request, str):
        if getattr(request, "graph", None) is not graph:
            raise ValueError(f"Passed {request} must belong to the current graph {graph}.")
        return request
    if ":" in request:
        return graph.as_graph_element(request)
    operation = graph.as_graph_element(request)
    if isinstance(operation, Operation) and len(operation.outputs) > 1:
        raise ValueError(f"Name {request} is ambiguous, as this `Operation` has several outputs.")
    return graph.as_graph_element(f"{request}:0")


def output_of(outputs: Dict[Any, Any], request: Any) -> Any:
    """The value of what was wanted, by it or by its name."""
    return outputs[request] if request in outputs else outputs[request.name]


def replace_monitors_with_hooks(
    monitors_or_hooks: Optional[Sequence[Any]], estimator: Any
) -> List[SessionRunHook]:
    """The hooks, and one for all monitors.

    Args:
        monitors_or_hooks: Monitors and hooks; None for none.
        estimator: Whose training it is. On other workers than the chief only those monitors are
            kept that run on all of them.

    Returns:
        Hooks.

    Raises:
        TypeError: Something else is among them.
    """
    given = list(monitors_or_hooks or [])
    hooks: List[SessionRunHook] = [each for each in given if isinstance(each, SessionRunHook)]
    monitors = [each for each in given if not isinstance(each, SessionRunHook)]
    for each in monitors:
        if not all(hasattr(each, name) for name in ("step_begin", "step_end", "set_estimator")):
            raise TypeError(f"Expected a SessionRunHook or a monitor: {each!r}")
    if monitors and not estimator.config.is_chief:
        monitors = [each for each in monitors if each.run_on_all_workers]
    for each in monitors:
        each.set_estimator(estimator)
    return [*hooks, RunHookAdapterForMonitors(monitors)] if monitors else hooks
