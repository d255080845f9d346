"""cuDNN's networks: results, weights in checkpoints, dropout, and what is refused."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

cudnn = tf.contrib.cudnn_rnn

UNITS, DEPTH, BATCH, TIMES, LAYERS = 3, 2, 4, 5, 2
LENGTHS = [3, 0, 5, 1]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, state, kernel, bias):
    h, c = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(j)
    return sigmoid(o) * np.tanh(c), c


def gru_step(x, state, gates, gates_bias, of_x, of_x_bias, of_h, of_h_bias):
    (h,) = state
    reset, update = np.split(sigmoid(np.concatenate([x, h], 1) @ gates + gates_bias), 2, 1)
    candidate = np.tanh(x @ of_x + of_x_bias + reset * (h @ of_h + of_h_bias))
    return ((1 - update) * candidate + update * h,)


def basic_step(function):
    return lambda x, state, kernel, bias: (
        function(np.concatenate([x, state[0]], 1) @ kernel + bias),
    )


STEPS = {
    cudnn.CudnnLSTM: (lstm_step, 2, 2),
    cudnn.CudnnGRU: (gru_step, 1, 6),
    cudnn.CudnnRNNTanh: (basic_step(np.tanh), 1, 2),
    cudnn.CudnnRNNRelu: (basic_step(lambda x: np.maximum(x, 0)), 1, 2),
}


def run_sequences(step, x, before, lengths, weights, backwards):
    """The outputs [time, batch, units] and the last state of one layer in one direction."""
    outputs = np.zeros([TIMES, BATCH, UNITS])
    after = [np.array(part) for part in before]
    for row, length in enumerate(lengths):
        state = [part[row : row + 1] for part in before]
        for time in range(length)[:: -1 if backwards else 1]:
            state = step(x[time, row : row + 1], state, *weights)
            outputs[time, row] = state[0][0]
        for part, last in zip(after, state):
            part[row] = last[0]
    return outputs, after


def run_network(kind, x, before, lengths, weights, ways):
    """The same of a network; `before`: the parts of the state, each [cells, batch, units]."""
    step, parts, count = STEPS[kind]
    after = []
    for layer in range(LAYERS):
        outputs = []
        for way in range(ways):
            cell = layer * ways + way
            output, state = run_sequences(
                step, x, [part[cell] for part in before], lengths,
                weights[cell * count : (cell + 1) * count], way == 1,
            )  # fmt: skip
            outputs.append(output)
            after.append(state)
        x = np.concatenate(outputs, 2)
    return x, tuple(np.stack([state[i] for state in after]) for i in range(parts))


class CudnnNetworksTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        self.random = np.random.default_rng(5)
        self.x = self.random.normal(size=[TIMES, BATCH, DEPTH])

    def network(self, kind, direction="bidirectional", **options):
        return kind(LAYERS, UNITS, direction=direction, dtype=tf.float64, **options)

    def state(self, network):
        shapes = network.state_shape(BATCH)
        return tuple(self.random.normal(size=shape) for shape in shapes)

    def values(self, session, network):
        """Random numbers, which its variables get."""
        values = [self.random.normal(size=v.shape.as_list()) for v in network.trainable_variables]
        for variable, value in zip(network.trainable_variables, values):
            variable.load(value, session)
        return values

    def test_all_kinds_compute_what_their_formulas_say_in_both_directions(self):
        for kind in STEPS:
            for ways, direction in ((1, "unidirectional"), (2, "bidirectional")):
                for lengths in (None, LENGTHS):
                    tf.reset_default_graph()
                    network = self.network(kind, direction)
                    before = self.state(network)
                    got = network(self.x, before, lengths)
                    with tf.Session() as session:
                        weights = self.values(session, network)
                        got = session.run(got)
                    expected = run_network(
                        kind, self.x, before, lengths or [TIMES] * BATCH, weights, ways
                    )
                    for one, other in zip(tf.nest.flatten(expected), tf.nest.flatten(got)):
                        self.assertAllClose(one, other)

    def test_with_the_batch_first_inputs_outputs_and_states_are_transposed(self):
        for kind in STEPS:
            tf.reset_default_graph()
            network = self.network(kind)
            before = self.state(network)
            outputs, after = network(self.x, before, LENGTHS)
            turned = tuple(np.swapaxes(part, 0, 1) for part in before)
            x = np.swapaxes(self.x, 0, 1)
            other_outputs, other_after = network(x, turned, LENGTHS, time_major=False)
            without_state, _ = network(x, time_major=False)
            with tf.Session() as session:
                self.values(session, network)
                one, other, last = session.run(
                    [(outputs, after), (other_outputs, other_after), without_state]
                )
            self.assertEqual(last.shape, (BATCH, TIMES, 2 * UNITS))
            for expected, got in zip(tf.nest.flatten(one), tf.nest.flatten(other)):
                self.assertAllClose(np.swapaxes(expected, 0, 1), got)

    def test_a_checkpoint_of_it_is_one_of_the_cells_that_are_compatible(self):
        cells = {
            cudnn.CudnnLSTM: lambda: cudnn.CudnnCompatibleLSTMCell(UNITS),
            cudnn.CudnnGRU: lambda: cudnn.CudnnCompatibleGRUCell(UNITS),
            cudnn.CudnnRNNTanh: lambda: tf.nn.rnn_cell.BasicRNNCell(UNITS),
        }
        for kind, cell in cells.items():
            for ways, direction in ((1, "unidirectional"), (2, "bidirectional")):
                tf.reset_default_graph()
                network = self.network(kind, direction)
                outputs, _ = network(self.x, sequence_lengths=LENGTHS)
                scope, prefix = network.scope_name, os.path.join(tempfile.mkdtemp(), "network")
                with tf.Session() as session:
                    self.values(session, network)
                    tf.train.Saver().save(session, prefix, write_meta_graph=False)
                    expected = session.run(outputs)
                tf.reset_default_graph()
                x = tf.constant(self.x)
                given = {"dtype": tf.float64, "sequence_length": LENGTHS, "time_major": True}
                with tf.variable_scope(scope):
                    made = [[cell() for _ in range(LAYERS)] for _ in range(ways)]
                    if ways == 1:
                        multi = tf.nn.rnn_cell.MultiRNNCell(made[0])
                        outputs, _ = tf.nn.dynamic_rnn(multi, x, **given)
                    else:
                        stack = tf.contrib.rnn.stack_bidirectional_dynamic_rnn
                        outputs, _, _ = stack(*made, x, **given)
                with tf.Session() as session:
                    tf.train.Saver().restore(session, prefix)
                    self.assertAllClose(expected, session.run(outputs))

    def test_each_gate_gets_its_own_initial_values(self):
        calls = []

        def numbered(shape, dtype=None, **_):
            calls.append(list(shape))
            return tf.fill(shape, tf.cast(len(calls), dtype))

        network = self.network(cudnn.CudnnLSTM, "unidirectional", kernel_initializer=numbered,
                               bias_initializer=tf.ones_initializer())  # fmt: skip
        network.build([None, None, DEPTH])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            kernel, bias = session.run(network.trainable_variables[:2])
        self.assertEqual(calls[:3], [[UNITS, DEPTH], [UNITS, UNITS], [UNITS, DEPTH]])
        self.assertEqual(len(calls), len(network.canonical_weight_shapes))
        self.assertEqual(sorted(map(tuple, calls)), sorted(network.canonical_weight_shapes))
        of_gates = np.repeat([[1, 3, 5, 7], [2, 4, 6, 8]], UNITS, 1)
        self.assertAllEqual(kernel, np.repeat(of_gates, [DEPTH, UNITS], 0))
        self.assertAllEqual(bias, np.full(4 * UNITS, 2))  # cuDNN's two of each gate

    def test_outputs_are_dropped_between_layers_in_training_alone(self):
        network = self.network(cudnn.CudnnLSTM, dropout=0.5)
        trained, _ = network(self.x)
        trained_again, _ = network(self.x)
        used, _ = network(self.x, training=False)
        again, _ = network(self.x, training=False)
        with tf.Session() as session:
            self.values(session, network)
            one, two, three, four = session.run([trained, trained_again, used, again])
        self.assertAllEqual(three, four)
        self.assertGreater(np.abs(one - two).max(), 0)
        self.assertGreater(np.abs(one - three).max(), 0)
        single = cudnn.CudnnGRU(1, UNITS, dropout=0.5, dtype=tf.float64)
        trained, _ = single(self.x)
        used, _ = single(self.x, training=False)
        with tf.Session() as session:
            self.values(session, single)
            self.assertAllEqual(*session.run([trained, used]))

    def test_all_its_variables_have_gradients(self):
        for kind in STEPS:
            tf.reset_default_graph()
            network = self.network(kind)
            outputs, state = network(self.x, sequence_lengths=LENGTHS)
            total = tf.reduce_sum(outputs**2) + sum(tf.reduce_sum(part) for part in state)
            variables = network.trainable_variables
            self.assertEqual(variables, tf.trainable_variables())
            slopes = tf.gradients(total, variables)
            with tf.Session() as session:
                # Positive, or units of max(x, 0) might never be.
                for variable in variables:
                    variable.load(self.random.uniform(size=variable.shape.as_list()), session)
                for variable, slope in zip(variables, session.run(slopes)):
                    self.assertGreater(np.abs(slope).max(), 0, variable.name)

    def test_what_it_does_not_know_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Invalid direction: both"):
            self.network(cudnn.CudnnGRU, "both")
        with self.assertRaisesRegex(ValueError, "Invalid input_mode: none"):
            self.network(cudnn.CudnnGRU, input_mode="none")
        with self.assertRaisesRegex(ValueError, "Only support float16"):
            cudnn.CudnnGRU(1, 2, dtype=tf.int32)
        with self.assertRaisesRegex(ValueError, "with 3 dims, got 2"):
            self.network(cudnn.CudnnGRU).build([2, 3])
        with self.assertRaisesRegex(ValueError, "last dimension of the inputs"):
            self.network(cudnn.CudnnGRU).build([2, 3, None])
        with self.assertRaisesRegex(NotImplementedError, "use input_mode='linear_input'"):
            self.network(cudnn.CudnnGRU, input_mode="auto_select").build([2, 3, UNITS])
        with self.assertRaisesRegex(TypeError, "expecting tuple"):
            self.network(cudnn.CudnnGRU)(self.x, self.state(self.network(cudnn.CudnnGRU))[0])
        with self.assertRaisesRegex(ValueError, "'input_size' is unknown"):
            print(self.network(cudnn.CudnnGRU).input_size)


if __name__ == "__main__":
    unittest.main()
