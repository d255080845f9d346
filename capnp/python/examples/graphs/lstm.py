"""An LSTM, a loop over the steps of sequences, learns to say what comes next on a sine wave.

lstm.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

BATCH, STEPS, UNITS = 4, 12, 8


def lstm(inputs, weights, biases):
    """The states of all steps; `inputs` are [steps, batch, features]."""
    steps = tf.shape(inputs)[0]
    read = tf.TensorArray(tf.float32, steps).unstack(inputs)
    written = tf.TensorArray(tf.float32, steps)

    def step(time, state, cell, written):
        gates = tf.matmul(tf.concat([read.read(time), state], 1), weights) + biases
        input_gate, new, forget_gate, output_gate = tf.split(gates, 4, 1)
        cell = tf.sigmoid(forget_gate + 1.0) * cell + tf.sigmoid(input_gate) * tf.tanh(new)
        state = tf.sigmoid(output_gate) * tf.tanh(cell)
        return time + 1, state, cell, written.write(time, state)

    zeros = tf.zeros([BATCH, UNITS])
    *_, written = tf.while_loop(
        lambda time, *_: time < steps, step, [tf.constant(0), zeros, zeros, written]
    )
    return written.stack()


def main(target=""):
    """Trains; gives the first and the last losses, and the predictions at the last step."""
    times = np.linspace(0, 6, STEPS + 1)[:, None] + np.arange(BATCH)
    wave = np.sin(times).astype(np.float32)[:, :, None]

    initializer = tf.glorot_uniform_initializer(seed=7)
    weights = tf.get_variable("weights", [1 + UNITS, 4 * UNITS], initializer=initializer)
    biases = tf.get_variable("biases", [4 * UNITS], initializer=tf.zeros_initializer())
    output = tf.get_variable("output", [UNITS, 1], initializer=initializer)
    states = lstm(tf.constant(wave[:-1]), weights, biases)
    predicted = tf.tensordot(states, output, 1)
    loss = tf.reduce_mean(tf.square(predicted - wave[1:]))
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train])[0] for _ in range(25)]
        return [losses[0], losses[-1]], session.run(predicted[-1])


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
