"""Parts of tensors and variables: indices, splits, pads, gathers, scatters."""

import unittest

import numpy as np

import troupe as tf


def values_of(tensors, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensors, feeds)


class IndexTest(tf.test.TestCase):
    def test_indices_mean_what_they_mean_in_numpy(self):
        array = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        fed = tf.placeholder(tf.float32)
        keys = [
            1, -1, slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1),
            slice(2, 0, -1), (slice(None), 2), (Ellipsis, 3), (0, Ellipsis, slice(1, 3)),
            (None, 1, slice(None), None), (slice(0, 0),), (slice(5, 9), 1), Ellipsis,
            (2, 3, 4),
        ]  # fmt: skip
        constants = values_of([tf.constant(array)[key] for key in keys])
        unknown = values_of([fed[key] for key in keys], {fed: array})
        for key, one, other in zip(keys, constants, unknown):
            self.assertAllEqual(one, array[key])
            self.assertAllEqual(other, array[key])

    def test_static_shapes_follow_from_indices(self):
        x = tf.placeholder(tf.float32, [None, 4, 5])
        self.assertEqual(x[0].shape.as_list(), [4, 5])
        self.assertEqual(x[:, 1:3, ::2].shape.as_list(), [None, 2, 3])
        self.assertEqual(x[..., tf.newaxis].shape.as_list(), [None, 4, 5, 1])

    def test_positions_may_be_tensors_of_several_types(self):
        x = tf.constant(np.arange(10))
        i, j = tf.constant(2), tf.constant(5, tf.int64)
        found = values_of([x[i], x[i:], x[i:j], x[j : tf.constant(0, tf.int16) : -2]])
        self.assertAllEqual(found[0], 2)
        self.assertAllEqual(found[2], [2, 3, 4])
        self.assertAllEqual(found[3], [5, 3, 1])

    def test_a_mask_takes_the_slices_where_it_is_true(self):
        x = tf.constant([[1, 2], [3, 4]])
        self.assertAllEqual(values_of(x[x > 1]), [2, 3, 4])
        self.assertAllEqual(values_of(x[np.array([False, True])]), [[3, 4]])

    def test_wrong_indices_are_named(self):
        x = tf.constant([1, 2])
        for key in ("a", 1.5, tf.constant(1.0), tf.constant([0, 1])):
            with self.assertRaisesRegex(TypeError, "Only integers"):
                x[key]
        with self.assertRaisesRegex(ValueError, "out of bounds"):
            x[2]

    def test_gradients_of_parts_go_to_their_places(self):
        x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        (gradient,) = tf.gradients(x[1, ::2] * 2.0, [x])
        self.assertAllEqual(values_of(gradient), [[0, 0, 0], [2, 0, 2]])


class AssignedPartTest(tf.test.TestCase):
    def test_a_part_of_a_variable_is_assigned(self):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        self.assertAllEqual(values_of(v[1, :1].assign([9.0])), [[1, 2], [9, 4]])

    def test_a_part_of_a_tensor_is_not(self):
        self.assertFalse(hasattr(tf.constant([1.0])[:1], "assign"))

    def test_rows_are_scattered(self):
        for scatter, expected in (
            (tf.scatter_update, [[5, 5], [3, 4]]), (tf.scatter_add, [[6, 7], [3, 4]]),
            (tf.scatter_sub, [[-4, -3], [3, 4]]), (tf.scatter_mul, [[5, 10], [3, 4]]),
            (tf.scatter_max, [[5, 5], [3, 4]]), (tf.scatter_min, [[1, 2], [3, 4]]),
        ):  # fmt: skip
            v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            self.assertAllEqual(values_of(scatter(v, [0], [[5.0, 5.0]])), expected)
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        self.assertAllEqual(
            values_of(tf.scatter_nd_add(v, [[1, 0]], [5.0])), [[1, 2], [8, 4]]
        )

    def test_a_counter_ends_at_its_limit(self):
        v = tf.Variable(1)
        with tf.Session() as session:
            session.run(v.initializer)
            count = v.count_up_to(3)
            self.assertEqual([session.run(count), session.run(count)], [1, 2])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(count)


