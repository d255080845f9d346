"""Forks, signals and the exit of the process."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Any, Callable, List, Optional, Set, TypeVar

from troupe import _native
from troupe._src.types import errors

T = TypeVar("T")

_used_by: List[int] = []  # the first process that created threads, if any
_open: weakref.WeakSet[Any] = weakref.WeakSet()
_kept_alive: Set[Any] = set()


def forked_error() -> errors.FailedPreconditionError:
    """For objects that are used in a process forked from the one that created them."""
    return errors.FailedPreconditionError(
        None,
        None,
        "this process was forked from one that had used troupe, and fork does not copy threads: "
        "use troupe only in the parent or only in the children, or start the children with "
        "multiprocessing.set_start_method('spawn')",
    )


def check_not_forked(pid: int) -> None:
    if os.getpid() != pid:
        raise forked_error()


def claim_process() -> None:
    """Called before threads are created; raises if a parent of this process has done so."""
    pid = os.getpid()
    if not _used_by:
        _used_by.append(pid)
    elif _used_by[0] != pid:
        raise forked_error()


def close_at_exit(closable: Any) -> None:
    """Calls `_close_at_exit` of a session or server before the interpreter exits.

    Kernels that still run while the process is torn down would crash.
    """
    _open.add(closable)


def keep_alive(server: Any) -> None:
    """Keeps a reference, so that a server serves on when the program drops it."""
    _kept_alive.add(server)


def release(server: Any) -> None:
    """Drops the reference of `keep_alive`."""
    _kept_alive.discard(server)


def _close_all() -> None:
    for closable in sorted(_open, key=lambda each: hasattr(each, "target")):  # sessions first
        if closable._pid == os.getpid():
            closable._close_at_exit()
    _native.stop_functions()


atexit.register(_close_all)


def run_interruptibly(work: Callable[[], T]) -> T:
    """Calls `work`, which blocks in the extension, where Python's signal handlers do not run.

    In the main thread, the call runs in a separate thread while the main thread waits and handles
    signals. An exception of a handler, as of Ctrl-C, ends the wait; the call itself continues.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: List[T] = []
    failures: List[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            failures.append(error)
        done.set()

    threading.Thread(target=run, daemon=True).start()
    done.wait()
    if failures:
        raise failures[0]
    return results[0]


def milliseconds(seconds: Optional[float], default: int) -> int:
    return default if seconds is None else int(seconds * 1000)
