"""The strategies by their names: each has one replica in a program."""

from __future__ import annotations

import json
import os
from typing import Any, List, Optional, Sequence

from troupe._src.control_flow import nest
from troupe._src.distribute.reduce_op import as_reduce_op
from troupe._src.distribute.strategy import Strategy
from troupe._src.distribute.strategy_extended import StrategyExtended
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.session.local_gpus import local_gpus


@set_module("troupe.distribute")
class OneDeviceStrategy(Strategy):
    """Computes on that device.

    Args:
        device: Its name, such as "/gpu:0".
    """

    def __init__(self, device: str) -> None:
        super().__init__(StrategyExtended(device))


@set_module("troupe.distribute")
class MirroredStrategy(Strategy):
    """Computes on one device of this process: its GPU, if it has one, else its CPU.

    TensorFlow has a replica on each of several devices. Here more than one is refused: a program
    of a cluster for each device, as by ParameterServerStrategy, uses them all.

    Args:
        devices: The name of the device in a list; None for the first GPU, or the CPU.
        cross_device_ops: Has no effect.
    """

    def __init__(
        self, devices: Optional[Sequence[str]] = None, cross_device_ops: Any = None
    ) -> None:
        super().__init__(StrategyExtended(_one_of(devices)))


@set_module("troupe.distribute")
class CentralStorageStrategy(Strategy):
    """As MirroredStrategy: variables are on the device that computes.

    Args:
        compute_devices: The name of the device in a list; None for the first GPU, or the CPU.
        parameter_device: Has no effect.
    """

    def __init__(
        self, compute_devices: Optional[Sequence[str]] = None, parameter_device: Any = None
    ) -> None:
        super().__init__(StrategyExtended(_one_of(compute_devices)))


@set_module("troupe.distribute")
class ParameterServerStrategy(Strategy):
    """A replica in each worker of a cluster, which updates variables on parameter servers.

    An estimator places variables so by the cluster of TF_CONFIG. Updates are not synchronized.

    Args:
        cluster_resolver: Has no effect: an estimator's RunConfig knows the cluster.
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        super().__init__(StrategyExtended(between_graphs=True))


@set_module("troupe.distribute")
class MultiWorkerMirroredStrategy(Strategy):
    """Computes on one device of a program that is alone.

    Args:
        communication: Has no effect.
        cluster_resolver: Has no effect.

    Raises:
        ValueError: TF_CONFIG names more workers, whose gradients it would not sum.
    """

    def __init__(self, communication: Any = None, cluster_resolver: Any = None) -> None:
        cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
        count = sum(len(cluster.get(job, ())) for job in ("chief", "master", "worker"))
        if count > 1:
            raise ValueError(
                f"TF_CONFIG names {count} workers, and this strategy sums no gradients of several: "
                "use parameter servers, with tf.train.SyncReplicasOptimizer for sums"
            )
        super().__init__(StrategyExtended(_one_of(None)))


def _one_of(devices: Optional[Sequence[str]]) -> str:
    if devices is None:
        gpus = local_gpus()
        if len(gpus) > 1:
            logging.warning("A strategy has one replica: it computes on %s alone.", gpus[0])
        return gpus[0] if gpus else "/device:CPU:0"
    if len(devices) != 1:
        raise ValueError(
            f"a strategy has one replica in a program, but {len(devices)} devices are given: run a "
            "worker of a cluster for each, or give one"
        )
    return devices[0]


class ContribMirroredStrategy(MirroredStrategy):
    """MirroredStrategy with the arguments of `tf.contrib.distribute`.

    Args:
        devices: As there.
        num_gpus: How many GPUs; 0 for the CPU.
        num_gpus_per_worker: As `num_gpus`.
        cross_device_ops: Has no effect.
        auto_shard_dataset: Has no effect.
        cross_tower_ops: Has no effect.
    """

    def __init__(
        self,
        devices: Optional[Sequence[str]] = None,
        num_gpus: Optional[int] = None,
        num_gpus_per_worker: Optional[int] = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        count = num_gpus if num_gpus_per_worker is None else num_gpus_per_worker
        if devices is None and count is not None:
            devices = [f"/device:GPU:{i}" for i in range(count)] or ["/device:CPU:0"]
        super().__init__(devices)


class ContribParameterServerStrategy(ParameterServerStrategy):
    """ParameterServerStrategy with the arguments of `tf.contrib.distribute`.

    Args:
        num_gpus_per_worker: Has no effect: a worker computes on its first GPU, if it has one.
    """

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        super().__init__()


class CollectiveAllReduceStrategy(MultiWorkerMirroredStrategy):
    """MultiWorkerMirroredStrategy with the arguments of `tf.contrib.distribute`.

    Args:
        num_gpus_per_worker: Has no effect.
        communication: Has no effect.
    """

    def __init__(self, num_gpus_per_worker: int = 0, communication: Any = None) -> None:
        super().__init__()


@set_module("troupe.distribute")
class CrossDeviceOps:
    """How replicas exchange values: there is one, whose values are the sum and the mean."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any) -> Any:
        """The sum or mean of the replicas' values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            per_replica_value: What a replica has returned.
            destinations: A device, a variable or a tensor: where the result is.

        Returns:
            The value.

        Raises:
            ValueError: There is no such reduction.
        """
        return self.reduce_implementation(
            as_reduce_op(reduce_op), per_replica_value, destinations
        )

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Sequence[Any]) -> List[Any]:
        """The sums or means of several values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value_destination_pairs: Pairs of a value and its destination, as of `reduce`.

        Returns:
            The values.

        Raises:
            ValueError: There is no such reduction, or something is no pair.
        """
        pairs = list(value_destination_pairs)
        if any(not isinstance(each, (list, tuple)) or len(each) != 2 for each in pairs):
            raise ValueError("value_destination_pairs are pairs of a value and a destination")
        return self.batch_reduce_implementation(as_reduce_op(reduce_op), pairs)

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """A tensor for each replica.

        Args:
            tensor: The tensor.
            destinations: A device, a variable or a tensor: where the result is.

        Returns:
            The tensor for the one replica.
        """
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """What `reduce` gives; a class of a program overrides it.

        Args:
            reduce_op: A `ReduceOp`.
            per_replica_value: The value.
            destinations: Where the result is.

        Returns:
            The value.
        """
        return _copied(per_replica_value, destinations)

    def batch_reduce_implementation(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any]
    ) -> List[Any]:
        """What `batch_reduce` gives; a class of a program overrides it.

        Args:
            reduce_op: A `ReduceOp`.
            value_destination_pairs: Pairs of a value and its destination.

        Returns:
            The values.
        """
        return [
            self.reduce_implementation(reduce_op, value, place)
            for value, place in value_destination_pairs
        ]

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """What `broadcast` gives; a class of a program overrides it.

        Args:
            tensor: The tensor.
            destinations: Where the result is.

        Returns:
            The tensor.
        """
        return _copied(tensor, destinations)


def _copied(value: Any, destinations: Any) -> Any:
    """The value on a device, or on that of a variable or tensor."""
    device = destinations if isinstance(destinations, str) else getattr(destinations, "device", "")
    with get_default_graph().device(device or None):
        return nest.map_structure(array_ops.identity, value)


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Has no effect."""


class NcclAllReduce(CrossDeviceOps):
    """Has no effect."""


class ReductionToOneDevice(CrossDeviceOps):
    """Has no effect."""
