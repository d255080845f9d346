"""TensorFlow as a side of the comparison: its package, and clusters of server processes."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow.compat.v1 as tf  # noqa: E402
from nodes import free_ports  # noqa: E402
from processes import end_children, fork_child  # noqa: E402

tf.disable_eager_execution()
version = tf.VERSION


def _serve(spec, job, task, ready):
    """Serves until it is killed; writes a byte to `ready` when it can."""
    try:
        server = tf.train.Server(tf.train.ClusterSpec(spec), job_name=job, task_index=task)
        os.write(ready, b"r")
        server.join()
    finally:
        os._exit(1)


class Cluster:
    """The servers of a cluster, each a process.

    They are forked from this process, which has imported TensorFlow already and has no session yet.
    """

    def __init__(self, **jobs):
        ports = iter(free_ports(sum(jobs.values())))
        self._spec = {
            job: [f"127.0.0.1:{next(ports)}" for _ in range(count)] for job, count in jobs.items()
        }
        self._pids = []
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise

    def _start_all(self):
        readers = []
        for job, addresses in self._spec.items():
            for task in range(len(addresses)):
                reader, writer = os.pipe()
                pid = fork_child()
                if pid == 0:
                    _serve(self._spec, job, task, writer)
                os.close(writer)
                self._pids.append(pid)
                readers.append(reader)
        started = [os.read(reader, 1) for reader in readers]
        for reader in readers:
            os.close(reader)
        if not all(started):
            raise RuntimeError("a server of TensorFlow did not start")

    def target(self, job, task=0):
        return "grpc://" + self._spec[job][task]

    @property
    def pids(self):
        return list(self._pids)

    def close(self):
        end_children(self._pids)
        self._pids = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


TcpCluster = Cluster  # its servers know no other way
