"""What all sessions do: extend the graph of the runtime, and run steps of it."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, TypeVar

from troupe import _native
from troupe._src.graph.thread_scopes import AsDefault
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.messages.config import NO_STEP_OPTIONS, ConfigProto, RunOptions
from troupe._src.session.default_config import session_config
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.metadata import RunMetadata
from troupe._src.platform import logging
from troupe._src.platform.process import (
    check_not_forked,
    claim_process,
    close_at_exit,
    run_interruptibly,
)
from troupe._src.platform.simulated_targets import is_simulated
from troupe._src.session.explanation import StepExplanation
from troupe._src.session.fetch import (
    Feeds,
    FetchPlan,
    feed_elements,
    feed_names,
    plan_fetches,
    to_call_feeds,
    to_feeds,
)
from troupe._src.session.listed_cards import with_listed_cards
from troupe._src.session.listing import Device, list_devices
from troupe._src.session.py_func import explain_placement
from troupe._src.session.sent_graph import SentGraph
from troupe._src.session.tensor_handles import has_handles, prepare_handles
from troupe._src.types import errors

T = TypeVar("T")


class BaseSession:
    """The methods of Session and InteractiveSession.

    Args:
        target: A node of a cluster, "troupe://host:port"; "" for this process.
        graph: The graph, by default the default graph.
        config: The options.

    Raises:
        TypeError: An argument is of another type.
    """

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
        self._graph, self._config = graph or get_default_graph(), session_config(config)
        self._lock = threading.Lock()
        self._native: Optional[_native.Session] = None
        self._pid = os.getpid()
        self._sent = SentGraph()
        self._is_closed = False
        self._async_steps: Dict[Any, Any] = {}  # by event loop
        self._dead_handles: List[str] = []  # of kept tensors that nobody can use any more

    @property
    def graph(self) -> Graph:
        """The graph whose steps it runs."""
        return self._graph

    @property
    def sess_str(self) -> str:
        """The target: "" for a session in this process."""
        return self._target

    def _ready(self) -> _native.Session:
        """The session of the runtime, opened if needed and extended to all nodes of the graph."""
        if os.getpid() != self._pid:
            check_not_forked(self._pid)
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        native = self._native or self._open()
        self._sent.extend(native, self._graph)
        return native

    def _open(self) -> _native.Session:
        with self._lock:
            if self._native is None:
                claim_process()
                options = self._config._for_session(self._target)
                self._native = self._wait(lambda: with_listed_cards(_native.open_session, options))
                close_at_exit(self)
                for warning in self._native.warnings:
                    logging.warning("%s", warning)
            return self._native

    def _wait(self, work: Callable[[], T]) -> T:
        """Calls `work`, which blocks; Ctrl-C ends the wait, but for a simulated cluster.

        One thread drives such a cluster, and its waits take no real time.
        """
        return work() if is_simulated(self._target) else run_interruptibly(work)

    def run(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        """Runs a step. Blocks until it has ended; Ctrl-C cancels it. Thread-safe.

        Args:
            fetches: Tensors, operations (whose value is None), variables and names, in lists,
                tuples and dicts.
            feed_dict: What the values of tensors are in this step, by tensor or name; None for
                nothing. A TensorHandle stands for the value that it is of.
            options: Of this step.
            run_metadata: Is filled with what the options ask for.

        Returns:
            The values, in the structure of the fetches: arrays, or NumPy scalars for rank 0.

        Raises:
            TypeError: Something cannot be fetched or fed.
            ValueError: The graph has no such element, or a value does not fit.
            OpError: The step failed; its class is that of the cause.
            RuntimeError: The session is closed.
        """
        plan = plan_fetches(self._graph, fetches)
        if has_handles(self._graph):
            plan, feed_dict, copies = prepare_handles(self, plan, feed_dict or {})
        native = self._ready()
        feeds = to_feeds(self._graph, feed_dict) if feed_dict else []
        step_options = options._for_step() if options is not None else NO_STEP_OPTIONS
        try:
            values, metadata = native.run(feeds, plan.names, plan.targets, step_options)
        except errors.OpError as error:
            raise self._located(error)
        if run_metadata is not None:
            run_metadata._fill(metadata)
        return plan.results(values)

    def _located(self, error: errors.OpError) -> errors.OpError:
        """Adds the operation that failed, and where the program defined it, to an error."""
        explain_placement(error)
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
        """`run` for asyncio: cancelling the task cancels the step.

        Args:
            fetches: Tensors, operations (whose value is None), variables and names, in lists,
                tuples and dicts.
            feed_dict: What the values of tensors are in this step, by tensor or name; None for
                nothing.
            options: Of this step.

        Returns:
            The values, as those of `run`.

        Raises:
            TypeError: Something cannot be fetched or fed.
            ValueError: The graph has no such element, or a value does not fit.
            OpError: The step failed; its class is that of the cause.
            RuntimeError: The session is closed.
        """
        # Imported here because it imports asyncio, which most programs do not need.
        from troupe._src.session.async_steps import async_steps_of

        return await async_steps_of(self).run(fetches, feed_dict, options)

    def make_callable(
        self,
        fetches: Any,
        feed_list: Optional[Sequence[Any]] = None,
        accept_options: bool = False,
    ) -> Callable[..., Any]:
        """A function of the values to feed that runs a prepared step: faster than `run`.

        Args:
            fetches: As for `run`.
            feed_list: The tensors that the function's arguments are the values of.
            accept_options: Whether the function also takes `options` and `run_metadata`.

        Returns:
            A function that gives what `run` does.

        Raises:
            TypeError: Something cannot be fetched or fed.
            ValueError: The graph has no such element.
            RuntimeError: The session is closed.
        """
        plan = plan_fetches(self._graph, fetches)
        self._ready()
        elements = feed_elements(self._graph, feed_list)
        callables = _Callables(self, feed_names(self._graph, elements), plan)

        def call(*values: Any) -> Any:
            tensors, _ = callables.run(to_call_feeds(elements, values), None)
            return plan.results(tensors)

        def call_with_options(
            *values: Any,
            options: Optional[RunOptions] = None,
            run_metadata: Optional[RunMetadata] = None,
        ) -> Any:
            tensors, metadata = callables.run(to_call_feeds(elements, values), options)
            if run_metadata is not None:
                run_metadata._fill(metadata)
            return plan.results(tensors)

        return call_with_options if accept_options else call

    def explain(self, fetches: Any, feeds: Optional[Sequence[Any]] = None) -> StepExplanation:
        """How it would run a step, without running it.

        Says where each operation is placed and why, what crosses between devices, and what that
        costs.

        Args:
            fetches: As for `run`.
            feeds: The tensors that the step is fed.

        Returns:
            The explanation, whose text is a table.

        Raises:
            OpError: The step cannot be placed.
        """
        plan = plan_fetches(self._graph, fetches)
        native = self._ready()
        names = feed_names(self._graph, feeds)
        try:
            return StepExplanation(native.explain(names, plan.names, plan.targets))
        except errors.OpError as error:
            raise self._located(error)

    def partial_run_setup(self, fetches: Any, feeds: Optional[Sequence[Any]] = None) -> Any:
        """Prepares a step that several calls of `partial_run` feed and fetch, each value once.

        Args:
            fetches: All that the calls fetch, as for `run`.
            feeds: All tensors that the calls feed.

        Returns:
            A handle of the step.

        Raises:
            OpError: The step cannot be prepared.
        """
        plan = plan_fetches(self._graph, fetches)
        native = self._ready()
        return native.set_up_partial_run(feed_names(self._graph, feeds), plan.names, plan.targets)

    def partial_run(
        self, handle: Any, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None
    ) -> Any:
        """Feeds a step of `partial_run_setup`, and waits for some of its fetches.

        Args:
            handle: What `partial_run_setup` gave.
            fetches: Tensors, operations (whose value is None), variables and names, in lists,
                tuples and dicts.
            feed_dict: What the values of tensors are in this step, by tensor or name; None for
                nothing.

        Returns:
            The values, as those of `run`.

        Raises:
            OpError: The step failed, or a value has been fed or fetched before.
        """
        plan = plan_fetches(self._graph, fetches)
        feeds = to_feeds(self._graph, feed_dict)
        try:
            values = self._wait(lambda: handle.run(feeds, plan.names + plan.targets))
        except errors.OpError as error:
            raise self._located(error)
        return plan.results(values)

    @property
    def graph_def(self) -> GraphDef:
        """The graph as a message."""
        return self._graph.as_graph_def()

    def list_devices(self) -> List[Device]:
        """The devices of all tasks that answer."""
        if not self._target:
            return [Device(*device) for device in self._ready().list_devices()]
        return list_devices(self._target, self._config)

    def close(self) -> None:
        """Cancels running steps. Variables of a cluster remain; those of this process are freed."""
        with self._lock:
            is_first = not self._is_closed
            self._is_closed = True
            native, self._native = self._native, None
            self._async_steps.clear()
        if native is not None and is_first and os.getpid() == self._pid:
            try:
                native.close()
            except errors.UnavailableError:
                pass  # a session whose node is lost is closed there, too

    def _close_at_exit(self) -> None:
        try:
            self.close()
        except errors.OpError:
            pass

    def as_default(self) -> Any:
        """A context in which it is the default session; leaving it does not close the session."""
        return AsDefault(self)

    def _described(self) -> str:
        state = "closed" if self._is_closed else "open" if self._native else "not opened yet"
        where = self._target or "this process"
        return f"on {where}, {state}, {self._graph.version} nodes"

    def __repr__(self) -> str:
        return f"<tf.{type(self).__name__} {self._described()}>"

    def _repr_html_(self) -> str:
        return f"<b>tf.{type(self).__name__}</b> {self._described()}"


class _Callables:
    """The prepared steps of one `make_callable`: one for each distinct RunOptions."""

    def __init__(self, session: BaseSession, feeds: List[str], plan: FetchPlan) -> None:
        self._session = session
        self._feeds = feeds
        self._plan = plan
        self._callables: Dict[Any, _native.Callable] = {}
        self._callable_with({})

    def run(self, feeds: Feeds, options: Optional[RunOptions]) -> Any:
        """(values, metadata or None)."""
        session = self._session
        check_not_forked(session._pid)
        if session._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        try:
            return self._callable_with(options._for_step() if options else {}).call(feeds)
        except errors.OpError as error:
            raise session._located(error)

    def _callable_with(self, options: Dict[str, Any]) -> _native.Callable:
        self._session._sent.check(self._session._graph)
        key = tuple(options.values())
        if key not in self._callables:
            plan, native = self._plan, self._session._ready()
            self._callables[key] = native.make_callable(
                self._feeds, plan.names, plan.targets, options
            )
        return self._callables[key]
