"""A Kalman filter: the place and speed of something, of which only inexact places are measured.

kalman.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

MOVE = [[1.0, 1.0], [0.0, 1.0]]  # place += speed
NOISE = [[0.01, 0.0], [0.0, 0.01]]  # of a move
SEEN = [[1.0, 0.0]]
NOISE_SEEN = [[0.5]]


def main(target=""):
    """Gives the estimate after each measurement, and the covariance of the last."""
    random = np.random.RandomState(8)
    measured = np.arange(20) * 0.7 + random.normal(0, 0.7, 20)

    move, noise, seen, noise_seen = (
        tf.constant(each, tf.float64) for each in (MOVE, NOISE, SEEN, NOISE_SEEN)
    )

    def update(state, measurement):
        x, p = state
        x = tf.matmul(move, x)
        p = tf.matmul(tf.matmul(move, p), move, transpose_b=True) + noise
        seen_p = tf.matmul(seen, p)
        spread = tf.matmul(seen_p, seen, transpose_b=True) + noise_seen
        gain = tf.transpose(tf.linalg.solve(spread, seen_p))
        x += tf.matmul(gain, measurement[None, None] - tf.matmul(seen, x))
        return x, p - tf.matmul(gain, seen_p)

    start = tf.zeros([2, 1], tf.float64), tf.eye(2, dtype=tf.float64)
    states, covariances = tf.scan(update, tf.constant(measured), initializer=start)
    with tf.Session(target) as session:
        return tuple(session.run([states[:, :, 0], covariances[-1]]))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
