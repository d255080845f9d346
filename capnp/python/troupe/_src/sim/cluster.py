"""Simulated clusters."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Type, Union

from troupe import _native
from troupe._src.cluster.cluster_spec import ClusterSpec
from troupe._src.graph.graph import Graph
from troupe._src.messages.config import ConfigProto
from troupe._src.platform.process import claim_process
from troupe._src.platform.simulated_targets import SCHEME, register
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.sim.faults import Fault, FaultVerbs, Tasks, names_of


@set_module("troupe.sim")
class Cluster(FaultVerbs):
    """A cluster in one thread, under a virtual clock, with faults on purpose.

    Its tasks run the actors and kernels of real nodes, over a simulated network. It runs only while
    a call, such as a step of a session, waits for it; time passes only then, and takes no real time
    where nothing happens. All that happens follows from the seed, the calls and the faults:

        with troupe.sim.Cluster({"ps": 1, "worker": 2}, seed=7) as cluster:
            with tf.Session(cluster.target("worker", 0)) as session:
                session.run(tf.global_variables_initializer())
                cluster.crash("/job:ps/task:0")
                session.run(train)  # tf.errors.UnavailableError

    The thread that made it must make all calls, those of its sessions, too: others raise
    FailedPreconditionError. So threads of queue runners cannot use it. A step that waits for ten
    minutes of its time, as for a queue that nobody fills, raises InternalError. Random ops need
    seeds to repeat. Nodes of `tf.py_func` do not run in it.

    Args:
        cluster: The number of tasks by job, or a `tf.train.ClusterSpec`, without its addresses.
        seed: Determines all random choices.
        memory_limit: Bytes, of each task's device.
        accelerators: The number of simulated devices GPU:0 and on, of each task.
        heartbeat_limit: Seconds after which a silent task counts as lost.

    Raises:
        TypeError: The cluster is something else.
        ValueError: It has no tasks, gaps between its tasks, or a bad name; or a number is negative.
        FailedPreconditionError: The process was forked from one that had used the package.
    """

    def __init__(
        self,
        cluster: Union[Dict[str, int], ClusterSpec],
        seed: int = 1,
        memory_limit: int = 1 << 30,
        accelerators: int = 0,
        heartbeat_limit: float = 2.0,
    ) -> None:
        counts = _counts_of(cluster)
        if seed < 0 or memory_limit < 0 or accelerators < 0 or heartbeat_limit < 0:
            raise ValueError("seed, memory_limit, accelerators and heartbeat_limit are at least 0")
        claim_process()
        self.seed = seed
        self._counts = counts
        self._pid = os.getpid()
        self._native: _native.SimulatedCluster = _native.make_simulated_cluster(
            counts,
            seed,
            {
                "memory_limit": memory_limit,
                "accelerators": accelerators,
                "heartbeat_limit_ms": round(heartbeat_limit * 1000),
            },
        )
        self._name = register(self)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it. Later calls of it and of its sessions raise FailedPreconditionError."""
        self._native.close()

    @property
    def tasks(self) -> List[str]:
        """The names of its tasks."""
        return [
            f"/job:{job}/task:{index}"
            for job, count in sorted(self._counts.items())
            for index in range(count)
        ]

    def target(self, job: str, task: int = 0) -> str:
        """What `tf.Session` takes to have a task as its master, while this object exists.

        Args:
            job: The job.
            task: The index of the task.

        Returns:
            The target.

        Raises:
            ValueError: There is no such task.
        """
        name = f"/job:{job}/task:{task}"
        self._check([name])
        return f"{SCHEME}{self._name}{name}"

    def session(
        self,
        job: str,
        task: int = 0,
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
    ) -> Session:
        """A session that has a task as its master.

        Args:
            job: The job.
            task: The index of the task.
            graph: The graph, by default the default graph.
            config: The options.

        Returns:
            A `tf.Session`.

        Raises:
            ValueError: There is no such task.
        """
        return Session(self.target(job, task), graph=graph, config=config)

    def at(self, seconds: float) -> FaultVerbs:
        """For faults that take effect at a time.

        Args:
            seconds: Since the start; at once if that has passed.

        Returns:
            An object with the methods of faults.
        """
        return _Moment(self, seconds)

    def script(self, faults: Sequence[Fault]) -> None:
        """Schedules faults, each at its time.

        Args:
            faults: The faults.

        Raises:
            ValueError: There is no such task or kind.
        """
        for fault in faults:
            self._check([*fault.tasks, *fault.others])
        self._native.script([fault._for_native() for fault in faults])

    def draw_faults(
        self,
        end: float = 2.0,
        most: int = 4,
        kinds: Sequence[str] = (),
        begin: float = 0.0,
    ) -> List[Fault]:
        """Draws a script of random faults, which follows from the seed.

        Each fault is ended within the script: crashed tasks restart, frozen ones thaw.

        Args:
            end: Of the script, in seconds since the start.
            most: The number of faults, without those that end them.
            kinds: Of "crash", "freeze", "cut", "slow", "break_link", "limit_memory" and "skew"; by
                default all but the last.
            begin: Of the script.

        Returns:
            The faults in the order of time, for `script`.

        Raises:
            ValueError: There is no such kind, or no fault to draw.
        """
        if most < 1 or end < begin:
            raise ValueError("most is at least 1, and end not before begin")
        limits = round(begin * 1e9), round(end * 1e9)
        drawn = self._native.draw_faults(*limits, most, list(kinds))
        return [Fault._of(fault) for fault in drawn]

    def end_all_faults(self) -> None:
        """Ends all faults: restarts, thaws and heals tasks, and resets speed, clocks and memory."""
        self._native.end_all_faults()

    def faults(self) -> List[Fault]:
        """The faults that took effect, each with its time."""
        return [Fault._of(fault) for fault in self._native.faults()]

    def now(self) -> float:
        """The time of the cluster, in seconds since its start."""
        return self._native.now_ns() / 1e9

    def run_for(self, seconds: float) -> None:
        """Runs the cluster, in which so much time passes.

        Args:
            seconds: Of its time.

        Raises:
            ValueError: It is negative.
        """
        if seconds < 0:
            raise ValueError(f"seconds is at least 0, and not {seconds}")
        self._native.run_for(round(seconds * 1e9))

    def is_running(self, task: str) -> bool:
        """Whether a task is neither dead nor frozen.

        Args:
            task: Its name.

        Returns:
            Whether it runs.

        Raises:
            ValueError: There is no such task.
        """
        self._check([task])
        return self._native.is_running(task)

    def process_number(self, task: str) -> int:
        """Which start of a task its present process comes from.

        Args:
            task: Its name.

        Returns:
            The number, from 1; 0 if the task is dead.

        Raises:
            ValueError: There is no such task.
        """
        self._check([task])
        return self._native.process_number(task)

    def trace_hash(self) -> int:
        """A hash of all messages with their times and tasks: equal for equal histories."""
        return self._native.trace_hash()

    def diagram(self, messages_max: int = 40) -> str:
        """The latest messages and faults as text: a column for each task, a line for each message.

        Args:
            messages_max: The number of messages.

        Returns:
            The text.
        """
        return self._native.diagram(messages_max)

    def _inject(self, kind: str, tasks: Tasks, others: Tasks = (), number: float = 0.0) -> None:
        fault = Fault(kind, self.now(), names_of(tasks), names_of(others), number)
        self._check([*fault.tasks, *fault.others])
        if not self._native.apply(fault._for_native()):
            raise ValueError(f"{kind} of {', '.join(fault.tasks)} has no effect")

    def _check(self, tasks: Sequence[str]) -> None:
        known = self.tasks
        if not tasks:
            raise ValueError("a fault needs a task")
        for task in tasks:
            if task not in known:
                raise ValueError(f"the cluster has no task {task!r}; it has {', '.join(known)}")


