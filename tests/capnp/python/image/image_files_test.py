"""Images of files of any kind, and measures of images whose shape is not known."""

import base64
import unittest

import numpy as np

import troupe as tf

# Two images of two pixels: red ones, and green ones.
ANIMATION = base64.b64decode(
    "R0lGODdhAgABAIEAAP8AAAAAAAAAAAAAACwAAAAAAgABAAAIBQABAAgIACH5BAEAAAEALAAAAAAC"
    "AAEAgQD/AAAAAAAAAAAAAAgFAAEACAgAOw=="
)
PIXELS = np.arange(24, dtype=np.uint8).reshape([4, 2, 3]) * 10


class FilesTest(tf.test.TestCase):
    def test_a_gif_file_has_several_images(self):
        every = tf.image.decode_image(ANIMATION)
        first = tf.image.decode_image(ANIMATION, expand_animations=False, dtype=tf.float32)
        self.assertIsNone(every.shape.rank)
        self.assertEqual(first.shape.as_list(), [None, None, None])
        with self.session() as session:
            images, image = session.run([every, first])
        self.assertAllEqual(images, [[[[255, 0, 0]] * 2], [[[0, 255, 0]] * 2]])
        self.assertAllClose(image, images[0] / 255)

    def test_each_kind_of_file_gives_its_image_in_any_dtype(self):
        contents = tf.placeholder(tf.string, [])
        jpeg, png = tf.image.encode_jpeg(PIXELS), tf.image.encode_png(PIXELS)
        with self.session() as session:
            for given, exact in ((session.run(png), 0), (session.run(jpeg), 60)):
                for dtype, scale in ((tf.uint8, 1), (tf.uint16, 256), (tf.float32, 1 / 255)):
                    found = session.run(tf.image.decode_image(contents, dtype=dtype),
                                        {contents: given})  # fmt: skip
                    self.assertEqual(found.dtype, dtype.as_numpy_dtype)
                    wanted, atol = PIXELS * float(scale), (exact + 1) * scale
                    self.assertAllClose(found.astype(float), wanted, rtol=1e-2, atol=atol)

    def test_deep_pixels_of_png_files_are_kept(self):
        deep = (np.arange(12).reshape([2, 2, 3]) * 5000 + 3).astype(np.uint16)
        found = tf.image.decode_image(tf.image.encode_png(deep), dtype=tf.float32)
        with self.session():
            self.assertAllClose(found.eval(), deep / 65535, rtol=1e-6)

    def test_kinds_of_files_without_such_channels_are_refused_in_a_step(self):
        for contents, channels in (
            (ANIMATION, 1), (ANIMATION, 4), (tf.image.encode_jpeg(PIXELS), 4),
        ):  # fmt: skip
            with self.session(), self.assertRaises(tf.errors.InvalidArgumentError):
                tf.image.decode_image(contents, channels).eval()
        with self.session(), self.assertRaises(tf.errors.InvalidArgumentError):
            tf.image.decode_image(b"no image").eval()


class MeasuresTest(unittest.TestCase):
    def test_of_images_of_unknown_shape(self):
        one, other = np.random.RandomState(0).rand(2, 1, 32, 33, 2).astype(np.float32)
        for measure in (
            lambda x, y: tf.image.ssim(x, y, 1.0),
            lambda x, y: tf.image.ssim_multiscale(x, y, 1.0, [0.5, 0.5]),
            lambda x, y: tf.image.sobel_edges(x),
        ):
            for shape in (None, [None] * 4):
                given = [tf.placeholder(tf.float32, shape) for _ in range(2)]
                with tf.Session() as session:
                    known = session.run(measure(tf.constant(one), tf.constant(other)))
                    found = session.run(measure(*given), dict(zip(given, (one, other))))
                np.testing.assert_allclose(found, known, rtol=1e-5)


if __name__ == "__main__":
    tf.test.main()
