"""`Experiment`: a training with evaluations and exports, as a task of a cluster or alone."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.cluster.server import Server
from troupe._src.estimator.estimator import Estimator as CoreEstimator
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.learn.experiment_parts import (
    EvaluationListener,
    check_arguments,
    evaluate_new,
    predicate_of,
    serves,
    strategies_of,
)
from troupe._src.learn.monitor_kinds import ValidationMonitor
from troupe._src.learn.monitors import replace_monitors_with_hooks
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.hooks.checkpoint_hook import CheckpointSaverHook
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener

Results = Dict[str, Any]

# Workers begin one after the other, so that their first steps do not interfere.
_DELAY_SECONDS, _DELAY_SECONDS_MAX = 5, 60


@set_module("troupe.contrib.learn")
class Experiment:
    """A training with evaluations and exports.

    Args:
        estimator: An estimator of `tf.contrib.learn` or of `tf.estimator`.
        train_input_fn: The input of the training.
        eval_input_fn: The input of evaluations.
        eval_metrics: More metrics, of `tf.contrib.learn` only: a dict of `MetricSpec` by name.
        train_steps: The last step; None for no end but that of the input.
        eval_steps: How many steps an evaluation has; None for all of the input.
        train_monitors: Hooks and monitors of the training.
        eval_hooks: Hooks of evaluations.
        local_eval_frequency: Has no effect but in `local_run`.
        eval_delay_secs: How long `evaluate` waits at first.
        continuous_eval_throttle_secs: How many seconds are from one evaluation to the next.
        min_eval_frequency: How many steps are from one evaluation of a training to the next, at
            least; 0 for none before its end.
        delay_workers_by_global_step: Has no effect: workers wait by their number.
        export_strategies: An `ExportStrategy`, or some.
        train_steps_per_iteration: How many steps `continuous_train_and_eval` trains at a time.
        checkpoint_and_export: Whether `train_and_evaluate` evaluates and exports each checkpoint.
        saving_listeners: Called for checkpoints, of `tf.estimator` only.
        check_interval_secs: How many seconds are from one look for a checkpoint to the next.

    Raises:
        ValueError: It is another estimator, or an argument is for the other one.
    """

    def __init__(
        self, estimator: Any, train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any], eval_metrics: Optional[Dict[str, Any]] = None,
        train_steps: Optional[int] = None, eval_steps: Optional[int] = 100,
        train_monitors: Optional[Sequence[Any]] = None,
        eval_hooks: Optional[Sequence[Any]] = None, local_eval_frequency: Optional[int] = None,
        eval_delay_secs: float = 120, continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: Optional[int] = None, delay_workers_by_global_step: bool = False,
        export_strategies: Any = None, train_steps_per_iteration: Optional[int] = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Optional[Sequence[CheckpointSaverListener]] = None,
        check_interval_secs: float = 5,
    ) -> None:  # fmt: skip
        check_arguments(estimator, eval_metrics, saving_listeners)
        per_iteration = train_steps_per_iteration
        if per_iteration is not None and not isinstance(per_iteration, int):
            raise ValueError("`train_steps_per_iteration` must be an integer.")
        self._is_core = isinstance(estimator, CoreEstimator)
        self._estimator, self._listeners = estimator, saving_listeners
        self._inputs = {"train": train_input_fn, "eval": eval_input_fn}
        self._eval_metrics, self._train_steps = eval_metrics, train_steps
        self._eval_steps, self._steps_per_iteration = eval_steps, per_iteration
        self._monitors, self._eval_hooks = list(train_monitors or []), list(eval_hooks or [])
        self._local_eval_frequency = local_eval_frequency
        self._check_interval = check_interval_secs
        self._eval_delay, self._throttle = eval_delay_secs, continuous_eval_throttle_secs
        self._frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._exports_checkpoints = checkpoint_and_export
        self._strategies = strategies_of(export_strategies)

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Optional[Dict[str, Any]]:
        """The metrics besides those of the model."""
        return self._eval_metrics

    @property
    def train_steps(self) -> Optional[int]:
        """The last step of the training."""
        return self._train_steps

    @property
    def eval_steps(self) -> Optional[int]:
        """How many steps an evaluation has."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Sequence[Any]) -> None:
        """Adds hooks of the training.

        Args:
            additional_hooks: Hooks and monitors.
        """
        self._monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> Tuple[Any, ...]:
        """Replaces the strategies.

        Args:
            new_export_strategies: As `export_strategies`.

        Returns:
            Those of before.
        """
        old, self._strategies = self._strategies, strategies_of(new_export_strategies)
        return old

    def train(self, delay_secs: Optional[float] = None) -> Any:
        """Trains the model, as the task of the cluster if there is one.

        Args:
            delay_secs: How long it waits at first, by default longer for later tasks.

        Returns:
            The estimator.

        Raises:
            ValueError: The configuration says no task.
        """
        config = self._estimator.config
        server = self._start_server() if serves(config) else None
        if delay_secs is None:
            delay_secs = min(_DELAY_SECONDS_MAX, (config.task_id or 0) * _DELAY_SECONDS)
        if delay_secs > 0:
            time.sleep(delay_secs)
        trained = self._train(self._monitors, max_steps=self._train_steps)
        del server  # it serves the other tasks until the program ends
        return trained

    def evaluate(self, delay_secs: Optional[float] = None, name: Optional[str] = None) -> Results:
        """Evaluates the latest checkpoint.

        Args:
            delay_secs: How long it waits at first.
            name: The name of the evaluation.

        Returns:
            The metrics.

        Raises:
            ValueError: There is no checkpoint.
        """
        self._wait(delay_secs)
        return self._evaluate("eval", name or "one_pass")

    def train_and_evaluate(self) -> Tuple[Optional[Results], Any]:
        """Trains, evaluates checkpoints meanwhile and at the end, and exports the model.

        Returns:
            The metrics, and what the strategies returned.

        Raises:
            ValueError: There is no checkpoint at the end.
        """
        config, listener = self._estimator.config, None
        with self._other_monitors():
            if self._exports_checkpoints and (
                config.save_checkpoints_secs or config.save_checkpoints_steps
            ):
                listener = EvaluationListener(
                    self._estimator.model_dir,
                    lambda path: self._evaluate("eval", "intermediate_export", path),
                    self._export,
                )
                hook = CheckpointSaverHook(
                    self._estimator.model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    listeners=[listener],
                )
                self._monitors.append(hook)
            elif self._frequency:
                self._monitors.append(self._validation())
            self.train(delay_secs=0)
        if listener is not None:
            return listener.results, listener.exports
        results = self._evaluate("eval", None)
        return results, self._export(results, None)

    def _validation(self) -> ValidationMonitor:
        return ValidationMonitor(
            input_fn=self._inputs["eval"],
            eval_steps=self._eval_steps,
            metrics=self._eval_metrics,
            every_n_steps=self._frequency,
            check_interval_secs=self._check_interval,
            hooks=self._eval_hooks,
        )

    def local_run(self) -> Tuple[Optional[Results], Any]:
        """`train_and_evaluate` with the frequency `local_eval_frequency`.

        Returns:
            As there.

        Raises:
            ValueError: As there.
        """
        saved, self._frequency = self._frequency, self._local_eval_frequency or 0
        try:
            return self.train_and_evaluate()
        finally:
            self._frequency = saved

    def continuous_eval(
        self, delay_secs: Optional[float] = None, throttle_delay_secs: Optional[float] = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Optional[Callable[..., bool]] = None,
        name: str = "continuous",
    ) -> None:  # fmt: skip
        """Evaluates new checkpoints until one has the last step, and exports them.

        Args:
            delay_secs: How long it waits at first.
            throttle_delay_secs: How many seconds are from one evaluation to the next.
            evaluate_checkpoint_only_once: False to evaluate the latest one again.
            continuous_eval_predicate_fn: Called with the last metrics, and as far as it has such an
                argument with `checkpoint_path`; False ends it.
            name: The name of the evaluation.

        Raises:
            ValueError: The function is none.
        """
        self._wait(delay_secs)
        self._evaluate_on(
            "eval", name, throttle_delay_secs, evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn, True,
        )  # fmt: skip

    def continuous_eval_on_train_data(
        self, delay_secs: Optional[float] = None, throttle_delay_secs: Optional[float] = None,
        continuous_eval_predicate_fn: Optional[Callable[..., bool]] = None,
        name: str = "continuous_on_train_data",
    ) -> None:  # fmt: skip
        """`continuous_eval` with the input of the training, and without exports.

        Args:
            delay_secs: As there.
            throttle_delay_secs: As there.
            continuous_eval_predicate_fn: As there.
            name: As there.

        Raises:
            ValueError: As there.
        """
        self._wait(delay_secs)
        self._evaluate_on(
            "train", name, throttle_delay_secs, True, continuous_eval_predicate_fn, False
        )

    def _evaluate_on(
        self, which: str, name: str, throttle: Optional[float], is_once: bool, predicate: Any,
        exports: bool,
    ) -> None:  # fmt: skip
        def evaluate(path: str) -> Results:
            results = self._evaluate(which, name, path)
            if exports:
                self._export(results, path)
            return results

        seconds = self._throttle if throttle is None else throttle
        folder = self._estimator.model_dir
        evaluate_new(folder, evaluate, self._is_over, predicate_of(predicate), seconds, is_once)

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Optional[Callable[..., bool]] = None
    ) -> Tuple[Optional[Results], Any]:
        """Trains some steps and evaluates, again and again until the last step.

        Args:
            continuous_eval_predicate_fn: As of `continuous_eval`.

        Returns:
            The last metrics, and what the strategies returned.

        Raises:
            ValueError: The function is none.
        """
        goes_on = predicate_of(continuous_eval_predicate_fn)
        steps = self._steps_per_iteration
        if steps is None:
            steps = 1000 if self._train_steps is None else max(1, self._train_steps // 10)
        results: Optional[Results] = None
        exports, path = None, None
        while goes_on(results, path) and not self._is_over(results):
            self._train(self._monitors, steps=steps)
            path = latest_checkpoint(self._estimator.model_dir)
            results = self._evaluate("eval", "one_pass", path)
            exports = self._export(results, None)
        return results, exports

    def test(self) -> Results:
        """Trains a step, and evaluates and exports the model, to see that all of it works.

        Returns:
            The metrics.

        Raises:
            ValueError: There is no checkpoint after the step.
        """
        self._train(self._monitors, steps=1)
        results = self._evaluate("eval", "one_pass", steps=1)
        self._export(results, None)
        return results

    def run_std_server(self) -> None:
        """Serves the task of the cluster."""
        self._start_server().join()

    def _start_server(self) -> Server:
        config = self._estimator.config
        if not config.cluster_spec or not config.task_type or config.task_id is None:
            raise ValueError(
                "Could not start server; be sure to specify cluster_spec, task_type, master, and "
                "task in RunConfig or set the TF_CONFIG environment variable."
            )
        return Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.session_config,
        )

    def _wait(self, delay_secs: Optional[float]) -> None:
        seconds = self._eval_delay if delay_secs is None else delay_secs
        if seconds:
            logging.info("Waiting %d secs before starting eval.", seconds)
            time.sleep(seconds)

    def _is_over(self, results: Optional[Results]) -> bool:
        step = (results or {}).get(GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)

    @contextlib.contextmanager
    def _other_monitors(self) -> Iterator[None]:
        saved, self._monitors = self._monitors, list(self._monitors)
        try:
            yield
        finally:
            self._monitors = saved

    def _train(
        self, monitors: List[Any], steps: Optional[int] = None, max_steps: Optional[int] = None
    ) -> Any:
        hooks = replace_monitors_with_hooks(monitors, self._estimator)
        given = {"input_fn": self._inputs["train"], "steps": steps, "max_steps": max_steps}
        if self._is_core:
            return self._estimator.train(hooks=hooks, saving_listeners=self._listeners, **given)
        return self._estimator.fit(monitors=hooks, **given)

    def _evaluate(
        self, which: str, name: Optional[str], path: Optional[str] = None,
        steps: Optional[int] = None,
    ) -> Results:  # fmt: skip
        more = {} if self._is_core else {"metrics": self._eval_metrics}
        found: Results = self._estimator.evaluate(
            input_fn=self._inputs[which],
            steps=steps or self._eval_steps,
            name=name,
            checkpoint_path=path,
            hooks=self._eval_hooks,
            **more,
        )
        return found

    def _export(self, results: Results, path: Optional[str]) -> List[Any]:
        base = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(
                self._estimator, os.path.join(base, strategy.name), checkpoint_path=path,
                eval_result=results,
            )
            for strategy in self._strategies
        ]  # fmt: skip
