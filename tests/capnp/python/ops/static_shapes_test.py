"""Shapes that are known before a step runs, from integers that constants and shapes give."""

import unittest

import troupe as tf


class StaticShapesTest(tf.test.TestCase):
    def test_the_greatest_of_constant_lengths_is_the_size_of_their_mask(self):
        self.assertEqual(tf.sequence_mask([1, 3, 2]).shape.as_list(), [3, 3])
        self.assertEqual(tf.sequence_mask([[0, 1], [4, 2]]).shape.as_list(), [2, 2, 4])

    def test_sizes_go_through_slices_joins_and_arithmetic(self):
        x = tf.placeholder(tf.float32, [None, 6])
        sizes = tf.shape(x)
        self.assertEqual(tf.reshape(x, [sizes[0], 2, sizes[1] // 2]).shape.as_list(), [None, 2, 3])
        joined = tf.concat([sizes[:1], [3], sizes[1:] - 4], 0)
        self.assertEqual(tf.zeros(joined).shape.as_list(), [None, 3, 2])
        tiled = tf.tile(tf.ones([2, 1, 1]), tf.stack([1, sizes[0], 5]))
        self.assertEqual(tiled.shape.as_list(), [2, None, 5])
        part = tf.slice(tf.zeros([1, 2, 3]), [0, 0, 0], [tf.constant(1) + 0, 2, -1])
        self.assertEqual(part.shape.as_list(), [1, 2, 3])

    def test_sizes_may_be_int64_tensors_among_numbers(self):
        rows = tf.placeholder_with_default(tf.constant(2, tf.int64), [])
        with self.session() as session:
            for made in (tf.fill([rows, 3], 1.0), tf.ones([rows, 3]), tf.zeros([3, rows])):
                self.assertEqual(session.run(tf.size(made)), 6)

    def test_axes_whose_paddings_are_known_have_a_size(self):
        unknown = tf.placeholder(tf.int32, [])
        padded = tf.pad(tf.zeros([4, 4]), [[1, tf.constant(2)], [0, unknown]], constant_values=7)
        self.assertEqual(padded.shape.as_list(), [7, None])
        with self.session() as session:
            self.assertEqual(session.run(padded, {unknown: 1}).shape, (7, 5))

    def test_slices_of_batches_need_no_known_rank(self):
        params, indices = tf.constant([[1, 2, 3], [4, 5, 6]]), tf.placeholder(tf.int32)
        found = tf.gather_nd(params, indices, batch_dims=1)
        self.assertIsNone(found.shape.rank)
        with self.session() as session:
            self.assertAllEqual(session.run(found, {indices: [[2], [0]]}), [3, 4])
            self.assertAllEqual(session.run(found, {indices: [[[2], [1]], [[0], [0]]]}),
                                [[3, 2], [4, 4]])  # fmt: skip

    def test_sparse_tensors_have_shapes_sizes_and_ranks(self):
        sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
        value = tf.SparseTensorValue([[0, 1]], [1.0], [2, 3])
        for given in (sparse, value):
            found = self.evaluate([tf.shape(given), tf.size(given), tf.rank(given)])
            self.assertAllEqual(found[0], [2, 3])
            self.assertEqual([found[1], found[2]], [6, 2])
        self.assertEqual(tf.shape(sparse, out_type=tf.int64).dtype, tf.int64)

    def test_a_single_tensor_is_joined_along_a_scalar_axis_only(self):
        self.assertAllEqual(self.evaluate(tf.concat([[1]], 0)), [1])
        with self.assertRaisesRegex(ValueError, "axis must be a scalar"):
            tf.concat([[1]], [0])
        with self.assertRaises(TypeError):
            tf.concat([[1]], 4.2)
        with self.assertRaisesRegex(ValueError, "needs a tensor"):
            tf.concat([], 0)

    def test_a_loop_may_add_elements_to_a_sparse_tensor(self):
        start = tf.SparseTensor([[0]], [2.0], [10])

        def more(i, x):
            place = tf.cast(tf.reshape(i, [1, 1]), tf.int64)
            return i + 1, tf.sparse_add(x, tf.SparseTensor(place, [1.0], [10]))

        _, x = tf.while_loop(lambda i, x: i < 4, more, [1, start])
        self.assertIsNone(x.values.shape.as_list()[0])
        dense = self.evaluate(tf.sparse_tensor_to_dense(x))
        self.assertAllEqual(dense, [2, 1, 1, 1, 0, 0, 0, 0, 0, 0])
        with self.assertRaisesRegex(ValueError, "is not compatible with"):
            tf.while_loop(
                lambda i, x: i < 4, more, [1, start],
                [tf.TensorShape([]), tf.TensorShape([5])],
            )  # fmt: skip

    def test_identity_matrices_have_the_sizes_that_are_known(self):
        rows = tf.placeholder(tf.int32, [])
        self.assertEqual(tf.eye(rows, 4, [2]).shape.as_list(), [2, None, 4])
        batch = tf.placeholder(tf.int32, [2])
        self.assertEqual(tf.eye(3, batch_shape=batch).shape.as_list(), [None, None, 3, 3])

    def test_sizes_of_sparse_tensors_follow_from_those_that_are_known(self):
        given = tf.SparseTensor([[0, 0, 0]], [1.0], [2, 3, 4])
        self.assertEqual(tf.sparse_reshape(given, [2, -1]).shape.as_list(), [2, 12])
        late = tf.placeholder(tf.int64, [1])
        sizes = tf.concat([tf.constant([6], tf.int64), late], 0)
        self.assertEqual(tf.sparse_reshape(given, sizes).shape.as_list(), [6, 4])
        fed = tf.sparse_placeholder(tf.int64, [None, None])
        self.assertEqual(tf.sparse_reshape(fed, [4, -1, -1]).shape.as_list(), [None] * 3)
        self.assertEqual(tf.sparse_merge(fed, fed, 5).shape.as_list(), [None, 5])

    def test_what_is_known_of_a_placeholder_needs_no_feed(self):
        x, half = tf.placeholder(tf.int64, [2, 3]), tf.placeholder(tf.float32, [None, 3])
        known = [tf.size(x), tf.rank(x), tf.rank(half), tf.zeros_like(x), tf.ones_like(x, tf.bool)]
        with self.session() as session:
            size, rank, other, zeros, ones = session.run(known)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be fed"):
                session.run(tf.size(half))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be fed"):
                session.run(tf.zeros_like(x, optimize=False))
        self.assertEqual([size, rank, other], [6, 2, 2])
        self.assertEqual([zeros.tolist(), zeros.dtype], [[[0] * 3] * 2, "int64"])
        self.assertEqual(ones.tolist(), [[True] * 3] * 2)
        names = [each.op.name for each in known[:4]]
        self.assertEqual(names, ["Size", "Rank", "Rank_1", "zeros_like"])


if __name__ == "__main__":
    unittest.main()
