"""Programs of TensorFlow 1.x whose graphs are recorded: each gives the steps to run.

A step is a dict of `feeds` and `fetches` by the names of tensors, and `targets` by those of nodes.
"""

import numpy as np

PROGRAMS = {}
META_GRAPHS = ["dense_sgd", "dense_adam_of_references"]  # also with their collections and savers


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def rows(*shape, seed=1):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def constants(tf, *shape, seed=2):
    return tf.constant_initializer(rows(*shape, seed=seed) * 0.3)


def training(tf, loss, optimizer, feeds, count=3):
    """Initializes the variables, then trains; fetches loss and variables after each step."""
    train = optimizer.minimize(loss, name="train")
    tf.global_variables_initializer()
    fetches = [loss.name]
    values = [tf.identity(v, name="value").name for v in tf.trainable_variables()]
    steps = [{"targets": ["init"]}]
    for _ in range(count):
        steps.append({"feeds": feeds, "targets": [train.name]})
        steps.append({"feeds": feeds, "fetches": fetches + values})
    return steps


@program
def dense_sgd(tf):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.int32, [None], name="y")
    w = tf.get_variable("w", [4, 8], initializer=constants(tf, 4, 8), use_resource=True)
    b = tf.get_variable("b", [8], initializer=tf.zeros_initializer(), use_resource=True)
    v = tf.get_variable("v", [8, 3], initializer=constants(tf, 8, 3), use_resource=True)
    logits = tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), v)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss"
    )
    feeds = {"x:0": rows(6, 4), "y:0": np.array([0, 1, 2, 2, 1, 0], np.int32)}
    return training(tf, loss, tf.train.GradientDescentOptimizer(0.5), feeds)


@program
def dense_adam_of_references(tf):
    """The variables of TensorFlow's older graphs."""
    x = tf.placeholder(tf.float32, [5, 3], name="x")
    w = tf.get_variable("w", [3, 2], initializer=constants(tf, 3, 2), use_resource=False)
    loss = tf.reduce_sum(tf.square(tf.tanh(tf.matmul(x, w)) - 0.5), name="loss")
    return training(tf, loss, tf.train.AdamOptimizer(0.05), {"x:0": rows(5, 3)})


@program
def while_loop(tf):
    """A loop of frames, and its gradient."""
    tf.disable_control_flow_v2()
    x = tf.placeholder(tf.float32, [3], name="x")
    _, y = tf.while_loop(
        lambda i, _: i < 6, lambda i, a: (i + 1, tf.sin(a) * x + a), [tf.constant(0), x]
    )
    y = tf.identity(y, name="y")
    (dx,) = tf.gradients(y, [x])
    tf.identity(dx, name="dx")
    return [{"feeds": {"x:0": rows(3)}, "fetches": ["y:0", "dx:0"]}]


@program
def nested_loops(tf):
    tf.disable_control_flow_v2()
    n = tf.placeholder(tf.int32, [], name="n")

    def outer(i, total):
        _, inner = tf.while_loop(
            lambda j, _: j < i, lambda j, s: (j + 1, s + i * j), [tf.constant(0), tf.constant(0)]
        )
        return i + 1, total + inner

    tf.identity(
        tf.while_loop(lambda i, _: i < n, outer, [tf.constant(0), tf.constant(0)])[1], name="y"
    )
    return [{"feeds": {"n:0": np.int32(n)}, "fetches": ["y:0"]} for n in (0, 1, 7)]


@program
def conditional(tf):
    tf.disable_control_flow_v2()
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x), lambda: x * 3.0)
    tf.identity(y, name="y")
    tf.identity(tf.gradients(y, [x])[0], name="dx")
    return [
        {"feeds": {"x:0": np.array(x, np.float32)}, "fetches": ["y:0", "dx:0"]}
        for x in ([1, 2], [-1, -2])
    ]


@program
def embeddings(tf):
    """Rows of a table, whose gradients are sparse; Adagrad and Momentum."""
    ids = tf.placeholder(tf.int64, [None], name="ids")
    table = tf.get_variable("table", [10, 3], initializer=constants(tf, 10, 3), use_resource=True)
    w = tf.get_variable("w", [3], initializer=constants(tf, 3, seed=5), use_resource=True)
    taken = tf.nn.embedding_lookup(table, ids)
    loss = tf.reduce_sum(tf.square(tf.reduce_sum(taken * w, 1) - 1.0), name="loss")
    feeds = {"ids:0": np.array([1, 4, 1, 9], np.int64)}
    return training(tf, loss, tf.train.AdagradOptimizer(0.1), feeds)


