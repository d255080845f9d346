"""Devices for a graph that every worker builds: variables on parameter servers."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Optional, Sequence

from troupe import _native
from troupe._graph import NodeToPlace
from troupe.train.cluster import ClusterSpec

PS_OPS = ("Variable", "VariableV2", "VarHandleOp")


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Optional[Sequence[str]] = None,
    ps_strategy: Optional[Callable[[Any], int]] = None,
) -> Optional[Callable[[NodeToPlace], str]]:
    """For `tf.device`: variables go round the tasks of the parameter servers, the rest to a worker.

    What a node says of its device itself wins. None where there are no parameter servers.
    """
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        job = ps_device.rpartition("job:")[2].split("/")[0]
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if ps_tasks == 0:
        return None
    kinds = PS_OPS if ps_ops is None else tuple(ps_ops)
    turns = itertools.cycle(range(ps_tasks))

    def choose(node: NodeToPlace) -> str:
        if node.type not in kinds:
            return str(_native.merge_devices(node.device, worker_device))
        wish = _native.merge_devices(node.device, ps_device)
        names_task = "/task:" in wish
        if names_task or (node.device and "job:" in node.device):
            return str(wish)
        task = ps_strategy(node) if ps_strategy else next(turns)
        return str(_native.merge_devices(wish, f"/task:{task}"))

    return choose
