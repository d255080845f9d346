"""Starts node processes and programs for the tests in this folder; all end with the test."""

import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
PROGRAMS = pathlib.Path(os.environ.get("TROUPE_PROGRAMS", ROOT / "build/bin"))
PROGRAM_FOLDERS = [ROOT / "capnp/python/examples", pathlib.Path(__file__).parent / "scenarios"]


def free_ports(count):
    """Ports below the range that the system uses for outgoing connections."""
    found = []
    for port in random.sample(range(20000, 32000), 12000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise OSError("no free ports")


class Nodes:
    """The nodes of a cluster, each a process."""

    FLAGS = ["--log-level=error"]

    def __init__(self, flags=(), environment=None, **jobs):
        self._flags = [*self.FLAGS, *flags]
        self._environment = {**os.environ, **(environment or {})}
        ports = iter(free_ports(sum(jobs.values())))
        self.cluster = {
            job: [f"127.0.0.1:{next(ports)}" for _ in range(count)] for job, count in jobs.items()
        }
        self._processes = {}
        for job, addresses in self.cluster.items():
            for task in range(len(addresses)):
                self.start(job, task)
        for process in self._processes.values():
            process.stdout.readline()  # "ready troupe://..."

    def start(self, job, task):
        flags = ["--cluster", json.dumps(self.cluster), "--job", job, "--task", str(task)]
        command = ["setpriv", "--pdeathsig", "KILL", PROGRAMS / "troupe-node"]
        self._processes[job, task] = subprocess.Popen(
            [*command, *flags, *self._flags], stdout=subprocess.PIPE, env=self._environment
        )

    def restart(self, job, task):
        """Kills a node and starts it again, without its state."""
        self.kill(job, task)
        self.start(job, task)
        self._processes[job, task].stdout.readline()

    def kill(self, job, task):
        process = self._processes[job, task]
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()

    def target(self, job, task=0):
        return "troupe://" + self.cluster[job][task]

    @property
    def pids(self):
        return [process.pid for process in self._processes.values()]

    def close(self):
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def start_program(name, *arguments, **environment):
    """Starts a program of a user: an example, or one in scenarios/."""
    (path,) = [folder / name for folder in PROGRAM_FOLDERS if (folder / name).exists()]
    command = ["setpriv", "--pdeathsig", "KILL", sys.executable, path]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def finish(process, timeout=120):
    """Waits for a program and returns its output; fails with its errors."""
    out, errors = process.communicate(timeout=timeout)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}: {errors}")
    return out.strip()


def output_of(name, *arguments):
    """Runs a program and returns its output."""
    return finish(start_program(name, *arguments))
