"""A recurrent network that reads both ways says of each number whether one beside it is greater.

bidirectional_rnn.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

UNITS = 6


def states_of(inputs, name):
    """The states of a simple network after each step of `inputs`: [batch, steps, features]."""
    with tf.variable_scope(name):
        initializer = tf.glorot_uniform_initializer(seed=8)
        weights = tf.get_variable("weights", [1 + UNITS, UNITS], initializer=initializer)

    def step(state, x):
        return tf.tanh(tf.matmul(tf.concat([x, state], 1), weights))

    by_time = tf.transpose(inputs, [1, 0, 2])
    states = tf.scan(step, by_time, initializer=tf.zeros([tf.shape(inputs)[0], UNITS]))
    return tf.transpose(states, [1, 0, 2])


def main(target=""):
    """Trains; gives the first and the last losses, and the last logits."""
    random = np.random.RandomState(3)
    lengths = np.array([7, 4, 6, 7])
    real = np.arange(7) < lengths[:, None]
    numbers = np.where(real, random.uniform(0, 1, [4, 7]), 0).astype(np.float32)
    beside = np.pad(numbers, [(0, 0), (1, 1)])
    labels = (np.maximum(beside[:, :-2], beside[:, 2:]) > numbers).astype(np.float32)

    x = tf.constant(numbers[:, :, None])
    forward = states_of(x, "forward")
    # The second network reads each sequence from its own end.
    backward = states_of(tf.reverse_sequence(x, lengths, seq_axis=1), "backward")
    backward = tf.reverse_sequence(backward, lengths, seq_axis=1)
    output = tf.get_variable(
        "output", [2 * UNITS], initializer=tf.random_normal_initializer(stddev=0.3, seed=9)
    )
    logits = tf.reduce_sum(tf.concat([forward, backward], 2) * output, 2)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(tf.boolean_mask(losses, real))
    train = tf.train.RMSPropOptimizer(0.02).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        values = [session.run([loss, train])[0] for _ in range(20)]
        return [values[0], values[-1]], session.run(logits)


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
