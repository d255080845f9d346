"""Trainings whose model has several replicas."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Optional

from troupe._src.data.dataset import Dataset
from troupe._src.estimator.input_fns import Inputs
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.convert import constant
from troupe._src.replicas.contexts import has_several, replica_of
from troupe._src.replicas.loss_reductions import get_loss_reduction, is_loss_scaled
from troupe._src.replicas.reduce_op import ReduceOp
from troupe._src.replicas.values import regroup
from troupe._src.replicas.workers import Workers
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.types import errors


class _Returned:
    """What a replica's model function has returned, as one value."""

    def __init__(self, spec: EstimatorSpec) -> None:
        self.spec = spec


def alone(strategy: Any) -> Any:
    """A strategy if it has one replica; None for one of several, as evaluations are on a device."""
    return None if has_several(strategy) else strategy


def trained_by(strategy: Any, device_fn: Any) -> Any:
    """A context in which models are made, on the devices of a strategy, if there is one.

    Args:
        strategy: The strategy, or None.
        device_fn: Gives devices of a cluster, for one replica.

    Returns:
        The context.
    """
    contexts = contextlib.ExitStack()
    if has_several(strategy):
        contexts.enter_context(strategy.scope())
    else:
        contexts.enter_context(get_default_graph().device(device_fn))
        contexts.enter_context(replica_of(strategy))
    return contexts


def training_spec(
    strategy: Any, model: Any, input_fn: Callable[..., Any], config: Any
) -> EstimatorSpec:
    """Makes a model, in each replica of a strategy if it has several.

    Args:
        strategy: The strategy, or None.
        model: Has the model function.
        input_fn: Returns a dataset, of which each replica gets batches of its own.
        config: The RunConfig.

    Returns:
        That of all replicas: the loss is reduced, and the training operation runs those of all.
        Hooks and the scaffold are those of the first.

    Raises:
        ValueError: The input function returns no dataset.
    """

    mode = ModeKeys.TRAIN
    if not has_several(strategy):
        spec: EstimatorSpec = model.spec(model.inputs(input_fn, mode, config), mode, config)
        return spec

    def dataset(context: Any) -> Dataset:
        made = model.call_input_fn(input_fn, mode, config, context)
        if not isinstance(made, Dataset):
            raise ValueError(
                "input_fn must return a tf.data.Dataset where a strategy has several replicas, "
                f"not {made!r}"
            )
        return made

    def replica(batch: Any) -> _Returned:
        features, labels = batch if isinstance(batch, (list, tuple)) else (batch, None)
        return _Returned(model.spec(Inputs(features, labels), mode, config))

    iterator = strategy.make_input_fn_iterator(dataset)
    get_default_graph().add_to_collection(GraphKeys._INPUT_INITIALIZERS, iterator.initializer)
    strategy._scales_losses = True
    try:
        returned = strategy.experimental_run(replica, iterator)
        specs = [each.spec for each in strategy.experimental_local_results(returned)]
        reduction = get_loss_reduction() if is_loss_scaled() else ReduceOp.SUM
        loss = strategy.reduce(reduction, regroup([each.loss for each in specs]))
    finally:
        strategy._scales_losses = False
    train_op = strategy.group([each.train_op for each in specs], name="train_op")
    whole: EstimatorSpec = specs[0]._replace(loss=loss, train_op=train_op)
    return whole


def workers_of(strategy: Any) -> Optional[Workers]:
    """The programs whose replicas a strategy synchronizes, if there are several; else None."""
    return None if strategy is None else strategy.extended._workers


class EndTogetherHook(SessionRunHook):
    """Lets a program go on after its last step when all others have taken theirs.

    The server of a program that has ended would be missing in the last step of the others.

    Args:
        workers: The programs.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._ended: Any = None

    def begin(self) -> None:
        """Adds the nodes."""
        self._ended = self._workers.sums([constant(1)])

    def end(self, session: Any) -> None:
        """Waits for the others, or until one of them, which had waited, has ended.

        Args:
            session: The session.
        """
        with contextlib.suppress(errors.AbortedError, errors.UnavailableError):
            session.run(self._ended)
