"""Losses of one replica of several."""

import unittest

import numpy as np

import troupe as tf


class LossScalingTest(tf.test.TestCase):
    def test_average_losses(self):
        losses = tf.constant([1.0, 2.0, 3.0])
        fetches = [
            tf.nn.compute_average_loss(losses),
            tf.nn.compute_average_loss(losses, global_batch_size=12),
            tf.nn.compute_average_loss(losses, sample_weight=[1, 0, 1], global_batch_size=2),
            tf.nn.scale_regularization_loss([0.5, 1.5]),
        ]
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(fetches), [2.0, 0.5, 2.0, 2.0])

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "per_example_loss"):
            tf.nn.compute_average_loss(1.0)
        with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
            with self.assertRaisesRegex(RuntimeError, "compute_average_loss"):
                tf.nn.compute_average_loss([1.0])
            with self.assertRaisesRegex(RuntimeError, "scale_regularization_loss"):
                tf.nn.scale_regularization_loss(1.0)


if __name__ == "__main__":
    unittest.main()
