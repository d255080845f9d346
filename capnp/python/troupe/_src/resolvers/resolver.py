"""Classes that know the tasks of a cluster: those that are given, or those of TF_CONFIG."""

from __future__ import annotations

import abc
import json
import os
from typing import Any, Dict, Optional

from troupe._src.cluster.cluster_spec import ClusterSpec
from troupe._src.messages.config import ConfigProto
from troupe._src.session.session import Session
from troupe._src.set_module import set_module

ACCELERATORS = ("GPU", "TPU")


def target_of(address: str, rpc_layer: Optional[str]) -> str:
    """The address with a protocol, where both are given."""
    return f"{rpc_layer}://{address}" if rpc_layer and address else address


@set_module("troupe.contrib.cluster_resolver")
class ClusterResolver(abc.ABC):
    """The base class. An implementation has `task_type`, `task_id` and `rpc_layer`, too."""

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The tasks of the cluster at this time."""

    @abc.abstractmethod
    def master(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
    ) -> str:
        """The target of sessions.

        Args:
            task_type: The job of the task that serves them.
            task_id: The index of that task.
            rpc_layer: The protocol.

        Returns:
            The target, "" for this process.
        """

    def num_accelerators(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        config_proto: Optional[ConfigProto] = None,
    ) -> Dict[str, int]:
        """How many GPUs there are.

        Args:
            task_type: The job of the task that is asked, and whose GPUs count.
            task_id: The index of that task; without both, those of all tasks count.
            config_proto: The options of the session that asks.

        Returns:
            The number of each kind of device.
        """
        found: Dict[str, int] = {}
        with Session(self.master(task_type, task_id), config=config_proto) as session:
            devices = session.list_devices()
        place = f"/job:{task_type}/task:{task_id}/"
        for device in devices:
            is_asked = task_type is None or task_id is None or place in f"{device.name}/"
            if device.device_type in ACCELERATORS and is_asked:
                found[device.device_type] = found.get(device.device_type, 0) + 1
        return found

    @property
    def environment(self) -> str:
        """The name of the environment, "" where it has none."""
        return ""


@set_module("troupe.contrib.cluster_resolver")
class SimpleClusterResolver(ClusterResolver):
    """The tasks and the target that it is given.

    Args:
        cluster_spec: The tasks.
        master: The target of sessions.
        task_type: The job of this program.
        task_id: The index of this program.
        environment: The name of the environment.
        num_accelerators: A dict of the numbers of devices.
        rpc_layer: The protocol.

    Raises:
        TypeError: `cluster_spec` is no ClusterSpec, or `master` is no text.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        environment: str = "",
        num_accelerators: Optional[Dict[str, int]] = None,
        rpc_layer: Optional[str] = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a ClusterSpec.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec, self._master = cluster_spec, master
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._environment = environment
        self._num_accelerators = num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    def master(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
    ) -> str:
        address = self._master
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        return target_of(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        config_proto: Optional[ConfigProto] = None,
    ) -> Dict[str, int]:
        return dict(self._num_accelerators or {})

    @property
    def environment(self) -> str:
        return self._environment


@set_module("troupe.contrib.cluster_resolver")
class TFConfigClusterResolver(ClusterResolver):
    """The tasks of the environment's TF_CONFIG, which is read at each call.

    Args:
        task_type: The job of this program, by default that of TF_CONFIG.
        task_id: The index of this program, by default that of TF_CONFIG.
        rpc_layer: The protocol, by default that of TF_CONFIG.
        environment: The name of the environment.
    """

    def __init__(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
        environment: Optional[str] = None,
    ) -> None:
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self) -> Optional[str]:
        """The job of this program; None where nothing says it."""
        found = self._task_type if self._task_type is not None else self._task().get("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: Optional[str]) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> Optional[int]:
        """The index of this program; None where nothing says it."""
        found = self._task_id if self._task_id is not None else self._task().get("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: Optional[int]) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> Optional[str]:
        """The protocol; None where nothing says it."""
        return self._rpc_layer or self._read().get("rpc_layer")

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Optional[str]) -> None:
        self._rpc_layer = rpc_layer

    @property
    def environment(self) -> str:
        return self._environment or ""

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(self._read().get("cluster", {}))

    def master(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
    ) -> str:
        """The target of sessions: TF_CONFIG's `session_master`, else the task's address.

        Args:
            task_type: The job of the task that serves them, by default that of this program.
            task_id: The index of that task, by default that of this program.
            rpc_layer: The protocol.

        Returns:
            The target, "" in a cluster of one task or none.

        Raises:
            ValueError: The cluster has several tasks, and nothing says which one is meant.
        """
        given = self._read().get("session_master")
        if given is not None:
            return str(given)
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) <= 1:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            raise ValueError("TF_CONFIG has no task, and none is given to `master`.")
        return target_of(cluster.task_address(job, index), rpc_layer or self.rpc_layer)

    def num_accelerators(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        config_proto: Optional[ConfigProto] = None,
    ) -> Dict[str, int]:
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        return super().num_accelerators(job, index, config_proto)

    @staticmethod
    def _read() -> Dict[str, Any]:
        found: Dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
        return found

    def _task(self) -> Dict[str, Any]:
        found: Dict[str, Any] = self._read().get("task", {})
        return found
