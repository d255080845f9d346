"""More programs whose graphs are recorded: functions of all kinds, and what trains by them."""

from unittest import mock

import numpy as np
from programs import constants, program, rows, training


@program
def functional_loops(tf):
    """Loops and branches as ops of functions, one in another."""
    tf.enable_control_flow_v2()
    x = tf.placeholder(tf.float32, [3], name="x")
    n = tf.placeholder(tf.int32, [], name="n")

    def inner(i, a):
        low = tf.cond(tf.reduce_sum(a) > 1, lambda: a * 0.5, lambda: a + x)
        return tf.while_loop(lambda j, _: j < i, lambda j, b: (j + 1, tf.cos(b)), [0, low])[1]

    _, y = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, inner(i, a)), [0, x])
    tf.identity(y, name="y")
    chosen = tf.switch_case(n, [lambda: tf.exp(x), lambda: -x, lambda: x * x])
    tf.identity(chosen, name="chosen")
    tf.disable_control_flow_v2()
    feeds = [{"x:0": rows(3), "n:0": np.int32(n)} for n in (0, 1, 2, 5)]
    return [{"feeds": each, "fetches": ["y:0", "chosen:0"]} for each in feeds]


@program
def lists_of_tensors(tf):
    """Arrays of loops that are ops of functions, which are lists, and their gradients."""
    tf.enable_control_flow_v2()
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    w = tf.constant(np.linspace(-1, 1, 9).reshape(3, 3).astype(np.float32))

    def step(i, state, states):
        state = tf.tanh(tf.linalg.matvec(w, state) + tf.gather(x, i))
        return i + 1, state, states.write(i, state)

    states = tf.TensorArray(tf.float32, size=4, element_shape=[3])
    _, last, states = tf.while_loop(
        lambda i, *_: i < 4, step, [0, tf.zeros([3]), states], maximum_iterations=4
    )
    stacked = tf.identity(states.stack(), name="states")
    grown = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[3])
    count = tf.placeholder(tf.int32, [], name="count")
    _, grown = tf.while_loop(
        lambda i, _: i < count, lambda i, a: (i + 1, a.write(i, last * tf.cast(i, tf.float32))),
        [0, grown],
    )
    tf.identity(grown.gather([2, 0]), name="grown")
    loss = tf.reduce_sum(stacked * stacked)
    tf.identity(tf.gradients(loss, x)[0], name="dx")
    tf.disable_control_flow_v2()
    feeds = [{"x:0": rows(4, 3), "count:0": np.int32(count)} for count in (3, 5)]
    return [{"feeds": each, "fetches": ["states:0", "grown:0", "dx:0"]} for each in feeds]


LIBRARY = """
library { function {
  signature {
    name: "blend"
    input_arg { name: "a" type_attr: "T" }
    input_arg { name: "b" type_attr: "T" }
    output_arg { name: "sum" type_attr: "T" }
    output_arg { name: "packed" type_attr: "T" }
    attr { name: "T" type: "type" allowed_values { list { type: DT_FLOAT type: DT_INT64 } } }
    attr { name: "axis" type: "int" default_value { i: 0 } }
  }
  node_def { name: "add" op: "AddV2" input: "a" input: "b"
             attr { key: "T" value { placeholder: "T" } } }
  node_def { name: "pack" op: "Pack" input: "a" input: "b"
             attr { key: "N" value { i: 2 } } attr { key: "T" value { placeholder: "T" } }
             attr { key: "axis" value { placeholder: "axis" } } }
  ret { key: "sum" value: "add:z:0" }
  ret { key: "packed" value: "pack:output:0" }
} }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 3 } } } } }
node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } }
       attr { key: "shape" value { shape { dim { size: 3 } } } } }
node { name: "floats" op: "blend" input: "x" input: "x"
       attr { key: "T" value { type: DT_FLOAT } } attr { key: "axis" value { i: 1 } } }
node { name: "integers" op: "blend" input: "i" input: "i"
       attr { key: "T" value { type: DT_INT64 } } }
node { name: "called" op: "PartitionedCall" input: "i" input: "i"
       attr { key: "Tin" value { list { type: DT_INT64 type: DT_INT64 } } }
       attr { key: "Tout" value { list { type: DT_INT64 type: DT_INT64 } } }
       attr { key: "f" value { func { name: "blend"
                                      attr { key: "T" value { type: DT_INT64 } }
                                      attr { key: "axis" value { i: 1 } } } } } }
versions { producer: 134 }
"""


