"""Iterations of a loop, in the client's process and over two tasks."""

from program import check_equal, task
from samples import times_of

ITERATIONS = 1000


def _loop(tf, body_device=None):
    """x_n of x_0 = 0, x_{i+1} = x_i * 0.5 + 1, and its gradient."""
    start = tf.constant(0.0)

    def body(i, x):
        with tf.device(body_device):
            x = x * 0.5 + 1.0
        return i + 1, x

    _, x = tf.while_loop(lambda i, x: i < ITERATIONS, body, [tf.constant(0), start])
    return x, tf.gradients(x, [start])[0]


def _per_iteration(times):
    return [time_s / ITERATIONS * 1e6 for time_s in times]


def local(side, seconds, with_gradient=False):
    tf = side.tf
    x, gradient = _loop(tf)
    with tf.Session() as session:
        check_equal([round(session.run(x), 3)], [2])
        step = session.make_callable(gradient if with_gradient else x)
        return _per_iteration(times_of(step, seconds))


def local_gradient(side, seconds):
    return local(side, seconds, with_gradient=True)


def two_tasks(side, seconds):
    """The variable lives on one task, the body runs on the other."""
    tf = side.tf
    with tf.device(task("worker", 0)):
        x, _ = _loop(tf, body_device=task("worker", 1))
    with side.Cluster(worker=2) as cluster, tf.Session(cluster.target("worker")) as session:
        check_equal([round(session.run(x), 3)], [2])
        return _per_iteration(times_of(lambda: session.run(x), seconds))
