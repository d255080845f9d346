"""Crops, differences, cumulative sums and second derivatives, with their shapes."""

import unittest

import numpy as np

import troupe as tf


class CropTest(tf.test.TestCase):
    def test_a_crop_is_a_slice_at_changing_places(self):
        value = np.arange(100).reshape(10, 10)
        crop = tf.random_crop(value, [2, 3])
        self.assertEqual(crop.shape, [2, 3])
        found = set()
        with self.session() as session:
            for _ in range(20):
                corner = session.run(crop)
                self.assertAllEqual(corner - corner[0, 0], [[0, 1, 2], [10, 11, 12]])
                found.add(int(corner[0, 0]))
        self.assertGreater(len(found), 3)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "value.shape >= size"):
            given = tf.placeholder(tf.int64, [None, None])
            with self.session() as session:
                session.run(tf.random_crop(given, [2, 3]), {given: [[1, 2, 3]]})

    def test_a_crop_at_an_unknown_place_has_the_channels_of_the_image(self):
        image = tf.placeholder(tf.float32, [None, None, 3])
        row = tf.placeholder(tf.int32, [])
        crop = tf.image.crop_to_bounding_box(image, row, row, 4, 5)
        self.assertEqual(crop.shape, [4, 5, 3])
        unknown = tf.image.crop_to_bounding_box(image, 0, 0, row, 5)
        self.assertEqual(unknown.shape.as_list(), [None, 5, 3])
        with self.session() as session:
            found = session.run(crop, {image: np.ones([9, 9, 3]), row: 2})
        self.assertEqual(found.shape, (4, 5, 3))


class OthersTest(tf.test.TestCase):
    def test_the_hessian_has_the_second_derivatives(self):
        x = tf.placeholder(tf.float32, [3])
        (hessian,) = tf.hessians(tf.reduce_sum(x**3) + x[0] * x[1], x)
        self.assertEqual(hessian.shape, [3, 3])
        with self.session() as session:
            found = session.run(hessian, {x: [1.0, 2.0, 3.0]})
        self.assertAllClose(found, [[6, 1, 0], [1, 12, 0], [0, 0, 18]])

    def test_differences_of_vectors_have_elements_and_places(self):
        out, places = self.evaluate(tf.setdiff1d([1, 2, 3, 2, 5], [2, 3]))
        self.assertAllEqual(out, [1, 5])
        self.assertAllEqual(places, [0, 4])

    def test_sums_are_cumulated_along_the_first_axis(self):
        self.assertAllEqual(self.evaluate(tf.cumsum([[1, 2], [3, 4]])), [[1, 2], [4, 6]])
        self.assertAllEqual(self.evaluate(tf.math.cumprod([1, 2, 3], reverse=True)), [6, 6, 3])

    def test_what_set_shape_says_is_known_to_the_nodes_that_follow(self):
        given = tf.placeholder(tf.float32)
        given.set_shape([None, 2])
        self.assertEqual(tf.identity(given).shape.as_list(), [None, 2])
        self.assertEqual(tf.matmul(given, tf.ones([2, 5])).shape.as_list(), [None, 5])
        (gradient,) = tf.gradients(given * given, given)
        with self.session() as session:
            self.assertAllClose(session.run(gradient, {given: [[1, 2]]}), [[2, 4]])
            with self.assertRaisesRegex(ValueError, "Cannot feed value of shape"):
                session.run(given + 1, {given: [1.0]})


if __name__ == "__main__":
    unittest.main()
