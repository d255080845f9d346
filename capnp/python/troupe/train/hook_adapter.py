"""A hook of Python as the runtime calls it: structures become lists of names, and back."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe import _native, logging
from troupe._config import NO_STEP_OPTIONS, RunOptions
from troupe._fetch import Plan, plan_fetches, to_feeds
from troupe._graph import Graph
from troupe._metadata import RunMetadata
from troupe._session import Session
from troupe.train.coordinator import Coordinator
from troupe.train.hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

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


class Training:
    """What a monitored session and its hooks share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.host = _native.make_host(logging.info)
        self.coordinator = Coordinator()
        self.args = SessionRunArgs(None)  # of the step, without what hooks add
        self.wishes: List[RunOptions] = []  # the options of the step: the program's, and hooks'
        self._native: Any = None
        self._session: Optional[LentSession] = None

    def lent(self, native: Any) -> LentSession:
        if self._session is None or self._native is not native:
            self._native = native
            self._session = LentSession.of(native, self.graph)
        return self._session

    @property
    def session(self) -> Optional[LentSession]:
        """The one that was opened last."""
        return self._session

    def step_options(self, options: Optional[RunOptions]) -> Any:
        """Adds options to those of the step; as the runtime takes them."""
        if options is None:
            return NO_STEP_OPTIONS
        self.wishes.append(options)
        return options._for_step()


class HookAdapter:
    """Calls a SessionRunHook for the runtime."""

    def __init__(self, hook: SessionRunHook, training: Training) -> None:
        self._hook = hook
        self._training = training
        self._context: Any = None
        self._plan: Optional[Plan] = None

    def begin(self) -> None:
        """Python's begin() has been called before: the graph could still grow then."""

    def after_create_session(self, native: Any) -> None:
        with self._training.graph.as_default():
            session = self._training.lent(native)
            self._hook.after_create_session(session, self._training.coordinator)

    def before_run(self, native: Any, fetches: List[str]) -> Request:
        """None, or (feeds, names, targets, options)."""
        graph = self._training.graph
        self._context = SessionRunContext(self._training.args, self._training.lent(native))
        wanted = self._hook.before_run(self._context)
        self._plan = None
        if wanted is None:
            return None
        names: List[str] = []
        targets: List[str] = []
        if wanted.fetches is not None:
            self._plan = plan_fetches(graph, wanted.fetches)
            names, targets = self._plan.names, self._plan.targets
        feeds = to_feeds(graph, wanted.feed_dict)
        return feeds, names, targets, self._training.step_options(wanted.options)

    def after_run(self, native: Any, values: List[Any], metadata: Any) -> bool:
        """True where the step is to be the last."""
        results = None if self._plan is None else self._plan.answer(values)
        run_metadata = RunMetadata()
        run_metadata._fill(metadata)
        options = RunOptions._merged(self._training.wishes)
        run_values = SessionRunValues(results, options, run_metadata)
        self._hook.after_run(self._context, run_values)
        return bool(self._context.stop_requested)

    def end(self, native: Any) -> None:
        with self._training.graph.as_default():
            self._hook.end(self._training.lent(native))


def adapted(hook: SessionRunHook, training: Training) -> Any:
    """The hook, for the runtime."""
    return _native.python_hook(training.host, HookAdapter(hook, training))
