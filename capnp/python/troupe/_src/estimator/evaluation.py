"""Runs the evaluation of a model once."""

from __future__ import annotations

import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from troupe._src.estimator.model_function import ModelFunction
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.config import ConfigProto
from troupe._src.metrics.means import mean
from troupe._src.ops.grouping_ops import group
from troupe._src.platform import logging
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.python_hooks import FinalOpsHook
from troupe._src.train.hooks.session_run_hook import (
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.train.scaffold import ChiefSessionCreator, Scaffold


class StopAfterStepsHook(SessionRunHook):
    """Stops a session after a number of its steps."""

    def __init__(self, steps: int) -> None:
        self._steps, self._done = steps, 0
        self._log_every = max(1, steps // 10) if steps > 10 else 1

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._done = 0

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._done += 1
        if self._done % self._log_every == 0 or self._done >= self._steps:
            logging.info("Evaluation [%d/%d]", self._done, self._steps)
        if self._done >= self._steps:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path: Optional[str],
    master: str,
    scaffold: Scaffold,
    eval_ops: Any,
    final_ops: Dict[str, Any],
    hooks: Sequence[SessionRunHook],
    config: Optional[ConfigProto],
) -> Dict[str, Any]:
    """Restores a checkpoint, runs the ops until the input ends or a hook stops, and the final ops.

    Returns:
        The values of the final ops.
    """
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    final = FinalOpsHook(final_ops)
    all_hooks: List[SessionRunHook] = [*hooks, final]
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    with MonitoredSession(creator, all_hooks) as session:
        while not session.should_stop():
            session.run(eval_ops)
    logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    results: Dict[str, Any] = final.final_ops_values
    return results


class Evaluation(NamedTuple):
    """A graph that evaluates a model."""

    scaffold: Scaffold
    # Counts a batch in the metrics.
    update: Any
    # The metrics, and the global step.
    final_ops: Dict[str, Any]
    hooks: Sequence[SessionRunHook]

    def run(
        self,
        checkpoint_path: Optional[str],
        master: str,
        hooks: Sequence[SessionRunHook],
        config: Optional[ConfigProto],
        scaffold: Optional[Scaffold] = None,
    ) -> Dict[str, Any]:
        """Restores a checkpoint, and evaluates until the input ends or a hook stops.

        Args:
            checkpoint_path: The checkpoint; None for the initial values.
            master: The target of the session.
            hooks: More hooks.
            config: The configuration of the session.
            scaffold: What makes the session, by default that of the model.

        Returns:
            The values of the final ops.
        """
        return evaluate_once(
            checkpoint_path,
            master,
            scaffold or self.scaffold,
            self.update,
            self.final_ops,
            [*hooks, *self.hooks],
            config,
        )


def evaluation_of(model: ModelFunction, input_fn: Any, config: Any) -> Evaluation:
    """Adds the evaluation of a model to the default graph, which has a global step.

    Args:
        model: The model.
        input_fn: Gives its inputs.
        config: The configuration of the estimator.

    Returns:
        The evaluation.
    """
    inputs = model.inputs(input_fn, ModeKeys.EVAL, config)
    spec = model.spec(inputs, ModeKeys.EVAL, config)
    metrics = metrics_with_loss(spec)
    final_ops = {key: value for key, (value, _) in metrics.items()}
    final_ops[GraphKeys.GLOBAL_STEP] = get_global_step()
    update = group(*[each for _, each in metrics.values()])
    scaffold = spec.scaffold
    if scaffold.local_init_op is not None:  # a model's own, which knows nothing of the loss's mean
        own = group(scaffold.local_init_op, Scaffold.default_local_init_op())
        scaffold = Scaffold(local_init_op=own, copy_from_scaffold=scaffold)
    return Evaluation(scaffold, update, final_ops, spec.evaluation_hooks)


def metrics_with_loss(spec: EstimatorSpec) -> Dict[str, Any]:
    """The metrics of an evaluation with the mean of the loss.

    Raises:
        ValueError: One has the name of the loss, or of the global step.
    """
    metrics: Dict[str, Any] = dict(spec.eval_metric_ops)
    for name in ("loss", GraphKeys.GLOBAL_STEP):
        if name in metrics:
            raise ValueError(
                f"Metric with name `{name}` is not allowed, because Estimator already defines a "
                "default metric with the same name."
            )
    loss: Any = spec.loss  # evaluations have one
    metrics["loss"] = mean(loss)
    return metrics
