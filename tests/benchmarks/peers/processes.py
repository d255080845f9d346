"""Processes that end with the one that started them."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def fork_child():
    """os.fork(), whose child the system kills when its parent ends."""
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)
    return pid


def end_children(pids):
    """Kills them and waits until they have ended."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)
