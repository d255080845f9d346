"""Cells along grids, and recurrences as functions."""

import unittest

import numpy as np

import troupe as tf
from troupe.contrib import grid_rnn, recurrent


def inputs(*sizes):
    return tf.constant(np.random.RandomState(2).randn(*sizes).astype(np.float32))


def run(fetches):
    """The values, with weights that are random numbers in the order of the variables."""
    random = np.random.RandomState(3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():
            weights = random.randn(*variable.shape.as_list()) * 0.3
            variable.load(weights.astype(np.float32), session)
        return session.run(fetches)


class GridTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_two_dimensions_give_the_numbers_of_tensorflow(self):
        cell = grid_rnn.Grid2LSTMCell(2, use_peepholes=True)
        outputs, _ = tf.nn.dynamic_rnn(cell, inputs(2, 4, 3), dtype=tf.float32)
        names = [variable.name for variable in tf.global_variables()]
        self.assertEqual("rnn/Grid2LSTMCell/project_m_0:0", names[0])
        self.assertEqual("rnn/Grid2LSTMCell/recurrent/cell_1/lstm_cell/kernel:0", names[2])
        want = [0.22296881675720215, -0.09518633037805557, 0.12380573153495789]
        np.testing.assert_allclose(run(outputs)[0].ravel()[:3], want, rtol=1e-4)

    def test_sizes_are_those_of_dimensions(self):
        cell = grid_rnn.Grid3LSTMCell(2, tied=True)
        self.assertEqual((2,), cell.output_size)
        self.assertEqual(3, len(cell.state_size))
        with self.assertRaisesRegex(ValueError, "Invalid dims"):
            grid_rnn.GridRNNCell(2, 2, input_dims=[2])
        with self.assertRaises(TypeError):
            grid_rnn.GridRNNCell(2, cell_fn=lambda size: size)


class RecurrentTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_network_gives_the_numbers_of_tensorflow(self):
        cell = tf.nn.rnn_cell.LSTMCell(3)
        outputs, state = recurrent.functional_rnn(
            cell, inputs(2, 5, 4), sequence_length=[3, 5], dtype=tf.float32
        )
        found, memory = run([outputs, state.c])
        self.assertEqual("rnn/lstm_cell/kernel:0", tf.global_variables()[0].name)
        want = [0.003203797386959195, -0.21694253385066986, 0.10232051461935043]
        np.testing.assert_allclose(found.ravel()[:3], want, rtol=1e-4)
        np.testing.assert_array_equal(found[0, 3:], np.zeros([2, 3]))
        want = [0.14046317338943481, -0.49647271633148193, 0.47466036677360535]
        np.testing.assert_allclose(memory.ravel()[:3], want, rtol=1e-4)

    def test_a_gradient_of_its_own_is_that_of_the_function(self):
        weights = [inputs(3, 3) * 0.3]
        state, steps = [inputs(4, 3)], [inputs(5, 4, 3)]

        def cell(theta, before, now):
            after = tf.tanh(tf.matmul(before[0], theta[0]) + now[0])
            return [after], [after]

        def cell_gradient(theta, before, now, extras, gradient):
            own = gradient[0] * (1 - extras[0] ** 2)
            of_weights = tf.matmul(before[0], own, transpose_a=True)
            return [of_weights], [tf.matmul(own, theta[0], transpose_b=True)], [own]

        def without_extras(theta, before, now):
            return cell(theta, before, now)[0], []

        for options in ({}, {"max_input_length": tf.constant(3)}):
            found = []
            for function, more in ((without_extras, {}), (cell, {"cell_grad": cell_gradient})):
                states, last = recurrent.Recurrent(
                    weights, state, steps, function, **more, **options
                )
                loss = tf.reduce_sum(states[0] ** 2) + tf.reduce_sum(last[0])
                found.append(run([states, tf.gradients(loss, weights + state + steps)]))
            for one, other in zip(found[0][0] + found[0][1], found[1][0] + found[1][1]):
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)

    def test_both_directions(self):
        cells = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.LSTMCell(2)
        sequences = inputs(2, 5, 4)
        (forward, backward), _ = recurrent.bidirectional_functional_rnn(
            *cells, sequences, dtype=tf.float32, sequence_length=[3, 5], scope="a"
        )
        with tf.variable_scope("a", reuse=True) as scope:
            (one, other), _ = tf.nn.bidirectional_dynamic_rnn(
                *cells, sequences, [3, 5], dtype=tf.float32, scope=scope
            )
        for found, want in run([(forward, one), (backward, other)]):
            np.testing.assert_allclose(found, want, rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