class _Moment(FaultVerbs):
    def __init__(self, cluster: Cluster, seconds: float) -> None:
        self._cluster = cluster
        self._seconds = seconds

    def _inject(self, kind: str, tasks: Tasks, others: Tasks = (), number: float = 0.0) -> None:
        fault = Fault(kind, self._seconds, names_of(tasks), names_of(others), number)
        self._cluster.script([fault])


def _counts_of(cluster: Any) -> Dict[str, int]:
    """The number of tasks of each job."""
    if isinstance(cluster, ClusterSpec):
        for job in cluster.jobs:
            if cluster.task_indices(job) != list(range(cluster.num_tasks(job))):
                raise ValueError(f"the tasks of job {job} have gaps: {cluster.task_indices(job)}")
        counts = {job: cluster.num_tasks(job) for job in cluster.jobs}
    elif isinstance(cluster, dict):
        counts = {job: int(count) for job, count in cluster.items()}
        # For the errors of names.
        ClusterSpec({job: [f"{job}:{i + 1}" for i in range(n)] for job, n in counts.items()})
    else:
        raise TypeError(f"cluster must be a dict or a ClusterSpec, not {type(cluster).__name__}")
    if not counts or min(counts.values()) < 1:
        raise ValueError(f"each job of a simulated cluster has tasks, but there is {counts}")
    return counts
