"""Sessions: a graph on a cluster, or in this process, and steps of it."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Type

from troupe import _native, errors
from troupe._config import NO_STEP_OPTIONS, ConfigProto, RunOptions
from troupe._fetch import Feeds, Plan, plan_fetches, to_call_feeds, to_feeds
from troupe._graph import Graph, _defaults, get_default_graph
from troupe._metadata import GraphDef, RunMetadata
from troupe._process import check_not_forked, end_with_program, interruptibly, note_threads

RESET_TIMEOUT_MS = 5000


class Device(NamedTuple):
    """A device as `Session.list_devices` shows it."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int


class BaseSession:
    """What all sessions can do."""

    def __init__(
        self,
        target: str = "",
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
    ) -> None:
        if target is None:
            target = ""
        if not isinstance(target, (str, bytes)):
            raise TypeError(
                f"target must be a string, but got {type(target).__name__}. "
                'Did you do "Session(config)" instead of "Session(config=config)"?'
            )
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config).__name__}")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph).__name__}")
        self._target = target if isinstance(target, str) else target.decode()
        self._graph = graph or get_default_graph()
        self._config = config or ConfigProto()
        self._lock = threading.Lock()
        self._native: Optional[_native.Session] = None
        self._pid = os.getpid()
        self._sent = -1
        self._is_closed = False
        self._awaiting: Dict[Any, Any] = {}

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def sess_str(self) -> str:
        """The target: "" for a session in this process."""
        return self._target

    def _ready(self) -> _native.Session:
        """The open session, which has all nodes of the graph."""
        if os.getpid() != self._pid:
            check_not_forked(self._pid)
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        native = self._native or self._open()
        if self._sent != self._graph._root.size:
            with self._graph._lock:
                native.extend(self._graph._root)
                self._sent = self._graph._root.size
        return native

    def _open(self) -> _native.Session:
        with self._lock:
            if self._native is None:
                note_threads()
                options = self._config._for_session(self._target)
                self._native = interruptibly(lambda: _native.open_session(options))
                end_with_program(self)
                self._warn(self._native.warnings)
            return self._native

    def _warn(self, warnings: Sequence[str]) -> None:
        from troupe import logging

        for warning in warnings:
            logging.warning("%s", warning)

    def run(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        """Runs a step and returns the values of `fetches`, in the structure that these have.

        Fetches are tensors, operations (whose value is None), variables and names, in lists,
        tuples and dicts; `feed_dict` has values to use in place of tensors. Waits for the end of
        the step; Ctrl-C cancels it. Several threads may call at once.
        """
        native = self._ready()
        plan = plan_fetches(self._graph, fetches)
        feeds = to_feeds(self._graph, feed_dict) if feed_dict else []
        step_options = options._for_step() if options is not None else NO_STEP_OPTIONS
        try:
            values, metadata = native.run(feeds, plan.names, plan.targets, step_options)
        except errors.OpError as error:
            raise self._located(error)
        if run_metadata is not None:
            run_metadata._fill(metadata)
        return plan.answer(values)

    def _located(self, error: errors.OpError) -> errors.OpError:
        """The error with the operation that it is of, and the user's line that made this."""
        if error.node and error.op is None:
            try:
                operation = self._graph.get_operation_by_name(error.node)
            except KeyError:
                return error
            error.op = operation
            error.node_def = operation
            error._defined_at = operation.defined_at
        return error

    async def run_async(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
    ) -> Any:
        """As `run`, awaited in an event loop of asyncio; cancelling the task cancels the step."""
        from troupe._awaiting import awaiting_of

        return await awaiting_of(self).run(fetches, feed_dict, options)

    def make_callable(
        self,
        fetches: Any,
        feed_list: Optional[Sequence[Any]] = None,
        accept_options: bool = False,
    ) -> Callable[..., Any]:
        """A function of the fed values that runs one compiled step: faster than `run`.

        With `accept_options` it takes `options` and `run_metadata`, too.
        """
        self._ready()
        plan = plan_fetches(self._graph, fetches)
        elements: List[Any] = [
            self._graph.as_graph_element(feed, allow_operation=False) for feed in feed_list or []
        ]
        compiled = _Compiled(self, [element.name for element in elements], plan)

        def call(*values: Any) -> Any:
            tensors, _ = compiled.run(to_call_feeds(elements, values), None)
            return plan.answer(tensors)

        def call_with_options(
            *values: Any,
            options: Optional[RunOptions] = None,
            run_metadata: Optional[RunMetadata] = None,
        ) -> Any:
            tensors, metadata = compiled.run(to_call_feeds(elements, values), options)
            if run_metadata is not None:
                run_metadata._fill(metadata)
            return plan.answer(tensors)

        return call_with_options if accept_options else call

    def partial_run_setup(self, fetches: Any, feeds: Optional[Sequence[Any]] = None) -> Any:
        """Starts a step of which every feed and fetch is given and taken once, bit by bit."""
        native = self._ready()
        plan = plan_fetches(self._graph, fetches)
        names = [
            self._graph.as_graph_element(feed, allow_operation=False).name for feed in feeds or []
        ]
        return native.set_up_partial_run(names, plan.names, plan.targets)

    def partial_run(
        self, handle: Any, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None
    ) -> Any:
        """Feeds such a step, and waits for some of its fetches."""
        plan = plan_fetches(self._graph, fetches)
        feeds = to_feeds(self._graph, feed_dict)
        try:
            values = interruptibly(lambda: handle.run(feeds, plan.names + plan.targets))
        except errors.OpError as error:
            raise self._located(error)
        return plan.answer(values)

    @property
    def graph_def(self) -> GraphDef:
        return self._graph.as_graph_def()

    def list_devices(self) -> List[Device]:
        """The devices of the cluster, as far as its tasks answer."""
        if not self._target:
            return [Device("/job:localhost/task:0/device:CPU:0", "CPU", 0, 0)]
        timeout = self._config.operation_timeout_in_ms or RESET_TIMEOUT_MS
        client = _connect(self._target, self._config)
        devices, _ = interruptibly(lambda: client.list_devices(timeout))
        return [Device(*device) for device in devices]

    def close(self) -> None:
        """Cancels the running steps. Variables on a cluster stay; those in this process end."""
        with self._lock:
            is_first = not self._is_closed
            self._is_closed = True
            native, self._native = self._native, None
            self._awaiting.clear()
        if native is not None and is_first and os.getpid() == self._pid:
            try:
                native.close()
            except errors.UnavailableError:
                pass  # what is lost is closed

    def _end_with_program(self) -> None:
        try:
            self.close()
        except errors.OpError:
            pass

    def as_default(self) -> Any:
        """A context in which `Tensor.eval` and `Operation.run` use it; it stays open."""
        return _AsDefault(self)

    def _repr_html_(self) -> str:
        state = "closed" if self._is_closed else "open" if self._native else "not opened yet"
        where = self._target or "this process"
        return f"<b>tf.{type(self).__name__}</b> on {where}, {state}, {self._graph.version} nodes"


class _Compiled:
    """The steps behind a callable: one for all calls with the same options."""

    def __init__(self, session: BaseSession, feeds: List[str], plan: Plan) -> None:
        self._session = session
        self._feeds = feeds
        self._plan = plan
        self._steps: Dict[Any, _native.Callable] = {}
        self._step_with({})

    def run(self, feeds: Feeds, options: Optional[RunOptions]) -> Any:
        """(values, metadata or None)."""
        session = self._session
        check_not_forked(session._pid)
        if session._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        try:
            return self._step_with(options._for_step() if options else {}).call(feeds)
        except errors.OpError as error:
            raise session._located(error)

    def _step_with(self, options: Dict[str, Any]) -> _native.Callable:
        key = tuple(options.values())
        if key not in self._steps:
            plan, native = self._plan, self._session._ready()
            made = native.make_callable(self._feeds, plan.names, plan.targets, options)
            self._steps[key] = made
        return self._steps[key]


class _AsDefault:
    def __init__(self, session: BaseSession) -> None:
        self._session = session

    def __enter__(self) -> BaseSession:
        _defaults.sessions.append(self._session)
        return self._session

    def __exit__(self, *_: Any) -> None:
        _defaults.sessions.remove(self._session)


class Session(BaseSession):
    """A graph on the cluster of a node, "troupe://host:port", or without a target in this process.

    As a context it makes itself and its graph the default ones, and closes itself at the end.
    """

    def __enter__(self) -> Session:
        _defaults.graphs.append(self.graph)
        _defaults.sessions.append(self)
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        _defaults.sessions.remove(self)
        _defaults.graphs.remove(self.graph)
        self.close()

    @staticmethod
    def reset(
        target: str,
        containers: Optional[Sequence[str]] = None,
        config: Optional[ConfigProto] = None,
    ) -> None:
        """Frees those containers on all tasks ("" is the default one), or without a list all.

        Closes the sessions on that node, and those on others that used the containers. Where a
        task cannot be reached, the others are reset and UnavailableError names it.
        """
        if not target:
            return  # what is kept in this process belongs to one session each
        config = config or ConfigProto()
        client = _connect(target, config)
        timeout = config.operation_timeout_in_ms or RESET_TIMEOUT_MS
        if containers is None:
            interruptibly(lambda: client.reset_all(timeout))
        else:
            names = list(containers)
            interruptibly(lambda: client.reset(names, timeout))


class InteractiveSession(BaseSession):
    """A session that is the default one from its making on, until it is closed."""

    def __init__(
        self,
        target: str = "",
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
    ) -> None:
        super().__init__(target, graph, config)
        _defaults.sessions.append(self)
        if graph is not None:
            _defaults.graphs.append(graph)
        self._given_graph = graph

    def close(self) -> None:
        super().close()
        if self in _defaults.sessions:
            _defaults.sessions.remove(self)
        if self._given_graph is not None and self._given_graph in _defaults.graphs:
            _defaults.graphs.remove(self._given_graph)


def _connect(target: str, config: ConfigProto) -> _native.Client:
    timeout = config.connect_timeout_in_ms
    return interruptibly(lambda: _native.connect(target, timeout))
