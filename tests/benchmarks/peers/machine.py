"""What the figures depend on: the machine, and the versions that are measured."""

import os
import pathlib
import platform
import subprocess


def machine():
    """Cores, processor, memory, kernel and load, in one line."""
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{len(os.sched_getaffinity(0))} cores of {_processor()}, {memory_gib:.0f} GiB, "
        f"{platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f}"
    )


def _processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def revision(root):
    """The commit of the sources, with a "+" if they differ from it; "" without git."""
    git = ["git", "-C", str(root)]
    try:
        commit = subprocess.run(
            [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD"], capture_output=True).returncode
    except (OSError, subprocess.CalledProcessError):
        return ""
    return commit + ("+" if changed else "")
