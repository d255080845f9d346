"""Reversals, masks, grids, the greatest elements, random tensors, assertions and prints."""

import unittest

import numpy as np

import troupe as tf


class RearrangeTest(tf.test.TestCase):
    def run_all(self, fetches, feeds=None):
        with tf.Session() as session:
            return session.run(fetches, feeds)

    def test_reversals(self):
        x = np.arange(6).reshape(2, 3)
        self.assertAllEqual(self.run_all(tf.reverse(x, [1])), x[:, ::-1])
        rows = tf.reverse_sequence(x, [1, 3], seq_axis=1, batch_axis=0)
        self.assertAllEqual(self.run_all(rows), [[0, 1, 2], [5, 4, 3]])

    def test_masks(self):
        x = np.arange(12).reshape(3, 4)
        mask = np.array([True, False, True])
        self.assertAllEqual(self.run_all(tf.boolean_mask(x, mask)), x[mask])
        columns = np.array([False, True, True, False])
        self.assertAllEqual(self.run_all(tf.boolean_mask(x, columns, axis=1)), x[:, columns])
        self.assertAllEqual(self.run_all(tf.boolean_mask(x, x > 5)), x[x > 5])
        expected = [[True, False, False], [True, True, True]]
        self.assertAllEqual(self.run_all(tf.sequence_mask([1, 3])), expected)
        floats = tf.sequence_mask([1, 3], 4, dtype=tf.float32)
        self.assertAllEqual(self.run_all(floats), [[1, 0, 0, 0], [1, 1, 1, 0]])
        with self.assertRaisesRegex(ValueError, "scalar"):
            tf.boolean_mask(x, True)

    def test_grids(self):
        for indexing in ("xy", "ij"):
            expected = np.meshgrid([1, 2, 3], [4, 5], [6, 7], indexing=indexing)
            found = self.run_all(tf.meshgrid([1, 2, 3], [4, 5], [6, 7], indexing=indexing))
            for one, other in zip(found, expected):
                self.assertAllEqual(one, other)

    def test_the_greatest_elements(self):
        top = tf.nn.top_k([[1.0, 5.0, 3.0]], k=2)
        self.assertAllEqual(self.run_all(top.values), [[5, 3]])
        self.assertAllEqual(self.run_all(top.indices), [[1, 2]])
        self.assertAllEqual(self.run_all(tf.nn.in_top_k([[0.1, 0.9], [0.1, 0.9]], [0, 1], 1)),
                            [False, True])

    def test_matrices(self):
        self.assertAllEqual(self.run_all(tf.eye(2, 3)), np.eye(2, 3))
        self.assertAllEqual(self.run_all(tf.eye(2, batch_shape=[2])), [np.eye(2)] * 2)
        a = np.array([[3.0, 1.0], [1.0, 3.0]])
        s, u, v = self.run_all(tf.svd(a))
        self.assertAllClose(u @ np.diag(s) @ v.T, a)
        self.assertAllClose(self.run_all(tf.svd(a, compute_uv=False)), [4, 2])

    def test_slices_with_steps(self):
        x = np.arange(10)
        self.assertAllEqual(self.run_all(tf.strided_slice(x, [8], [1], [-3])), x[8:1:-3])

    def test_random_tensors(self):
        tf.set_random_seed(7)
        integers = tf.random_uniform([1000], 3, 8, dtype=tf.int32)
        shuffled = tf.random_shuffle(np.arange(50), seed=3)
        classes = tf.multinomial([[0.0, -100.0, 0.0]], 100)
        gamma = tf.random_gamma([2000], [2.0, 4.0])
        poisson = tf.random_poisson([3.0], [2000])
        stateless = tf.random.stateless_uniform([3], [1, 2])
        integers, shuffled, classes, gamma, poisson, first, second = self.run_all(
            [integers, shuffled, classes, gamma, poisson, stateless, stateless]
        )
        self.assertEqual(set(integers), {3, 4, 5, 6, 7})
        self.assertAllEqual(sorted(shuffled), np.arange(50))
        self.assertEqual(set(classes[0]), {0, 2})
        self.assertAllClose(gamma.mean(axis=0), [2, 4], rtol=0.1)
        self.assertAllClose(poisson.mean(), 3, rtol=0.1)
        self.assertAllEqual(first, second)
        with self.assertRaisesRegex(ValueError, "maxval"):
            tf.random_uniform([2], dtype=tf.int32)

    def test_assertions_fail_steps_and_show_the_values(self):
        x = tf.placeholder(tf.float32, [2])
        checks = {
            tf.assert_equal: ([1, 2], [1, 2], [1, 3]),
            tf.assert_none_equal: ([3, 3], [1, 2], [3, 1]),
            tf.assert_less: ([3, 3], [1, 2], [3, 1]),
            tf.assert_less_equal: ([3, 3], [1, 3], [4, 1]),
            tf.assert_greater: ([0, 0], [1, 2], [0, 1]),
            tf.assert_greater_equal: ([0, 0], [1, 0], [-1, 1]),
            tf.assert_near: ([1, 1], [1, 1], [1, 1.1]),
        }
        for check, (other, right, wrong) in checks.items():
            with self.subTest(check.__name__):
                with tf.control_dependencies([check(x, np.float32(other), message="told")]):
                    y = x + 1.0
                self.run_all(y, {x: right})
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "told"):
                    self.run_all(y, {x: wrong})
        for check, right, wrong in [
            (tf.assert_positive, [1, 2], [0, 1]),
            (tf.assert_non_negative, [0, 2], [-1, 1]),
            (tf.assert_negative, [-1, -2], [0, -1]),
            (tf.assert_non_positive, [0, -2], [1, -1]),
        ]:
            with self.subTest(check.__name__):
                self.run_all(check(x), {x: right})
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    self.run_all(check(x), {x: wrong})

    def test_an_assertion_that_is_known_to_fail_does_so_at_once(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not so 5"):
            tf.Assert(tf.constant(False), ["not so", 5])

    def test_numbers_are_checked(self):
        x = tf.placeholder(tf.float32, [2])
        y = tf.check_numerics(x, "found one")
        self.assertAllEqual(self.run_all(y, {x: [1, 2]}), [1, 2])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "found one"):
            self.run_all(y, {x: [1, np.nan]})
        z = tf.log(x)
        check = tf.add_check_numerics_ops()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Log"):
            self.run_all([z, check], {x: [1, 0]})

    def test_prints_do_not_change_values(self):
        x = tf.constant([1.0, 2.0])
        self.assertAllEqual(self.run_all(tf.Print(x, [x], "values")), [1, 2])
        self.assertIsNone(self.run_all(tf.print("x is", x)))
        with self.assertRaisesRegex(ValueError, "Unrecognized keyword"):
            tf.print(x, color="red")

    def test_means_of_segments_in_any_order(self):
        x, ids = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [2, 0, 2]
        mean = tf.unsorted_segment_mean(x, ids, 3)
        root = tf.math.unsorted_segment_sqrt_n(x, ids, 3)
        (dx,) = tf.gradients(mean, [x])
        with tf.Session() as session:
            values = session.run([mean, root, dx])
        self.assertAllClose(values[0], [[3, 4], [0, 0], [3, 4]])
        self.assertAllClose(values[1], [[3, 4], [0, 0], [6 / 2**0.5, 8 / 2**0.5]])
        self.assertAllClose(values[2], [[0.5, 0.5], [1, 1], [0.5, 0.5]])


if __name__ == "__main__":
    unittest.main()
