"""PageRank: how often somebody who follows links, and sometimes jumps, is on each page.

page_rank.py [TARGET]
"""

import sys

import troupe as tf

LINKS = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4), (4, 0), (4, 3), (5, 2), (5, 4)]
PAGES, DAMPING = 6, 0.85


def main(target=""):
    """Gives the ranks, which add up to 1, and the number of iterations."""
    source, destination = tf.unstack(tf.constant(LINKS), axis=1)
    out_degrees = tf.unsorted_segment_sum(tf.ones([len(LINKS)], tf.float64), source, PAGES)

    def follow(ranks, _, count):
        along = tf.gather(ranks / out_degrees, source)
        followed = tf.unsorted_segment_sum(along, destination, PAGES)
        new = (1 - DAMPING) / PAGES + DAMPING * followed
        return new, tf.reduce_max(tf.abs(new - ranks)), count + 1

    ranks, _, count = tf.while_loop(
        lambda ranks, change, count: change > 1e-9,
        follow,
        [tf.fill([PAGES], tf.constant(1 / PAGES, tf.float64)), tf.constant(1.0, tf.float64), 0],
    )
    with tf.Session(target) as session:
        return tuple(session.run([ranks, count]))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
