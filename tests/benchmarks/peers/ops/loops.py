"""Loops, and recurrent networks, whose cells are written out as TensorFlow 2 has none left."""

from .case import case
from .operands import floats

STEPS, BATCH, INPUT, UNITS = 50, 32, 64, 128
SEQUENCES = floats(BATCH, STEPS, INPUT)


def _lstm_cell(tf, x, state, kernel, bias):
    cell, output = state
    gates = tf.matmul(tf.concat([x, output], 1), kernel) + bias
    input_gate, candidate, forget_gate, output_gate = tf.split(gates, 4, 1)
    kept = cell * tf.sigmoid(forget_gate + 1.0)
    cell = kept + tf.sigmoid(input_gate) * tf.tanh(candidate)
    return cell, tf.tanh(cell) * tf.sigmoid(output_gate)


def _gru_cell(tf, x, state, kernel, candidate_kernel):
    (output,) = state
    gates = tf.sigmoid(tf.matmul(tf.concat([x, output], 1), kernel) + 1.0)
    reset_gate, update_gate = tf.split(gates, 2, 1)
    candidate = tf.tanh(tf.matmul(tf.concat([x, reset_gate * output], 1), candidate_kernel))
    return (update_gate * output + (1.0 - update_gate) * candidate,)


def _recurrent(cell, state_count):
    """The outputs of all steps of a network whose state is that many tensors, the output last."""

    def build(tf, sequences, *weights):
        by_step = tf.transpose(sequences, [1, 0, 2])
        inputs = tf.TensorArray(tf.float32, STEPS).unstack(by_step)
        outputs = tf.TensorArray(tf.float32, STEPS)

        def body(step, outputs, *state):
            state = cell(tf, inputs.read(step), state, *weights)
            return (step + 1, outputs.write(step, state[-1]), *state)

        start = (tf.constant(0), outputs, *[tf.zeros([BATCH, UNITS])] * state_count)
        return tf.while_loop(lambda step, *_: step < STEPS, body, start)[1].stack()

    return build


def _count_and_multiply(tf, x):
    _, result = tf.while_loop(
        lambda i, _: i < 1000, lambda i, x: (i + 1, x * 1.0001), [tf.constant(0), tf.identity(x)]
    )
    return result


CASES = {
    "lstm": case(
        _recurrent(_lstm_cell, state_count=2),
        SEQUENCES,
        floats(INPUT + UNITS, 4 * UNITS, low=-0.1, high=0.1),
        floats(4 * UNITS, low=0, high=0.1),
    ),
    "gru": case(
        _recurrent(_gru_cell, state_count=1),
        SEQUENCES,
        floats(INPUT + UNITS, 2 * UNITS, low=-0.1, high=0.1),
        floats(INPUT + UNITS, UNITS, low=-0.1, high=0.1),
    ),
    "while_loop_of_1000_iterations": case(_count_and_multiply, floats(16)),
    "map_fn_of_1000_rows": case(
        lambda tf, x: tf.map_fn(lambda row: row * 2.0 + 1.0, x), floats(1000, 16)
    ),
}
