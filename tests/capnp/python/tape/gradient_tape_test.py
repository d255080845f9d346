"""Tapes: gradients of what a context adds to the graph."""

import unittest

import numpy as np

import troupe as tf


class GradientTapeTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def run_all(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_gradients_of_watched_tensors_and_read_variables(self):
        x, weight = tf.constant(3.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = weight * x**2
        self.assertEqual(tape.watched_variables(), (weight,))
        found = tape.gradient(y, {"x": x, "weight": weight})
        self.assertEqual(self.run_all(found), {"x": 12.0, "weight": 9.0})

    def test_what_is_not_watched_has_no_gradient(self):
        x, frozen = tf.constant(3.0), tf.Variable(2.0, trainable=False)
        with tf.GradientTape(persistent=True) as tape:
            y = frozen * x**2
        self.assertEqual(tape.gradient(y, [x, frozen]), [None, None])
        zeros = tape.gradient(y, [x, frozen], unconnected_gradients="zero")
        self.assertEqual(self.run_all(zeros), [0.0, 0.0])

    def test_variables_are_watched_by_the_program_alone_where_that_is_asked(self):
        one, other = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(one)
            y = one * other
        self.assertEqual(tape.watched_variables(), (one,))
        first, second = tape.gradient(y, (one, other))
        self.assertEqual((self.run_all(first), second), (3.0, None))

    def test_what_is_added_outside_passes_nothing(self):
        x = tf.constant(3.0)
        before = x * x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = before * x
            with tape.stop_recording():
                unseen = x * x
        after = y * y
        self.assertEqual(self.run_all(tape.gradient(y, x)), 9.0)
        self.assertIsNone(tape.gradient(after, x))
        self.assertIsNone(tape.gradient(unseen, x))

    def test_gradients_of_what_is_between(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        self.assertEqual(self.run_all(tape.gradient(z, [y, x])), [18.0, 108.0])

    def test_a_tape_within_a_tape_gives_second_derivatives(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            slope = inner.gradient(y, x)
        self.assertEqual(self.run_all([slope, outer.gradient(slope, x)]), [27.0, 18.0])

    def test_initial_gradients_weigh_the_targets(self):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            targets = [x * x, 3 * x]
        weights = np.array([1.0, 10.0], np.float32)
        found = tape.gradient(targets, x, output_gradients=[weights, None])
        np.testing.assert_allclose(self.run_all(found), [5.0, 43.0])

    def test_a_tape_that_is_not_persistent_gives_gradients_once(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)
        with self.assertRaisesRegex(RuntimeError, "only be called once"):
            tape.gradient(y, x)

    def test_reset_forgets_what_was_recorded(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = x * x
            tape.reset()
            tape.watch(x)
            loss += 5 * x
        self.assertEqual(self.run_all(tape.gradient(loss, x)), 5.0)

    def test_wrong_use_is_an_error(self):
        tape = tf.GradientTape()
        with self.assertRaisesRegex(RuntimeError, "not recording"):
            tape.watch(tf.constant(1.0))
        with tape:
            with self.assertRaisesRegex(ValueError, "not tf.Tensor"):
                tape.watch(1.0)
            with self.assertRaisesRegex(ValueError, "already recording"):
                tape.__enter__()
            with self.assertRaisesRegex(ValueError, "unconnected_gradients"):
                tape.gradient(tf.constant(1.0), [], unconnected_gradients="none at all")


class JacobianTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_each_element_of_the_target_has_a_row(self):
        x = tf.constant([1.0, 2.0])
        unused = tf.constant([1.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, unused])
            y = tf.stack([x[0] * x[1], x[0], x[1] ** 2])
        found, missing = tape.jacobian(y, [x, unused])
        self.assertIsNone(missing)
        self.assertEqual(found.shape, [3, 2])
        zeros = tape.jacobian(y, unused, unconnected_gradients="zero")
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(found), [[2, 1], [1, 0], [0, 4]])
            np.testing.assert_allclose(session.run(zeros), np.zeros([3, 1]))

    def test_examples_of_a_batch_have_matrices_of_their_own(self):
        value = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
        for shape in ([2, 2], [None, 2], None):
            x = tf.placeholder(tf.float32, shape)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x + tf.reverse(x, [1])
            found = tape.batch_jacobian(y, x)
            with tf.Session() as session:
                expected = [[[2, 1], [1, 4]], [[6, 1], [1, 8]]]
                np.testing.assert_allclose(session.run(found, {x: value}), expected)

    def test_batches_of_other_sizes_are_refused(self):
        x = tf.ones([2, 3])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
        for target in (tf.ones([3, 3]), tf.ones([2])):
            with self.assertRaisesRegex(ValueError, "first dimension"):
                tape.batch_jacobian(target, x)


if __name__ == "__main__":
    unittest.main()
