"""Power iteration: a matrix, applied again and again, turns a vector into its first eigenvector.

power_iteration.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf


def main(target=""):
    """Gives the eigenvalue, the eigenvector and the number of products."""
    matrix = np.random.RandomState(11).uniform(0, 1, [6, 6])
    a = tf.constant(matrix @ matrix.T)

    def multiply(vector, _, count):
        product = tf.linalg.matvec(a, vector)
        new = product / tf.norm(product)
        return new, tf.norm(new - vector), count + 1

    start = tf.ones([6], tf.float64) / tf.sqrt(tf.constant(6.0, tf.float64))
    vector, _, count = tf.while_loop(
        lambda vector, change, count: (change > 1e-12) & (count < 1000),
        multiply,
        [start, tf.constant(1.0, tf.float64), tf.constant(0)],
    )
    value = tf.reduce_sum(vector * tf.linalg.matvec(a, vector))
    with tf.Session(target) as session:
        return tuple(session.run([value, vector, count]))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
