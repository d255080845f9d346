"""An autoencoder finds four numbers that say what is in images of bars.

autoencoder.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf


def main(target=""):
    """Trains; gives the first and the last losses, and the codes of two images."""
    random = np.random.RandomState(6)
    images = np.zeros([32, 6, 6], np.float32)
    for image in images:
        image[random.randint(6)] = 1
        image[:, random.randint(6)] = 1
    pixels = images.reshape([32, 36])

    x = tf.placeholder(tf.float32, [None, 36])
    widths = [36, 16, 4]
    shapes = list(zip(widths[:-1], widths[1:]))
    weights = [
        tf.get_variable(f"w{i}", shape, initializer=tf.glorot_uniform_initializer(seed=12 + i))
        for i, shape in enumerate(shapes)
    ]
    code = x
    for w in weights:
        code = tf.nn.elu(tf.matmul(code, w))
    # The decoder is the encoder in reverse: it has the same weights.
    hidden = tf.nn.elu(tf.matmul(code, weights[1], transpose_b=True))
    biases = tf.get_variable("biases", [36], initializer=tf.zeros_initializer())
    logits = tf.matmul(hidden, weights[0], transpose_b=True) + biases
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits))
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train], {x: pixels})[0] for _ in range(40)]
        return [losses[0], losses[-1]], session.run(code, {x: pixels[:2]})


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
