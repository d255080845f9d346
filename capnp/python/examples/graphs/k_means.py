"""K-means: points are shared out among centers, which move into their middle, until none moves.

k_means.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf


def main(target=""):
    """Gives the centers, which of them each point has, and the number of rounds."""
    random = np.random.RandomState(7)
    middles = np.array([[0, 0], [5, 1], [2, 6]])
    points = (random.normal(0, 0.7, [60, 2]) + middles[np.arange(60) % 3]).astype(np.float32)

    x = tf.placeholder(tf.float32, [None, 2])

    def nearest(centers):
        squares = tf.reduce_sum(tf.squared_difference(x[:, None], centers), 2)
        return tf.argmin(squares, 1, output_type=tf.int32)

    def move(rounds, centers, chosen, _):
        centers = tf.unsorted_segment_mean(x, chosen, 3)
        again = nearest(centers)
        return rounds + 1, centers, again, tf.reduce_any(tf.not_equal(again, chosen))

    start = x[:3]
    rounds, centers, chosen, _ = tf.while_loop(
        lambda rounds, centers, chosen, moved: moved & (rounds < 50),
        move,
        [tf.constant(0), start, nearest(start), tf.constant(True)],
    )
    with tf.Session(target) as session:
        return tuple(session.run([centers, chosen, rounds], {x: points}))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
