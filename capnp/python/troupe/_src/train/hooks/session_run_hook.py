"""Hooks: callbacks that a monitored session calls around its steps."""

from __future__ import annotations

import inspect
import reprlib
from typing import Any, Callable, Dict, NamedTuple, Optional

from troupe._src.messages.config import RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.representation import represent
from troupe._src.set_module import set_module


@set_module("troupe.train")
class SessionRunArgs(NamedTuple):
    """Fetches, feeds and options that a hook adds to a step."""

    fetches: Any
    feed_dict: Optional[Dict[Any, Any]] = None
    options: Optional[RunOptions] = None


@set_module("troupe.train")
class SessionRunValues(NamedTuple):
    """The results of a hook's fetches, the options of the step, and its metadata."""

    results: Any
    options: Optional[RunOptions] = None
    run_metadata: Optional[RunMetadata] = None


@set_module("troupe.train")
class SessionRunContext:
    """The context of one step, passed to hooks.

    Args:
        original_args: The arguments that the program passed to `run`.
        session: The session.
    """

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The arguments that the program passed to `run`."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, in which the hook may run further steps."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether this step is to be the last one."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Makes this step the last one."""
        self._stop_requested = True


@set_module("troupe.train")
class SessionRunHook:
    """The base class of hooks. A monitored session calls them in the given order."""

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        given = {key: value for key, value in vars(self).items() if value is not False}
        return represent(self, {key.lstrip("_"): value for key, value in given.items()})

    def begin(self) -> None:
        """Called once, before the first session is opened; it may still add nodes."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called for each new session, after the variables have values.

        Args:
            session: The session.
            coord: The coordinator of the training's threads.
        """

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        """Called before each step.

        Args:
            run_context: The step.

        Returns:
            What to add to the step, or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each step that succeeded.

        Args:
            run_context: The step.
            run_values: The values that `before_run` asked for.
        """

    def end(self, session: Any) -> None:
        """Called after the last step, unless the training ended with an error.

        Args:
            session: The session.
        """

    def _native_hook(self, training: Any) -> Any:
        """The C++ implementation of the hook for a hook_adapter.Training.

        None where there is none: then the runtime calls this object through a HookAdapter.
        """
        return None


class StepContext:
    """What a function of `MonitoredSession.run_step_fn` gets.

    Args:
        session: The session, whose steps do not call hooks.
        run_with_hooks_fn: Runs a step that calls them.
    """

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session, self._run = session, run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session, whose steps do not call hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """As `MonitoredSession.run`.

        Args:
            *args: Those of `run`.
            **kwargs: Likewise.

        Returns:
            The values.
        """
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        """Raises StopIteration, which leaves the function, and the `with` block of the session."""
        raise StopIteration("step_fn has requested the iterations to stop.")


def check_step_fn(step_fn: Any) -> None:
    """ValueError unless the function takes a `step_context` alone."""
    names = tuple(inspect.signature(step_fn).parameters)
    if names not in (("step_context",), ("self", "step_context")):
        raise ValueError(
            "`step_fn` may either have one `step_context` argument, or `self` and `step_context` "
            f"arguments if it's an instance method. Got {names} instead."
        )
