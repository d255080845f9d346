"""Faults of simulated clusters."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Tuple, Union

from troupe._src.set_module import set_module

Tasks = Union[str, Sequence[str]]

_TWO_ENDS = ("cut", "heal", "break_link")
_WITH_NUMBER = ("slow", "skew", "limit_memory")


def names_of(tasks: Tasks) -> Tuple[str, ...]:
    return (tasks,) if isinstance(tasks, str) else tuple(tasks)


@set_module("troupe.sim")
class Fault(NamedTuple):
    """A fault, or the end of one. Its text is the line of Python that schedules it."""

    kind: str  # the name of the method of `FaultVerbs`
    time: float  # in seconds since the start of the cluster
    tasks: Tuple[str, ...]
    others: Tuple[str, ...] = ()  # the other end of a cut, heal or break_link
    number: float = 0.0  # the last argument of slow, skew and limit_memory

    def __str__(self) -> str:
        arguments = [_text_of(self.tasks)]
        if self.kind in _TWO_ENDS:
            arguments.append(_text_of(self.others))
        if self.kind in _WITH_NUMBER:
            arguments.append(f"{self.number:g}")
        return f"cluster.at({self.time:.9g}).{self.kind}({', '.join(arguments)})"

    def _for_native(self) -> Tuple[Any, ...]:
        nanoseconds = round(self.time * 1e9)
        return (self.kind, nanoseconds, list(self.tasks), list(self.others), float(self.number))

    @classmethod
    def _of(cls, native: Tuple[Any, ...]) -> Fault:
        kind, nanoseconds, tasks, others, number = native
        return cls(kind, nanoseconds / 1e9, tuple(tasks), tuple(others), number)


def _text_of(tasks: Tuple[str, ...]) -> str:
    return repr(tasks[0] if len(tasks) == 1 else list(tasks))


@set_module("troupe.sim")
class FaultVerbs:
    """The faults of a `Cluster`, at once, or of its `at()`, at that time.

    Tasks are named as in "/job:ps/task:0". Each method raises ValueError if there is no such task.
    Of the cluster, it also raises ValueError for a fault without an effect, such as the crash of a
    dead task; at a time, such a fault is skipped.
    """

    def crash(self, task: str) -> None:
        """Kills the task with all its state; its peers see their connections close.

        Args:
            task: The task.
        """
        self._inject("crash", task)

    def restart(self, task: str) -> None:
        """Starts a crashed task again at the same address, without state.

        Args:
            task: The task.
        """
        self._inject("restart", task)

    def freeze(self, task: str) -> None:
        """Suspends the task, as by SIGSTOP; its connections stay open.

        Args:
            task: The task.
        """
        self._inject("freeze", task)

    def thaw(self, task: str) -> None:
        """Ends `freeze`.

        Args:
            task: The task.
        """
        self._inject("thaw", task)

    def cut(self, sources: Tasks, destinations: Tasks) -> None:
        """Holds all bytes from the sources to the destinations, until `heal`.

        Args:
            sources: A task or several.
            destinations: A task or several.
        """
        self._inject("cut", sources, destinations)

    def heal(self, sources: Tasks, destinations: Tasks) -> None:
        """Ends `cut`.

        Args:
            sources: A task or several.
            destinations: A task or several.
        """
        self._inject("heal", sources, destinations)

    def break_link(self, one: str, other: str) -> None:
        """Breaks the connection between two tasks at any byte; they may connect again.

        Args:
            one: A task.
            other: Another.
        """
        self._inject("break_link", one, other)

    def slow(self, task: str, factor: float) -> None:
        """Makes the kernels of the task take several times as long, and its messages take time.

        Args:
            task: The task.
            factor: At least 1, which is normal speed; a message takes so many microseconds.
        """
        self._inject("slow", task, number=factor)

    def skew(self, task: str, rate: float) -> None:
        """Sets the rate of the task's clock.

        Args:
            task: The task.
            rate: More than 0; 1 is correct.
        """
        self._inject("skew", task, number=rate)

    def limit_memory(self, task: str, size_in_bytes: int) -> None:
        """Limits the memory of the task's device.

        Args:
            task: The task.
            size_in_bytes: The limit; 0 for that at the start.
        """
        self._inject("limit_memory", task, number=size_in_bytes)

    def _inject(self, kind: str, tasks: Tasks, others: Tasks = (), number: float = 0.0) -> None:
        raise NotImplementedError