@program
def functions_with_attributes(tf):
    """A function that is called with several dtypes."""
    from google.protobuf import text_format
    from tensorflow.python.framework import function

    # Python's wrappers of a library's functions know no such functions; the graph does.
    with mock.patch.object(function, "from_library", lambda _: []):
        tf.import_graph_def(text_format.Parse(LIBRARY, tf.GraphDef()), name="")
    feeds = {"x:0": rows(3), "i:0": np.array([1, -2, 3], np.int64)}
    fetches = [f"{name}:{i}" for name in ("floats", "integers", "called") for i in (0, 1)]
    return [{"feeds": feeds, "fetches": fetches}]


@program
def words_to_vectors(tf):
    """Texts are cut and hashed, and vectors of words trained, by sparse gradients and Ftrl."""
    texts = tf.placeholder(tf.string, [None], name="texts")
    words = tf.string_split(texts, " ")
    ids = tf.SparseTensor(
        words.indices, tf.strings.to_hash_bucket_fast(words.values, 20), words.dense_shape
    )
    table = tf.get_variable("table", [20, 4], initializer=constants(tf, 20, 4), use_resource=True)
    lengths = tf.cast(tf.strings.length(words.values), tf.float32)
    weights = tf.SparseTensor(words.indices, lengths, words.dense_shape)
    means = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="mean")
    loss = tf.reduce_sum(tf.square(means - 0.1), name="loss")
    feeds = {"texts:0": np.array([b"a cat and a dog", b"no cat", b"dog"])}
    return training(tf, loss, tf.train.FtrlOptimizer(0.1), feeds)


@program
def dropout(tf):
    """Training with random numbers, and the gradient of a function of the program's own."""
    tf.disable_control_flow_v2()
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, tf.float32)
    def slope(x, dy):
        return dy * tf.where(x > 0, tf.ones_like(x), 0.25 * tf.ones_like(x))

    @function.Defun(tf.float32, grad_func=slope)
    def leaky(x):
        return tf.maximum(x, 0.1 * x)

    x = tf.placeholder(tf.float32, [6, 4], name="x")
    w = tf.get_variable("w", [4, 16], initializer=constants(tf, 4, 16), use_resource=True)
    v = tf.get_variable("v", [16, 1], initializer=constants(tf, 16, 1), use_resource=True)
    hidden = tf.nn.dropout(leaky(tf.matmul(x, w)), rate=0.4, seed=11)
    noise = tf.random_normal([6, 1], stddev=0.1, seed=12)
    loss = tf.reduce_mean(tf.square(tf.matmul(hidden, v) + noise - 1.0), name="loss")
    optimizer = tf.train.GradientDescentOptimizer(0.2)
    train = optimizer.minimize(loss, name="train")
    tf.global_variables_initializer()
    values = [tf.identity(w, name="w_value").name, tf.identity(v, name="v_value").name]
    steps = [{"targets": ["init"]}]
    for _ in range(3):
        step = {"feeds": {"x:0": rows(6, 4)}, "fetches": ["loss:0"], "targets": [train.name]}
        steps += [step, {"fetches": values}]
    return steps


@program
def attention(tf):
    """A layer of attention with products in batches, normalized and clipped, trained."""
    x = tf.placeholder(tf.float32, [2, 5, 8], name="x")
    w = tf.get_variable("w", [8, 24], initializer=constants(tf, 8, 24), use_resource=True)
    scale = tf.get_variable("scale", [8], initializer=tf.ones_initializer(), use_resource=True)
    query, key, value = tf.split(tf.einsum("btc,cd->btd", x, w), 3, axis=2)
    weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 8**0.5)
    mask = tf.linalg.band_part(tf.ones([5, 5]), -1, 0)
    taken = tf.matmul(weights * mask, value) + x
    mean, variance = tf.nn.moments(taken, [2], keepdims=True)
    normalized = scale * (taken - mean) * tf.rsqrt(variance + 1e-3)
    loss = tf.reduce_mean(tf.square(normalized - tf.roll(x, 1, axis=1)), name="loss")
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    clipped, _ = tf.clip_by_global_norm(gradients, 0.5)
    train = optimizer.apply_gradients(list(zip(clipped, variables)), name="train")
    tf.global_variables_initializer()
    feeds = {"x:0": rows(2, 5, 8)}
    values = [tf.identity(v, name="value").name for v in (w, scale)]
    steps = [{"targets": ["init"]}]
    for _ in range(3):
        steps.append({"feeds": feeds, "fetches": ["loss:0"], "targets": [train.name]})
        steps.append({"fetches": values})
    return steps
