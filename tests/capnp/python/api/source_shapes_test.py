"""Shapes and sizes of tensors by the functions of TensorFlow's source."""

import unittest

import numpy as np

import troupe as tf
from troupe.python.ops import array_ops


class SourceShapesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_shapes_sizes_and_ranks_are_constants_only_where_that_is_wanted(self):
        x = tf.zeros([2, 3])
        for function, op, value in [
            (array_ops.shape_internal, "Shape", [2, 3]),
            (array_ops.size_internal, "Size", 6),
            (array_ops.rank_internal, "Rank", 2),
        ]:
            with self.subTest(op=op):
                constant, node = function(x), function(x, name="computed", optimize=False)
                self.assertEqual(constant.op.type, "Const")
                self.assertEqual(node.op.type, op)
                self.assertTrue(node.op.name.startswith("computed"), node.op.name)
                with tf.Session() as session:
                    for tensor in (constant, node):
                        np.testing.assert_array_equal(session.run(tensor), value)

    def test_those_of_sparse_tensors_are_of_their_dense_form(self):
        sparse = tf.SparseTensor([[0, 1]], [1.0], [4, 5])
        fetched = [
            array_ops.shape_internal(sparse, optimize=False, out_type=tf.int64),
            array_ops.size_internal(sparse, optimize=False),
            array_ops.rank_internal(sparse, optimize=False),
        ]
        with tf.Session() as session:
            shape, size, rank = session.run(fetched)
        self.assertEqual((shape.tolist(), shape.dtype, size, rank), ([4, 5], np.int64, 20, 2))


if __name__ == "__main__":
    unittest.main()
