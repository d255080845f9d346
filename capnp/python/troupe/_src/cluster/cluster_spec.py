"""Cluster definitions, and the role that TF_CONFIG gives a program."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from troupe import _native
from troupe._src.messages.config import ConfigProto
from troupe._src.set_module import set_module
from troupe._src.types import errors

Tasks = Dict[int, str]


@set_module("troupe.train")
class ClusterSpec:
    """The tasks of a cluster: job -> addresses "host:port", as a list or by index.

    Args:
        cluster: Such a dict; another ClusterSpec; the JSON of a TF_CONFIG's "cluster"; or the short
            form "ps=host:port;worker=host:port,host:port".

    Raises:
        TypeError: It is something else, or has a job or an address that is no text.
        InvalidArgumentError: The text or an address is malformed.
    """

    def __init__(self, cluster: ClusterLike) -> None:
        if isinstance(cluster, ClusterSpec):
            self._native: _native.ClusterSpec = cluster._native
        elif isinstance(cluster, str):
            self._native = _native.ClusterSpec.parse(cluster)
        elif isinstance(cluster, dict):
            self._native = _native.ClusterSpec.make(
                {_job(job): _tasks(job, tasks) for job, tasks in cluster.items()}
            )
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )

    @classmethod
    def _of(cls, native: _native.ClusterSpec) -> ClusterSpec:
        spec = cls.__new__(cls)
        spec._native = native
        return spec

    @property
    def jobs(self) -> List[str]:
        """The names of the jobs."""
        return list(self._native.jobs())

    def as_dict(self) -> Dict[str, Union[List[str], Tasks]]:
        """A list for each job whose task indices have no gaps, else a dict."""
        jobs: Dict[str, Union[List[str], Tasks]] = {}
        for job, tasks in self._native.jobs().items():
            if not tasks:
                jobs[job] = {}
            elif max(tasks) + 1 == len(tasks):
                jobs[job] = [tasks[index] for index in sorted(tasks)]
            else:
                jobs[job] = dict(tasks)
        return jobs

    def as_cluster_def(self) -> ClusterSpec:
        """Itself: ClusterDef is the same class."""
        return self

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Args:
            job_name: The name of the job.

        Returns:
            The number of tasks, which may be less than the highest index plus one.

        Raises:
            ValueError: There is no such job.
        """
        return int(self._query(self._native.num_tasks, job_name))

    def task_indices(self, job_name: str) -> List[int]:
        """The indices of the tasks of a job.

        Args:
            job_name: The name of the job.

        Returns:
            The indices, in ascending order.

        Raises:
            ValueError: There is no such job.
        """
        return list(self._query(self._native.task_indices, job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Args:
            job_name: The name of its job.
            task_index: Its index in the job.

        Returns:
            "host:port".

        Raises:
            ValueError: There is no such job, or it has no task of that index.
        """
        return str(self._query(self._native.task_address, job_name, task_index))

    def job_tasks(self, job_name: str) -> List[Optional[str]]:
        """The addresses of the tasks of a job.

        Args:
            job_name: The name of the job.

        Returns:
            "host:port" for each index from 0 on, with None for an index without a task.

        Raises:
            ValueError: There is no such job.
        """
        addresses: List[Optional[str]] = []
        for index in self.task_indices(job_name):
            addresses += [None] * (index - len(addresses))
            addresses.append(self.task_address(job_name, index))
        return addresses

    @staticmethod
    def _query(method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except errors.InvalidArgumentError as error:
            raise ValueError(str(error)) from None

    def __bool__(self) -> bool:
        return bool(self.jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and bool(self._native == other._native)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Tuple[Any, ...]:
        """Copies and pickles are made of what it consists of."""
        return ClusterSpec, (self.as_dict(),)

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


ClusterDef = ClusterSpec


# What `ClusterSpec` is made of; the values are lists of addresses, or {index: address}.
ClusterLike = Union[ClusterSpec, Dict[str, Any], str]


def _job(name: Any) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"Job name {name!r} must be bytes or unicode")
    return name if isinstance(name, str) else name.decode()


def _tasks(job: Any, tasks: Any) -> Tasks:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, dict):
        raise TypeError(
            f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
        )
    for address in tasks.values():
        if not isinstance(address, (str, bytes)):
            raise TypeError(f"Task address {address!r} must be bytes or unicode")
    return {int(i): a if isinstance(a, str) else a.decode() for i, a in tasks.items()}


@set_module("troupe.train")
class ServerDef:
    """The cluster and the task of a server.

    Args:
        cluster: A ClusterSpec, or what one is made of.
        job_name: The job of the task; "" where the cluster has one job.
        task_index: The index of the task in its job; None where the job has one task.
        protocol: The protocol, "troupe" or "grpc"; both mean Cap'n Proto RPC. By default "troupe".
        default_session_config: The server's ConfigProto.
    """

    def __init__(
        self,
        cluster: ClusterLike,
        job_name: str = "",
        task_index: Optional[int] = None,
        protocol: str = "",
        default_session_config: Optional[ConfigProto] = None,
    ) -> None:
        self.default_session_config = default_session_config
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        self._native = _native.ServerDef.make(spec._native, job_name, task_index, protocol)

    @classmethod
    def _of(cls, native: _native.ServerDef, config: Any = None) -> ServerDef:
        server_def = cls.__new__(cls)
        server_def.default_session_config = config
        server_def._native = native
        return server_def

    @property
    def cluster(self) -> ClusterSpec:
        """All tasks of the cluster."""
        return ClusterSpec._of(self._native.cluster)

    @property
    def job_name(self) -> str:
        """The job of the server's task."""
        return str(self._native.job)

    @property
    def task_index(self) -> Optional[int]:
        """The index of the server's task in its job; None where it is not stated."""
        index = self._native.task
        return None if index is None else int(index)

    @property
    def protocol(self) -> str:
        """The name of the protocol."""
        return str(self._native.protocol) or "troupe"

    def __repr__(self) -> str:
        return (
            f"ServerDef(cluster={self.cluster!r}, job_name={self.job_name!r}, "
            f"task_index={self.task_index!r})"
        )


@set_module("troupe.train.cluster")
class Role(NamedTuple):
    """The task of this machine in a cluster where all machines run the same program."""

    server_def: ServerDef
    environment: str
    cluster: ClusterSpec
    task_type: str
    task_id: int
    is_chief: bool
    is_evaluator: bool
    is_ps: bool
    num_ps_replicas: int
    num_worker_replicas: int


def role_from_tf_config(tf_config: Optional[Union[str, Dict[str, Any]]] = None) -> Role:
    """The role that a TF_CONFIG gives, by default that in the environment.

    Without a TF_CONFIG, the program is the chief of an empty cluster.

    Args:
        tf_config: The JSON of a TF_CONFIG, or the dict that it stands for; by default the
            environment's.

    Returns:
        The role.

    Raises:
        InvalidArgumentError: It is malformed, or contradicts itself.
    """
    if tf_config is None:
        tf_config = os.environ.get("TF_CONFIG", "")
    text = tf_config if isinstance(tf_config, str) else json.dumps(tf_config)
    server, environment, role = _native.tf_config(text or "{}")
    return Role(
        server_def=ServerDef._of(server),
        environment=environment,
        cluster=ClusterSpec._of(role["cluster"]),
        task_type=role["job"],
        task_id=role["task"],
        is_chief=role["is_chief"],
        is_evaluator=role["is_evaluator"],
        is_ps=role["is_ps"],
        num_ps_replicas=role["num_ps"],
        num_worker_replicas=role["num_workers"],
    )
