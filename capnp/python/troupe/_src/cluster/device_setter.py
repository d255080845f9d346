"""The device function of between-graph replication: variables on parameter servers."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Optional, Sequence

from troupe import _native
from troupe._src.cluster.cluster_spec import ClusterLike, ClusterSpec
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.node_to_place import NodeToPlace

PS_OPS = (
    "Variable", "VariableV2", "VarHandleOp", "MutableHashTable", "MutableHashTableV2",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable",
    "MutableDenseHashTableV2", "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
)  # fmt: skip


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Optional[ClusterLike] = None,
    ps_ops: Optional[Sequence[str]] = None,
    ps_strategy: Optional[Callable[[Any], int]] = None,
) -> Optional[Callable[[NodeToPlace], str]]:
    """For `tf.device`: places variables on the parameter servers in turn, other nodes on a worker.

    Constraints of inner device scopes override it: their fields, or with `merge_devices=False` all
    of it.

    Args:
        ps_tasks: How many tasks the job of parameter servers has; not used with `cluster`.
        ps_device: The device of parameter servers, without a task.
        worker_device: The device of other nodes; "" for no constraint.
        merge_devices: Fields that an inner scope leaves open are those of this function.
        cluster: A ClusterSpec, or what one is made of, which says how many parameter servers there
            are.
        ps_ops: The ops that are placed on parameter servers, by default those that make variables
            and tables.
        ps_strategy: Called with each such node; gives the index of its task. By default the next
            one in turn.

    Returns:
        The function for `tf.device`; None where there are no parameter servers.

    Raises:
        TypeError: `cluster` is no definition of a cluster.
    """
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        job = ps_device.rpartition("job:")[2].split("/")[0]
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if ps_tasks == 0:
        return None
    variable_ops = PS_OPS if ps_ops is None else tuple(ps_ops)
    round_robin = itertools.cycle(range(ps_tasks))

    def choose(node: NodeToPlace) -> str:
        if node.device and not merge_devices:
            return node.device
        if node.type not in variable_ops:
            return str(_native.merge_devices(node.device, worker_device))
        wanted, given = DeviceSpec.from_string(ps_device), DeviceSpec.from_string(node.device)
        if wanted.job and given.job in (None, wanted.job):
            wanted.task = ps_strategy(node) if ps_strategy else next(round_robin)
        return str(_native.merge_devices(node.device, wanted.to_string()))

    return choose
