"""Steps of many small nodes: side by side, and in the iterations of loops."""

from program import check_equal, task
from samples import times_of

NODE_COUNT = 10000
ITERATIONS = 1000


def unoptimized(tf):
    """Options with which TensorFlow runs the nodes as they are in the graph."""
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def chain_of_negatives(tf, x):
    for _ in range(NODE_COUNT):
        x = tf.negative(x)
    return x.op


def fan_of_negatives(tf, x):
    return tf.group(*[tf.negative(x).op for _ in range(NODE_COUNT)])


def fan_of_no_ops(tf, x):
    with tf.control_dependencies([x]):
        return tf.group(*[tf.no_op() for _ in range(NODE_COUNT)])


def local_nodes(build):
    """Nanoseconds for each node of a step in the client's process."""

    def measure(side, seconds):
        tf = side.tf
        x = tf.placeholder(tf.float32, [])
        end = build(tf, x)
        with tf.Session(config=unoptimized(tf)) as session:
            times = times_of(lambda: session.run(end, {x: 1.0}), seconds)
        return [time_s / NODE_COUNT * 1e9 for time_s in times]

    return measure


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


def loop(side, seconds, with_gradient=False):
    tf = side.tf
    x, gradient = _loop(tf)
    with tf.Session() as session:
        check_equal([round(session.run(x), 3)], [2])
        step = session.make_callable(gradient if with_gradient else x)
        return _per_iteration(times_of(step, seconds))


def loop_gradient(side, seconds):
    return loop(side, seconds, with_gradient=True)


def loop_of_two_tasks(side, seconds):
    """The variable lives on one task, the body runs on the other."""
    tf = side.tf
    with tf.device(task("worker", 0)):
        x, _ = _loop(tf, body_device=task("worker", 1))
    with side.Cluster(worker=2) as cluster, tf.Session(cluster.target("worker")) as session:
        check_equal([round(session.run(x), 3)], [2])
        return _per_iteration(times_of(lambda: session.run(x), seconds))
