"""The strategies by their names."""

from __future__ import annotations

import enum
from typing import Any, List, Optional, Sequence

from troupe._src.distribute.strategy import Strategy
from troupe._src.distribute.strategy_extended import StrategyExtended
from troupe._src.distribute.worker_tasks import workers_of
from troupe._src.replicas.workers import Workers
from troupe._src.session.local_gpus import local_gpus
from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class OneDeviceStrategy(Strategy):
    """Computes on that device.

    Args:
        device: Its name, such as "/gpu:0".
    """

    def __init__(self, device: str) -> None:
        super().__init__(StrategyExtended([device]))


@set_module("troupe.distribute")
class MirroredStrategy(Strategy):
    """A replica on each of several devices; each has a copy of all variables.

    Optimizers sum the gradients of the replicas, and update all copies alike. The devices may be
    those of other tasks: a session of one program then trains on a cluster.

    Args:
        devices: Their names; None for all GPUs of this process, or its CPU if it has none.
        cross_device_ops: Has no effect: values are summed on the first device.

    Raises:
        ValueError: There are no devices, or one is there twice.
    """

    def __init__(
        self, devices: Optional[Sequence[str]] = None, cross_device_ops: Any = None
    ) -> None:
        super().__init__(StrategyExtended(_devices(devices)))


@set_module("troupe.distribute")
class CentralStorageStrategy(Strategy):
    """Computes on one device, which has the variables.

    Args:
        compute_devices: The name of the device in a list; None for the first GPU, or the CPU.
        parameter_device: Has no effect.

    Raises:
        ValueError: There are several devices.
    """

    def __init__(
        self, compute_devices: Optional[Sequence[str]] = None, parameter_device: Any = None
    ) -> None:
        devices = compute_devices or _devices(None)[:1]
        if len(devices) != 1:
            raise ValueError(
                f"a CentralStorageStrategy has one replica, but {len(devices)} devices are given: "
                "MirroredStrategy computes on several"
            )
        super().__init__(StrategyExtended(devices))


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
class CollectiveCommunication(enum.Enum):
    """How workers sum their gradients. None has an effect: sums go around the ring of workers."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@set_module("troupe.distribute")
class MultiWorkerMirroredStrategy(Strategy):
    """Replicas in each of several programs, whose gradients are summed.

    Each worker of the cluster in TF_CONFIG runs the same program, with a server and a session of
    its own; `tf.estimator.train_and_evaluate` starts the servers. Variables begin with the values
    of the first worker, the chief if there is one, which also writes checkpoints and summaries.
    Where a worker ends, the steps of all fail: start all of them again, from one checkpoint. A
    program alone has its own replicas.

    Args:
        communication: A `CollectiveCommunication`, which has no effect.
        cluster_resolver: Names the cluster, and the task of this program; by default TF_CONFIG.

    Raises:
        ValueError: This program is no worker of the cluster.
    """

    def __init__(
        self,
        communication: Any = CollectiveCommunication.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        tasks, index = workers_of(cluster_resolver)
        if len(tasks) < 2:
            super().__init__(StrategyExtended(_devices(None)))
            return
        devices = [tasks[index] + device for device in local_gpus() or ["/device:CPU:0"]]
        workers = Workers([f"{task}/device:CPU:0" for task in tasks], index)
        super().__init__(StrategyExtended(devices, between_graphs=True, workers=workers))


def _devices(given: Optional[Sequence[str]]) -> List[str]:
    devices = list(local_gpus() or ["/device:CPU:0"] if given is None else given)
    if not devices or len(set(devices)) != len(devices):
        raise ValueError(f"a strategy needs devices, each once, not {devices!r}")
    return devices


class ContribMirroredStrategy(MirroredStrategy):
    """MirroredStrategy with the arguments of `tf.contrib.distribute`.

    Each replica takes a batch of a dataset: batches are not divided.

    Args:
        devices: As there.
        num_gpus: How many GPUs; 0 for the CPU.
        num_gpus_per_worker: As `num_gpus`.
        cross_device_ops: Has no effect.
        auto_shard_dataset: Has no effect.
        cross_tower_ops: Has no effect.
    """

    _divides_batches = False

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

    Each replica takes a batch of a dataset: batches are not divided.

    Args:
        num_gpus_per_worker: Has no effect: a replica is on each GPU, or on the CPU.
        communication: Has no effect.
    """

    _divides_batches = False

    def __init__(self, num_gpus_per_worker: int = 0, communication: Any = None) -> None:
        super().__init__()
