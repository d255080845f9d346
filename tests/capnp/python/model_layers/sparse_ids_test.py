"""Dense tensors as sparse ones, the lengths of rows, and tensors of fewer axes."""

import unittest

import numpy as np

import troupe as tf
import troupe.python  # makes modules at their places in TensorFlow's source
from troupe.contrib.layers.python.layers.layers import _inner_flatten  # isort: skip
from troupe.contrib.layers.python.ops import sparse_ops  # isort: skip


def evaluated(value, feeds=None):
    with tf.Session() as session:
        return session.run(value, feeds)


class SparseIdsTest(unittest.TestCase):
    def test_zeros_of_the_dtype_are_left_out(self):
        for dense, kept in (([0, 2, 0, 4], [2, 4]), ([True, False], [True]),
                            (["", "a"], [b"a"]), ([0.0, 1.5], [1.5])):  # fmt: skip
            found = evaluated(sparse_ops.dense_to_sparse_tensor(dense))
            self.assertEqual(found.values.tolist(), kept)
            self.assertEqual(found.dense_shape.tolist(), [len(dense)])
        found = evaluated(sparse_ops.dense_to_sparse_tensor([[7, 0], [7, 7]], ignore_value=7))
        self.assertEqual((found.values.tolist(), found.indices.tolist()), ([0], [[0, 1]]))

    def test_indicators_become_ids(self):
        given = [[[0, 0, 1, 0], [0, 0, 0, 0]], [[1, 0, 1, 1], [0, 0, 1, 0]]]
        found = evaluated(sparse_ops.indicators_to_sparse_ids(given))
        self.assertEqual(found.values.tolist(), [2, 0, 2, 3, 2])
        self.assertEqual(
            found.indices.tolist(), [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 0, 2], [1, 1, 0]]
        )
        self.assertEqual(found.dense_shape.tolist(), [2, 2, 3])

    def test_ids_are_of_a_dtype_of_integers(self):
        ids = sparse_ops.indicators_to_sparse_ids([["", "a"]], dtype=tf.int16)
        self.assertEqual((ids.dtype, evaluated(ids).values.tolist()), (tf.int16, [1]))
        with self.assertRaises(ValueError):
            sparse_ops.indicators_to_sparse_ids([[1]], dtype=tf.float32)

    def test_rows_are_as_long_as_their_last_column(self):
        given = tf.SparseTensor([[0, 0], [2, 2], [2, 0]], [1, 2, 3], [4, 3])
        self.assertEqual(evaluated(sparse_ops.sparse_row_envelope(given)).tolist(), [1, 0, 3, 0])
        columns = sparse_ops.sparse_row_envelope(given, row_axis=1, col_axis=0)
        self.assertEqual(evaluated(columns).tolist(), [3, 0, 3])
        with self.assertRaises(ValueError):
            sparse_ops.sparse_row_envelope(given, 1, 1)


class InnerFlattenTest(unittest.TestCase):
    def test_the_last_axes_become_one(self):
        x = np.arange(24).reshape(2, 3, 4)
        for rank, shape in ((1, [24]), (2, [2, 12]), (3, [2, 3, 4])):
            found = _inner_flatten(x, rank)
            self.assertEqual(found.shape.as_list(), shape)
            self.assertEqual(evaluated(found).tolist(), x.reshape(shape).tolist())

    def test_sizes_that_are_not_known_make_the_last_unknown(self):
        x = tf.placeholder(tf.int32, [2, None, 4])
        self.assertEqual(_inner_flatten(x, 2).shape.as_list(), [2, None])
        self.assertEqual(_inner_flatten(x, 3).shape.as_list(), [2, None, 4])

    def test_the_last_axes_of_a_sparse_tensor_become_one(self):
        x = tf.SparseTensor([[0, 1, 2], [1, 0, 3]], [5, 6], [2, 3, 4])
        found = evaluated(_inner_flatten(x, 2))
        self.assertEqual(found.indices.tolist(), [[0, 6], [1, 3]])
        self.assertEqual(found.dense_shape.tolist(), [2, 12])

    def test_a_rank_that_is_too_low_is_an_error(self):
        for x in (tf.placeholder(tf.int32, [2, 3]), tf.SparseTensor([[0, 0]], [1], [2, 3])):
            with self.assertRaisesRegex(ValueError, "rank less than new_rank"):
                _inner_flatten(x, 3)
        fed = tf.placeholder(tf.int32)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            evaluated(_inner_flatten(fed, 3), {fed: [[1]]})


if __name__ == "__main__":
    unittest.main()
