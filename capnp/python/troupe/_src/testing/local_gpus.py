"""Which GPUs this process has."""

from __future__ import annotations

import functools
from typing import Optional, Tuple

from troupe._src.graph.graph import Graph
from troupe._src.session.session import Session


@functools.lru_cache(maxsize=None)
def local_gpus() -> Tuple[str, ...]:
    """The names of the GPU devices of sessions without a target, such as "/device:GPU:0"."""
    with Session(graph=Graph()) as session:
        names = [each.name for each in session.list_devices() if each.device_type == "GPU"]
    return tuple(f"/{name.rpartition('/')[2]}" for name in names)


def gpu_device_name() -> str:
    """The name of the first GPU of this process, or ""."""
    return local_gpus()[0] if local_gpus() else ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: Optional[Tuple[int, int]] = None
) -> bool:
    """True if this process has a GPU.

    Args:
        cuda_only: Has no effect: all GPUs are NVIDIA's.
        min_cuda_compute_capability: Has no effect: older cards than kernels are built for are no
            devices.

    Returns:
        Whether there is one.
    """
    return bool(local_gpus())


def is_built_with_cuda() -> bool:
    """True if this process has GPUs, whose kernels are in a library of their own."""
    return bool(local_gpus())


def is_built_with_gpu_support() -> bool:
    """True if this process has GPUs, as `is_built_with_cuda`."""
    return bool(local_gpus())
