"""Colours that are changed in the space YIQ, and pixels between pixels."""

import unittest

import numpy as np

import troupe as tf

image = tf.contrib.image
TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])


def evaluated(value, feeds=None):
    with tf.Session() as session:
        return session.run(value, feeds)


def changed(pixels, hue, saturation, value):
    turned = [[np.cos(hue), -np.sin(hue)], [np.sin(hue), np.cos(hue)]]
    middle = np.eye(3)
    middle[1:, 1:] = saturation * np.array(turned)
    return pixels @ (np.linalg.inv(TO_YIQ) @ middle @ TO_YIQ).T * value


class YiqColoursTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.pixels = np.random.RandomState(3).rand(2, 4, 5, 3)

    def test_hue_saturation_and_value_are_changed(self):
        for given in ((0.7, 1, 1), (0, 0.4, 1), (0, 1, 1.5), (-2.0, 0.3, 0.8)):
            found = evaluated(image.adjust_hsv_in_yiq(self.pixels, *given))
            self.assertEqual(found.dtype, np.float64)
            np.testing.assert_allclose(found, changed(self.pixels, *given), atol=2e-5)

    def test_integers_stay_integers(self):
        pixels = np.full((2, 2, 3), 100, np.uint8)
        found = evaluated(image.adjust_hsv_in_yiq(pixels, 1.0, 1, 0.5))
        self.assertEqual(found.dtype, np.uint8)
        np.testing.assert_allclose(found, 50, atol=1)

    def test_tensors_say_how_much(self):
        hue = tf.placeholder(tf.float32)
        found = evaluated(image.adjust_hsv_in_yiq(self.pixels, hue), {hue: 0.5})
        np.testing.assert_allclose(found, changed(self.pixels, 0.5, 1, 1), atol=2e-5)

    def test_wrong_shapes_are_errors(self):
        with self.assertRaisesRegex(ValueError, "at least rank 3"):
            image.adjust_hsv_in_yiq(np.zeros((2, 3)))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "3 channels"):
            image.adjust_hsv_in_yiq(np.zeros((2, 2, 4)))
        fed = tf.placeholder(tf.float32, [None, None, None])
        found = image.adjust_hsv_in_yiq(fed)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "3 channels"):
            evaluated(found, {fed: np.zeros((3, 2, 2))})

    def test_random_numbers_are_in_their_ranges(self):
        pixels = np.full((1, 1, 3), 0.5, np.float32)
        made = image.random_hsv_in_yiq(pixels, lower_value=0.5, upper_value=2.0, seed=7)
        with tf.Session() as session:
            values = [session.run(made)[0, 0, 0] / 0.5 for _ in range(5)]
        self.assertGreater(len(set(values)), 1)
        self.assertTrue(all(0.49 <= value <= 2.01 for value in values))
        same = evaluated(image.random_hsv_in_yiq(self.pixels))
        np.testing.assert_allclose(same, self.pixels, atol=2e-5)
        for wrong in ({"max_delta_hue": -1}, {"lower_saturation": 2}, {"lower_value": -1},
                      {"lower_value": 3}):  # fmt: skip
            with self.assertRaises(ValueError):
                image.random_hsv_in_yiq(self.pixels, **wrong)


class BetweenPixelsTest(unittest.TestCase):
    def test_points_are_between_pixels(self):
        grid = np.arange(9.0).reshape(1, 3, 3, 1)
        points = [[[0.0, 0.0], [2.0, 0.5], [1.5, 1.5], [-4.0, 9.0]]]
        found = evaluated(image.interpolate_bilinear(grid, points))
        self.assertEqual(found.reshape(-1).tolist(), [0, 6.5, 6, 2])
        turned = evaluated(image.interpolate_bilinear(grid, np.flip(points, -1), indexing="xy"))
        self.assertEqual(turned.tolist(), found.tolist())

    def test_wrong_arguments_are_errors(self):
        grid, points = np.zeros((1, 3, 3, 1)), np.zeros((1, 2, 2))
        with self.assertRaises(ValueError):
            image.interpolate_bilinear(grid, points, indexing="yx")
        with self.assertRaises(ValueError):
            image.interpolate_bilinear(grid[0], points)
        with self.assertRaises(ValueError):
            image.interpolate_bilinear(grid, np.zeros((1, 2, 3)))
        with self.assertRaises(tf.errors.InvalidArgumentError):
            image.interpolate_bilinear(grid[:, :1], points)


if __name__ == "__main__":
    unittest.main()