@program
def momentum_of_references(tf):
    ids = tf.placeholder(tf.int64, [None], name="ids")
    table = tf.get_variable("table", [6, 2], initializer=constants(tf, 6, 2), use_resource=False)
    loss = tf.reduce_sum(tf.square(tf.gather(table, ids) + 1.0), name="loss")
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)
    return training(tf, loss, optimizer, {"ids:0": np.array([5, 0, 5], np.int64)})


@program
def function_calls(tf):
    """Functions of the graph's library, called by nodes of their names and by calls."""
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, tf.float32)
    def scaled(a, b):
        low, high = tf.split(a, 2)
        return low * b, tf.nn.softmax(high)

    @function.Defun(tf.float32)
    def nested(a):
        one, two = scaled(a, tf.constant(2.0))
        return one + two

    x = tf.placeholder(tf.float32, [4], name="x")
    one, two = scaled(x, tf.constant(3.0))
    tf.identity(tf.concat([one, two, nested(x)], 0), name="y")
    return [{"feeds": {"x:0": rows(4)}, "fetches": ["y:0"]}]


@program
def strings(tf):
    texts = tf.placeholder(tf.string, [None], name="texts")
    tf.strings.to_hash_bucket_fast(texts, 100, name="buckets")
    tf.strings.join([texts, tf.constant(["-", "+"]), tf.constant("é")], name="joined")
    tf.strings.regex_replace(texts, "[aeiou]", "_", name="replaced")
    tf.strings.length(texts, name="lengths")
    tf.identity(tf.string_split(texts, " ").values, name="words")
    fetches = ["buckets:0", "joined:0", "replaced:0", "lengths:0", "words:0"]
    return [{"feeds": {"texts:0": np.array([b"some words", b"more"])}, "fetches": fetches}]


@program
def random_numbers(tf):
    """With seeds, so that each run of a program has the same numbers."""
    tf.identity(tf.random_uniform([3, 2], seed=5), name="uniform")
    tf.identity(tf.random_normal([4], mean=1.0, seed=6), name="normal")
    tf.identity(tf.truncated_normal([5], seed=8), name="truncated")
    tf.identity(tf.random.uniform([4], maxval=100, dtype=tf.int32, seed=9), name="integers")
    fetches = ["uniform:0", "normal:0", "truncated:0", "integers:0"]
    return [{"fetches": fetches}, {"fetches": fetches}]


@program
def convolutions(tf):
    x = tf.placeholder(tf.float32, [2, 8, 8, 1], name="x")
    k = tf.get_variable("k", [3, 3, 1, 4], initializer=constants(tf, 3, 3, 1, 4), use_resource=True)
    w = tf.get_variable("w", [64, 2], initializer=constants(tf, 64, 2), use_resource=True)
    hidden = tf.nn.relu(tf.nn.conv2d(x, k, strides=[1, 1, 1, 1], padding="SAME"))
    hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    logits = tf.matmul(tf.reshape(hidden, [2, 64]), w)
    labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
    loss = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits), name="loss"
    )
    optimizer = tf.train.RMSPropOptimizer(0.01)
    return training(tf, loss, optimizer, {"x:0": rows(2, 8, 8, 1)}, count=2)


@program
def recurrent(tf):
    """A cell in a loop over the steps of sequences, trained."""
    tf.disable_control_flow_v2()
    x = tf.placeholder(tf.float32, [2, 5, 3], name="x")
    w = tf.get_variable("w", [7, 4], initializer=constants(tf, 7, 4), use_resource=True)

    def cell(state, step):
        return tf.tanh(tf.matmul(tf.concat([step, state], 1), w))

    states = tf.scan(cell, tf.transpose(x, [1, 0, 2]), initializer=tf.zeros([2, 4]))
    loss = tf.reduce_mean(tf.square(states[-1] - 0.2), name="loss")
    return training(tf, loss, tf.train.GradientDescentOptimizer(1.0), {"x:0": rows(2, 5, 3)})
