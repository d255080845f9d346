"""What is done around the steps of a monitored session."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from troupe import _native, errors
from troupe._config import RunMetadata, RunOptions
from troupe._graph import Graph
from troupe.train.step import get_global_step

NanLossDuringTrainingError = errors.InvalidArgumentError


class SessionRunArgs(NamedTuple):
    """What a hook adds to a step."""

    fetches: Any
    feed_dict: Optional[Dict[Any, Any]] = None
    options: Optional[RunOptions] = None


class SessionRunValues(NamedTuple):
    """What a hook's fetches were in the step."""

    results: Any
    options: Optional[RunOptions] = None
    run_metadata: Optional[RunMetadata] = None


class SessionRunContext:
    """A step, as hooks see it."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, for steps of the hook's own."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        return self._stop_requested

    def request_stop(self) -> None:
        """The step is the last."""
        self._stop_requested = True


class SessionRunHook:
    """The base of hooks. A monitored session calls them in the order that they were given."""

    def begin(self) -> None:
        """Once, before the first session: the graph can still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """For each session, when the variables have values."""

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        """What the step is to compute besides."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After a step that succeeded."""

    def end(self, session: Any) -> None:
        """After the last step, unless an error ended the training."""

    def _native_hook(self, graph: Graph, host: Any) -> Any:
        """The hook that the runtime calls."""
        from troupe.train.hook_adapter import HookAdapter

        return _native.python_hook(host, HookAdapter(self, graph))


def _step_name(graph: Graph) -> str:
    step = get_global_step(graph)
    if step is None:
        raise RuntimeError("Global step should be created to use this hook.")
    return step._as_graph_element().name


def _period(steps: Optional[int], seconds: Optional[float]) -> None:
    if (steps is None) == (seconds is None):
        raise ValueError("exactly one of every_n_iter and every_n_secs should be provided.")


class StopAtStepHook(SessionRunHook):
    """Stops at a global step, or after so many further ones."""

    def __init__(self, num_steps: Optional[int] = None, last_step: Optional[int] = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def _native_hook(self, graph: Graph, host: Any) -> Any:
        return _native.stop_at_step(_step_name(graph), self._num_steps, self._last_step)


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
        **_: Any,
    ) -> None:
        if (save_secs is None) == (save_steps is None):
            raise ValueError("exactly one of save_steps and save_secs should be provided.")
        self._prefix = os.path.join(os.fspath(checkpoint_dir), checkpoint_basename)
        self._save_secs, self._save_steps = save_secs, save_steps
        self._saver: Any = saver or (scaffold.saver if scaffold else None)

    def begin(self) -> None:
        if self._saver is None:
            from troupe.train.saver import Saver

            self._saver = Saver()

    def _native_hook(self, graph: Graph, host: Any) -> Any:
        with graph.as_default():
            self.begin()
        return _native.checkpoint_saver(
            self._saver._native, self._prefix, _step_name(graph), self._save_steps, self._save_secs
        )


class StepCounterHook(SessionRunHook):
    """Logs how many global steps are done in a second."""

    def __init__(
        self,
        every_n_steps: Optional[int] = 100,
        every_n_secs: Optional[float] = None,
        **_: Any,
    ) -> None:
        every_n_steps = None if every_n_secs is not None else every_n_steps
        _period(every_n_steps, every_n_secs)
        self._steps, self._secs = every_n_steps, every_n_secs

    def _native_hook(self, graph: Graph, host: Any) -> Any:
        return _native.step_counter(host, _step_name(graph), self._steps, self._secs)


class NanTensorHook(SessionRunHook):
    """Fails with InvalidArgumentError, or stops, once the loss is NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def _native_hook(self, graph: Graph, host: Any) -> Any:
        return _native.nan_guard(host, graph.as_graph_element(self._loss).name, self._fail)


class LoggingTensorHook(SessionRunHook):
    """Logs values, by the names of their tensors."""

    def __init__(
        self,
        tensors: Union[Dict[str, Any], Sequence[Any]],
        every_n_iter: Optional[int] = None,
        every_n_secs: Optional[float] = None,
        **_: Any,
    ) -> None:
        _period(every_n_iter, every_n_secs)
        self._tensors: List[Any] = list(tensors.values() if isinstance(tensors, dict) else tensors)
        self._steps, self._secs = every_n_iter, every_n_secs

    def _native_hook(self, graph: Graph, host: Any) -> Any:
        names = [graph.as_graph_element(tensor).name for tensor in self._tensors]
        return _native.value_logger(host, names, self._steps, self._secs)


class ProgressBarHook(SessionRunHook):
    """Shows how many of `total` global steps are done, by a bar of tqdm."""

    def __init__(self, total: Optional[int] = None, **options: Any) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("a progress bar needs tqdm: pip install tqdm") from None
        self._bar = tqdm(total=total, unit="step", **options)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(_step_name(run_context.session.graph))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._bar.update(int(run_values.results) - self._bar.n)

    def end(self, session: Any) -> None:
        self._bar.update(int(session.run(_step_name(session.graph))) - self._bar.n)
        self._bar.close()


class FinalOpsHook(SessionRunHook):
    """Runs a last step, whose values `final_ops_values` then has."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._fetches, self._feed_dict = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        if self._fetches is not None:
            self.final_ops_values = session.run(self._fetches, self._feed_dict)
