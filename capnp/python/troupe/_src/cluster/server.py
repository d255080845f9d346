"""Servers: tasks of a cluster in this process."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from troupe import _native
from troupe._src.cluster.cluster_spec import ClusterLike, ClusterSpec, ServerDef
from troupe._src.messages.config import ConfigProto
from troupe._src.platform.process import (
    check_not_forked,
    claim_process,
    close_at_exit,
    keep_alive,
    milliseconds,
    release,
    run_interruptibly,
)
from troupe._src.session.listed_cards import with_listed_cards
from troupe._src.set_module import set_module
from troupe._src.types import errors

STOP_DEADLINE_MS = 5000


@set_module("troupe.train")
class Server:
    """A task of a cluster: its devices, and the RPC server for clients and other tasks.

    A process may have several. A started server serves until it is stopped or the program ends,
    even if the program drops this object.

    Args:
        server_or_cluster_def: A ServerDef, a ClusterSpec, or what one is made of.
        job_name: The job of the task; may be omitted where the cluster has one job. Overrides that
            of a ServerDef, as do the next two.
        task_index: The index of the task; may be omitted where the job has one.
        protocol: The protocol, by default "troupe".
        config: What the server and its sessions use, by default the one of the ServerDef.
        start: Starts it at once.
        bind_host: The host or address to listen on, by default the loopback.

    Raises:
        TypeError: The first argument is no definition of a server or cluster.
        ValueError: The cluster has no such task, or it is not clear which one is meant.
    """

    def __init__(
        self,
        server_or_cluster_def: Union[ServerDef, ClusterLike],
        job_name: Optional[str] = None,
        task_index: Optional[int] = None,
        protocol: Optional[str] = None,
        config: Optional[ConfigProto] = None,
        start: bool = True,
        bind_host: str = "",
    ) -> None:
        claim_process()
        self._pid = os.getpid()
        definition = _definition(server_or_cluster_def, job_name, task_index, protocol)
        given = getattr(server_or_cluster_def, "default_session_config", None)
        self._config = config or given or ConfigProto()
        options = self._config._for_server()
        options["bind_host"] = bind_host
        try:
            self._native = with_listed_cards(
                lambda given: _native.make_server(definition, given), options
            )
        except errors.InvalidArgumentError as error:
            raise ValueError(str(error)) from None
        close_at_exit(self)
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Optional[ConfigProto] = None, start: bool = True) -> Server:
        """A cluster of one task, at a port that the system chooses.

        Args:
            config: What the server and its sessions use.
            start: Starts it at once.

        Returns:
            The server.
        """
        return Server({"local": ["localhost:0"]}, config=config, start=start)

    def start(self) -> None:
        """Starts serving. Has no effect on a server that serves; restarts a stopped one."""
        check_not_forked(self._pid)
        run_interruptibly(self._native.start)
        keep_alive(self)

    def stop(self, deadline_secs: Optional[float] = None) -> None:
        """Waits for running steps, cancels them at the deadline, and frees all resources.

        Args:
            deadline_secs: How many seconds running steps have left, by default 5.
        """
        check_not_forked(self._pid)
        deadline = milliseconds(deadline_secs, STOP_DEADLINE_MS)
        run_interruptibly(lambda: self._native.stop(deadline))
        release(self)

    def drain(self, deadline_secs: Optional[float] = None) -> None:
        """Refuses new sessions and waits for running steps.

        Args:
            deadline_secs: How many seconds it waits, by default 5.

        Raises:
            DeadlineExceededError: Steps still run then.
        """
        check_not_forked(self._pid)
        deadline = milliseconds(deadline_secs, STOP_DEADLINE_MS)
        run_interruptibly(lambda: self._native.drain(deadline))

    def join(self) -> None:
        """Waits until this process or a client stops the server; Ctrl-C ends the wait."""
        check_not_forked(self._pid)
        run_interruptibly(self._native.join)

    def _close_at_exit(self) -> None:
        try:
            self.stop(0.5)
        except errors.OpError:
            pass

    @property
    def server_def(self) -> ServerDef:
        """The task that it serves, with its actual port."""
        return ServerDef._of(self._native.server_def, self._config)

    @property
    def target(self) -> str:
        """ "troupe://host:port", the target for a Session."""
        return str(self._native.target)

    def __repr__(self) -> str:
        return f"<tf.train.Server {self.target}>"


def _definition(
    given: Any, job_name: Optional[str], task_index: Optional[int], protocol: Optional[str]
) -> _native.ServerDef:
    if isinstance(given, ServerDef):
        base = given._native
    else:
        try:
            spec = given if isinstance(given, ClusterSpec) else ClusterSpec(given)
        except TypeError as error:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or "
                f"`tf.train.ClusterSpec`: {error}"
            ) from None
        base = _native.ServerDef.make(spec._native, "", None, "")
    explicit = _native.ServerDef.make(base.cluster, job_name or "", task_index, protocol or "")
    try:
        return explicit.or_else(base).resolve()
    except errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from None


def stop_server(target: str, deadline_secs: Optional[float] = None) -> None:
    """Stops the server at that target, in this process or another one.

    Args:
        target: "troupe://host:port".
        deadline_secs: How many seconds its running steps have left, and the connection to it; by
            default 5.

    Raises:
        UnavailableError: There is no server at the target.
    """
    deadline = milliseconds(deadline_secs, STOP_DEADLINE_MS)
    client = run_interruptibly(lambda: _native.connect(target, deadline))
    run_interruptibly(lambda: client.stop(deadline))
