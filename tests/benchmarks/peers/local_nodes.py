"""Steps of many small nodes in the process of the client."""

from samples import times_of

NODE_COUNT = 10000


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
