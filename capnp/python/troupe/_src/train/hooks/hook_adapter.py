"""Calls Python hooks for the runtime, which knows tensors by name only."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe import _native
from troupe._src.graph.graph import Graph
from troupe._src.messages.config import NO_STEP_OPTIONS, RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.platform import logging
from troupe._src.session.base_session import BaseSession
from troupe._src.session.fetch import FetchPlan, plan_fetches, to_feeds
from troupe._src.session.session import Session
from troupe._src.train.coordinator import Coordinator
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

Request = Any


class BorrowedSession(Session):
    """A session that a training owns and closes."""

    @classmethod
    def of(cls, native: Any, graph: Graph, target: str) -> BorrowedSession:
        session = cls(target, graph)
        session._native = native
        return session

    @property
    def _sess(self) -> BorrowedSession:
        # Programs look for the session in attributes of this name, until a class has that of
        # Session.
        return self

    def close(self) -> None:
        """Does nothing: the training closes it."""


BorrowedSession.__name__ = "Session"


class Training:
    """The state that a monitored session and its hooks share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.target = ""  # of the sessions that the runtime opens
        self.host = _native.make_host(logging.info, logging.warning)
        self.coordinator = self.make_coordinator()
        self.args = SessionRunArgs(None)  # of the step, without those of hooks
        self.run_options: Dict[Any, RunOptions] = {}  # of the step, by who asks for them
        self._native: Any = None
        self._session: Optional[BaseSession] = None

    @staticmethod
    def make_coordinator() -> Coordinator:
        """The coordinator of a session, which hides no error of its threads."""
        return Coordinator(clean_stop_exception_types=[])

    def adopt(self, session: BaseSession) -> None:
        """Makes a session that a creator has made the one that hooks get."""
        self._native, self._session = session._ready(), session

    def session_of(self, native: Any) -> BaseSession:
        """The Python object of a session of the runtime."""
        if self._session is None or self._native is not native:
            self._native = native
            self._session = BorrowedSession.of(native, self.graph, self.target)
        return self._session

    @property
    def session(self) -> Optional[BaseSession]:
        """The session that was opened last."""
        return self._session

    def step_options(self, options: Optional[RunOptions], asked_by: Any = None) -> Any:
        """Sets what an adapter, or without one the program, asks for the step.

        Returns:
            The options for the runtime.
        """
        self.run_options.pop(asked_by, None)  # of a step that has lost a task, and runs again
        if options is None:
            return NO_STEP_OPTIONS
        self.run_options[asked_by] = options
        return options._for_step()


class HookAdapter:
    """The callbacks of the runtime's hook interface, forwarded to a SessionRunHook."""

    def __init__(self, hook: SessionRunHook, training: Training) -> None:
        self._hook = hook
        self._training = training
        self._context: Any = None
        self._plan: Optional[FetchPlan] = None

    def begin(self) -> None:
        """Does nothing: MonitoredSession has called the hook before it finalized the graph."""

    def after_create_session(self, native: Any) -> None:
        with self._training.graph.as_default():
            session = self._training.session_of(native)
            self._hook.after_create_session(session, self._training.coordinator)

    def before_run(self, native: Any, fetches: List[str]) -> Request:
        """None, or (feeds, names, targets, options)."""
        graph = self._training.graph
        self._context = SessionRunContext(self._training.args, self._training.session_of(native))
        added = self._hook.before_run(self._context)
        self._plan = None
        options = self._training.step_options(None if added is None else added.options, self)
        if added is None:
            return None
        names: List[str] = []
        targets: List[str] = []
        if added.fetches is not None:
            self._plan = plan_fetches(graph, added.fetches)
            names, targets = self._plan.names, self._plan.targets
        feeds = to_feeds(graph, added.feed_dict)
        return feeds, names, targets, options

    def after_run(self, native: Any, values: List[Any], metadata: Any) -> bool:
        """True if the hook has requested a stop."""
        results = None if self._plan is None else self._plan.results(values)
        run_metadata = RunMetadata()
        run_metadata._fill(metadata)
        options = RunOptions._merged(self._training.run_options.values())
        run_values = SessionRunValues(results, options, run_metadata)
        self._hook.after_run(self._context, run_values)
        return bool(self._context.stop_requested)

    def end(self, native: Any) -> None:
        with self._training.graph.as_default():
            self._hook.end(self._training.session_of(native))


_CALLBACKS = ("after_create_session", "before_run", "after_run", "end", "_save")


def is_in_python(hook: SessionRunHook) -> bool:
    """Whether callbacks of the hook are Python functions: those of its class, where C++ implements
    none of that class, and those that a class of the program's own has in place of C++."""
    kind = type(hook)
    owner = next(each for each in kind.__mro__ if "_native_hook" in vars(each))
    if owner is SessionRunHook:
        return True
    return any(
        getattr(kind, name, None) is not getattr(owner, name, None) for name in _CALLBACKS
    )


def runtime_hook(hook: SessionRunHook, training: Training) -> Any:
    """The hook of the runtime: one in C++, or one that calls the Python hook."""
    native = None if is_in_python(hook) else hook._native_hook(training)
    return native or _native.python_hook(training.host, HookAdapter(hook, training))
