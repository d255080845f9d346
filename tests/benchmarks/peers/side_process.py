"""The process that measures one side, as the comparison sees it."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class SideError(Exception):
    """The side could not measure; the message says why."""


class SideProcess:
    """Runs side.py, or another program that answers as it does, and asks it for samples.

    The program starts with the first request, and again after one that failed. It has a group of
    processes of its own: Ctrl-C reaches the comparison alone, which then ends the group.
    """

    def __init__(self, name, command, environment=None):
        self.name = name
        self.version = None
        bound = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        self._command = [*bound, *map(str, command)]
        self._environment = {**os.environ, **(environment or {})}
        self._log = None
        self._process = None
        self._received = b""

    def samples_of(self, workload, seconds, limit):
        """The samples of a turn; raises SideError if it fails or takes `limit` seconds."""
        return self.answer_of(workload, seconds, limit)["samples"]

    def answer_of(self, workload, seconds, limit):
        """The whole answer of a turn, otherwise as samples_of()."""
        deadline = time.monotonic() + limit
        with self._ending_on_failure():
            if not self._process:
                self._start(deadline)
            request = json.dumps({"workload": workload, "seconds": seconds})
            self._process.stdin.write(request.encode() + b"\n")
            self._process.stdin.flush()
            answer = self._read(deadline)
        if "error" in answer:
            raise SideError(answer["error"])
        return answer

    def start(self, limit):
        """Starts the program, which then has a version; raises SideError if it does not start."""
        with self._ending_on_failure():
            self._start(time.monotonic() + limit)

    def end(self):
        """Ends the program and all that it started."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process.stdout.close()
            self._log.close()
            with contextlib.suppress(OSError):  # a request that it never read
                self._process.stdin.close()
        self._process = None

    @contextlib.contextmanager
    def _ending_on_failure(self):
        try:
            yield
        except (SideError, OSError) as error:
            is_pipe = isinstance(error, BrokenPipeError)
            reason = self._how_it_ended() if is_pipe else str(error)
            self.end()
            raise SideError(reason) from error

    def _start(self, deadline):
        self._received = b""
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=self._environment,
            start_new_session=True,
        )
        self.version = self._read(deadline)["version"]

    def _read(self, deadline):
        """The next message."""
        while b"\n" not in self._received:
            left = max(0, deadline - time.monotonic())
            if not select.select([self._process.stdout], [], [], left)[0]:
                raise SideError("no answer in time")
            part = os.read(self._process.stdout.fileno(), 1 << 20)
            if not part:
                raise SideError(self._how_it_ended())
            self._received += part
        line, self._received = self._received.split(b"\n", 1)
        return json.loads(line)

    def _how_it_ended(self):
        """Its exit code, and the last line that it printed."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "does not answer any more"
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return f"ended with exit code {code}" + (f": {lines[-1].strip()}" if lines else "")
