"""Cells around cells: dropout, connections past a cell, devices."""

import hashlib
import unittest

import numpy as np

import troupe as tf

cells = tf.nn.rnn_cell


class Passing(cells.RNNCell):
    """Gives its input, and a state of ones."""

    def __init__(self, size=50):
        super().__init__()
        self.size = size

    @property
    def state_size(self):
        return cells.LSTMStateTuple(self.size, self.size)

    @property
    def output_size(self):
        return self.size

    def call(self, inputs, state):
        return inputs, cells.LSTMStateTuple(*(tf.ones_like(part) for part in state))


class WrappersTest(tf.test.TestCase):
    def run_cell(self, cell, inputs=None, feed_dict=None):
        x = tf.ones([8, 50]) if inputs is None else inputs
        result = cell(x, cell.zero_state(8, tf.float32))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(result, feed_dict)

    def test_each_probability_drops_its_own_part(self):
        all_kept, some = {0.0: 0, 1.0: 400}, {0.0, 2.0}
        for kind in ("input", "output", "state"):
            cell = cells.DropoutWrapper(Passing(), seed=3, **{f"{kind}_keep_prob": 0.5})
            output, state = self.run_cell(cell)
            dropped = state.h if kind == "state" else output
            kept = output if kind == "state" else state.h
            self.assertEqual(set(np.unique(dropped)), some, kind)
            self.assertEqual((kept == 1).sum(), all_kept[1.0], kind)
            self.assertAllEqual(state.c, np.ones([8, 50]))  # the memory is never dropped

    def test_a_visitor_chooses_what_is_dropped_of_a_state(self):
        chosen = cells.DropoutWrapper(
            Passing(), state_keep_prob=0.5,
            dropout_state_filter_visitor=lambda s: s if not isinstance(s, tuple) else (True, False),
        )  # fmt: skip
        with self.assertRaisesRegex(TypeError, "not a bool"):
            self.run_cell(chosen)
        chosen = cells.DropoutWrapper(
            Passing(), state_keep_prob=0.5,
            dropout_state_filter_visitor=lambda s: (
                cells.LSTMStateTuple(c=True, h=False) if isinstance(s, tuple) else True
            ),
        )  # fmt: skip
        _, state = self.run_cell(chosen)
        self.assertEqual(set(np.unique(state.c)), {0.0, 2.0})
        self.assertAllEqual(state.h, np.ones([8, 50]))
        with self.assertRaisesRegex(TypeError, "must be callable"):
            cells.DropoutWrapper(Passing(), dropout_state_filter_visitor=1)

    def test_a_seed_makes_the_draws_of_each_part_its_own(self):
        results = []
        for seed in (3, 3, 4):
            tf.reset_default_graph()
            cell = cells.DropoutWrapper(
                Passing(), output_keep_prob=0.5, state_keep_prob=0.5, seed=seed
            )
            results.append(self.run_cell(cell))
        self.assertAllEqual(results[0][0], results[1][0])
        self.assertFalse(np.array_equal(results[0][0], results[2][0]))
        self.assertFalse(np.array_equal(results[0][0], results[0][1].h))
        tf.reset_default_graph()
        seed = int(hashlib.md5(b"3output_0").hexdigest()[:8], 16) & 0x7FFFFFFF  # as TensorFlow does
        with tf.Session() as session:
            expected = session.run(tf.nn.dropout(tf.ones([8, 50]), rate=0.5, seed=seed))
        self.assertAllEqual(results[0][0], expected)

    def test_a_probability_may_be_a_tensor(self):
        keep = tf.placeholder_with_default(1.0, [])
        output, _ = self.run_cell(cells.DropoutWrapper(Passing(), output_keep_prob=keep))
        self.assertAllEqual(output, np.ones([8, 50]))
        output, _ = self.run_cell(
            cells.DropoutWrapper(Passing(), output_keep_prob=keep), feed_dict={keep: 0.5}
        )
        self.assertEqual(set(np.unique(output)), {0.0, 2.0})
        with self.assertRaisesRegex(ValueError, "input_keep_prob must be between 0 and 1"):
            cells.DropoutWrapper(Passing(), input_keep_prob=1.5)

    def test_variational_dropout_drops_the_same_in_all_time_steps_and_rows(self):
        cell = cells.DropoutWrapper(
            Passing(), input_keep_prob=0.5, output_keep_prob=0.5, variational_recurrent=True,
            input_size=50, dtype=tf.float32,
        )  # fmt: skip
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([8, 5, 50]), dtype=tf.float32)
        with tf.Session() as session:
            first, second = session.run(outputs), session.run(outputs)
        self.assertEqual(set(np.unique(first)), {0.0, 4.0})
        self.assertAllEqual(first, np.broadcast_to(first[:1, :1], first.shape))
        self.assertFalse(np.array_equal(first, second))
        plain, _ = tf.nn.dynamic_rnn(
            cells.DropoutWrapper(Passing(), output_keep_prob=0.5), tf.ones([8, 5, 50]),
            dtype=tf.float32,
        )  # fmt: skip
        with tf.Session() as session:
            value = session.run(plain)
        self.assertFalse(np.array_equal(value[:, 0], value[:, 1]))
        with self.assertRaisesRegex(ValueError, "dtype must be provided"):
            cells.DropoutWrapper(Passing(), variational_recurrent=True)
        with self.assertRaisesRegex(ValueError, "input_size must be provided"):
            cells.DropoutWrapper(
                Passing(), input_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32
            )

    def test_a_residual_cell_adds_its_inputs(self):
        x = tf.constant(np.arange(400).reshape(8, 50), tf.float32)
        output, state = self.run_cell(cells.ResidualWrapper(Passing()), x)
        self.assertAllEqual(output, 2 * np.arange(400).reshape(8, 50))
        self.assertAllEqual(state.h, np.ones([8, 50]))
        chosen = cells.ResidualWrapper(Passing(), lambda inputs, outputs: inputs - 2 * outputs)
        self.assertAllEqual(self.run_cell(chosen)[0], -np.ones([8, 50]))
        with self.assertRaisesRegex(ValueError, "incompatible"):
            self.run_cell(cells.ResidualWrapper(cells.GRUCell(3)))

    def test_a_cell_on_a_device_has_its_nodes_and_variables_there(self):
        cell = cells.DeviceWrapper(cells.BasicRNNCell(3), "/job:worker/task:1")
        output, _ = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
        self.assertIn("/job:worker/task:1", output.device)
        self.assertIn("/job:worker/task:1", cell.zero_state(1, tf.float32).device)
        self.assertIn("/job:worker/task:1", cell.weights[0].device)

    def test_wrappers_have_the_variables_and_sizes_of_their_cells(self):
        inner = cells.LSTMCell(3)
        wrapped = cells.ResidualWrapper(cells.DropoutWrapper(inner, output_keep_prob=0.5))
        self.assertEqual((wrapped.state_size, wrapped.output_size), ((3, 3), 3))
        self.assertIs(wrapped.cell.wrapped_cell, inner)
        wrapped(tf.ones([1, 3]), wrapped.zero_state(1, tf.float32))
        self.assertEqual([v.name for v in wrapped.trainable_variables],
                         ["lstm_cell/kernel:0", "lstm_cell/bias:0"])  # fmt: skip
        wrapped.trainable = False
        self.assertEqual((wrapped.trainable_variables, len(wrapped.variables)), ([], 2))


if __name__ == "__main__":
    unittest.main()
