"""Runs the part of an experiment that is the task of this program."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.contrib.hparams import HParams
from troupe._src.estimator.run_config import TaskType
from troupe._src.learn.experiment import Experiment
from troupe._src.learn.run_config import RunConfig


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: Optional[str] = None,
    schedule: Optional[str] = None,
    run_config: Optional[RunConfig] = None,
    hparams: Optional[HParams] = None,
) -> Any:
    """Makes an experiment, and runs one of its methods.

    Args:
        experiment_fn: Makes it: of `output_dir`, or of `run_config` and `hparams`.
        output_dir: The folder of the model.
        schedule: The name of the method, by default that of the task of the cluster:
            "train_and_evaluate", "train" of workers, "run_std_server" of parameter servers.
        run_config: Instead of the folder: a configuration that has one, and that the estimator has.
        hparams: Hyperparameters, with a configuration only.

    Returns:
        What the method returns.

    Raises:
        ValueError: Both or neither of a folder and a configuration are given, or there is no such
            method.
        TypeError: The function is none or makes no experiment, or the method is none.
        RuntimeError: The estimator has another configuration.
    """
    if (output_dir is None) == (run_config is None):
        problem = "Cannot provide both" if run_config is not None else "Must set value for one of"
        raise ValueError(f"{problem} `output_dir` and `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is not None:
        experiment = _of_config(experiment_fn, run_config, hparams)
    else:
        if not output_dir:
            raise ValueError("Must specify an output directory")
        if hparams is not None:
            raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
        experiment = _checked(experiment_fn(output_dir=output_dir))
    name = schedule or _default_schedule(run_config or experiment.estimator.config)
    if not hasattr(experiment, name):
        valid = [each for each in dir(experiment) if not each.startswith("_")]
        raise ValueError(f"Schedule references non-existent task {name}; there are {valid}")
    task = getattr(experiment, name)
    if not callable(task):
        raise TypeError(f"Schedule references non-callable member {name}")
    return task()


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            "Experiment builder did not return an Experiment instance, got "
            f"{type(experiment)} instead."
        )
    return experiment


def _of_config(experiment_fn: Any, config: Any, hparams: Any) -> Experiment:
    if not isinstance(config, RunConfig):
        raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
    if not config.model_dir:
        raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
    if hparams is not None and not isinstance(hparams, HParams):
        raise ValueError("`hparams` must be `HParams` instance")
    before = config.uid()
    experiment = _checked(experiment_fn(config, hparams))
    used = experiment.estimator.config
    if not isinstance(used, RunConfig) or used.uid() != before:
        raise RuntimeError(
            "`RunConfig` instance is expected to be used by the `Estimator` inside the "
            "`Experiment`. Pass the `run_config` argument of the `experiment_fn` to it."
        )
    return experiment


def _default_schedule(config: Any) -> str:
    cluster = config.cluster_spec
    count = sum(cluster.num_tasks(job) for job in cluster.jobs) if cluster else 0
    if count <= 1:
        return "train_and_evaluate"
    schedules = {
        TaskType.MASTER: "train_and_evaluate",
        TaskType.PS: "run_std_server",
        TaskType.WORKER: "train",
    }
    if config.task_type not in schedules:
        raise ValueError(f"No default schedule for task type: {config.task_type}")
    return schedules[config.task_type]
