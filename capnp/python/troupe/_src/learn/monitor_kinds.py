"""Monitors that evaluate, log, and save what a training does."""

from __future__ import annotations

import copy
import time
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.estimator.estimator import Estimator as CoreEstimator
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.learn.monitors import BaseMonitor, EveryN, output_of
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriter

_MODULE = "troupe.contrib.learn.monitors"


@set_module(_MODULE)
class ValidationMonitor(EveryN):
    """Evaluates the checkpoints of a training, and ends it when they do not get better.

    Args:
        x: As of `evaluate` of the estimator, and so are the next ones.
        y: As there.
        input_fn: As there.
        batch_size: As there.
        eval_steps: The number of steps of an evaluation; None for all of the input.
        every_n_steps: After how many steps of the training it looks for a new checkpoint.
        metrics: As there.
        hooks: As there.
        early_stopping_rounds: The training ends so many steps after the best evaluation; None for
            no such end.
        early_stopping_metric: The metric of the best one.
        early_stopping_metric_minimize: Whether it is the lowest one.
        name: The name of the evaluation.
        check_interval_secs: It does not look again before so many seconds.

    Raises:
        ValueError: There are neither arrays nor a function.
    """

    def __init__(
        self, x: Any = None, y: Any = None, input_fn: Any = None,
        batch_size: Optional[int] = None, eval_steps: Optional[int] = None,
        every_n_steps: int = 100, metrics: Any = None, hooks: Any = None,
        early_stopping_rounds: Optional[int] = None, early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True, name: Optional[str] = None,
        check_interval_secs: Optional[float] = 5,
    ) -> None:  # fmt: skip
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self._arrays = {"x": x, "y": y, "batch_size": batch_size, "metrics": metrics}
        self._options = {"input_fn": input_fn, "steps": eval_steps, "hooks": hooks, "name": name}
        self._rounds, self._metric = early_stopping_rounds, early_stopping_metric
        self._minimize, self._interval = early_stopping_metric_minimize, check_interval_secs
        self._early_stopped, self._best_step = False, None  # type: bool, Optional[int]
        self._best_value: Any = None
        self._best_metrics: Any = None
        self._path: Optional[str] = None
        self._checked: Optional[float] = None

    @property
    def early_stopped(self) -> bool:
        """Whether it has ended the training."""
        return self._early_stopped

    @property
    def best_step(self) -> Optional[int]:
        """The step of the best evaluation."""
        return self._best_step

    @property
    def best_value(self) -> Any:
        """Its metric."""
        return self._best_value

    @property
    def best_metrics(self) -> Any:
        """All of its metrics."""
        return self._best_metrics

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> bool:
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        now = time.monotonic()
        if self._interval is not None and self._checked is not None:
            if now - self._checked <= self._interval:
                return False
        self._checked = now
        path = latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._path:
            logging.debug("No new checkpoint to evaluate at step %d.", step)
            return False
        self._path = path
        found = self._evaluate()
        shown = ", ".join(f"{name} = {value}" for name, value in found.items())
        logging.info("Validation (step %d): %s", step, shown)
        return self._rounds is not None and self._is_over(step, found)

    def _evaluate(self) -> Dict[str, Any]:
        given = {key: value for key, value in self._arrays.items() if value is not None}
        if given and isinstance(self._estimator, CoreEstimator):
            raise ValueError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, "
                "metrics. Should set as `None` in ValidationMonitor"
            )
        found: Dict[str, Any] = self._estimator.evaluate(**given, **self._options)
        return found

    def _is_over(self, step: int, found: Dict[str, Any]) -> bool:
        if self._metric not in found:
            raise ValueError(f"Metric {self._metric} missing from outputs {sorted(found)}.")
        value, best = found[self._metric], self._best_value
        if best is None or (value < best if self._minimize else value > best):
            self._best_value, self._best_step = value, step
            self._best_metrics = copy.deepcopy(found)
        assert self._best_step is not None and self._rounds is not None
        if step - self._best_step < self._rounds:
            return False
        logging.info(
            "Stopping. Best step: %d with %s = %s.",
            self._best_step, self._metric, self._best_value,
        )  # fmt: skip
        self._early_stopped = True
        return True


@set_module(_MODULE)
class StopAtStep(BaseMonitor):
    """Ends a training.

    Args:
        num_steps: After so many steps.
        last_step: Or after that step.

    Raises:
        ValueError: Both or neither are given.
    """

    def __init__(self, num_steps: Optional[int] = None, last_step: Optional[int] = None) -> None:
        super().__init__()
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified, and only one.")
        self._num_steps, self._last_step = num_steps, last_step

    @property
    def run_on_all_workers(self) -> bool:
        return True

    def step_begin(self, step: int) -> List[Any]:
        super().step_begin(step)
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = step + self._num_steps - 1
        return []

    def step_end(self, step: int, output: Dict[Any, Any]) -> bool:
        super().step_end(step, output)
        return step >= (self._last_step or 0)


