"""Resolvers that ask what manages the machines: Slurm, Kubernetes, Google's Compute Engine."""

from __future__ import annotations

import os
import subprocess
from typing import Any, Dict, List, Optional, Tuple

from troupe._src.cluster.cluster_spec import ClusterSpec
from troupe._src.messages.config import ConfigProto
from troupe._src.platform.optional_modules import optional_module
from troupe._src.resolvers.resolver import ClusterResolver, target_of
from troupe._src.set_module import set_module


class _Managed(ClusterResolver):
    """A resolver whose target is the address of a task, by default of this program's."""

    task_type: Any
    task_id: Any
    rpc_layer: Any

    def master(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
    ) -> str:
        """The target of sessions.

        Args:
            task_type: The job of the task that serves them, by default that of this program.
            task_id: The index of that task, by default that of this program.
            rpc_layer: The protocol, by default that of the resolver.

        Returns:
            The target; "" where it is not known which task is meant.
        """
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ""
        return target_of(self.cluster_spec().task_address(job, index), rpc_layer or self.rpc_layer)


@set_module("troupe.distribute.cluster_resolver")
class SlurmClusterResolver(_Managed):
    """The tasks of a step of Slurm, in the order of its hosts; the jobs follow by their names.

    Args:
        jobs: The number of tasks of each job.
        port_base: The port of the first task of a host; those after it have the next ones.
        gpus_per_node: The number of GPUs of a host.
        gpus_per_task: The number of GPUs of a task.
        tasks_per_node: The number of tasks of a host, by default SLURM_NTASKS_PER_NODE.
        auto_set_gpu: Whether `cluster_spec` sets CUDA_VISIBLE_DEVICES to those of this task.
        rpc_layer: The protocol.

    Raises:
        KeyError: The environment is that of no step.
        RuntimeError: The tasks of a host need more GPUs than it has, there are other numbers of
            tasks than the step has, or nothing says how many a host has.
    """

    def __init__(
        self,
        jobs: Dict[str, int],
        port_base: int = 8888,
        gpus_per_node: int = 1,
        gpus_per_task: int = 1,
        tasks_per_node: Optional[int] = None,
        auto_set_gpu: bool = True,
        rpc_layer: Optional[str] = "grpc",
    ) -> None:
        is_mpi = "OMPI_COMM_WORLD_RANK" in os.environ
        names = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE") if is_mpi else (
            "SLURM_PROCID", "SLURM_NTASKS",
        )  # fmt: skip
        self._rank, count = (int(os.environ[name]) for name in names)
        given = os.environ.get("SLURM_NTASKS_PER_NODE")
        if tasks_per_node is None and given is None:
            raise RuntimeError("Neither `tasks_per_node` or SLURM_NTASKS_PER_NODE is set.")
        self._tasks_per_node = int(given or 0) if tasks_per_node is None else tasks_per_node
        self._jobs = dict(sorted(jobs.items()))
        self._port_base, self._auto_set_gpu = port_base, auto_set_gpu
        self._gpus_per_node, self._gpus_per_task = gpus_per_node, gpus_per_task
        self.task_type: Optional[str] = None
        self.task_id: Optional[int] = None
        self.rpc_layer = rpc_layer
        if self._tasks_per_node * gpus_per_task > gpus_per_node:
            raise RuntimeError("Requested more GPUs per node then available.")
        if sum(self._jobs.values()) != count:
            raise RuntimeError("Requested more tasks then assigned tasks.")

    def _resolve_hostnames(self) -> List[str]:
        """The hosts of the step."""
        return subprocess.check_output(["scontrol", "show", "hostname"], text=True).split()

    def cluster_spec(self) -> ClusterSpec:
        """The tasks, which `scontrol` is asked for; it says which one this program is."""
        places = [
            (f"{host}:{self._port_base + task}", task * self._gpus_per_task)
            for host in self._resolve_hostnames()
            for task in range(self._tasks_per_node)
        ]
        found, start = {}, 0
        for job, count in self._jobs.items():
            found[job] = [address for address, _ in places[start : start + count]]
            if start <= self._rank < start + count:
                self.task_type, self.task_id = job, self._rank - start
            start += count
        if self._auto_set_gpu:
            first = places[self._rank][1]
            own = range(first, first + self._gpus_per_task)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(each) for each in own)
        return ClusterSpec(found)

    def get_task_info(self) -> Tuple[Optional[str], Optional[int]]:
        """The job and the index of this program; None before `cluster_spec` is called."""
        return self.task_type, self.task_id

    def num_accelerators(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        config_proto: Optional[ConfigProto] = None,
    ) -> Dict[str, int]:
        return {"GPU": self._gpus_per_node}


