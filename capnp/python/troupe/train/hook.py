"""What a monitored session calls around its steps."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

from troupe._config import RunOptions
from troupe._metadata import RunMetadata


class SessionRunArgs(NamedTuple):
    """What a hook adds to a step."""

    fetches: Any
    feed_dict: Optional[Dict[Any, Any]] = None
    options: Optional[RunOptions] = None


class SessionRunValues(NamedTuple):
    """What a hook's fetches were in the step, the options that the step had, and its metadata."""

    results: Any
    options: Optional[RunOptions] = None
    run_metadata: Optional[RunMetadata] = None


class SessionRunContext:
    """A step, as hooks see it."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, for steps of the hook's own."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        return self._stop_requested

    def request_stop(self) -> None:
        """The step is the last."""
        self._stop_requested = True


class SessionRunHook:
    """The base of hooks. A monitored session calls them in the order that they were given."""

    def begin(self) -> None:
        """Once, before the first session: the graph can still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """For each session, when the variables have values."""

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        """What the step is to compute besides."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After a step that succeeded."""

    def end(self, session: Any) -> None:
        """After the last step, unless an error ended the training."""

    def _native_hook(self, training: Any) -> Any:
        """The runtime's own hook of that kind, for a hook_adapter.Training; None where it has none,
        and adapts this one."""
        return None
