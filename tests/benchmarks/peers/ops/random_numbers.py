"""Random numbers."""

from program import MIB

from .case import case
from .operands import floats

CASES = {
    "random_uniform": case(lambda tf: tf.random_uniform([4 * MIB])),
    "random_normal": case(lambda tf: tf.random_normal([4 * MIB])),
    "truncated_normal": case(lambda tf: tf.truncated_normal([4 * MIB])),
    "random_uniform_int32": case(
        lambda tf: tf.random_uniform([4 * MIB], maxval=1000, dtype=tf.int32)
    ),
    "random_shuffle": case(lambda tf, x: tf.random_shuffle(x), floats(16384, 64)),
    "multinomial": case(lambda tf, logits: tf.multinomial(logits, 1000), floats(64, 1000)),
    "random_gamma": case(lambda tf: tf.random_gamma([262144], 2.0)),
    "random_poisson": case(lambda tf: tf.random_poisson(5.0, [262144])),
}
