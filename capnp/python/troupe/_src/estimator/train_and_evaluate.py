"""`train_and_evaluate`."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.executor import TrainingExecutor
from troupe._src.estimator.train_specs import EvalSpec, TrainSpec


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> Optional[Tuple[Optional[Dict[str, Any]], Any]]:
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
