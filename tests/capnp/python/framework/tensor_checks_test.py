"""Tensors whose shapes and dtypes `tf.contrib.framework` checks."""

import unittest

import numpy as np

import troupe as tf

framework = tf.contrib.framework


def evaluated(value, feeds=None):
    with tf.Session() as session:
        return session.run(value, feeds)


class WithShapeTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_tensor_of_the_shape_is_given_back(self):
        x = tf.constant([[1, 2], [3, 4]])
        self.assertIs(framework.with_shape([2, 2], x), x)
        self.assertIs(framework.with_shape([-1, 2], x), x)
        self.assertIs(framework.with_shape(tf.TensorShape([2, None]), x), x)
        self.assertIs(framework.with_same_shape(tf.zeros([2, 2]), x), x)

    def test_a_known_shape_that_differs_is_an_error(self):
        x = tf.constant([[1, 2], [3, 4]])
        for shape in ([3, 2], [2], [2, 2, 1], []):
            with self.assertRaisesRegex(ValueError, "Invalid shape"):
                framework.with_shape(shape, x)

    def test_one_element_is_made_a_scalar(self):
        self.assertEqual(framework.with_shape([], tf.constant([7])).shape, [])
        fed = tf.placeholder(tf.int32)
        self.assertEqual(evaluated(framework.with_shape([], fed), {fed: [7]}), 7)

    def test_a_step_checks_a_shape_that_is_not_known(self):
        fed = tf.placeholder(tf.float32, name="fed")
        checked = framework.with_shape([2, -1], fed)
        self.assertEqual(checked.shape.as_list(), [2, None])
        self.assertEqual(evaluated(checked, {fed: [[1], [2]]}).tolist(), [[1], [2]])
        for wrong in ([[1]], [1, 2], 3.0):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Wrong shape for fed:0"):
                evaluated(checked, {fed: wrong})

    def test_a_step_checks_the_shape_of_another_tensor(self):
        like, x = tf.placeholder(tf.float32), tf.constant([1.0, 2.0])
        checked = framework.with_same_shape(like, x)
        self.assertEqual(evaluated(checked, {like: np.zeros(2)}).tolist(), [1, 2])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            evaluated(checked, {like: np.zeros((2, 1))})

    def test_sizes_are_a_list_of_integers(self):
        x = tf.constant(1.0)
        with self.assertRaisesRegex(ValueError, "Invalid rank"):
            framework.with_shape([[1], [2]], x)
        for wrong in ([1.1], np.array([1.1]), tf.constant([1], tf.int64)):
            with self.assertRaisesRegex(ValueError, "Invalid dtype"):
                framework.with_shape(wrong, x)
        with self.assertRaisesRegex(ValueError, "SparseTensor"):
            framework.with_shape([1], tf.SparseTensor([[0]], [1], [1]))


class SumsAndScalarsTest(unittest.TestCase):
    def test_all_elements_of_all_tensors_are_added(self):
        given = [tf.constant(1), tf.constant([2]), tf.constant([[3, 4], [5, 6]])]
        self.assertEqual(evaluated(framework.reduce_sum_n(given)), 21)
        self.assertEqual(evaluated(framework.reduce_sum_n(given[2:])), 18)
        with self.assertRaises(ValueError):
            framework.reduce_sum_n([])

    def test_scalars_of_integers_are_given_back(self):
        x = tf.constant(3)
        self.assertIs(framework.assert_scalar_int(x), x)
        self.assertEqual(framework.assert_scalar_int(3).dtype, tf.int32)
        with self.assertRaisesRegex(ValueError, "Expected integer"):
            framework.assert_scalar_int(3.0)
        with self.assertRaisesRegex(ValueError, "Expected scalar"):
            framework.assert_scalar_int([3, 4])

    def test_the_last_axis_is_squeezed_where_ranks_differ(self):
        predictions, labels = framework.remove_squeezable_dimensions(
            tf.zeros([3, 1]), tf.ones([3])
        )
        self.assertEqual((predictions.shape, labels.shape), ([3], [3]))
        self.assertEqual(evaluated(labels).tolist(), [1, 1, 1])
        fed = tf.placeholder(tf.float32)
        found = framework.remove_squeezable_dimensions(tf.zeros([3]), fed)
        shapes = [each.shape for each in evaluated(found, {fed: [[1], [2], [3]]})]
        self.assertEqual(shapes, [(3,), (3,)])


if __name__ == "__main__":
    unittest.main()
