"""Of how many shards the computation is that is being built, for what is written for TPUs."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Iterator, Optional


class TpuContext(threading.local):
    """The number of shards of this thread's computation, None outside of one."""

    def __init__(self) -> None:
        self._number_of_shards: Optional[int] = None

    @property
    def number_of_shards(self) -> Optional[int]:
        """The number."""
        return self._number_of_shards

    def set_number_of_shards(self, number_of_shards: Optional[int]) -> None:
        """Sets the number.

        Args:
            number_of_shards: The number, or None.
        """
        self._number_of_shards = number_of_shards


_context = TpuContext()


def get_tpu_context() -> TpuContext:
    """The context of this thread.

    Returns:
        The context.
    """
    return _context


@contextlib.contextmanager
def tpu_shard_context(number_of_shards: int) -> Iterator[None]:
    """A block in which a computation of some shards is built.

    Args:
        number_of_shards: How many.

    Raises:
        NotImplementedError: It is in another such block.
    """
    if _context.number_of_shards is not None:
        raise NotImplementedError("tpu_shard_context cannot be nested.")
    _context.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _context.set_number_of_shards(None)


def on_device_training_loop(func: Callable[..., Any]) -> Callable[..., Any]:
    """Marks the function of a computation that has a loop of steps.

    Args:
        func: The function.

    Returns:
        The function.
    """
    setattr(func, "step_marker_location", "STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP")  # noqa: B010
    return func
