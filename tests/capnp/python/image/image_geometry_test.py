"""Shapes of turned, cut and padded images, and which images are refused."""

import numpy as np

import troupe as tf

image = tf.image
ANY_RANK = [
    image.flip_left_right, image.flip_up_down, image.random_flip_left_right,
    image.random_flip_up_down, image.transpose, image.rot90,
    lambda pixels: image.rot90(pixels, tf.placeholder(tf.int32, [])),
]  # fmt: skip


class GeometryTest(tf.test.TestCase):
    def test_an_image_of_unknown_rank_is_no_batch(self):
        unknown = tf.placeholder(tf.uint8)
        for function in ANY_RANK:
            self.assertEqual(function(unknown).shape.as_list(), [None] * 3)
        padded = image.pad_to_bounding_box(unknown, 0, 0, 5, 6)
        self.assertEqual(padded.shape.as_list(), [5, 6, None])

    def test_images_without_pixels_are_refused(self):
        empty = tf.placeholder(tf.uint8, [None, 4, 0, 3])
        others = [
            lambda pixels: image.pad_to_bounding_box(pixels, 0, 0, 5, 6),
            lambda pixels: image.central_crop(pixels, 0.5),
            image.per_image_standardization,
        ]
        for function in ANY_RANK + others:
            with self.assertRaises(ValueError):
                function(empty)

    def test_central_crops_have_known_shapes(self):
        for given, wanted in (
            ([None, 8, 9, 3], [None, 4, 5, 3]),
            ([8, None, 3], [4, None, 3]),
            ([8, 9, None], [4, 5, None]),
            ([5, None, None, None], [5, None, None, None]),
        ):
            cropped = image.central_crop(tf.placeholder(tf.float32, given), 0.5)
            self.assertEqual(cropped.shape.as_list(), wanted)
        for bad in (None, [8, 9], [1, 1, 8, 9, 3]):
            with self.assertRaises(ValueError):
                image.central_crop(tf.placeholder(tf.float32, bad), 0.5)

    def test_sizes_are_integers(self):
        for bad in ([4.0, 5.0], "size", 4, [4]):
            with self.assertRaises(ValueError):
                image.resize_images(np.zeros([2, 2, 1]), bad)


class ColoursTest(tf.test.TestCase):
    def test_standardized_images_keep_their_dtype(self):
        pixels = np.random.RandomState(1).randint(0, 256, [2, 3, 4, 3])
        for dtype in (np.uint8, np.float16, np.float32, np.float64):
            scale = 255.0 if dtype == np.uint8 else 1.0
            exact = pixels / 255.0
            wanted = (exact - exact.mean((1, 2, 3), keepdims=True)) / exact.std(
                (1, 2, 3), keepdims=True
            )
            found = image.per_image_standardization((pixels / 255.0 * scale).astype(dtype))
            self.assertEqual(found.dtype.as_numpy_dtype, dtype)
            if dtype == np.uint8:
                wanted = np.clip(np.floor(wanted * 255.5), 0, 255)
            with self.session():
                self.assertAllClose(
                    found.eval().astype(float), wanted,
                    rtol=1e-2 if dtype == np.float16 else 1e-5,
                    atol={np.uint8: 1, np.float16: 2e-2}.get(dtype, 1e-5),
                )  # fmt: skip

    def test_grey_images_have_one_channel(self):
        for bad in ([1, 1, 2], [2]):
            with self.assertRaises(ValueError):
                image.grayscale_to_rgb(np.zeros(bad))
        for shape in (None, [None, None, None]):
            given = tf.placeholder(tf.float32, shape)
            coloured = image.grayscale_to_rgb(given)
            with self.session():
                self.assertEqual(coloured.eval({given: np.ones([2, 2, 1])}).shape, (2, 2, 3))
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    coloured.eval({given: np.ones([2, 2, 2])})

    def test_exponents_below_zero_are_refused_in_a_step(self):
        gamma = tf.placeholder(tf.float32, [])
        adjusted = image.adjust_gamma(np.full([1, 1, 3], 0.25, np.float32), gamma)
        with self.session():
            self.assertAllClose(adjusted.eval({gamma: 0.5})[0, 0], [0.5] * 3)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                adjusted.eval({gamma: -1.0})


if __name__ == "__main__":
    tf.test.main()
