"""What experiments are made of: their exports, and what is done for each checkpoint."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional, Tuple

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.estimator.estimator import Estimator as CoreEstimator
from troupe._src.estimator.input_fns import argument_names
from troupe._src.learn.export_strategy import ExportStrategy
from troupe._src.learn.interfaces import Evaluable, Trainable
from troupe._src.learn.run_config import Environment, RunConfig
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener

_LOOK_SECONDS = 1.0  # from one look for a checkpoint to the next


class EvaluationListener(CheckpointSaverListener):
    """Evaluates and exports each checkpoint that a training saves."""

    def __init__(
        self, model_dir: str, evaluate: Callable[[str], Any], export: Callable[[Any, str], Any]
    ) -> None:
        self._model_dir, self._evaluate, self._export = model_dir, evaluate, export
        self._path: Optional[str] = None
        self.results: Any = None
        self.exports: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        path = latest_checkpoint(self._model_dir)
        if path is None or path == self._path:
            return
        self._path = path
        self.results = self._evaluate(path)
        self.exports = self._export(self.results, path)


def strategies_of(given: Any) -> Tuple[ExportStrategy, ...]:
    """The strategies as a tuple; ValueError for something else."""
    found = [given] if isinstance(given, ExportStrategy) else list(given or [])
    for each in found:
        if not isinstance(each, ExportStrategy):
            raise ValueError(
                "`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or "
                f"`None`, found {each}."
            )
    return tuple(found)


def predicate_of(given: Optional[Callable[..., bool]]) -> Callable[[Any, Any], bool]:
    """A function of metrics and a checkpoint that says whether it goes on."""
    if given is None:
        return lambda results, path: True
    if not callable(given):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    called = given
    if "checkpoint_path" in argument_names(called):
        return lambda results, path: called(results, checkpoint_path=path)
    return lambda results, path: called(results)


def evaluate_new(
    model_dir: str, evaluate: Callable[[str], Any], is_over: Callable[[Any], bool],
    goes_on: Callable[[Any, Any], bool], throttle: float, is_once: bool,
) -> None:  # fmt: skip
    """Evaluates new checkpoints of a folder until the results of one are the last ones.

    Args:
        model_dir: The folder.
        evaluate: Gives the results of a checkpoint.
        is_over: Whether results are the last ones.
        goes_on: Whether there is a next look, after those results of that checkpoint.
        throttle: How many seconds are from one evaluation to the next.
        is_once: Whether a checkpoint is evaluated once.
    """
    path: Optional[str] = None
    results: Any = None
    while goes_on(results, path) and not is_over(results):
        began, latest = time.monotonic(), latest_checkpoint(model_dir)
        if latest is None or (is_once and latest == path):
            results = {}
            time.sleep(min(_LOOK_SECONDS, throttle))
            continue
        results, path = evaluate(latest), latest
        if not is_over(results):
            time.sleep(max(0.0, throttle - (time.monotonic() - began)))


def check_arguments(estimator: Any, eval_metrics: Any, saving_listeners: Any) -> None:
    """ValueError for what is no estimator, or for arguments that do not go with one."""
    if isinstance(estimator, CoreEstimator):
        if eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use "
                "`eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
            )
        return
    if not isinstance(estimator, Evaluable) or not isinstance(estimator, Trainable):
        raise ValueError(
            f"`estimator` must be one of tf.contrib.learn or of tf.estimator, not {estimator!r}"
        )
    if saving_listeners is not None:
        raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")


def serves(config: Any) -> bool:
    """Whether the program is a task that serves others, which in the local environment is not so.

    Raises:
        ValueError: There is a cluster, and the configuration is that of `tf.estimator`.
    """
    if not config.cluster_spec or not config.master:
        return False
    if not isinstance(config, RunConfig):
        raise ValueError(
            "For distributed runtime, Experiment class only works with tf.contrib.learn.RunConfig "
            f"for now, but provided {type(config)}"
        )
    return config.environment not in (Environment.LOCAL, Environment.GOOGLE)