@set_module("troupe.distribute.cluster_resolver")
class KubernetesClusterResolver(_Managed):
    """The running pods with some labels.

    Args:
        job_to_label_mapping: For each job the selectors of its pods' labels.
        tf_server_port: The port of the tasks.
        rpc_layer: The protocol.
        override_client: A client of Kubernetes, by default one of the package `kubernetes`.

    Raises:
        ImportError: There is no client, and no such package.
    """

    def __init__(
        self,
        job_to_label_mapping: Optional[Dict[str, List[str]]] = None,
        tf_server_port: int = 8470,
        rpc_layer: Optional[str] = "grpc",
        override_client: Any = None,
    ) -> None:
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port, self._client = tf_server_port, override_client
        self.task_type: Optional[str] = None
        self.task_id: Optional[int] = None
        self.rpc_layer = rpc_layer
        if override_client is None:
            self._module("kubernetes")

    @staticmethod
    def _module(name: str) -> Any:
        return optional_module(name, "kubernetes", "KubernetesClusterResolver")

    def cluster_spec(self) -> ClusterSpec:
        """The pods at this time, in the order of their names for each selector.

        Returns:
            The tasks.

        Raises:
            RuntimeError: A pod does not run.
        """
        client = self._client
        if client is None:
            self._module("kubernetes.config").load_kube_config()
            client = self._module("kubernetes.client").CoreV1Api()
        found: Dict[str, List[str]] = {}
        for job, selectors in self._labels.items():
            found[job] = []
            for selector in selectors:
                pods = client.list_pod_for_all_namespaces(label_selector=selector).items
                for pod in sorted(pods, key=lambda each: str(each.metadata.name)):
                    if pod.status.phase != "Running":
                        raise RuntimeError(
                            f'Pod "{pod.metadata.name}" is not running; phase: '
                            f'"{pod.status.phase}"'
                        )
                    found[job].append(f"{pod.status.host_ip}:{self._port}")
        return ClusterSpec(found)


@set_module("troupe.distribute.cluster_resolver")
class GCEClusterResolver(_Managed):
    """The running instances of a group of Google's Compute Engine.

    Args:
        project: The project.
        zone: The zone of the group.
        instance_group: The name of the group.
        port: The port of the tasks.
        task_type: The job of the instances.
        task_id: The index of this program.
        rpc_layer: The protocol.
        credentials: Those of the service, by default the application's.
        service: What `googleapiclient` has discovered as the service "compute", by default that.

    Raises:
        ImportError: There is no service, and no such package.
    """

    def __init__(
        self,
        project: str,
        zone: str,
        instance_group: str,
        port: int,
        task_type: str = "worker",
        task_id: Optional[int] = 0,
        rpc_layer: Optional[str] = "grpc",
        credentials: Any = "default",
        service: Any = None,
    ) -> None:
        self._place = {"project": project, "zone": zone}
        self._group, self._port, self._task_type = instance_group, port, task_type
        self.task_id, self.rpc_layer = task_id, rpc_layer
        if service is None:
            user = "GCEClusterResolver"
            discovery = optional_module(
                "googleapiclient.discovery", "google-api-python-client", user
            )
            if credentials == "default":
                client = optional_module("oauth2client.client", "oauth2client", user)
                credentials = client.GoogleCredentials.get_application_default()
            service = discovery.build("compute", "v1", credentials=credentials)
        self._service = service

    @property
    def task_type(self) -> str:
        """The job of the instances."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        raise RuntimeError(
            "You cannot reset the task_type of the GCEClusterResolver after it has been created."
        )

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of the instances at this time, sorted."""
        groups, instances = self._service.instanceGroups(), self._service.instances()
        request = groups.listInstances(
            **self._place, instanceGroups=self._group, body={"instanceState": "RUNNING"},
            orderBy="name",
        )  # fmt: skip
        found = []
        while request is not None:
            response = request.execute()
            for each in response["items"]:
                name = each["instance"].rsplit("/", 1)[-1]
                details = instances.get(**self._place, instance=name)
                if details is not None:
                    address = details.execute()["networkInterfaces"][0]["networkIP"]
                    found.append(f"{address}:{self._port}")
            request = groups.listInstances_next(
                previous_request=request, previous_response=response
            )
        return ClusterSpec({self._task_type: sorted(found)})
