"""Dtypes by their numbers, shapes of one size, slices that stay slices, and names as bytes."""

import copy
import os
import pickle
import unittest

import numpy as np

import troupe as tf


class NumbersOfTypesTest(tf.test.TestCase):
    def test_a_dtype_is_made_of_its_number(self):
        for dtype in (tf.float32, tf.string, tf.int64, tf.bool):
            self.assertIs(tf.DType(dtype.as_datatype_enum), dtype)
            reference = dtype._as_ref
            self.assertIs(tf.DType(reference.as_datatype_enum), reference)
            self.assertIs(pickle.loads(pickle.dumps(dtype)), dtype)
            self.assertIs(copy.deepcopy(reference), reference)
        with self.assertRaisesRegex(TypeError, "type_enum is not a valid types_pb2.DataType"):
            tf.DType(77)

    def test_a_whole_float_is_a_size(self):
        self.assertEqual(tf.TensorShape(10.0), [10])
        self.assertEqual(tf.TensorShape([2.0, None]).as_list(), [2, None])
        for sizes in (10.5, [2.5]):
            with self.assertRaisesRegex(ValueError, r"Ambiguous dimension: \d+\.5"):
                tf.TensorShape(sizes)
        cell = tf.nn.rnn_cell.LSTMCell(6 / 2)
        self.assertEqual(cell.zero_state(2, tf.float32).h.shape, [2, 3])

    def test_identity_matrices_have_sizes_of_any_integer_type(self):
        sizes = np.int64(2), tf.constant(2, tf.int64), tf.constant(2)
        with self.session() as session:
            for size in sizes:
                self.assertAllEqual(session.run(tf.eye(size, batch_shape=[1])), [np.eye(2)])

    def test_slices_stay_slices(self):
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([3]))
        sparse = tf.SparseTensor([[0]], [1.0], [2])
        convert = tf.convert_to_tensor_or_indexed_slices
        self.assertIs(convert(slices), slices)
        self.assertIs(convert(sparse, tf.float32), sparse)
        self.assertEqual(convert([1.0]).shape, [1])
        with self.assertRaisesRegex(ValueError, "Tensor conversion requested dtype int32"):
            convert(slices, tf.int32)

    def test_names_of_checkpoints_may_be_bytes(self):
        variable = tf.Variable(3.0, name="v")
        path = os.path.join(self.get_temp_dir(), "model").encode()
        with self.session() as session:
            session.run(variable.initializer)
            self.assertTrue(tf.train.Saver().save(session, path, write_meta_graph=False))
        self.assertEqual(tf.train.load_checkpoint(path).get_tensor("v"), 3.0)


if __name__ == "__main__":
    unittest.main()
