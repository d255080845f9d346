"""The Mandelbrot set: after how many squarings does a number leave the circle of radius 2?

mandelbrot.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

LIMIT = 30


def main(target=""):
    """Gives the number of squarings of each point of a grid, and the picture as lines of text."""
    real, imaginary = np.meshgrid(np.linspace(-2, 0.6, 53), np.linspace(-1.2, 1.2, 25))
    c = tf.constant(real + 1j * imaginary)

    def square(count, z, counts):
        inside = tf.abs(z) <= 2
        # Those outside stay where they are, so that they do not overflow.
        z = tf.where(inside, z * z + c, z)
        return count + 1, z, counts + tf.cast(inside, tf.int32)

    _, _, counts = tf.while_loop(
        lambda count, *_: count < LIMIT,
        square,
        [0, tf.zeros_like(c), tf.zeros_like(c, dtype=tf.int32)],
    )
    letters = tf.gather(tf.constant(list(" .:-=+*#%@")), counts * 9 // LIMIT)
    lines = tf.reduce_join(letters, 1)
    with tf.Session(target) as session:
        return session.run(counts), session.run(tf.reduce_join(lines, 0, separator="\n"))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
