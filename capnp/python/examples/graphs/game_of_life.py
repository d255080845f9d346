"""Conway's Game of Life on a torus: a convolution counts the neighbours of all cells.

game_of_life.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

GLIDER = ["     ", "  #  ", "   # ", " ### ", "     "]


def main(target=""):
    """Gives the world after 20 generations: the glider is five cells further down and right."""
    world = np.zeros([12, 12], np.float32)
    world[:5, :5] = [[cell == "#" for cell in line] for line in GLIDER]
    neighbours = np.ones([3, 3, 1, 1], np.float32)
    neighbours[1, 1] = 0

    def generation(number, alive):
        around = tf.concat([alive[-1:], alive, alive[:1]], 0)
        around = tf.concat([around[:, -1:], around, around[:, :1]], 1)
        count = tf.nn.conv2d(
            around[None, :, :, None], neighbours, strides=[1, 1, 1, 1], padding="VALID"
        )[0, :, :, 0]
        survives = (alive > 0) & tf.equal(count, 2)
        return number + 1, tf.cast(tf.equal(count, 3) | survives, tf.float32)

    _, alive = tf.while_loop(
        lambda number, _: number < 20, generation, [tf.constant(0), tf.constant(world)]
    )
    with tf.Session(target) as session:
        return (session.run(tf.cast(alive, tf.int32)),)


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
