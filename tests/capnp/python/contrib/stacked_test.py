"""Stacks of networks in both directions, and branches that are known while the graph is built."""

import unittest

import numpy as np

import troupe as tf

ROWS = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)


def cells(*sizes):
    return [tf.nn.rnn_cell.GRUCell(size) for size in sizes]


class StackedTest(tf.test.TestCase):
    def test_a_stack_is_layers_by_hand(self):
        stacked = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
            cells(2, 3), cells(2, 3), tf.constant(ROWS), dtype=tf.float32, sequence_length=[3, 2]
        )
        below = tf.constant(ROWS)
        with tf.variable_scope("stack_bidirectional_rnn", reuse=True):
            for index, size in enumerate((2, 3)):
                with tf.variable_scope(f"cell_{index}"):
                    pair, states = tf.nn.bidirectional_dynamic_rnn(
                        *cells(size, size), below, [3, 2], dtype=tf.float32
                    )
                below = tf.concat(pair, 2)
        steps = tf.contrib.rnn.stack_bidirectional_rnn(
            cells(2), cells(2), tf.unstack(tf.constant(ROWS), axis=1), dtype=tf.float32,
            initial_states_fw=[tf.ones([2, 2])], scope="static",
        )  # fmt: skip
        self.assertEqual([each.shape.as_list() for each in steps[0]], [[2, 4]] * 3)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            (found, forward, backward), other, last = session.run([stacked, below, states])
            outputs, (at_end,), (at_start,) = session.run(steps)
        self.assertEqual((found.shape, len(forward), len(backward)), ((2, 3, 6), 2, 2))
        self.assertAllClose(found, other)
        self.assertAllClose([forward[1], backward[1]], last)
        self.assertAllClose(outputs[2][:, :2], at_end)
        self.assertAllClose(outputs[0][:, 2:], at_start)

    def test_wrong_lists_are_refused(self):
        stack = tf.contrib.rnn.stack_bidirectional_dynamic_rnn
        for arguments, text in (
            (([], cells(2)), "at least one fw"), ((tuple(cells(2)), cells(2)), "cells_fw must be"),
            ((cells(2), cells(2, 2)), "same depth"),
            ((cells(2), cells(2), ROWS, [], None), "initial_states_fw must be"),
        ):  # fmt: skip
            given = arguments if len(arguments) > 2 else (*arguments, ROWS)
            with self.assertRaisesRegex(ValueError, text):
                stack(*given, dtype=tf.float32)


class SmartTest(tf.test.TestCase):
    def test_known_conditions_call_one_function(self):
        framework = tf.contrib.framework
        given = tf.placeholder_with_default(True, [])
        known = ((True, True), (0, False), (tf.constant(True), True))
        for condition, value in (*known, (given, None)):
            self.assertEqual(framework.smart_constant_value(condition), value)
        with self.assertRaises(TypeError):
            framework.smart_constant_value("yes")
        self.assertEqual(framework.smart_cond(1, lambda: "a", lambda: "b"), "a")
        found = framework.smart_cond(given, lambda: tf.constant(1), lambda: tf.constant(2))
        self.assertEqual(self.evaluate(found), 1)
        pairs = [(False, lambda: "a"), (True, lambda: "b"), (given, lambda: "c")]
        self.assertEqual(framework.smart_case(pairs), "b")
        pairs = [(False, lambda: tf.constant(1)), (given, lambda: tf.constant(2))]
        self.assertEqual(self.evaluate(framework.smart_case(pairs, lambda: tf.constant(3))), 2)
        with self.assertRaises(TypeError):
            framework.smart_cond(True, 1, lambda: 2)

    def test_values_of_tensors(self):
        util = tf.contrib.util
        self.assertAllEqual(util.constant_value(tf.constant([1, 2])), [1, 2])
        self.assertIsNone(util.constant_value(tf.placeholder(tf.int32)))
        self.assertAllEqual(util.make_ndarray(util.make_tensor_proto([1.5, 2.0])), [1.5, 2.0])


if __name__ == "__main__":
    unittest.main()
