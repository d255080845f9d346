"""Cells of `tf.nn.rnn_cell` in networks of `tf.keras`, and the other way round."""

import numpy as np

import troupe as tf

K = tf.keras.layers
CELLS = tf.nn.rnn_cell
X = np.random.RandomState(3).rand(2, 4, 5).astype(np.float32) - 0.5


class KerasCellsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.keras.backend.clear_session()
        tf.reset_default_graph()

    def run_all(self, *tensors):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(tensors)

    def test_a_network_of_keras_is_that_of_tensorflow(self):
        for make in (
            lambda: CELLS.BasicRNNCell(3),
            lambda: CELLS.GRUCell(3),
            lambda: CELLS.LSTMCell(3),
            lambda: CELLS.MultiRNNCell([CELLS.LSTMCell(3), CELLS.GRUCell(2)]),
        ):
            tf.reset_default_graph()
            constant = tf.constant_initializer(0.2)
            with tf.variable_scope("one", initializer=constant):
                network = K.RNN(make(), return_sequences=True, return_state=True)
                outputs, *states = network(tf.constant(X))
            with tf.variable_scope("two", initializer=constant):
                expected, state = tf.nn.dynamic_rnn(make(), tf.constant(X), dtype=tf.float32)
            flat = tf.contrib.framework.nest.flatten(state)
            found = self.run_all(outputs, *states, expected, *flat)
            half = len(found) // 2
            for one, other in zip(found[:half], found[half:]):
                self.assertAllClose(one, other)
            self.assertEqual(2 * len(network.weights), len(tf.trainable_variables()))

    def test_both_ways_have_cells_of_one_class(self):
        network = K.Bidirectional(K.RNN(CELLS.GRUCell(3)))
        result = network(tf.constant(X))
        self.assertEqual(result.shape.as_list(), [2, 6])
        self.assertEqual(len(network.weights), 8)
        self.run_all(result)

    def test_a_network_of_tensorflow_is_that_of_keras(self):
        for cell, layer in (
            (K.SimpleRNNCell, K.SimpleRNN), (K.GRUCell, K.GRU), (K.LSTMCell, K.LSTM),
        ):  # fmt: skip
            tf.reset_default_graph()
            given = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
            made = cell(3, **given)
            outputs, state = tf.nn.dynamic_rnn(made, tf.constant(X), dtype=tf.float32)
            expected, *states = layer(3, return_sequences=True, return_state=True, **given)(
                tf.constant(X)
            )
            flat = state if isinstance(state, (list, tuple)) else [state]
            found = self.run_all(outputs, *flat, expected, *states)
            half = len(found) // 2
            for one, other in zip(found[:half], found[half:]):
                self.assertAllClose(one, other)
            self.assertEqual(len(made.weights), 3)

    def test_sequences_end_and_parts_of_static_networks_follow(self):
        lengths = [2, 4]
        results = []
        for static in (False, True):
            cell = K.GRUCell(3, kernel_initializer="ones", recurrent_initializer="ones")
            given = {"sequence_length": lengths, "dtype": tf.float32}
            if static:
                parts = tf.unstack(tf.constant(X), axis=1)
                outputs, state = tf.nn.static_rnn(cell, parts, **given)
                results += [tf.stack(outputs, 1), state]
            else:
                results += tf.nn.dynamic_rnn(cell, tf.constant(X), **given)
        outputs, state, static_outputs, static_state = self.run_all(*results)
        self.assertAllClose(outputs, static_outputs)
        self.assertAllClose(state, static_state)
        self.assertAllClose(outputs[0, 2:], np.zeros((2, 3)))

    def test_a_step_takes_its_state_by_position(self):
        cell = K.GRUCell(3)
        state = cell.get_initial_state(batch_size=2, dtype=tf.float32)
        output, after = cell(tf.constant(X[:, 0]), [state])
        one, other = self.run_all(output, after[0])
        self.assertAllClose(one, other)
        with self.assertRaisesRegex(ValueError, "cannot be None"):
            cell.get_initial_state()


if __name__ == "__main__":
    tf.test.main()
