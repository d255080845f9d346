"""What nodes take that have nothing to do."""

import contextlib
import pathlib
import time

from program import check_equal, task

NODES = 4


@contextlib.contextmanager
def _connected_nodes(side):
    """Yields the processes of nodes that have run a step together, and whose session is open."""
    tf = side.tf
    numbers = []
    for index in range(NODES):
        with tf.device(task("worker", index)):
            numbers.append(tf.constant(1.0) + (numbers[-1] if numbers else 0.0))
    with side.Cluster(worker=NODES) as cluster, tf.Session(cluster.target("worker")) as session:
        check_equal([session.run(numbers[-1])], [NODES])
        yield cluster.pids


def memory(side, seconds):
    """MiB of each node."""
    with _connected_nodes(side) as pids:
        time.sleep(seconds)
        return [_resident_mib(pid) for pid in pids]


def _resident_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "VmRSS":
            return int(value.split()[0]) / 1024
    raise RuntimeError(f"process {pid} has ended")


def cpu_time(side, seconds):
    """Microseconds of the processor that each node takes in a second."""
    with _connected_nodes(side) as pids:
        time.sleep(1)  # what follows a step
        before, begin = [_cpu_us(pid) for pid in pids], time.perf_counter()
        time.sleep(max(3, seconds))
        elapsed = time.perf_counter() - begin
        return [(_cpu_us(pid) - earlier) / elapsed for pid, earlier in zip(pids, before)]


def _cpu_us(pid):
    """Of all threads of the process, as each counts its own in nanoseconds."""
    threads = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e3
