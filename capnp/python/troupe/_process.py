"""What a process may do: not what the one did that it was forked from; and be interrupted."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Any, Callable, List, Optional, Set, TypeVar

from troupe import errors

T = TypeVar("T")

_used_in: List[int] = []
_open: weakref.WeakSet[Any] = weakref.WeakSet()
_kept: Set[Any] = set()


def forked_error() -> errors.FailedPreconditionError:
    """For what is used in a process that was forked from the one that made it."""
    return errors.FailedPreconditionError(
        None,
        None,
        "this process was forked from one that had used troupe, whose threads did not come along: "
        "use it only in the parent or only in the children, or start those anew "
        "(multiprocessing.set_start_method('spawn'))",
    )


def check_not_forked(pid: int) -> None:
    if os.getpid() != pid:
        raise forked_error()


def note_threads() -> None:
    """Before something with threads is made here: they are of use in one process only."""
    pid = os.getpid()
    if not _used_in:
        _used_in.append(pid)
    elif _used_in[0] != pid:
        raise forked_error()


def end_with_program(closable: Any) -> None:
    """Has `_end_with_program` of a session or server called at the program's end.

    Kernels that run while the process takes itself apart would crash.
    """
    _open.add(closable)


def keep(thing: Any) -> None:
    """Has it live on although the program may hold it no more."""
    _kept.add(thing)


def let_go(thing: Any) -> None:
    _kept.discard(thing)


def _end_all() -> None:
    for closable in sorted(_open, key=lambda each: hasattr(each, "target")):  # sessions first
        if closable._pid == os.getpid():
            closable._end_with_program()


atexit.register(_end_all)


def interruptibly(work: Callable[[], T]) -> T:
    """Calls `work`, which waits where Python's signal handlers cannot run.

    In the main thread they run meanwhile; what one raises, as Ctrl-C does, ends the wait, and the
    work goes on to its end elsewhere.
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
