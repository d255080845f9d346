"""Logistic regression by follow-the-regularized-leader, which makes weights exactly zero.

ftrl.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf


def main(target=""):
    """Trains; gives the losses of some steps and the weights, of which three have a meaning."""
    random = np.random.RandomState(9)
    rows = random.normal(0, 1, [100, 10]).astype(np.float32)
    labels = (rows[:, :3] @ [2, -1.5, 1] > 0).astype(np.float32)

    x = tf.placeholder(tf.float32, [None, 10])
    y = tf.placeholder(tf.float32, [None])
    weights = tf.get_variable("weights", [10], initializer=tf.zeros_initializer())
    logits = tf.tensordot(x, weights, 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    optimizer = tf.train.FtrlOptimizer(
        0.5, l1_regularization_strength=0.05, l2_regularization_strength=0.01
    )
    train = optimizer.minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train], {x: rows, y: labels})[0] for _ in range(40)]
        return losses[::10], session.run(weights)


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
