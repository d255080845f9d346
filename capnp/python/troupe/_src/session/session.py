"""Sessions: run steps of a graph on a cluster or in this process."""

from __future__ import annotations

from types import TracebackType
from typing import List, Optional, Sequence, Type

from troupe._src.graph.thread_scopes import defaults, leave
from troupe._src.graph.graph import Graph
from troupe._src.messages.config import ConfigProto
from troupe._src.platform.process import run_interruptibly
from troupe._src.session.base_session import BaseSession
from troupe._src.session.listing import (
    OpenSession,
    Resource,
    answer_timeout_ms,
    connect,
    list_resources,
    list_sessions,
    warn_of_empty_containers,
)
from troupe._src.set_module import set_module


@set_module("troupe")
class Session(BaseSession):
    """Runs a graph on the cluster of the node at `target`, by default in this process.

    A target has the form "troupe://host:port". As a context manager, the session makes itself and
    its graph the defaults, and closes at the end. The sessions of a program at one target share a
    connection; where it is lost, the next session opens another.
    """

    def __enter__(self) -> Session:
        defaults.graphs.append(self.graph)
        defaults.sessions.append(self)
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        leave(defaults.sessions, self)
        leave(defaults.graphs, self.graph)
        self.close()

    @staticmethod
    def list_resources(target: str, config: Optional[ConfigProto] = None) -> List[Resource]:
        """What the containers of a cluster hold: variables, queues, tables, and where they are.

        Args:
            target: A node of the cluster, "troupe://host:port".
            config: Its timeouts hold for connecting and for the answer.

        Returns:
            The resources of all tasks that answer in time, and of each queue how it is used; a
            warning names the others.

        Raises:
            UnavailableError: No node answers at the target.
        """
        return list_resources(target, config or ConfigProto())

    @staticmethod
    def list_sessions(target: str, config: Optional[ConfigProto] = None) -> List[OpenSession]:
        """The sessions that clients have open on a cluster, and those of runners.

        Args:
            target: A node of the cluster, "troupe://host:port".
            config: Its timeouts hold for connecting and for the answer.

        Returns:
            Who has opened each, on which task, how long ago, how large its graph is, and how many
            steps run. A warning names the tasks that do not answer in time.

        Raises:
            UnavailableError: No node answers at the target.
        """
        return list_sessions(target, config or ConfigProto())

    @staticmethod
    def reset(
        target: str,
        containers: Optional[Sequence[str]] = None,
        config: Optional[ConfigProto] = None,
    ) -> None:
        """Frees containers on all tasks.

        Closes the sessions on that node, and the sessions on other nodes that used the containers.
        A warning names containers that held nothing.

        Args:
            target: A node of the cluster, "troupe://host:port"; "" does nothing.
            containers: The names; "" is the default container. None for all.
            config: Its timeouts hold for connecting and for the answer.

        Raises:
            UnavailableError: A task cannot be reached; the others are reset.
        """
        if not target:
            return  # sessions in this process share no containers
        config = config or ConfigProto()
        client, timeout = connect(target, config), answer_timeout_ms(config)
        if containers is None:
            run_interruptibly(lambda: client.reset_all(timeout))
        else:
            names = list(containers)
            warn_of_empty_containers(client, names)
            run_interruptibly(lambda: client.reset(names, timeout))


@set_module("troupe")
class InteractiveSession(BaseSession):
    """A session that is the default session until it is closed.

    Args:
        target: A node of a cluster, "troupe://host:port"; "" for this process.
        graph: The graph, which becomes the default graph; by default that one.
        config: The options.
    """

    def __init__(
        self,
        target: str = "",
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
    ) -> None:
        super().__init__(target, graph, config)
        defaults.sessions.append(self)
        if graph is not None:
            defaults.graphs.append(graph)
        self._given_graph = graph

    def close(self) -> None:
        super().close()
        leave(defaults.sessions, self)
        leave(defaults.graphs, self._given_graph)
