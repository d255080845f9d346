"""Runs the evaluation of a model once."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Optional, Sequence

from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.config import ConfigProto
from troupe._src.metrics.means import mean
from troupe._src.platform import logging
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
