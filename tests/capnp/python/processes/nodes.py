"""Real nodes and programs, for the tests beside this file; all of them end with the test."""

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
PLACES = [ROOT / "capnp/python/examples", pathlib.Path(__file__).parent / "scenes"]


def free_ports(count):
    """Below the range from which the system takes the ports of outgoing connections."""
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

    def __init__(self, **jobs):
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
            [*command, *flags, "--log-level=error"], stdout=subprocess.PIPE
        )

    def restart(self, job, task):
        """Kills a node, and starts it again without what it held."""
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
    """A program of a user's: an example, or one of those in scenes/."""
    (path,) = [place / name for place in PLACES if (place / name).exists()]
    command = ["setpriv", "--pdeathsig", "KILL", sys.executable, path]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def finish(process, timeout=120):
    """Its output; fails with its errors."""
    out, errors = process.communicate(timeout=timeout)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}: {errors}")
    return out.strip()


def output_of(name, *arguments):
    """What a program prints, from its start to its end."""
    return finish(start_program(name, *arguments))
