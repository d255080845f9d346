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

    def test_a_mask_of_numbers_is_true_where_they_are_not_zero(self):
        with self.session():
            found = self.evaluate(tf.boolean_mask([1, 2, 3], tf.constant([0.0, 2.0, -1.0])))
        self.assertAllEqual(found, [2, 3])

    def test_sizes_of_whole_floating_point_numbers(self):
        self.assertEqual(tf.ones([np.float64(2.0), 3]).shape, [2, 3])
        self.assertEqual(tf.zeros(np.float64(2.0)).shape, [2])
        with self.assertRaisesRegex(ValueError, "Ambiguous dimension"):
            tf.zeros([2.5])
        self.assertEqual(tf.TensorShape(np.int32(5)), [5])

    def test_uniform_numbers_between_lists(self):
        with self.session():
            found = self.evaluate(tf.random_uniform([2], minval=[0.0, 5.0], maxval=[1, 6]))
        self.assertTrue(0 <= found[0] < 1 and 5 <= found[1] < 6)

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

    def test_a_check_of_constants_fails_at_once_and_an_assertion_in_its_step(self):
        for check, values in (
            (tf.assert_equal, (1, 2)),
            (tf.assert_none_equal, ("a", "a")),
            (tf.assert_less, ([1, 3], [2, 3])),
            (tf.assert_less_equal, (2.0, 1.0)),
            (tf.assert_greater, (1, 1)),
            (tf.assert_greater_equal, (1, 2)),
            (tf.assert_positive, ([0, 1],)),
            (tf.assert_non_negative, (-1,)),
            (tf.assert_negative, (0,)),
            (tf.assert_non_positive, (1,)),
        ):
            with self.subTest(check.__name__):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not so"):
                    check(*values, data=["not so"])
        failed = tf.Assert(tf.constant(False), ["not so", 5])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not so"):
            self.run_all(failed)

    def test_a_tensor_is_equal_to_itself_also_where_it_has_no_number(self):
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.assert_equal(x, x)]):
            self.run_all(tf.identity(x), {x: float("nan")})
        with tf.control_dependencies([tf.assert_less_equal(x, x)]):
            y = tf.identity(x)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.run_all(y, {x: float("nan")})

    def test_a_check_of_constants_in_a_branch_waits_for_the_branch(self):
        def never():
            with tf.control_dependencies([tf.assert_equal(1, 2)]):
                return tf.constant(3)

        flag = tf.placeholder(tf.bool, [])
        result = tf.cond(flag, never, lambda: tf.constant(4))
        self.assertEqual(self.run_all(result, {flag: False}), 4)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.run_all(result, {flag: True})

    def test_shapes_that_go_together(self):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32)
        wanted = [(x, ("batch", 3)), (y, ("*", "batch", None))]
        check = tf.debugging.assert_shapes(wanted)
        ones = np.ones
        self.run_all(check, {x: ones([2, 3]), y: ones([5, 2, 7])})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must have size"):
            self.run_all(check, {x: ones([2, 3]), y: ones([5, 4, 7])})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "rank at least"):
            self.run_all(check, {x: ones([2, 3]), y: ones([2])})
        scalar = tf.debugging.assert_shapes({y: (1,)})
        self.run_all(scalar, {y: 5})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must have size"):
            self.run_all(scalar, {y: [5, 6]})

    def test_shapes_that_are_known_not_to_go_together(self):
        x, y = tf.ones([3, 2]), tf.ones([2, 3])
        for shapes, error in (
            ([(x, ("n", "q")), (y, ("n", "d"))], "dimension 0 must have size 3.  Received size 2"),
            ([(x, (3, 3))], "Specified explicitly"),
            ([(x, ("a", "b", "c"))], "must have rank 3"),
            ([(x, 2)], "must be an iterable"),
            ([(x, (1, "*"))], "first entry"),
        ):
            with self.assertRaisesRegex(ValueError, error):
                tf.debugging.assert_shapes(shapes)
        tf.debugging.assert_shapes([(x, None), (x, (".", 2)), (x, (Ellipsis, 2))])

    def test_a_rank_is_a_scalar_of_int32(self):
        x, rank = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        check = tf.assert_rank(x, rank)
        self.run_all(check, {x: [1.0], rank: 1})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "shape"):
            self.run_all(check, {x: [1.0], rank: [1, 1]})
        with self.assertRaisesRegex(TypeError, "int32"):
            tf.assert_rank(x, tf.placeholder(tf.float32))

    def test_a_tensor_keeps_any_shape(self):
        x = tf.placeholder(tf.float32)
        self.assertIsNone(tf.ensure_shape(x, None).shape.rank)
        self.assertEqual(tf.ensure_shape(x, [None, 2]).shape.as_list(), [None, 2])

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
