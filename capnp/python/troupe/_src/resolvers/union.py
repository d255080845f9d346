"""The tasks of several resolvers, and the resolver of TPUs, which finds none."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional

from troupe._src.cluster.cluster_spec import ClusterSpec
from troupe._src.messages.config import ConfigProto
from troupe._src.resolvers.resolver import ClusterResolver, target_of
from troupe._src.set_module import set_module


@set_module("troupe.contrib.cluster_resolver")
class UnionClusterResolver(ClusterResolver):
    """The tasks of several resolvers. All else is that of the first one.

    Args:
        *args: The resolvers.
        **kwargs: `task_type`, `task_id` and `rpc_layer`, in place of those of the first one.

    Raises:
        ValueError: There is no resolver, or another keyword.
        TypeError: An argument is no resolver.
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        first: Any = args[0] if args else None
        given = [kwargs.pop(name, None) for name in ("task_type", "task_id", "rpc_layer")]
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(each, ClusterResolver) for each in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        self._rpc_layer = given[2]
        self.task_type = first.task_type if given[0] is None else given[0]
        self.task_id = first.task_id if given[1] is None else given[1]
        self.rpc_layer = given[2] or first.rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The tasks: lists of a job one after the other, and by index where one has gaps.

        Raises:
            KeyError: Two resolvers have tasks of one index.
        """
        clusters = [each.cluster_spec().as_dict() for each in self._resolvers]
        merged: Dict[str, Any] = {}
        for job in dict.fromkeys(job for cluster in clusters for job in cluster):
            given = [cluster[job] for cluster in clusters if job in cluster]
            if all(isinstance(tasks, list) for tasks in given):
                merged[job] = [task for tasks in given for task in tasks]
            else:
                merged[job] = _by_index(given)
        return ClusterSpec(merged)

    def master(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
    ) -> str:
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return target_of(address, rpc_layer or self.rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer or self._rpc_layer)

    def num_accelerators(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        config_proto: Optional[ConfigProto] = None,
    ) -> Dict[str, int]:
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)

    @property
    def environment(self) -> str:
        return self._resolvers[0].environment


def _by_index(given: Any) -> Dict[int, str]:
    merged: Dict[int, str] = {}
    for tasks in given:
        numbered = dict(enumerate(tasks)) if isinstance(tasks, list) else tasks
        both = merged.keys() & numbered.keys()
        if both:
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {both}")
        merged.update(numbered)
    return merged


@set_module("troupe.contrib.cluster_resolver")
class TPUClusterResolver(ClusterResolver):
    """The tasks with TPUs. There are none, so none can be made.

    Args:
        tpu: The name of the TPU, by default that of the environment's TPU_NAME.
        zone: Where it is.
        project: Whose it is.
        job_name: The job of its tasks.
        coordinator_name: The job of this program.
        coordinator_address: The address of this program.
        credentials: Those of the service.
        service: What finds it.
        discovery_url: Where the service is.

    Raises:
        ValueError: There is no name. Programs ask so whether there are TPUs.
        RuntimeError: There is one.
    """

    def __init__(
        self,
        tpu: Any = None,
        zone: Optional[str] = None,
        project: Optional[str] = None,
        job_name: str = "worker",
        coordinator_name: Optional[str] = None,
        coordinator_address: Optional[str] = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: Optional[str] = None,
    ) -> None:
        name = os.environ.get("TPU_NAME") if tpu is None else tpu
        if name is None:
            raise ValueError("Please provide a TPU Name to connect to.")
        raise RuntimeError(
            f"Cannot connect to the TPU {name!r}: this version of troupe computes on processors "
            "and GPUs. Leave out the resolver, and pass use_tpu=False to TPUEstimator; programs "
            "mostly have a flag for it."
        )

    def cluster_spec(self) -> ClusterSpec:
        raise NotImplementedError

    def master(
        self,
        task_type: Optional[str] = None,
        task_id: Optional[int] = None,
        rpc_layer: Optional[str] = None,
    ) -> str:
        raise NotImplementedError

    def get_master(self) -> str:
        """As `master`."""
        return self.master()
