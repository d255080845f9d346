"""How a model is trained and evaluated: `TrainSpec` and `EvalSpec`."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple

from troupe._src.estimator.exporters import Exporter
from troupe._src.estimator.input_fns import checked_hooks
from troupe._src.set_module import set_module
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener
from troupe._src.train.hooks.session_run_hook import SessionRunHook


class _TrainFields(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: Optional[int]
    hooks: Tuple[SessionRunHook, ...]
    saving_listeners: Tuple[CheckpointSaverListener, ...]


@set_module("troupe.estimator")
class TrainSpec(_TrainFields):
    """How `train_and_evaluate` trains.

    Args:
        input_fn: The input, as that of `Estimator.train`.
        max_steps: The global step at which the training ends; None where the input ends it.
        hooks: Hooks of each worker.
        saving_listeners: Called before and after checkpoints are saved.

    Raises:
        ValueError: The number of steps is not positive.
        TypeError: The input is no function, or a hook no hook.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        max_steps: Optional[int] = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        saving_listeners: Optional[Sequence[CheckpointSaverListener]] = None,
    ) -> TrainSpec:
        _check_callable(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(
            cls,
            input_fn,
            max_steps,
            tuple(checked_hooks(hooks, SessionRunHook, "hooks")),
            tuple(checked_hooks(saving_listeners, CheckpointSaverListener, "saving_listeners")),
        )


class _EvalFields(NamedTuple):
    input_fn: Callable[..., Any]
    steps: Optional[int]
    name: Optional[str]
    hooks: Tuple[SessionRunHook, ...]
    exporters: Tuple[Exporter, ...]
    start_delay_secs: int
    throttle_secs: int


@set_module("troupe.estimator")
class EvalSpec(_EvalFields):
    """How `train_and_evaluate` evaluates.

    Args:
        input_fn: The input, as that of `Estimator.evaluate`.
        steps: How many steps an evaluation has, at most.
        name: The name of the evaluation.
        hooks: Hooks of its sessions.
        exporters: An `Exporter`, or several, which are called after each evaluation.
        start_delay_secs: The evaluator of a cluster begins so many seconds after its start.
        throttle_secs: An evaluation begins at least so many seconds after the last one did.

    Raises:
        ValueError: A number is not positive, or the delay is negative.
        TypeError: The input is no function, the name no text, or a hook or an exporter none.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: Optional[int] = 100,
        name: Optional[str] = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        exporters: Any = None,
        start_delay_secs: int = 120,
        throttle_secs: int = 600,
    ) -> EvalSpec:
        _check_callable(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        if start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            tuple(checked_hooks(hooks, SessionRunHook, "hooks")),
            _exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def _check_callable(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _exporters(given: Any) -> Tuple[Exporter, ...]:
    if given is None:
        return ()
    found: Tuple[Exporter, ...] = (given,) if isinstance(given, Exporter) else tuple(given)
    for each in found:
        if not isinstance(each, Exporter):
            raise TypeError(f"`exporters` must be an Exporter or several, given: {each}")
        if not each.name:
            raise ValueError(f"An exporter must have a name: {each}")
    names = [each.name for each in found]
    if len(set(names)) < len(names):
        raise ValueError(f"`exporters` must have unique names, given: {names}")
    return found
