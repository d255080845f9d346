"""Which GPUs this process has."""

from __future__ import annotations

import functools
from typing import Optional, Tuple

from troupe._src.graph.graph import Graph
from troupe._src.messages.config import ConfigProto
from troupe._src.session.listed_cards import names_cards
from troupe._src.session.session import Session


@functools.lru_cache(maxsize=None)
def _cards() -> Tuple[Tuple[str, int], ...]:
    """The names and memory of the GPUs, whatever sessions use of them."""
    config = ConfigProto()
    config.gpu_options.per_process_gpu_memory_fraction = 1.0
    config.gpu_options.allow_growth = True  # reserves nothing
    with Session(graph=Graph(), config=config) as session:
        cards = [each for each in session.list_devices() if each.device_type == "GPU"]
    return tuple((f"/{card.name.rpartition('/')[2]}", card.memory_limit_bytes) for card in cards)


@names_cards
def local_gpus() -> Tuple[str, ...]:
    """The names of the GPU devices of sessions without a target, such as "/device:GPU:0"."""
    return tuple(name for name, _ in _cards())


def local_gpu_memory() -> Tuple[int, ...]:
    """How many bytes of memory each of them has."""
    return tuple(memory for _, memory in _cards())


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
