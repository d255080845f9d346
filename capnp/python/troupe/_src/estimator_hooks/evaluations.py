"""Evaluations in a training, and what stops workers after the chief."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.evaluation import Evaluation, StopAfterStepsHook, evaluation_of
from troupe._src.estimator.input_fns import checked_hooks
from troupe._src.estimator.model_dirs import step_of_latest, write_results
from troupe._src.estimator.run_config import session_config_of
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.creation_ops import placeholder
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.native_hooks import StopAtStepHook
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer
from troupe._src.train.scaffold import Scaffold
from troupe._src.variables.assign_ops import assign


def _variables() -> Dict[str, Any]:
    found = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    return {variable.name: variable for variable in found}


@set_module("troupe.estimator.experimental")
class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates the model in its training, with the variables that this has, without a checkpoint.

    It evaluates before the first step, each some steps, and after the last one, and writes the
    results as summaries.

    Args:
        estimator: The estimator that trains.
        input_fn: As of `Estimator.evaluate`.
        steps: How many steps of an evaluation, at most; else the input ends it.
        hooks: Hooks of the evaluation.
        name: The name of the evaluation, for one of several.
        every_n_iter: After how many steps of the training it evaluates.

    Raises:
        ValueError: `every_n_iter` is not positive, or the training has several tasks.
    """

    def __init__(
        self,
        estimator: Estimator,
        input_fn: Callable[..., Any],
        steps: Optional[int] = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        name: Optional[str] = None,
        every_n_iter: int = 100,
    ) -> None:
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        config = estimator.config
        if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
            raise ValueError(
                "InMemoryEvaluator supports only single machine (aka Local) setting."
            )
        self._estimator, self._input_fn, self._name = estimator, input_fn, name
        self._hooks = checked_hooks(hooks, SessionRunHook, "Hooks")
        if steps is not None:
            self._hooks.append(StopAfterStepsHook(steps))
        self._timer, self._done = SecondOrStepTimer(every_steps=every_n_iter), 0
        self._graph: Optional[Graph] = None
        self._evaluation: Optional[Evaluation] = None
        self._trained: Dict[str, Any] = {}
        self._feeds: Dict[str, Any] = {}
        self._filled: Any = None

    def begin(self) -> None:
        """Makes the graph of the evaluation."""
        self._timer.reset()
        self._done, estimator = 0, self._estimator
        with estimator._new_graph() as self._graph, self._graph.device(estimator._device_fn):
            estimator._create_global_step(self._graph)
            evaluation = evaluation_of(estimator._model, self._input_fn, estimator.config)
        if evaluation.scaffold.saver is not None:
            raise ValueError("InMemoryEvaluator does not support custom saver")
        if evaluation.scaffold.init_fn is not None:
            raise ValueError("InMemoryEvaluator does not support custom init_fn")
        self._evaluation = evaluation

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates before the first step."""
        if get_default_graph().get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError(
                "InMemoryEvaluator does not support saveables other than global variables."
            )
        trained = _variables()
        assert self._graph is not None
        with self._graph.as_default():
            own = _variables()
            names = sorted(own.keys() & trained.keys())
            self._feeds = {name: placeholder(own[name].dtype.base_dtype) for name in names}
            self._filled = group(*[assign(own[name], self._feeds[name]) for name in names])
        self._trained = {name: trained[name] for name in names}
        self._evaluate(session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Evaluates after some steps."""
        self._done += 1
        if self._timer.should_trigger_for_step(self._done):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates after the last step."""
        self._evaluate(session)

    def _evaluate(self, training: Any) -> None:
        values = training.run(self._trained)
        feeds = {self._feeds[name]: value for name, value in values.items()}

        def fill(scaffold: Any, session: Any) -> None:
            session.run(self._filled, feeds)

        assert self._graph is not None and self._evaluation is not None
        with self._graph.as_default():
            scaffold = Scaffold(init_fn=fill, copy_from_scaffold=self._evaluation.scaffold)
            config = session_config_of(self._estimator.config)
            results = self._evaluation.run(None, "", self._hooks, config, scaffold)
        folder = self._estimator.eval_dir(self._name)
        write_results(folder, results, int(results[GraphKeys.GLOBAL_STEP]))
        self._timer.update_last_triggered_step(self._done)


class _StopAtCheckpointStepHook(SessionRunHook):
    """Stops when the chief has saved a checkpoint of the last step."""

    def __init__(self, folder: str, last_step: int, wait_secs: float) -> None:
        if last_step is None:
            raise ValueError("last_step must be specified.")
        self._folder, self._last_step, self._wait_secs = folder, last_step, wait_secs
        self._step: Any = None

    def begin(self) -> None:
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use StopAtCheckpointStepHook.")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if int(run_values.results) + 1 < self._last_step:
            return
        if step_of_latest(self._folder) >= self._last_step:
            run_context.request_stop()
        else:
            time.sleep(self._wait_secs)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """A hook that stops the chief after a step, and other workers after its checkpoint.

    Args:
        estimator: The estimator.
        last_step: The global step.
        wait_after_file_check_secs: How long another worker waits before it looks again.

    Returns:
        The hook, for `train`.

    Raises:
        ValueError: There is no step.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    folder = estimator.model_dir
    return _StopAtCheckpointStepHook(folder, last_step, wait_after_file_check_secs)
