"""Random flips are those of TensorFlow 1.15 for a seed."""

import unittest

import troupe as tf


class RandomFlipsTest(tf.test.TestCase):
    def test_images_are_flipped_as_in_tensorflow_alone_and_in_batches(self):
        tf.set_random_seed(11)
        images = tf.reshape(tf.range(8.0), [4, 1, 2, 1])
        batch = tf.image.random_flip_left_right(images, seed=4)[:, 0, 0, 0]
        single = [tf.image.random_flip_left_right(images[0], seed=n)[0, 0, 0] for n in range(4)]
        upside_down = tf.image.random_flip_up_down(tf.transpose(images, [0, 2, 1, 3]), seed=4)
        with tf.Session() as session:
            self.assertEqual(session.run(batch).tolist(), [1, 2, 5, 7])
            self.assertEqual(session.run(single), [0, 0, 0, 1])
            self.assertEqual(session.run(upside_down[:, 0, 0, 0]).tolist(), [1, 2, 5, 7])


if __name__ == "__main__":
    unittest.main()
