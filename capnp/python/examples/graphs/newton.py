"""Newton's method finds where two curves meet; the derivatives are those of the graph.

newton.py [TARGET]
"""

import sys

import troupe as tf


def curves(point):
    """Zero on the circle of radius 2, and where y is exp(x) - 1."""
    x, y = tf.unstack(point)
    return tf.stack([x * x + y * y - 4.0, tf.exp(x) - 1.0 - y])


def improve(point, _, count):
    """Goes to where the tangents meet."""
    values = curves(point)
    jacobian = tf.stack([tf.gradients(value, point)[0] for value in tf.unstack(values)])
    step = tf.matrix_solve(jacobian, values[:, None])[:, 0]
    return point - step, tf.norm(step), count + 1


def main(target=""):
    """Gives the point, the values of the curves there, and the number of iterations."""
    start = tf.constant([1.0, 1.0], tf.float64)
    point, _, count = tf.while_loop(
        lambda point, size, count: size > 1e-10,
        improve,
        [start, tf.constant(1.0, tf.float64), tf.constant(0)],
    )
    with tf.Session(target) as session:
        return tuple(session.run([point, curves(point), count]))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
