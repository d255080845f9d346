"""The assertions and helpers of tf.test."""

import unittest

import numpy as np

import troupe as tf


class AssertionsTest(tf.test.TestCase):
    def test_tensors_stand_for_their_values(self):
        with self.test_session():
            x = tf.constant([1.0, 2.0])
            self.assertAllEqual(x, [1, 2])
            self.assertAllClose([x, {"a": x}["a"]], [[1.0, 2.0], x])
            self.assertAllGreater(x, 0)
            self.assertAllInRange(x, 1, 2)
            self.assertAllInSet(x, {1, 2})
            self.assertDTypeEqual(x, np.float32)

    def test_a_false_assertion_fails(self):
        wrong = [
            lambda: self.assertAllEqual([1], [2]),
            lambda: self.assertNotAllEqual([1], [1]),
            lambda: self.assertAllClose({"a": [1.0, 2.0]}, {"a": [1.0, 2.1]}),
            lambda: self.assertNotAllClose([1.0], [1.0]),
            lambda: self.assertAllCloseAccordingToType([1.0], [1.01]),
            lambda: self.assertArrayNear([1.0], [1.2], 0.1),
            lambda: self.assertAllLess([1, 2], 2),
            lambda: self.assertAllLessEqual([1, 2], 1),
            lambda: self.assertAllGreaterEqual([1, 2], 2),
            lambda: self.assertAllInSet([1, 2], [1]),
            lambda: self.assertBetween(3, 1, 2),
            lambda: self.assertShapeEqual(np.zeros(2), tf.zeros([3])),
            lambda: self.assertDTypeEqual([1.0], np.int32),
            lambda: self.assertStartsWith("ab", "b"),
            lambda: self.assertItemsEqual([1, 2], [2, 2]),
            lambda: self.assertLen([1], 2),
        ]
        for check in wrong:
            with self.assertRaises(AssertionError):
                check()

    def test_half_precision_may_be_less_close(self):
        self.assertAllCloseAccordingToType(np.float16([1.0]), [1.0005])

    def test_expected_errors_are_given_by_a_pattern_or_a_predicate(self):
        unfed = tf.placeholder(tf.float32, name="unfed")
        with self.cached_session() as session:
            with self.assertRaisesOpError("must be fed"):
                session.run(unfed)
            with self.assertRaisesOpError(lambda error: error.node == "unfed"):
                session.run(unfed)
            with self.assertRaises(AssertionError):
                with self.assertRaisesOpError("something else"):
                    session.run(unfed)

    def test_each_test_draws_the_same_numbers(self):
        self.assertEqual(tf.get_default_graph().seed, 87654321)
        self.assertAllClose(np.random.rand(), np.random.RandomState(87654321).rand())

    def test_arrays_are_near_by_the_norm_of_their_difference(self):
        self.assertNDArrayNear(np.array([1.0, 2.0]), np.array([4.0, 6.0]), 5.1)
        with self.assertRaises(AssertionError):
            self.assertNDArrayNear(np.array([1.0, 2.0]), np.array([4.0, 6.0]), 5.0)

    def test_messages_are_equal_to_others_and_to_texts(self):
        event = tf.Event(step=3)
        self.assertProtoEquals(tf.Event(step=3), event)
        self.assertProtoEquals("step: 3", event)
        for other in ("step: 4", tf.Event(step=4), tf.Summary()):
            with self.assertRaises(AssertionError):
                self.assertProtoEquals(other, event)


class GradientErrorTest(tf.test.TestCase):
    def test_gradients_are_compared_with_numerical_derivatives(self):
        x = tf.placeholder(tf.float32, [2])
        with self.session():
            y = tf.square(x) * [1.0, 10.0]
            one, other = tf.test.compute_gradient(x, [2], y, [2], x_init_value=[1.0, 2.0])
            self.assertAllClose(one, [[2.0, 0.0], [0.0, 40.0]])
            self.assertAllClose(other, one, 1e-2, 1e-1)
            wrong = tf.square(tf.stop_gradient(x)) + x
            self.assertLess(tf.test.compute_gradient_error(x, [2], y, [2]), 0.1)
            error = tf.test.compute_gradient_error(x, [2], wrong, [2], [3.0, 3.0])
            self.assertNear(error, 6, 0.1)

    def test_what_else_is_fed_does_not_keep_a_tensor_from_moving(self):
        x, factor = tf.placeholder(tf.float64, [2]), tf.placeholder(tf.float64, [2])
        feeds = {x: [0.0, 0.0], factor: [2.0, 3.0]}
        with self.session():
            y = tf.square(x) * factor
            _, other = tf.test.compute_gradient(x, [2], y, [2], [1.0, 2.0], extra_feed_dict=feeds)
            self.assertAllClose(other, [[4.0, 0.0], [0.0, 12.0]])
            error = tf.test.compute_gradient_error(
                [x, factor], [[2], [2]], y, [2], extra_feed_dict=feeds
            )
            self.assertLess(error, 1e-6)


if __name__ == "__main__":
    unittest.main()
