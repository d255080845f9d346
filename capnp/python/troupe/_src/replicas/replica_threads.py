"""Calls of a function in each replica of a program, which meet where they merge."""

from __future__ import annotations

import contextlib
import re
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.thread_scopes import Inheritance
from troupe._src.replicas.contexts import entered
from troupe._src.replicas.merging import meeting
from troupe._src.replicas.values import regroup, select
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import VariableStore, variable_scope

# What layers add to collections in a replica is not what those of other replicas find there.
OWN_COLLECTIONS = (GraphKeys.LOSSES, GraphKeys.UPDATE_OPS)


class _Stopped(Exception):
    """Ends a replica's thread because another one has failed."""


class Replicas:
    """One call of a function in each replica.

    A thread for each replica builds its nodes, one at a time, in order: replica 0 goes first up to
    where it merges or ends, so the variables that it has made are there for the others.

    Args:
        strategy: Whose replicas they are.
        function: What each calls.
        args: Its arguments, with a PerReplica where those of replicas differ.
        kwargs: Its arguments by name.
    """

    def __init__(
        self, strategy: Any, function: Callable[..., Any], args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.strategy = strategy
        self.made: Dict[str, List[Variable]] = {}  # by replica 0, in order
        graph = get_default_graph()
        store = VariableStore.of(graph)
        inheritance = Inheritance(graph._thread_scopes, store._of_thread)
        self._graph, self._threads = graph, []
        for number in range(strategy.extended._local_count):
            own = (function, select(number, tuple(args)), select(number, dict(kwargs)))
            self._threads.append(_ReplicaThread(self, number, inheritance, own))

    def run(self) -> Any:
        """Calls it, with what they merge in between.

        Returns:
            What the replicas have returned, regrouped.

        Raises:
            RuntimeError: Some replicas merge where others have ended, or others merge.
        """
        try:
            while True:
                for thread in self._threads:
                    self._advance(thread)
                pending = [thread.pending for thread in self._threads]
                if all(each is None for each in pending):
                    return regroup([thread.result for thread in self._threads])
                self._merge(pending)
        finally:
            for thread in self._threads:
                thread.stop()

    def _advance(self, thread: _ReplicaThread) -> None:
        """Lets a replica go on up to where it merges or ends."""
        before = {key: list(self._graph.get_collection_ref(key)) for key in OWN_COLLECTIONS}
        for key, own in thread.collections.items():
            self._graph.get_collection_ref(key)[:] = own
        thread.advance()
        for key, shared in before.items():
            now = self._graph.get_collection_ref(key)
            thread.collections[key] = list(now)
            known = {id(each) for each in shared}
            now[:] = [*shared, *(each for each in now if id(each) not in known)]
        if thread.error is not None:
            raise thread.error

    def _merge(self, pending: Sequence[Any]) -> None:
        if any(each is None for each in pending):
            raise RuntimeError(
                "some replicas have ended where others merge: a replica's function must call "
                "merge_call, and so optimizers, equally often in each"
            )
        function, name_scope = pending[0][0], pending[0][3]
        args = regroup([each[1] for each in pending])
        kwargs = regroup([each[2] for each in pending])
        controls = [op for thread in self._threads for op in thread.controls]
        with entered(self.strategy), self._graph.name_scope(name_scope):
            with self._graph.control_dependencies(controls):
                result = function(self.strategy, *args, **kwargs)
        for thread in self._threads:
            thread.answer = select(thread.number, result)


class _ReplicaThread:
    def __init__(self, replicas: Replicas, number: int, inheritance: Inheritance, own: Any) -> None:
        self.replicas, self.number = replicas, number
        self.collections = {
            key: list(replicas._graph.get_collection_ref(key)) for key in OWN_COLLECTIONS
        }
        self.pending: Any = None  # what it merges
        self.answer: Any = None  # what that has given
        self.result: Any = None
        self.error: Optional[BaseException] = None
        self.controls: Sequence[Any] = ()
        self.made_count: Dict[str, int] = {}
        self._inheritance, self._own = inheritance, own
        self._may_go, self._has_come = threading.Semaphore(0), threading.Semaphore(0)
        self._is_stopped = self._is_done = False
        self._thread = threading.Thread(target=self._main, name=f"replica-{number}", daemon=True)
        self._thread.start()

    def advance(self) -> None:
        """Goes on, and waits until it merges or ends."""
        self._may_go.release()
        self._has_come.acquire()

    def stop(self) -> None:
        """Ends the thread."""
        if not self._is_done:
            self._is_stopped = True
            self._may_go.release()
        self._thread.join()

    def _main(self) -> None:
        self._may_go.acquire()
        if not self._is_stopped:
            try:
                self.result = self._call()
            except _Stopped:
                pass
            except BaseException as error:  # which the calling thread raises
                self.error = error
        self._is_done = True
        self.pending = None
        self._has_come.release()

    def _call(self) -> Any:
        function, args, kwargs = self._own
        self._inheritance.take()
        meeting.call = self._merge
        _of_thread.replica = self
        with self._scopes():
            return function(*args, **kwargs)

    @contextlib.contextmanager
    def _scopes(self) -> Iterator[None]:
        replicas, graph = self.replicas, self.replicas._graph
        store = VariableStore.of(graph)
        with contextlib.ExitStack() as scopes:
            scopes.enter_context(entered(replicas.strategy, self.number))
            scopes.enter_context(replicas.strategy.extended._on_device(self.number))
            if self.number:
                opened = dict(store.opened)
                scopes.enter_context(
                    variable_scope(store.scope, reuse=True, auxiliary_name_scope=False)
                )
                store._of_thread.opened = opened
                scopes.enter_context(graph.name_scope(f"replica_{self.number}"))
            yield

    def _merge(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        graph = self.replicas._graph
        scope = graph.get_name_scope()
        self.pending = (function, args, kwargs, f"{scope}/" if scope else None)
        self.controls = graph._scopes.controls
        self._has_come.release()
        self._may_go.acquire()
        if self._is_stopped:
            raise _Stopped
        self.pending = None
        return self.answer


class _OfThread(threading.local):
    replica: Optional[_ReplicaThread] = None


_of_thread = _OfThread()


def made_before(name: str) -> Optional[Variable]:
    """What replica 0 has made where another replica makes a variable of that name.

    Args:
        name: The name that it asks for.

    Returns:
        The variable; None in replica 0, which makes it, and outside of replicas.

    Raises:
        ValueError: Replica 0 has made no such variable.
    """
    replica = _of_thread.replica
    if replica is None or replica.number == 0:
        return None
    key = _without_numbers(name)
    place = replica.made_count.get(key, 0)
    made = replica.replicas.made.get(key, [])
    if place >= len(made):
        raise ValueError(
            f"replica {replica.number} makes a variable {name!r}, which replica 0 has not made: "
            "all replicas must make the same variables in the same order"
        )
    replica.made_count[key] = place + 1
    return made[place]


def remember(name: str, variable: Variable) -> None:
    """Lets other replicas find what replica 0 has made."""
    replica = _of_thread.replica
    if replica is not None:
        replica.replicas.made.setdefault(_without_numbers(name), []).append(variable)


def _without_numbers(name: str) -> str:
    """A name without what makes it unique."""
    return re.sub(r"_\d+(?=/|:|$)", "", name)
