"""Large tensors between the processes of this machine."""

import contextlib
import threading

from program import MIB, check_equal, task
from samples import times_of

BULK_MIB = 256


def large_variable(tf, mebibytes, readers):
    """A variable on the ps, and for each of the workers an element that it reads of a copy."""
    with tf.device(task("ps")):
        ones = tf.ones([mebibytes * MIB // 4])
        value = tf.get_variable("large", initializer=ones, use_resource=True).read_value()
    elements = []
    for index in range(readers):
        with tf.device(task("worker", index)):
            elements.append(tf.slice(tf.identity(value), [0], [1]))
    return elements


def read_elsewhere(mebibytes, readers=1, over_tcp=False):
    """The whole tensor crosses to each reader; the client fetches one element of each."""

    def measure(side, seconds):
        tf = side.tf
        elements = large_variable(tf, mebibytes, readers)
        start = side.TcpCluster if over_tcp else side.Cluster
        with start(ps=1, worker=readers) as cluster:
            with tf.Session(cluster.target("worker")) as session:
                session.run(tf.global_variables_initializer())
                check_equal([element[0] for element in session.run(elements)], [1] * readers)
                times = times_of(lambda: session.run(elements), seconds)
        return [mebibytes * MIB * readers / 1e9 / time_s for time_s in times]

    return measure


@contextlib.contextmanager
def repeated(step):
    """Repeats the step in another thread; yields once it has ended for the first time.

    Raises the step's error at the end.
    """
    first, stop, errors = threading.Event(), threading.Event(), []

    def repeat():
        try:
            while not stop.is_set():
                step()
                first.set()
        except Exception as error:
            errors.append(error)
            first.set()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    first.wait()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    if errors:
        raise errors[0]


def scalar_beside_bulk(over_tcp=False):
    """Milliseconds of `two_tasks`, while another session reads a large variable all the time."""

    def measure(side, seconds):
        tf = side.tf
        elements = large_variable(tf, BULK_MIB, 1)
        with tf.device(task("ps")):
            x = tf.placeholder(tf.float32, [])
            y = x + 1.0
        with tf.device(task("worker")):
            z = y * 2.0
        start = side.TcpCluster if over_tcp else side.Cluster
        with start(ps=1, worker=1) as cluster:
            target = cluster.target("worker")
            with tf.Session(target) as session, tf.Session(target) as bulk:
                session.run(tf.global_variables_initializer())
                with repeated(lambda: bulk.run(elements)):
                    times = times_of(lambda: session.run(z, {x: 1.0}), 3 * seconds)
        return [time_s * 1e3 for time_s in times]

    return measure