class PartsTest(tf.test.TestCase):
    def test_splits(self):
        x = tf.placeholder(tf.float32, [None, 6])
        array = np.arange(12, dtype=np.float32).reshape(2, 6)
        halves, parts = tf.split(x, 2, axis=1), tf.split(x, [1, 2, 3], axis=1)
        self.assertEqual(
            [part.shape.as_list() for part in parts], [[None, n] for n in (1, 2, 3)]
        )
        one, three = values_of([halves, parts], {x: array})
        for found, expected in zip(one, np.split(array, 2, 1)):
            self.assertAllEqual(found, expected)
        for found, expected in zip(three, np.split(array, [1, 3], 1)):
            self.assertAllEqual(found, expected)
        self.assertEqual(len(tf.split(x, 1, axis=1)), 1)

    def test_a_split_by_sizes_of_unknown_rank_needs_their_number(self):
        sizes = tf.placeholder(tf.int32)
        with self.assertRaisesRegex(ValueError, "Cannot infer num from shape"):
            tf.split([1, 2, 3], sizes)
        found = values_of(tf.split([1, 2, 3], sizes, num=2), {sizes: [1, 2]})
        self.assertAllEqual(found[0], [1])
        self.assertAllEqual(found[1], [2, 3])

    def test_pads_with_values_and_with_mirrored_elements(self):
        x, around = tf.constant([[1, 2, 3]]), [[0, 0], [2, 1]]
        found = values_of([
            tf.pad(x, around), tf.pad(x, around, constant_values=9),
            tf.pad(x, around, "REFLECT"), tf.pad(x, around, "symmetric"),
        ])  # fmt: skip
        self.assertAllEqual(found[0], [[0, 0, 1, 2, 3, 0]])
        self.assertAllEqual(found[1], [[9, 9, 1, 2, 3, 9]])
        self.assertAllEqual(found[2], [[3, 2, 1, 2, 3, 2]])
        self.assertAllEqual(found[3], [[2, 1, 1, 2, 3, 3]])
        with self.assertRaisesRegex(ValueError, "Unknown padding mode: WRAP"):
            tf.pad(x, around, "WRAP")

    def test_where_alone_gives_positions(self):
        self.assertAllEqual(
            values_of(tf.where([[True, False], [False, True]])), [[0, 0], [1, 1]]
        )

    def test_gathers_in_batches(self):
        params, indices = np.arange(12).reshape(2, 3, 2), [[[2], [0]], [[1], [1]]]
        found = values_of(tf.gather_nd(params, indices, batch_dims=1))
        self.assertAllEqual(found, [[[4, 5], [0, 1]], [[8, 9], [8, 9]]])

    def test_repeats_and_searches(self):
        x = tf.constant([[1, 2], [3, 4]])
        found = values_of([tf.repeat(x, 2), tf.repeat(x, [2, 1], axis=0),
                           tf.searchsorted([1, 3, 5], [3, 6]),
                           tf.searchsorted([1, 3, 5], [3, 6], side="right")])  # fmt: skip
        self.assertAllEqual(found[0], [1, 1, 2, 2, 3, 3, 4, 4])
        self.assertAllEqual(found[1], [[1, 2], [1, 2], [3, 4]])
        self.assertAllEqual(found[2], [1, 3])
        self.assertAllEqual(found[3], [2, 3])

    def test_a_repeat_needs_an_axis_that_exists_but_not_the_rank(self):
        fed = tf.placeholder(tf.int32)
        found = values_of(tf.repeat(fed, [2, 0], axis=0), {fed: [[1], [2]]})
        self.assertAllEqual(found, [[1], [1]])
        self.assertAllEqual(values_of(tf.repeat(fed, 2, axis=0), {fed: 3}), [3, 3])
        for axis in [2, -3]:
            with self.assertRaisesRegex(ValueError, f"no axis {axis} of a tensor of rank 2"):
                tf.repeat([[1]], 2, axis=axis)

    def test_a_tensor_of_any_rank_is_transposed(self):
        x = tf.placeholder(tf.float32)
        self.assertAllEqual(
            values_of(tf.transpose(x), {x: np.ones([2, 3, 4])}).shape, [4, 3, 2]
        )


class SlotsTest(tf.test.TestCase):
    def test_optimizers_take_variables_of_all_types_of_floats(self):
        for make in (
            lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9),
            lambda: tf.train.FtrlOptimizer(0.1), lambda: tf.train.RMSPropOptimizer(0.1),
            lambda: tf.train.AdagradOptimizer(0.1),
        ):  # fmt: skip
            for dtype in (tf.half, tf.float32, tf.float64):
                tf.reset_default_graph()
                v = tf.Variable([1.0, 2.0], dtype=dtype)
                step = make().apply_gradients([(tf.constant([1.0, 1.0], dtype), v)])
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    session.run(step)
                    self.assertTrue(np.all(session.run(v) < [1.0, 2.0]), (make, dtype))

    def test_the_average_of_a_tensor_can_be_unbiased(self):
        x = tf.placeholder(tf.float64, [])
        value = tf.identity(x)
        average = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
        step = average.apply([value])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for given, expected in ((4.0, 4.0), (8.0, (0.25 * 4 + 0.5 * 8) / 0.75)):
                session.run(step, {x: given})
                self.assertAllClose(session.run(average.average(value)), expected)

    def test_variables_of_both_kinds_have_methods_for_their_parts(self):
        for use_resource in (True, False):
            tf.reset_default_graph()
            v = tf.Variable([[1.0, 2], [3, 4]], use_resource=use_resource)
            rows = tf.IndexedSlices(tf.constant([[5.0, 1]]), tf.constant([1]))
            cases = [
                (v.scatter_update(rows), [[1, 2], [5, 1]]), (v.scatter_add(rows), [[1, 2], [8, 5]]),
                (v.scatter_sub(rows), [[1, 2], [-2, 3]]), (v.scatter_mul(rows), [[1, 2], [15, 4]]),
                (v.scatter_div(rows), [[1, 2], [0.6, 4]]), (v.scatter_max(rows), [[1, 2], [5, 4]]),
                (v.scatter_min(rows), [[1, 2], [3, 1]]),
                (v.scatter_nd_update([[0, 1]], [9.0]), [[1, 9], [3, 4]]),
                (v.scatter_nd_add([[0, 1]], [9.0]), [[1, 11], [3, 4]]),
                (v.scatter_nd_sub([[0, 1]], [9.0]), [[1, -7], [3, 4]]),
                (tf.batch_scatter_update(v, [[1], [0]], [[6.0], [7]]), [[1, 6], [7, 4]]),
            ]  # fmt: skip
            with tf.Session() as session:
                for changed, expected in cases:
                    session.run(v.initializer)
                    self.assertAllClose(session.run(changed), expected)
                    self.assertAllClose(session.run(v), expected)
            with self.assertRaisesRegex(TypeError, "IndexedSlices"):
                v.scatter_add([1.0, 2.0])


if __name__ == "__main__":
    unittest.main()
