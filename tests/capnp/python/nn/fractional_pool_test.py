"""Pools whose windows have random sizes."""

import unittest

import numpy as np

import troupe as tf


class FractionalPoolTest(tf.test.TestCase):
    x = np.sin(np.arange(1 * 13 * 17 * 2) * 1.7).reshape(1, 13, 17, 2)

    def run_all(self, fetches):
        with tf.Session() as session:
            return session.run(fetches)

    def test_each_window_is_pooled(self):
        for pool, combine in (
            (tf.nn.fractional_max_pool_v2, np.max),
            (tf.nn.fractional_avg_pool_v2, np.mean),
        ):
            for pseudo_random in (False, True):
                for overlap in (False, True):
                    pooled = pool(self.x, [1.4, 1.7], pseudo_random, overlap, seed=3)
                    self.assertEqual(pooled.output.shape.as_list(), [1, 9, 10, 2])
                    output, rows, columns = self.run_all(pooled)
                    self.assertEqual((rows[0], rows[-1]), (0, 13))
                    self.assertLessEqual(set(np.diff(rows)) | set(np.diff(columns)), {1, 2})
                    for i, j in ((0, 0), (3, 4), (8, 9)):
                        y = slice(rows[i], rows[i + 1] + overlap)
                        window = self.x[0, y, columns[j] : columns[j + 1] + overlap]
                        self.assertAllClose(output[0, i, j], combine(window, axis=(0, 1)))

    def test_a_seed_gives_each_step_the_same_windows(self):
        seeded = tf.nn.fractional_max_pool_v2(self.x, 1.5, seed=7).col_pooling_sequence
        free = tf.nn.fractional_max_pool_v2(self.x, (1.5,)).col_pooling_sequence
        with tf.Session() as session:
            self.assertEqual(len({tuple(session.run(seeded)) for _ in range(5)}), 1)
            self.assertGreater(len({tuple(session.run(free)) for _ in range(9)}), 1)

    def test_gradients_go_to_the_elements_of_windows(self):
        x = tf.constant(self.x)
        for pool in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
            pooled = pool(x, [1, 2.5, 3, 1], deterministic=True, seed=1, seed2=2)
            (dx,) = tf.gradients(pooled.output, x)
            dx, output = self.run_all([dx, pooled.output])
            self.assertEqual(dx.shape, self.x.shape)
            self.assertAllClose(np.sum(dx), output.size)

    def test_ratios_and_seeds_that_do_not_fit_are_named(self):
        with self.assertRaisesRegex(ValueError, "of length 1, 2 or 4 but was 3"):
            tf.nn.fractional_max_pool_v2(self.x, [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "pooling_ratio cannot be smaller than 1"):
            tf.nn.fractional_avg_pool(self.x, [1, 0.5, 1, 1])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "seed2 must be 0"):
            self.run_all(tf.nn.fractional_avg_pool(self.x, [1, 2, 2, 1], seed=4))


if __name__ == "__main__":
    unittest.main()
