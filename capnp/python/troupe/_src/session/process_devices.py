"""The devices of this process, and how sessions without a target use them.

What these functions set holds for sessions that are opened later without a `config`, as those of
TensorFlow 1.15 do.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence

from troupe._src.session.default_config import shared_config
from troupe._src.set_module import set_module
from troupe._src.session.local_gpus import local_gpu_memory, local_gpus


@set_module("troupe.config")
class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


@set_module("troupe.config")
class LogicalDevice(NamedTuple):
    """A device as sessions know it."""

    name: str
    device_type: str


@set_module("troupe.config")
class LogicalDeviceConfiguration(NamedTuple):
    """How much of a device a process takes.

    `memory_limit` is in MiB; `experimental_priority` has no effect.
    """

    memory_limit: Optional[float] = None
    experimental_priority: Optional[int] = None


def _all() -> List[PhysicalDevice]:
    names = ["CPU:0", *(name.rpartition("device:")[2] for name in local_gpus())]
    return [PhysicalDevice(f"/physical_device:{name}", name[:3]) for name in names]


def list_physical_devices(device_type: Optional[str] = None) -> List[PhysicalDevice]:
    """The devices of the machine that a process can use.

    Args:
        device_type: "CPU" or "GPU"; None for both.

    Returns:
        Them, those of the CPU first.
    """
    return [each for each in _all() if device_type in (None, each.device_type)]


def get_visible_devices(device_type: Optional[str] = None) -> List[PhysicalDevice]:
    """The devices that sessions have.

    Args:
        device_type: "CPU" or "GPU"; None for both.

    Returns:
        Them, those of the CPU first.
    """
    config = shared_config()
    listed = [int(card) for card in config.gpu_options.visible_device_list.split(",") if card]
    gpus = list_physical_devices("GPU")
    if config.device_count.get("GPU", 1) == 0:
        gpus = []
    elif listed:
        gpus = [gpus[i] for i in listed]
    found = list_physical_devices("CPU") + gpus
    return [each for each in found if device_type in (None, each.device_type)]


def set_visible_devices(
    devices: Sequence[PhysicalDevice], device_type: Optional[str] = None
) -> None:
    """Says which GPUs sessions have; the CPU is always there.

    Args:
        devices: Those of `list_physical_devices`.
        device_type: Only devices of that type are changed.
    """
    if device_type == "CPU":
        return
    cards = [each.name.rpartition(":")[2] for each in devices if each.device_type == "GPU"]
    config = shared_config()
    config.gpu_options.visible_device_list = ",".join(cards)
    config.device_count["GPU"] = len(cards)


def list_logical_devices(device_type: Optional[str] = None) -> List[LogicalDevice]:
    """The devices of sessions.

    Args:
        device_type: "CPU" or "GPU"; None for both.

    Returns:
        Them, those of the CPU first.
    """
    counts: Dict[str, int] = {}
    found = []
    for each in get_visible_devices(device_type):
        index = counts.setdefault(each.device_type, 0)
        counts[each.device_type] += 1
        found.append(LogicalDevice(f"/device:{each.device_type}:{index}", each.device_type))
    return found


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether the memory of GPUs is taken as it is needed.

    Args:
        device: Any of them.

    Returns:
        Whether it is.
    """
    return bool(shared_config().gpu_options.allow_growth)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Says whether the memory of GPUs is taken as it is needed; it holds for all of them.

    Args:
        device: Any of them.
        enable: Whether it is.

    Raises:
        ValueError: The device is no GPU.
    """
    if device.device_type != "GPU":
        raise ValueError(f"only the memory of GPUs grows: {device.name}")
    shared_config().gpu_options.allow_growth = bool(enable)


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Limits the memory that a process takes of its GPUs.

    Args:
        device: A GPU.
        logical_devices: One configuration: a GPU is one device here.

    Raises:
        ValueError: There are more, or the device is no GPU.
    """
    if device.device_type != "GPU" or len(logical_devices) != 1:
        raise ValueError("one LogicalDeviceConfiguration of a GPU is possible")
    limit = logical_devices[0].memory_limit
    if limit is not None:
        share = limit * 2**20 / _memory_of(device)
        shared_config().gpu_options.per_process_gpu_memory_fraction = min(1.0, share)


def _memory_of(device: PhysicalDevice) -> float:
    index = int(device.name.rpartition(":")[2])
    return float(local_gpu_memory()[index])


def get_soft_device_placement() -> bool:
    """Whether ops are elsewhere, where a device has no kernel for them."""
    return bool(shared_config().allow_soft_placement)


def set_soft_device_placement(enabled: bool) -> None:
    """Says whether ops are elsewhere, where a device has no kernel for them.

    Args:
        enabled: Whether they are.
    """
    shared_config().allow_soft_placement = bool(enabled)


def get_inter_op_parallelism_threads() -> int:
    """The number of threads for ops side by side; it has no effect."""
    return int(shared_config().inter_op_parallelism_threads)


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Has no effect: ops side by side share the threads of the device.

    Args:
        num_threads: The number.
    """
    shared_config().inter_op_parallelism_threads = num_threads


def get_intra_op_parallelism_threads() -> int:
    """The number of threads of the CPU; 0 for one per processor."""
    return int(shared_config().intra_op_parallelism_threads)


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets the number of threads of the CPU.

    Args:
        num_threads: The number; 0 for one per processor.
    """
    shared_config().intra_op_parallelism_threads = num_threads
