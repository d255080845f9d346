"""Images that are turned by right angles."""

import unittest

import numpy as np

import troupe as tf

IMAGE = np.arange(24, dtype=np.float32).reshape(2, 4, 3)


class TurnedImagesTest(tf.test.TestCase):
    def test_each_step_may_choose_how_far_images_are_turned(self):
        turns = tf.placeholder(tf.int32, [])
        one = tf.image.rot90(IMAGE, turns)
        batch = tf.image.rot90(np.stack([IMAGE, -IMAGE]), turns)
        self.assertEqual(one.shape.as_list(), [None, None, 3])
        self.assertEqual(tf.image.rot90(IMAGE[:, :2], turns).shape.as_list(), [2, 2, 3])
        with self.session() as session:
            for k in range(-3, 6):
                values = session.run([one, batch], {turns: k})
                self.assertAllEqual(values[0], np.rot90(IMAGE, k))
                self.assertAllEqual(values[1][1], np.rot90(-IMAGE, k))

    def test_how_far_is_one_number(self):
        with self.assertRaisesRegex(ValueError, "must be a scalar"):
            tf.image.rot90(IMAGE, tf.placeholder(tf.int32, [1]))


if __name__ == "__main__":
    unittest.main()
