"""Beam search: the likeliest sentences of a model that knows which token follows which.

beam_search.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

TOKENS, END, BEAMS, LENGTH = 7, 0, 3, 6


def model():
    """The logarithms of how likely each token follows each; after the end comes the end."""
    logits = np.random.RandomState(12).normal(0, 1.5, [TOKENS, TOKENS])
    logits[END] = -1e9
    logits[END, END] = 0
    return logits - np.log(np.exp(logits).sum(1, keepdims=True))


def main(target=""):
    """Gives the tokens of the best sentences after token 1, and their log-likelihoods."""
    follows = tf.constant(model())

    def extend(length, beams, scores):
        totals = scores[:, None] + tf.gather(follows, beams[:, -1])
        scores, best = tf.nn.top_k(tf.reshape(totals, [-1]), BEAMS)
        tokens = tf.floormod(best, TOKENS)
        beams = tf.concat([tf.gather(beams, best // TOKENS), tokens[:, None]], 1)
        return length + 1, beams, scores

    def goes_on(length, beams, _):
        return (length < LENGTH) & tf.reduce_any(tf.not_equal(beams[:, -1], END))

    # All beams begin alike: all but the first are impossible, so that they do not stay alike.
    scores = tf.constant([0.0] + [-1e9] * (BEAMS - 1), tf.float64)
    start = [tf.constant(0), tf.ones([BEAMS, 1], tf.int32), scores]
    shapes = [tf.TensorShape([]), tf.TensorShape([BEAMS, None]), tf.TensorShape([BEAMS])]
    _, beams, scores = tf.while_loop(goes_on, extend, start, shape_invariants=shapes)
    with tf.Session(target) as session:
        return tuple(session.run([beams, scores]))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
