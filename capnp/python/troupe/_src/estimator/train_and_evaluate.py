"""`train_and_evaluate`: trainings with evaluations, in one program or as one task of a cluster."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Optional, Tuple

from troupe._src.cluster.server import Server
from troupe._src.estimator.distributed_training import workers_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.model_dirs import step_of_latest
from troupe._src.estimator.run_config import RunConfig, TaskType
from troupe._src.estimator.train_specs import EvalSpec, TrainSpec
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform import logging
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener
from troupe._src.train.hooks.step_timer import SecondOrStepTimer

Results = Tuple[Optional[Dict[str, Any]], Any]

# How often an evaluator looks for a new checkpoint, where nothing says that one is due later.
LOOK_SECONDS = 1.0
# TensorFlow's workers begin one after the other, so that the first steps do not interfere.
DELAY_SECONDS_PER_WORKER = 5
DELAY_SECONDS_MAX = 60


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> Optional[Results]:
    """Trains a model, and evaluates its checkpoints meanwhile.

    In a program alone, evaluations are between the steps of the training. In a cluster of
    TF_CONFIG, the program does what its task is: the chief and the workers train, each with a
    server in its process, parameter servers serve until they are stopped, and the evaluator
    evaluates new checkpoints until one has `max_steps`.

    Args:
        estimator: The model.
        train_spec: How it is trained.
        eval_spec: How it is evaluated.

    Returns:
        In a program alone, the results of the last evaluation, and of the exporters.

    Raises:
        ValueError: The arguments are of other classes, or TF_CONFIG has a task of another job.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`, given {estimator}")
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(f"`train_spec` must have type `tf.estimator.TrainSpec`, given {train_spec}")
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(f"`eval_spec` must have type `tf.estimator.EvalSpec`, given {eval_spec}")
    return TrainingExecutor(estimator, train_spec, eval_spec).run()


class TrainingExecutor:
    """Does what the task of this program is in `train_and_evaluate`."""

    def __init__(self, estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
        self._estimator, self._train, self._eval = estimator, train_spec, eval_spec

    def run(self) -> Optional[Results]:
        """Trains, evaluates or serves.

        Returns:
            The results of the last evaluation in a program alone; else None.

        Raises:
            ValueError: The cluster has no chief, or the task no known job.
        """
        config = self._estimator.config
        kind = config.task_type
        if not config.cluster_spec and kind != TaskType.EVALUATOR:
            return self.run_local()
        if kind in (TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER):
            self._run_worker(config)
        elif kind == TaskType.PS:
            self._start_server(config).join()
        elif kind == TaskType.EVALUATOR:
            self.run_evaluator()
        else:
            raise ValueError(
                f"Task type {kind} is not supported. Supported task types are ['run_chief', "
                "'run_worker', 'run_ps', 'run_evaluator']"
            )
        return None

    def run_local(self) -> Results:
        """Trains, and evaluates each checkpoint unless the last evaluation was too recent."""
        logging.info("Running training and evaluation locally (non-distributed).")
        evaluator = _Evaluator(self._estimator, self._eval, self._train.max_steps)
        listener = _EvaluateCheckpoints(evaluator, self._eval.throttle_secs)
        self._estimator.train(
            self._train.input_fn,
            max_steps=self._train.max_steps,
            hooks=list(self._train.hooks),
            saving_listeners=[*self._train.saving_listeners, listener],
        )
        return evaluator.results, evaluator.exported

    def _run_worker(self, config: RunConfig) -> None:
        server = self._start_server(config)
        if config.task_type == TaskType.WORKER and workers_of(config.train_distribute) is None:
            delay = min(DELAY_SECONDS_MAX, (config.task_id + 1) * DELAY_SECONDS_PER_WORKER)
            limit = config.experimental_max_worker_delay_secs
            delay = delay if limit is None else min(delay, limit)
            if delay > 0:
                logging.info("Waiting %d secs before starting training.", delay)
                time.sleep(delay)
        listeners: List[CheckpointSaverListener] = list(self._train.saving_listeners)
        if config.task_type == TaskType.MASTER:
            evaluator = _Evaluator(self._estimator, self._eval, self._train.max_steps)
            listeners.append(_EvaluateCheckpoints(evaluator, self._eval.throttle_secs))
        self._estimator.train(
            self._train.input_fn,
            max_steps=self._train.max_steps,
            hooks=list(self._train.hooks),
            saving_listeners=listeners if config.is_chief else None,
        )
        del server  # it serves others, such as the evaluator's peers, until the program ends

    def _start_server(self, config: RunConfig) -> Server:
        logging.info("Start Tensorflow server.")
        return Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.session_config,
            protocol=config.protocol,
        )

    def run_evaluator(self) -> None:
        """Evaluates new checkpoints until one has the last step of the training."""
        spec = self._eval
        if spec.start_delay_secs:
            logging.info("Waiting %f secs before starting eval.", spec.start_delay_secs)
            time.sleep(spec.start_delay_secs)
        evaluator = _Evaluator(self._estimator, spec, self._train.max_steps)
        while not evaluator.is_done:
            began = time.monotonic()
            if not evaluator.evaluate_new():
                time.sleep(LOOK_SECONDS)
            elif not evaluator.is_done:
                time.sleep(max(0.0, spec.throttle_secs - (time.monotonic() - began)))


class _Evaluator:
    """Evaluates checkpoints, each once."""

    def __init__(self, estimator: Estimator, spec: EvalSpec, max_steps: Optional[int]) -> None:
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self._path: Optional[str] = None
        self.is_done = bool(max_steps and step_of_latest(estimator.model_dir) >= max_steps)
        self.is_done = self.is_done and estimator.config.task_type != TaskType.EVALUATOR
        self.results: Optional[Dict[str, Any]] = None
        self.exported: Any = None

    def evaluate_new(self) -> bool:
        """Evaluates the latest checkpoint; False where there is none, or it is known."""
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._path:
            return False
        self._path = path
        self.results = self._estimator.evaluate(
            self._spec.input_fn,
            steps=self._spec.steps,
            hooks=list(self._spec.hooks),
            checkpoint_path=path,
            name=self._spec.name,
        )
        step = int(self.results[GraphKeys.GLOBAL_STEP])
        self.is_done = bool(self._max_steps and step >= self._max_steps)
        self._export(path, self.results)
        return True

    def _export(self, path: str, results: Dict[str, Any]) -> None:
        """Lets the exporters export the checkpoint."""
        self.exported = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
                checkpoint_path=path,
                eval_result=results,
                is_the_final_export=self.is_done,
            )
            for exporter in self._spec.exporters
        ]


class _EvaluateCheckpoints(CheckpointSaverListener):
    """Evaluates the checkpoints that a training in this program saves."""

    def __init__(self, evaluator: _Evaluator, throttle_secs: float) -> None:
        self._evaluator = evaluator
        self._timer = SecondOrStepTimer(every_secs=throttle_secs)
        self._is_first = True

    def begin(self) -> None:
        self._timer.reset()
        self._is_first = True

    def after_save(self, session: Any, global_step_value: int) -> Optional[bool]:
        # The first one, of the beginning, tells nothing.
        if self._is_first:
            self._is_first = False
            self._timer.update_last_triggered_step(global_step_value)
            return None
        if not self._timer.should_trigger_for_step(global_step_value):
            return None
        self._evaluate(global_step_value)
        return self._evaluator.is_done or None

    def end(self, session: Any, global_step_value: int) -> None:
        self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        self._evaluator.evaluate_new()
