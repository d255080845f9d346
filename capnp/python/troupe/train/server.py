"""A task of a cluster in this process."""

from __future__ import annotations

import os
from typing import Any, Optional

from troupe import _native, errors
from troupe._config import ConfigProto
from troupe._process import (
    check_not_forked,
    end_with_program,
    interruptibly,
    keep,
    let_go,
    milliseconds,
    note_threads,
)
from troupe.train.cluster import ClusterSpec, ServerDef

STOP_DEADLINE_MS = 5000


class Server:
    """A task of a cluster: its devices, and its door for clients and other tasks.

    Several may live in one process. One that was started serves until it is stopped, or until the
    program ends, even if nobody holds this object. `job_name` may be left out where the cluster has
    one job, `task_index` where the job has one task; what is given here wins over a ServerDef.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: Optional[str] = None,
        task_index: Optional[int] = None,
        protocol: Optional[str] = None,
        config: Optional[ConfigProto] = None,
        start: bool = True,
        bind_host: str = "",
    ) -> None:
        note_threads()
        self._pid = os.getpid()
        definition = _definition(server_or_cluster_def, job_name, task_index, protocol)
        options = (config or ConfigProto())._for_server()
        options["bind_host"] = bind_host
        try:
            self._native = _native.make_server(definition, options)
        except errors.InvalidArgumentError as error:
            raise ValueError(str(error)) from None
        end_with_program(self)
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Optional[ConfigProto] = None, start: bool = True) -> Server:
        """The only task of a cluster, at a port that the system chooses."""
        return Server({"local": ["localhost:0"]}, config=config, start=start)

    def start(self) -> None:
        """Serves once it returns; nothing to do where it serves, and again after a stop."""
        check_not_forked(self._pid)
        interruptibly(self._native.start)
        keep(self)

    def stop(self, deadline_secs: Optional[float] = None) -> None:
        """Waits for running steps, cancels them at the deadline, and frees everything."""
        check_not_forked(self._pid)
        deadline = milliseconds(deadline_secs, STOP_DEADLINE_MS)
        interruptibly(lambda: self._native.stop(deadline))
        let_go(self)

    def drain(self, deadline_secs: Optional[float] = None) -> None:
        """Opens no more sessions and waits for the running steps."""
        check_not_forked(self._pid)
        deadline = milliseconds(deadline_secs, STOP_DEADLINE_MS)
        interruptibly(lambda: self._native.drain(deadline))

    def join(self) -> None:
        """Waits until it has stopped: by this process, by a client, or by Ctrl-C."""
        check_not_forked(self._pid)
        interruptibly(self._native.join)

    def _end_with_program(self) -> None:
        try:
            self.stop(0.5)
        except errors.OpError:
            pass

    @property
    def server_def(self) -> ServerDef:
        """The task that it is, with the port that it really has."""
        return ServerDef._of(self._native.server_def)

    @property
    def target(self) -> str:
        """ "troupe://host:port": what a Session takes."""
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
    """Stops the server of that target, in whatever process it is."""
    deadline = milliseconds(deadline_secs, STOP_DEADLINE_MS)
    client = interruptibly(lambda: _native.connect(target, deadline))
    interruptibly(lambda: client.stop(deadline))
