"""Hooks that stop a training when a condition holds, on all of its workers."""

from __future__ import annotations

import collections
import operator
import os
from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.estimator import Estimator
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform import gfile, logging
from troupe._src.summary.event_file import summary_iterator
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import AUTO_REUSE, variable_scope

_Better = Callable[[Any, Any], bool]


def make_early_stopping_hook(
    estimator: Any,
    should_stop_fn: Callable[[], bool],
    run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> SessionRunHook:
    """A hook that stops the training of an estimator when a function says so.

    The function is called on the chief alone, which tells the other workers by a variable.

    Args:
        estimator: The `tf.estimator.Estimator`.
        should_stop_fn: The function, without arguments.
        run_every_secs: How many seconds are between two calls.
        run_every_steps: Or how many steps.

    Returns:
        The hook, for `train`.

    Raises:
        TypeError: It is no estimator.
        ValueError: Both intervals are given.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}"
        )
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if not estimator.config.is_chief:
        return _CheckForStoppingHook()
    return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)


def stop_if_higher_hook(
    estimator: Any, metric_name: str, threshold: float, eval_dir: Optional[str] = None,
    min_steps: int = 0, run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> SessionRunHook:  # fmt: skip
    """A hook that stops when a metric of evaluations is higher than a threshold.

    Args:
        estimator: The `tf.estimator.Estimator`.
        metric_name: The name of the metric.
        threshold: The threshold.
        eval_dir: The folder of the summaries of evaluations, by default that of the estimator.
        min_steps: Evaluations of earlier steps have no effect.
        run_every_secs: How many seconds are between two looks at the summaries.
        run_every_steps: Or how many steps.

    Returns:
        The hook, for `train`.
    """
    crosses = _crosses(estimator, metric_name, threshold, operator.gt, eval_dir, min_steps)
    return make_early_stopping_hook(estimator, crosses, run_every_secs, run_every_steps)


def stop_if_lower_hook(
    estimator: Any, metric_name: str, threshold: float, eval_dir: Optional[str] = None,
    min_steps: int = 0, run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> SessionRunHook:  # fmt: skip
    """A hook that stops when a metric of evaluations is lower than a threshold.

    Args:
        estimator: The `tf.estimator.Estimator`.
        metric_name: The name of the metric.
        threshold: The threshold.
        eval_dir: The folder of the summaries of evaluations, by default that of the estimator.
        min_steps: Evaluations of earlier steps have no effect.
        run_every_secs: How many seconds are between two looks at the summaries.
        run_every_steps: Or how many steps.

    Returns:
        The hook, for `train`.
    """
    crosses = _crosses(estimator, metric_name, threshold, operator.lt, eval_dir, min_steps)
    return make_early_stopping_hook(estimator, crosses, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(
    estimator: Any, metric_name: str, max_steps_without_increase: int,
    eval_dir: Optional[str] = None, min_steps: int = 0, run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> SessionRunHook:  # fmt: skip
    """A hook that stops when a metric of evaluations has not increased for a number of steps.

    Args:
        estimator: The `tf.estimator.Estimator`.
        metric_name: The name of the metric.
        max_steps_without_increase: The number of steps.
        eval_dir: The folder of the summaries of evaluations, by default that of the estimator.
        min_steps: Evaluations of earlier steps have no effect.
        run_every_secs: How many seconds are between two looks at the summaries.
        run_every_steps: Or how many steps.

    Returns:
        The hook, for `train`.
    """
    stays = _stays(
        estimator, metric_name, max_steps_without_increase, operator.gt, eval_dir, min_steps
    )
    return make_early_stopping_hook(estimator, stays, run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(
    estimator: Any, metric_name: str, max_steps_without_decrease: int,
    eval_dir: Optional[str] = None, min_steps: int = 0, run_every_secs: Optional[float] = 60,
    run_every_steps: Optional[int] = None,
) -> SessionRunHook:  # fmt: skip
    """A hook that stops when a metric of evaluations has not decreased for a number of steps.

    Args:
        estimator: The `tf.estimator.Estimator`.
        metric_name: The name of the metric.
        max_steps_without_decrease: The number of steps.
        eval_dir: The folder of the summaries of evaluations, by default that of the estimator.
        min_steps: Evaluations of earlier steps have no effect.
        run_every_secs: How many seconds are between two looks at the summaries.
        run_every_steps: Or how many steps.

    Returns:
        The hook, for `train`.
    """
    stays = _stays(
        estimator, metric_name, max_steps_without_decrease, operator.lt, eval_dir, min_steps
    )
    return make_early_stopping_hook(estimator, stays, run_every_secs, run_every_steps)


def read_eval_metrics(eval_dir: str) -> Dict[int, Dict[str, float]]:
    """The metrics that evaluations have written as summaries.

    Args:
        eval_dir: Their folder; it may be missing.

    Returns:
        {global step: {name: value}}, in the order of the steps.
    """
    found: Dict[int, Dict[str, float]] = collections.defaultdict(dict)
    for path in gfile.Glob(os.path.join(eval_dir, "*.tfevents.*")):
        for event in summary_iterator(path):
            if not event.HasField("summary"):
                continue
            values = {
                each.tag: each.simple_value
                for each in event.summary.value
                if each.HasField("simple_value")
            }
            if values:
                found[event.step].update(values)
    return collections.OrderedDict(sorted(found.items()))


def _crosses(
    estimator: Any, name: str, threshold: float, is_better: _Better, folder: Optional[str],
    min_steps: int,
) -> Callable[[], bool]:  # fmt: skip
    folder = folder or estimator.eval_dir()

    def crosses() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step >= min_steps and is_better(metrics[name], threshold):
                logging.info(
                    'At step %s, metric "%s" has value %s, beyond the threshold %s.',
                    step, name, metrics[name], threshold,
                )  # fmt: skip
                return True
        return False

    return crosses


def _stays(
    estimator: Any, name: str, max_steps: int, is_better: _Better, folder: Optional[str],
    min_steps: int,
) -> Callable[[], bool]:  # fmt: skip
    folder = folder or estimator.eval_dir()

    def stays() -> bool:
        best, best_step = None, 0
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            if best is None or is_better(metrics[name], best):
                best, best_step = metrics[name], step
            if step - best_step >= max_steps:
                logging.info(
                    'No better value of metric "%s" for %s steps, which is greater than or equal '
                    "to max steps (%s) configured for early stopping.",
                    name, step - best_step, max_steps,
                )  # fmt: skip
                return True
        return False

    return stays


def _stop_variable() -> Any:
    with variable_scope("signal_early_stopping", reuse=AUTO_REUSE):
        return get_variable(
            "STOP", [], dtypes.as_dtype("bool"), Zeros(),
            trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
        )  # fmt: skip


class _StopOnPredicateHook(SessionRunHook):
    """Asks the function at intervals, and tells all workers when it says so."""

    def __init__(
        self, should_stop_fn: Callable[[], bool], seconds: Optional[float], steps: Optional[int]
    ) -> None:
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop, self._timer = should_stop_fn, SecondOrStepTimer(seconds, steps)
        self._step: Any = None
        self._stop: Any = None

    def begin(self) -> None:
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step must be created to use EarlyStoppingHook.")
        self._stop = assign(_stop_variable(), True)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results)
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop():
            logging.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._stop)
            run_context.request_stop()


class _CheckForStoppingHook(SessionRunHook):
    """Stops when the chief has told so."""

    def __init__(self) -> None:
        self._told: Any = None

    def begin(self) -> None:
        self._told = _stop_variable()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._told)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_values.results:
            logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()
