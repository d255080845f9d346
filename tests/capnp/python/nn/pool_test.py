"""Pooling of windows with gaps."""

import itertools
import unittest

import numpy as np

import troupe as tf


def pooled(images, size, rate):
    """The largest numbers of windows of size * size elements that lie `rate` apart."""
    reach = (size - 1) * rate
    height, width = images.shape[1] - reach, images.shape[2] - reach
    parts = [
        images[:, y : y + height, x : x + width]
        for y, x in itertools.product(range(0, reach + 1, rate), repeat=2)
    ]
    return np.max(parts, 0)


class PoolTest(tf.test.TestCase):
    images = np.random.RandomState(3).permutation(7 * 6 * 2).reshape(1, 7, 6, 2)
    images = images.astype(np.float32)

    def test_windows_with_gaps_in_each_format_and_with_shapes_known_late(self):
        wanted = pooled(self.images, 2, 3)
        fed = tf.placeholder(tf.float32, [None, None, None, 2])
        first = tf.transpose(self.images, [0, 3, 1, 2])
        with self.session() as session:
            for images in (self.images, fed):
                got = tf.nn.pool(images, [2, 2], "MAX", "VALID", [3, 3])
                self.assertAllEqual(session.run(got, {fed: self.images}), wanted)
        dilated = tf.nn.pool(self.images, [2, 2], "MAX", "VALID", [3, 3])
        self.assertEqual(dilated.shape, wanted.shape)
        with self.assertRaises(ValueError):
            tf.nn.pool(first, [2, 2], "MAX", "VALID", [3, 3], data_format="WHCN")

    def test_gaps_go_neither_with_strides_nor_with_borders(self):
        for arguments in (
            {"padding": "SAME", "dilation_rate": [2, 2]},
            {"padding": "VALID", "dilation_rate": [2, 2], "strides": [2, 1]},
            {"padding": "VALID", "dilation_rate": [2]},
            {"padding": "VALID", "strides": [3, 3]},
            {"padding": "VALID", "strides": [0, 1]},
        ):
            with self.subTest(arguments), self.assertRaises(ValueError):
                tf.nn.pool(self.images, [2, 2], "AVG", **arguments)

    def test_any_op_runs_on_the_parts_between_the_gaps(self):
        filters = tf.ones([3, 3, 2, 1])
        wanted = tf.nn.conv2d(self.images, filters, 1, "SAME", dilations=2)

        def op(images, _, padding):
            return tf.nn.conv2d(images, filters, 1, padding)

        rate = tf.placeholder_with_default([2, 2], [2])
        with self.session() as session:
            for rates, shape in (([2, 2], [3, 3]), (rate, tf.shape(filters))):
                got = tf.nn.with_space_to_batch(self.images, rates, "SAME", op, shape)
                self.assertAllClose(*session.run([got, wanted]))
        with self.assertRaisesRegex(ValueError, "filter_shape"):
            tf.nn.with_space_to_batch(self.images, [2, 2], "SAME", op)

    def test_paddings_and_crops_of_blocks(self):
        late = tf.placeholder_with_default([5, 6], [2])
        with self.session() as session:
            for sizes in ([5, 6], late):
                paddings, crops = tf.required_space_to_batch_paddings(
                    sizes, [4, 3], [[1, 0], [0, 1]]
                )
                self.assertAllEqual(session.run(paddings), [[1, 2], [0, 3]])
                self.assertAllEqual(session.run(crops), [[0, 2], [0, 2]])


if __name__ == "__main__":
    unittest.main()
