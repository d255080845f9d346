"""Images of other sizes by the kernels of TensorFlow 2, against NumPy."""

import unittest

import numpy as np

import troupe as tf

image = tf.compat.v2.image
IMAGES = np.random.RandomState(0).rand(2, 5, 7, 3).astype(np.float32) * 10


def lanczos(radius):
    def kernel(x):
        near = np.where(x <= 1e-3, 1, x)
        top = radius * np.sin(np.pi * near) * np.sin(np.pi * near / radius)
        return np.where(x <= 1e-3, 1, np.where(x > radius, 0, top / (np.pi * near) ** 2))

    return kernel


def cubic(inner, outer):
    return lambda x: np.where(x < 1, np.polyval(inner, x), np.where(x < 2, np.polyval(outer, x), 0))


KERNELS = {
    "bilinear": lambda x: np.maximum(0, 1 - x),
    "bicubic": cubic([1.5, -2.5, 0, 1], [-0.5, 2.5, -4, 2]),
    "lanczos3": lanczos(3),
    "lanczos5": lanczos(5),
    "gaussian": lambda x: np.where(x >= 1.5, 0, np.exp(-2 * x * x)),
    "mitchellcubic": cubic([7 / 6, -2, 0, 8 / 9], [-7 / 18, 2, -10 / 3, 16 / 9]),
}


def weights(given, wanted, kernel, antialias):
    one, half = np.float32(1), np.float32(0.5)
    ratio = one / (np.float32(wanted) / np.float32(given))
    spread = max(ratio, one) if antialias else one
    middles = (np.arange(wanted, dtype=np.float32)[:, None] + half) * ratio
    apart = np.arange(given, dtype=np.float32) + half - middles
    found = kernel(abs(apart * (one / spread)))
    return found / found.sum(1, keepdims=True)


def scaled(images, size, method, antialias):
    kernel = KERNELS[method]
    rows = weights(images.shape[1], size[0], kernel, antialias)
    columns = weights(images.shape[2], size[1], kernel, antialias)
    return np.einsum("ih,jw,bhwc->bijc", rows, columns, images)


class ScalingTest(tf.test.TestCase):
    def test_pixels_are_weighted_by_the_kernels(self):
        for method in KERNELS:
            for antialias in (False, True):
                for size in ([3, 4], [9, 11], [5, 7], [2, 20]):
                    if method == "bicubic" and not antialias:
                        continue  # the op of other edges, whose tests are those of C++
                    with self.subTest(method, antialias=antialias, size=size):
                        found = image.resize(IMAGES, size, method, antialias=antialias)
                        self.assertEqual(found.shape, [2, *size, 3])
                        self.assertEqual(found.dtype, tf.float32)
                        expected = scaled(IMAGES, size, method, antialias)
                        self.assertAllClose(self.evaluate(found), expected, 1e-4, 1e-4)

    def test_nearest_pixels_keep_their_dtype_and_areas_are_means(self):
        numbers = np.arange(16, dtype=np.uint8).reshape(4, 4, 1)
        nearest = image.resize(numbers, [2, 2], image.ResizeMethod.NEAREST_NEIGHBOR)
        self.assertEqual(nearest.dtype, tf.uint8)
        self.assertAllEqual(self.evaluate(nearest)[..., 0], [[5, 7], [13, 15]])
        area = image.resize(numbers, [2, 2], image.ResizeMethod.AREA)
        self.assertAllClose(self.evaluate(area)[..., 0], [[2.5, 4.5], [10.5, 12.5]])
        means = image.resize(numbers, [2, 2], image.ResizeMethod.BILINEAR)
        self.assertAllClose(self.evaluate(means)[..., 0], [[2.5, 4.5], [10.5, 12.5]])
        gaussian = image.resize(numbers, [3, 3], image.ResizeMethod.GAUSSIAN)
        expected = scaled(numbers[None].astype(np.float32), [3, 3], "gaussian", False)[0]
        self.assertAllClose(self.evaluate(gaussian), expected, 1e-4, 1e-4)

    def test_sizes_may_be_known_to_a_step_alone(self):
        pixels = tf.placeholder_with_default(IMAGES[0], [None, None, 3])
        size = tf.placeholder_with_default([4, 9], [2])
        for method in ("lanczos3", "bilinear"):
            found = image.resize(pixels, size, method)
            self.assertEqual(found.shape.as_list(), [None, None, 3])
            expected = scaled(IMAGES[:1], [4, 9], method, False)[0]
            self.assertAllClose(self.evaluate(found), expected, 1e-4, 1e-4)

    def test_the_ratio_is_kept_with_or_without_stripes(self):
        found = image.resize(IMAGES, [3, 20], preserve_aspect_ratio=True)
        self.assertAllClose(
            self.evaluate(found), scaled(IMAGES, [3, 4], "bilinear", False), 1e-4, 1e-4
        )
        padded = image.resize_with_pad(IMAGES[0], 10, 8, "lanczos3", antialias=True)
        self.assertEqual(padded.shape, [10, 8, 3])
        value, inner = self.evaluate(padded), scaled(IMAGES[:1], [5, 8], "lanczos3", True)[0]
        self.assertAllClose(value[2:7], inner, 1e-4, 1e-4)
        self.assertAllEqual(value[[0, 1, 7, 8, 9]], np.zeros([5, 8, 3]))

    def test_it_has_gradients(self):
        pixels = tf.constant(IMAGES)
        (found,) = tf.gradients(image.resize(pixels, [3, 4], "gaussian", antialias=True), pixels)
        rows = weights(5, 3, KERNELS["gaussian"], True).sum(0)
        columns = weights(7, 4, KERNELS["gaussian"], True).sum(0)
        expected = np.broadcast_to((rows[:, None] * columns)[..., None], IMAGES.shape)
        self.assertAllClose(self.evaluate(found), expected, 1e-4, 1e-4)

    def test_other_methods_are_errors(self):
        with self.assertRaisesRegex(ValueError, "not implemented"):
            image.resize(IMAGES, [3, 4], "magic")
        with self.assertRaisesRegex(ValueError, "2 elements"):
            image.resize(IMAGES, [3, 4, 3])


if __name__ == "__main__":
    unittest.main()
