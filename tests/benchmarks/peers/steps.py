"""Small steps on the nodes of a cluster."""

import contextlib

from program import check_equal, microseconds, task
from samples import rates_of, times_of


def null_step(side, seconds, through_callable=False):
    tf = side.tf
    with tf.device(task("worker")):
        one = tf.constant(1.0)
    with side.Cluster(worker=1) as cluster, tf.Session(cluster.target("worker")) as session:
        step = session.make_callable(one) if through_callable else lambda: session.run(one)
        check_equal([step()], [1])
        return microseconds(times_of(step, seconds))


def null_step_callable(side, seconds):
    return null_step(side, seconds, through_callable=True)


def two_tasks(side, seconds):
    """The client's task gets a scalar from another one."""
    tf = side.tf
    with tf.device(task("ps")):
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
    with tf.device(task("worker")):
        z = y * 2.0
    jobs = {"ps": 1, "worker": 1}
    with side.Cluster(**jobs) as cluster, tf.Session(cluster.target("worker")) as session:
        check_equal([session.run(z, {x: 1.0})], [4])
        return microseconds(times_of(lambda: session.run(z, {x: 1.0}), seconds))


def ten_hops(side, seconds):
    """A scalar goes ten times from one task to the other, and ends at the client's."""
    tf = side.tf
    with tf.device(task("worker", 0)):
        x = tf.placeholder(tf.float32, [])
        y = x + 0.0
    for hop in range(1, 11):
        with tf.device(task("worker", hop % 2)):
            y = y + 1.0
    with side.Cluster(worker=2) as cluster, tf.Session(cluster.target("worker")) as session:
        check_equal([session.run(y, {x: 1.0})], [11])
        return microseconds(times_of(lambda: session.run(y, {x: 1.0}), seconds))


def many_tasks(count):
    """A step that changes a variable of each task."""

    def measure(side, seconds):
        tf = side.tf
        changes, variables = [], []
        for index in range(count):
            with tf.device(task("worker", index)):
                v = tf.get_variable(f"v{index}", initializer=tf.constant(0.0), use_resource=True)
                changes.append(v.assign_add(1.0).op)
                variables.append(v.read_value())
        with side.Cluster(worker=count) as cluster:
            with tf.Session(cluster.target("worker")) as session:
                session.run(tf.global_variables_initializer())
                session.run(changes)
                check_equal(session.run(variables), [1] * count)
                return microseconds(times_of(lambda: session.run(changes), seconds))

    return measure


def threads_of_a_session(count):
    def measure(side, seconds):
        tf = side.tf
        with tf.device(task("worker")):
            one = tf.constant(1.0)
        with side.Cluster(worker=1) as cluster, tf.Session(cluster.target("worker")) as session:
            return rates_of([lambda: session.run(one)] * count, seconds)

    return measure


def sessions_of_a_node(count):
    """Each session has a thread of the client."""

    def measure(side, seconds):
        tf = side.tf
        with tf.device(task("worker")):
            one = tf.constant(1.0)
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(side.Cluster(worker=1))
            sessions = [tf.Session(cluster.target("worker")) for _ in range(count)]
            for session in sessions:
                stack.callback(session.close)
            steps = [lambda session=session: session.run(one) for session in sessions]
            return rates_of(steps, seconds)

    return measure
