"""The pools of processes that make batches for `fit_generator` and the like."""

from __future__ import annotations

import gc
import multiprocessing
import multiprocessing.pool
import weakref
from typing import Any, List

from troupe._src.set_module import set_module

_pools: weakref.WeakSet[multiprocessing.pool.Pool] = weakref.WeakSet()


def make_pool(*args: Any, **kwargs: Any) -> multiprocessing.pool.Pool:
    """A pool of processes that `terminate_keras_multiprocessing_pools` knows.

    Args:
        *args: Those of `multiprocessing.Pool`.
        **kwargs: Likewise.

    Returns:
        The pool.
    """
    pool = multiprocessing.Pool(*args, **kwargs)
    _pools.add(pool)
    return pool


@set_module("troupe.keras.experimental")
def terminate_keras_multiprocessing_pools(
    grace_period: float = 0.1, use_sigkill: bool = False
) -> List[str]:
    """Ends the processes of the pools that trainings with `use_multiprocessing` have made.

    Args:
        grace_period: How many seconds each process may take to end.
        use_sigkill: Whether one that takes longer is killed.

    Returns:
        A line for each process that has to be killed, or has not ended.
    """
    gc.collect()
    pools = list(_pools)
    workers = [each for pool in pools for each in getattr(pool, "_pool", ())]
    for pool in pools:
        pool.close()
        pool.terminate()
        _pools.discard(pool)
    lines: List[str] = []
    for worker in workers:
        worker.join(grace_period)
        if worker.is_alive() and use_sigkill:
            lines.append(f"worker {worker.pid} has not ended, and is killed")
            worker.kill()
            worker.join(grace_period)
        if worker.is_alive():
            lines.append(f"worker {worker.pid} has not ended")
    return lines
