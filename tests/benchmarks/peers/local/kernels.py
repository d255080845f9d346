"""Single kernels on large tensors, in the client's process: bytes read and written a second."""

from program import MIB
from samples import times_of


def numbers(tf, name, shape):
    """A variable of numbers in [0.5, 1.5), of which each function here is defined."""
    values = tf.random_uniform(shape, minval=0.5, maxval=1.5, seed=1)
    return tf.get_variable(name, initializer=values, use_resource=True)


def add(tf):
    x, y = (numbers(tf, name, [16 * MIB]) for name in "xy")
    return tf.add(x, y).op, 3 * 64 * MIB


def function(name):
    """A function of 16 Mi floats, one by one."""
    return lambda tf: (getattr(tf, name)(numbers(tf, "x", [16 * MIB])).op, 2 * 64 * MIB)


def chain(tf):
    """Five element-wise ops, each of the result of the one before."""
    x = numbers(tf, "x", [16 * MIB])
    return tf.sqrt(tf.square(x - 1.0) * 0.5 + 1.0).op, 2 * 64 * MIB


def softmax(tf):
    return tf.nn.softmax(numbers(tf, "x", [4096, 1024])).op, 2 * 16 * MIB


def total(axis):
    return lambda tf: (tf.reduce_sum(numbers(tf, "x", [4096, 4096]), axis).op, 64 * MIB)


def transpose(tf):
    return tf.transpose(numbers(tf, "x", [4096, 4096])).op, 2 * 64 * MIB


def channels_first(tf):
    images = numbers(tf, "x", [32, 128, 128, 32])
    return tf.transpose(images, [0, 3, 1, 2]).op, 2 * 64 * MIB


def gather(tf):
    rows = tf.random_uniform([65536], maxval=65536, dtype=tf.int32, seed=2)
    chosen = tf.get_variable("chosen", initializer=rows, use_resource=True)
    return tf.gather(numbers(tf, "x", [65536, 256]), chosen).op, 2 * 64 * MIB


def cast(tf):
    return tf.cast(numbers(tf, "x", [16 * MIB]), tf.bfloat16).op, 96 * MIB


def kernel(build):
    """GB/s of the op that `build` makes; it returns the bytes that the op must touch, too."""

    def measure(side, seconds):
        tf = side.tf
        op, size = build(tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            step = session.make_callable(op)
            return [size / 1e9 / time_s for time_s in times_of(step, seconds)]

    return measure