@set_module(_MODULE)
class PrintTensor(EveryN):
    """Logs tensors.

    Args:
        tensor_names: Their names, or a dict of names by what is logged for them.
        every_n: How many steps are from one to the next.
        first_n: How many of the first steps are among them, besides.
    """

    def __init__(
        self, tensor_names: Union[Dict[str, str], Sequence[str]], every_n: int = 100,
        first_n: int = 1,
    ) -> None:  # fmt: skip
        super().__init__(every_n, first_n)
        if not isinstance(tensor_names, dict):
            tensor_names = {each: each for each in tensor_names}
        self._names: Dict[str, str] = tensor_names

    def every_n_step_begin(self, step: int) -> List[Any]:
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> None:
        shown = [f"{tag} = {output_of(outputs, name)}" for tag, name in self._names.items()]
        logging.info("Step %d: %s", step, ", ".join(shown))


@set_module(_MODULE)
class LoggingTrainable(EveryN):
    """Logs variables that are trained.

    Args:
        scope: The scope of the variables; None for all.
        every_n: How many steps are from one to the next.
        first_n: How many of the first steps are among them, besides.
    """

    def __init__(self, scope: Optional[str] = None, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope
        self._names: List[str] = []

    def every_n_step_begin(self, step: int) -> List[Any]:
        graph = get_default_graph()
        found = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, self._scope)
        self._names = [variable.name for variable in found]
        return list(self._names)

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> None:
        shown = [f"{name} = {output_of(outputs, name)}" for name in self._names]
        logging.info("Logging Trainable: Step %d: %s", step, ", ".join(shown))


@set_module(_MODULE)
class CaptureVariable(EveryN):
    """Keeps the values of a variable.

    Args:
        var_name: Its name.
        every_n: How many steps are from one to the next.
        first_n: How many of the first steps are among them, besides.
    """

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._values: Dict[int, Any] = {}

    @property
    def values(self) -> Dict[int, Any]:
        """The values by the numbers of their steps."""
        return self._values

    def every_n_step_begin(self, step: int) -> List[Any]:
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> None:
        self._values[step] = output_of(outputs, self._var_name)


@set_module(_MODULE)
class SummarySaver(EveryN):
    """Writes summaries.

    Args:
        summary_op: The summaries; None for those of `scaffold`.
        save_steps: How many steps are from one to the next.
        output_dir: The folder of a new writer.
        summary_writer: A writer; without both it is one of the folder of the estimator.
        scaffold: The scaffold of the training.
    """

    def __init__(
        self, summary_op: Any, save_steps: int = 100, output_dir: Optional[str] = None,
        summary_writer: Any = None, scaffold: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(every_n_steps=save_steps)
        self._summary_op, self._scaffold = summary_op, scaffold
        self._writer = summary_writer
        if summary_writer is None and output_dir:
            self._writer = FileWriter(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        super().set_estimator(estimator)
        if self._writer is None:
            self._writer = FileWriter(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> List[Any]:
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> None:
        if self._summary_op is not None and self._writer is not None:
            self._writer.add_summary(output_of(outputs, self._summary_op), step)

    def end(self, session: Any = None) -> None:
        super().end(session=session)
        if self._writer is not None:
            self._writer.flush()


@set_module(_MODULE)
class NanLossDuringTrainingError(RuntimeError):
    """The loss of a training is not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


@set_module(_MODULE)
class NanLoss(EveryN):
    """Ends a training whose loss is not a number.

    Args:
        loss_tensor: The loss, or its name.
        every_n_steps: How many steps are from one look to the next.
        fail_on_nan_loss: Whether it ends with an error.
    """

    def __init__(
        self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._loss_tensor, self._fails = loss_tensor, fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> List[Any]:
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: Dict[Any, Any]) -> bool:
        if not np.isnan(output_of(outputs, self._loss_tensor)):
            return False
        if self._fails:
            logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logging.warning("Model diverged with loss = NaN.")
        return True


def get_default_monitors(
    loss_op: Any = None, summary_op: Any = None, save_summary_steps: int = 100,
    output_dir: Optional[str] = None, summary_writer: Any = None,
) -> List[BaseMonitor]:  # fmt: skip
    """Monitors that log a loss and write summaries.

    Args:
        loss_op: The loss; None for none.
        summary_op: The summaries; None for none.
        save_summary_steps: How many steps are from one summary to the next.
        output_dir: The folder of summaries.
        summary_writer: Or a writer.

    Returns:
        The monitors.
    """
    found: List[BaseMonitor] = []
    if loss_op is not None:
        found.append(PrintTensor(tensor_names={"loss": loss_op.name}))
    if summary_op is not None:
        found.append(SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer))
    return found
