"""The encoder of a transformer learns to write words backwards.

transformer_encoder.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

WORD, LETTERS, WIDTH, HEADS, LAYERS = 6, 10, 16, 4, 2


def variable(name, shape):
    return tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer(seed=10))


def attention(x):
    """Each letter takes of all letters what its heads ask for."""

    def heads(name):
        parts = tf.tensordot(x, variable(name, [WIDTH, WIDTH]), 1)
        parts = tf.reshape(parts, [-1, WORD, HEADS, WIDTH // HEADS])
        return tf.transpose(parts, [0, 2, 1, 3])

    scores = tf.matmul(heads("query"), heads("key"), transpose_b=True) * (WIDTH / HEADS) ** -0.5
    taken = tf.matmul(tf.nn.softmax(scores), heads("value"))
    taken = tf.reshape(tf.transpose(taken, [0, 2, 1, 3]), [-1, WORD, WIDTH])
    return tf.tensordot(taken, variable("mix", [WIDTH, WIDTH]), 1)


def normalized(x, name):
    with tf.variable_scope(name):
        scale = tf.get_variable("scale", [WIDTH], initializer=tf.ones_initializer())
        offset = tf.get_variable("offset", [WIDTH], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, [2], keep_dims=True)
        return (x - mean) * tf.rsqrt(variance + 1e-6) * scale + offset


def encoder(x):
    """Layers of attention and of dense layers, each added to its input."""
    for layer in range(LAYERS):
        with tf.variable_scope(f"layer{layer}"):
            x = normalized(x + attention(x), "attended")
            hidden = tf.nn.relu(tf.tensordot(x, variable("inner", [WIDTH, 4 * WIDTH]), 1))
            fed = tf.tensordot(hidden, variable("outer", [4 * WIDTH, WIDTH]), 1)
            x = normalized(x + fed, "fed")
    return x


def positions():
    """Waves of several lengths, by which the encoder knows where a letter is."""
    angles = np.arange(WORD)[:, None] / 100.0 ** (np.arange(WIDTH // 2) * 2 / WIDTH)
    return np.concatenate([np.sin(angles), np.cos(angles)], 1).astype(np.float32)


def main(target=""):
    """Trains; gives the first and the last losses, and logits."""
    words = np.random.RandomState(4).randint(0, LETTERS, [16, WORD])
    x = tf.placeholder(tf.int32, [None, WORD])
    embedded = tf.nn.embedding_lookup(variable("letters", [LETTERS, WIDTH]), x) + positions()
    logits = tf.tensordot(encoder(embedded), variable("output", [WIDTH, LETTERS]), 1)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reverse(x, [1]), logits=logits)
    )
    train = tf.train.AdamOptimizer(0.005).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train], {x: words})[0] for _ in range(12)]
        return [losses[0], losses[-1]], session.run(logits, {x: words[:2]})


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
