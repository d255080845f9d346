"""What a model function gives an estimator for TPUs: `TPUEstimatorSpec`."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from troupe._src.estimator.input_fns import argument_names
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.graph import get_default_graph
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary_writers.writers import writers_of
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)
from troupe._src.train.scaffold import Scaffold

Hooks = Tuple[SessionRunHook, ...]


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metrics: Any
    export_outputs: Optional[Dict[str, Any]]
    scaffold_fn: Optional[Callable[[], Scaffold]]
    host_call: Any
    training_hooks: Hooks
    evaluation_hooks: Hooks
    prediction_hooks: Hooks


@set_module("troupe.estimator.tpu")
class TPUEstimatorSpec(_Fields):
    """The ops and hooks of a model, as functions where a TPU could not run them itself.

    Args:
        mode: One of `tf.estimator.ModeKeys`.
        predictions: A tensor, or a dict of tensors; needed to predict.
        loss: A tensor of one element; needed to train and to evaluate.
        train_op: The op, or tensor, of a training step; needed to train.
        eval_metrics: A function and its arguments, a list or dict of tensors; it returns for each
            name a `(value, update)` pair as of `tf.metrics`.
        export_outputs: For each name of a signature, one of `tf.estimator.export`'s outputs.
        scaffold_fn: Makes the Scaffold.
        host_call: A function and its arguments; each step runs the tensors that it returns.
        training_hooks: Hooks of a training.
        evaluation_hooks: Hooks of an evaluation.
        prediction_hooks: Hooks of a prediction.

    Raises:
        ValueError: A function and its arguments are not a pair of those types.
        TypeError: The function cannot be called, or a hook is none.
        RuntimeError: A function takes another number of tensors than are listed for it.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: Any = None,
        export_outputs: Optional[Dict[str, Any]] = None,
        scaffold_fn: Optional[Callable[[], Scaffold]] = None,
        host_call: Any = None,
        training_hooks: Optional[Sequence[SessionRunHook]] = None,
        evaluation_hooks: Optional[Sequence[SessionRunHook]] = None,
        prediction_hooks: Optional[Sequence[SessionRunHook]] = None,
    ) -> TPUEstimatorSpec:
        _check_call("eval_metrics", eval_metrics)
        _check_call("host_call", host_call)
        hooks = [tuple(each or ()) for each in (training_hooks, evaluation_hooks, prediction_hooks)]
        for hook in sum(hooks, ()):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metrics,
            export_outputs,
            scaffold_fn,
            host_call,
            *hooks,
        )

    def as_estimator_spec(self) -> EstimatorSpec:
        """The same for an Estimator: its functions are called, in the default graph."""
        metrics = None
        if self.eval_metrics is not None:
            metrics = _call("eval_metrics", self.eval_metrics)
        more: Hooks = ()
        if self.host_call is not None:
            more = (HostCallHook(_call("host_call", self.host_call)),)
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks + more,
            evaluation_hooks=self.evaluation_hooks + more,
            prediction_hooks=self.prediction_hooks + more,
        )


class HostCallHook(SessionRunHook):
    """Runs tensors with each step, and lets the writers of summaries begin and end."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def begin(self) -> None:
        writers = writers_of(get_default_graph())
        self._begin = [writer.init() for writer in writers]
        self._end = [writer.flush() for writer in writers]

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._begin)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._tensors)

    def end(self, session: Any) -> None:
        session.run(self._end)


def _check_call(name: str, given: Any) -> None:
    """Checks a function with its arguments, where they are given."""
    if given is None:
        return
    if not isinstance(given, (tuple, list)):
        raise ValueError(f"{name} should be tuple or list")
    if len(given) != 2:
        raise ValueError(f"{name} should have two elements.")
    function, tensors = given
    if not callable(function):
        raise TypeError(f"{name}[0] should be callable.")
    if not isinstance(tensors, (tuple, list, dict)):
        raise ValueError(f"{name}[1] should be tuple or list, or dict.")
    if isinstance(tensors, dict) or _takes_any_number(function):
        return
    wanted = len(argument_names(function))
    if wanted != len(tensors):
        raise RuntimeError(
            f"In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method "
            f"args of the function, which takes {wanted}."
        )


def _takes_any_number(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(each.kind is each.VAR_POSITIONAL for each in parameters)


def _call(name: str, given: Any) -> Any:
    function, tensors = given
    if not isinstance(tensors, dict):
        return function(*tensors)
    try:
        return function(**tensors)
    except TypeError as error:
        logging.warning(
            "Exception while calling %s: %s. It is likely the tensors (%s[1]) do not match the "
            "function's arguments",
            name,
            error,
            name,
        )
        raise
