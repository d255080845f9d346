"""A multilayer perceptron learns the exclusive or of two bits.

mlp.py [TARGET]
"""

import sys

import troupe as tf


def dense(x, width, name):
    """A layer of `width` neurons, without their nonlinearity."""
    with tf.variable_scope(name):
        shape = [int(x.shape[1]), width]
        weights = tf.get_variable("w", shape, initializer=tf.glorot_uniform_initializer(seed=3))
        biases = tf.get_variable("b", [width], initializer=tf.zeros_initializer())
        return tf.matmul(x, weights) + biases


def main(target=""):
    """Trains; gives the losses of the last steps, and the network's four answers."""
    x = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = tf.constant([[0.0], [1.0], [1.0], [0.0]])
    logits = dense(tf.tanh(dense(x, 8, "hidden")), 1, "output")
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    train = tf.train.MomentumOptimizer(0.3, 0.9).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train])[0] for _ in range(100)]
        return losses[-3:], session.run(tf.sigmoid(logits))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
