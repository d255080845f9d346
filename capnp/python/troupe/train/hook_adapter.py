"""A hook of Python as the runtime calls it: structures become lists of names, and back."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._config import NO_STEP_OPTIONS
from troupe._fetch import Plan, plan_fetches, to_feeds
from troupe._graph import Graph
from troupe._session import Session
from troupe.train.coordinator import Coordinator

Request = Any


class LentSession(Session):
    """The session of a training, while it lasts: the training closes it."""

    @classmethod
    def of(cls, native: Any, graph: Graph) -> LentSession:
        session = cls("lent", graph)
        session._native = native
        return session

    def close(self) -> None:
        """Nothing: it is the training's."""


class HookAdapter:
    """Calls a SessionRunHook for the runtime."""

    def __init__(self, hook: Any, graph: Graph) -> None:
        self._hook = hook
        self._graph = graph
        self._coordinator = Coordinator()
        self._native: Any = None
        self._session: Optional[LentSession] = None
        self._context: Any = None
        self._plan: Optional[Plan] = None

    def _lent(self, native: Any) -> LentSession:
        if self._session is None or self._native is not native:
            self._native = native
            self._session = LentSession.of(native, self._graph)
        return self._session

    def begin(self) -> None:
        """Python's begin() has been called before: the graph could still grow then."""

    def after_create_session(self, native: Any) -> None:
        with self._graph.as_default():
            self._hook.after_create_session(self._lent(native), self._coordinator)

    def before_run(self, native: Any, fetches: List[str]) -> Request:
        """None, or (feeds, names, targets, options)."""
        from troupe.train.hooks import SessionRunArgs, SessionRunContext

        self._context = SessionRunContext(SessionRunArgs(fetches), self._lent(native))
        wanted = self._hook.before_run(self._context)
        self._plan = None
        if wanted is None:
            return None
        names: List[str] = []
        targets: List[str] = []
        if wanted.fetches is not None:
            self._plan = plan_fetches(self._graph, wanted.fetches)
            names, targets = self._plan.names, self._plan.targets
        feeds = to_feeds(self._graph, wanted.feed_dict)
        options = wanted.options._for_step() if wanted.options else NO_STEP_OPTIONS
        return feeds, names, targets, options

    def after_run(self, native: Any, values: List[Any]) -> bool:
        """True where the step is to be the last."""
        from troupe.train.hooks import SessionRunValues

        results = None if self._plan is None else self._plan.answer(values)
        self._hook.after_run(self._context, SessionRunValues(results))
        return bool(self._context.stop_requested)

    def end(self, native: Any) -> None:
        with self._graph.as_default():
            self._hook.end(self._lent(native))
