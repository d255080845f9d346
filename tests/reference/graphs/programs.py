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


@program
def batch_normalization(tf):
    """With the updates of its moving averages, which train."""
    x = tf.placeholder(tf.float32, [4, 3, 3, 2], name="x")
    scale = tf.get_variable("scale", [2], initializer=tf.ones_initializer(), use_resource=True)
    offset = tf.get_variable("offset", [2], initializer=tf.zeros_initializer(), use_resource=True)
    y, mean, variance = tf.nn.fused_batch_norm(x, scale, offset, is_training=True)
    average = tf.get_variable(
        "average", [2], initializer=tf.zeros_initializer(), trainable=False, use_resource=True
    )
    with tf.control_dependencies([tf.assign_sub(average, (average - mean) * 0.1)]):
        loss = tf.reduce_sum(tf.square(y - 0.5) * x, name="loss") + tf.reduce_sum(variance)
    steps = training(tf, loss, tf.train.GradientDescentOptimizer(0.01), {"x:0": rows(4, 3, 3, 2)})
    tf.identity(average, name="moved")
    return steps + [{"fetches": ["moved:0"]}]


@program
def sparse_tensors(tf):
    indices = tf.placeholder(tf.int64, [None, 2], name="indices")
    values = tf.placeholder(tf.float32, [None], name="values")
    sparse = tf.SparseTensor(indices, values, [3, 4])
    dense = tf.constant(rows(4, 2))
    tf.identity(tf.sparse.sparse_dense_matmul(sparse, dense), name="product")
    tf.identity(tf.sparse.to_dense(tf.sparse.reorder(sparse)), name="dense")
    tf.identity(tf.sparse.reduce_sum(sparse, 1), name="sums")
    tf.identity(tf.gradients(tf.sparse.sparse_dense_matmul(sparse, dense), values)[0], name="d")
    feeds = {"indices:0": np.array([[0, 1], [2, 0], [2, 3]], np.int64), "values:0": rows(3)}
    return [{"feeds": feeds, "fetches": ["product:0", "dense:0", "sums:0", "d:0"]}]


@program
def clipped_ftrl_with_averages(tf):
    x = tf.placeholder(tf.float32, [3, 4], name="x")
    w = tf.get_variable("w", [4], initializer=constants(tf, 4), use_resource=True)
    loss = tf.reduce_mean(tf.log(1 + tf.exp(-tf.reduce_sum(x * w, 1))), name="loss")
    optimizer = tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.01)
    (gradient,) = tf.gradients(loss, [w])
    (clipped,), _ = tf.clip_by_global_norm([gradient], 0.1)
    step = optimizer.apply_gradients([(clipped, w)])
    averages = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([step]):
        tf.group(averages.apply([w]), name="train")
    tf.global_variables_initializer()
    tf.identity(averages.average(w), name="average")
    tf.identity(w, name="value")
    steps = [{"targets": ["init"]}]
    for _ in range(3):
        steps.append({"feeds": {"x:0": rows(3, 4)}, "targets": ["train"]})
        steps.append({"fetches": ["average:0", "value:0"]})
    return steps


@program
def mapped_elements(tf):
    """Arrays of tensors that a loop reads and writes, and their gradients."""
    tf.disable_control_flow_v2()
    x = tf.placeholder(tf.float32, [4, 2], name="x")
    y = tf.map_fn(lambda row: tf.cumsum(row) * tf.norm(row), x)
    tf.identity(y, name="y")
    tf.identity(tf.gradients(y, [x])[0], name="dx")
    tf.identity(tf.foldl(lambda a, b: a * 0.5 + b, x), name="folded")
    return [{"feeds": {"x:0": rows(4, 2)}, "fetches": ["y:0", "dx:0", "folded:0"]}]


@program
def images(tf):
    x = tf.placeholder(tf.float32, [1, 5, 5, 3], name="x")
    tf.identity(tf.image.resize_bilinear(x, [7, 3]), name="bilinear")
    tf.identity(tf.image.resize_nearest_neighbor(x, [3, 8]), name="nearest")
    tf.identity(tf.image.flip_left_right(x[0]), name="flipped")
    tf.identity(tf.image.rgb_to_hsv(tf.sigmoid(x)), name="hsv")
    fetches = ["bilinear:0", "nearest:0", "flipped:0", "hsv:0"]
    return [{"feeds": {"x:0": rows(1, 5, 5, 3)}, "fetches": fetches}]


@program
def depthwise_and_transposed(tf):
    x = tf.placeholder(tf.float32, [1, 6, 6, 2], name="x")
    k = tf.get_variable("k", [3, 3, 2, 2], initializer=constants(tf, 3, 3, 2, 2), use_resource=True)
    t = tf.get_variable("t", [2, 2, 1, 4], initializer=constants(tf, 2, 2, 1, 4), use_resource=True)
    hidden = tf.nn.elu(tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME"))
    hidden = tf.nn.avg_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    y = tf.nn.conv2d_transpose(hidden, t, [1, 6, 6, 1], [1, 2, 2, 1])
    loss = tf.reduce_mean(tf.nn.l2_loss(y - 1.0), name="loss")
    optimizer = tf.train.AdadeltaOptimizer(1.0)
    return training(tf, loss, optimizer, {"x:0": rows(1, 6, 6, 2)}, count=2)


@program
def choices(tf):
    """Branches that assign, of more than two."""
    tf.disable_control_flow_v2()
    n = tf.placeholder(tf.int32, [], name="n")
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer(), use_resource=True)
    cases = [(tf.equal(n, i), lambda i=i: tf.assign_add(v, 10.0**i)) for i in range(3)]
    chosen = tf.case(cases, default=lambda: tf.identity(v) - 1.0, exclusive=True)
    tf.identity(chosen, name="y")
    tf.global_variables_initializer()
    steps = [{"feeds": {"n:0": np.int32(n)}, "fetches": ["y:0"]} for n in (0, 2, 5, 1)]
    return [{"targets": ["init"]}] + steps


@program
def gathers_and_scatters(tf):
    v = tf.get_variable("v", [5, 2], initializer=constants(tf, 5, 2), use_resource=True)
    at = tf.placeholder(tf.int32, [None], name="at")
    updated = tf.scatter_add(v, at, tf.ones([3, 2]))
    with tf.control_dependencies([updated]):
        values, order = tf.nn.top_k(tf.reshape(v, [-1]), 3)
    tf.identity(values, name="values")
    tf.identity(order, name="order")
    parts = tf.dynamic_partition(tf.range(6), [0, 1, 0, 2, 1, 0], 3)
    stitched = tf.dynamic_stitch([[0, 2, 5], [1, 4], [3]], parts)
    tf.identity(stitched * tf.unique([3, 3, 4, 5, 4, 3])[1], name="stitched")
    tf.global_variables_initializer()
    feeds = {"at:0": np.array([4, 0, 4], np.int32)}
    fetches = ["values:0", "order:0", "stitched:0"]
    return [{"targets": ["init"]}, {"feeds": feeds, "fetches": fetches}]
