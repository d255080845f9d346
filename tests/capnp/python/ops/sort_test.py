"""Values in order, and their indices, along any axis."""

import unittest

import numpy as np

import troupe as tf

X = np.random.RandomState(0).permutation(24).reshape(2, 3, 4)


class SortTest(tf.test.TestCase):
    def run_tensor(self, tensor, feeds=None):
        with tf.Session() as session:
            return session.run(tensor, feeds)

    def test_values_are_in_order_along_the_axis(self):
        fed = tf.placeholder(tf.float32)
        for axis in (-1, 0, 1, 2, -2, -3):
            with self.subTest(axis=axis):
                expected = np.sort(X, axis)
                self.assertAllEqual(self.run_tensor(tf.sort(X, axis)), expected)
                downwards = tf.sort(X.astype(np.float32), axis, "DESCENDING")
                self.assertAllEqual(self.run_tensor(downwards), np.flip(expected, axis))
                self.assertAllEqual(self.run_tensor(tf.sort(fed, axis), {fed: X}), expected)
                order = np.argsort(X, axis)
                self.assertAllEqual(self.run_tensor(tf.argsort(X, axis)), order)
                self.assertAllEqual(self.run_tensor(tf.argsort(-X, axis, "DESCENDING")), order)

    def test_the_least_integers_are_first(self):
        for dtype in (np.int32, np.int64, np.uint8, np.int8):
            limits = np.iinfo(dtype)
            values = np.array([3, limits.max, 0, limits.min], dtype)
            with self.subTest(dtype.__name__):
                self.assertAllEqual(self.run_tensor(tf.sort(values)), np.sort(values))
                order = self.run_tensor(tf.argsort(values, stable=True))
                self.assertAllEqual(order, np.argsort(values, kind="stable"))

    def test_equal_values_keep_their_order(self):
        values = [2.0, 1.0, 2.0, 1.0]
        self.assertAllEqual(self.run_tensor(tf.argsort(values)), [1, 3, 0, 2])
        self.assertAllEqual(self.run_tensor(tf.argsort(values, -1, "DESCENDING")), [0, 2, 1, 3])

    def test_directions_and_axes_are_checked(self):
        with self.assertRaisesRegex(ValueError, "UP should be one of ASCENDING, DESCENDING"):
            tf.sort(X, direction="UP")
        for axis in (tf.placeholder(tf.int32, []), [0]):
            with self.assertRaisesRegex(ValueError, "axis must be a constant scalar"):
                tf.argsort(X, axis)

    def test_an_axis_that_is_not_there_is_a_value_error(self):
        for wrong in (
            lambda: tf.sort([3, 4], axis=-2),
            lambda: tf.argsort(X, axis=3),
            lambda: tf.unstack(X, axis=3),
            lambda: tf.unstack(X, num=2, axis=-4),
            lambda: tf.norm(X.astype(float), axis=[1]),
            lambda: tf.norm(X.astype(float), axis=2.5),
            lambda: tf.norm(X.astype(float), axis=[1, 1]),
        ):
            with self.assertRaisesRegex(ValueError, "axis"):
                wrong()

    def test_axes_of_products_are_checked_when_they_are_known(self):
        x = np.array([[1.0, 2], [3, 4]])
        with self.assertRaisesRegex(IndexError, "axes"):
            tf.tensordot(x, x, [[0], [7]])
        axes = tf.placeholder(tf.int32)
        product = tf.tensordot(x, x, axes)
        found = self.run_tensor(product, {axes: [[0], [-1]]})
        self.assertAllClose(found, np.tensordot(x, x, [[0], [1]]))
        for wrong in (1, [1], [0, 1], [[1]], [[0], [7]]):
            with self.subTest(axes=wrong), self.assertRaises(tf.errors.InvalidArgumentError):
                self.run_tensor(product, {axes: wrong})


if __name__ == "__main__":
    unittest.main()
