"""Sparse tensors are fetched and fed as a whole."""

import numpy as np

import troupe as tf


class SparseTest(tf.test.TestCase):
    def test_a_sparse_tensor_is_fetched_as_its_value(self):
        words = tf.string_split(["a b", "c"])
        with tf.Session() as session:
            found, count = session.run([words, tf.size(words.values)])
            self.assertIsInstance(found, tf.SparseTensorValue)
            self.assertAllEqual(found.indices, [[0, 0], [0, 1], [1, 0]])
            self.assertAllEqual(found.values, [b"a", b"b", b"c"])
            self.assertAllEqual(words.eval().dense_shape, [2, 2])
            self.assertEqual(count, 3)

    def test_a_placeholder_takes_a_value_or_a_tuple(self):
        x = tf.sparse_placeholder(tf.float32, name="x")
        known = tf.sparse_placeholder(tf.int32, [2, 3])
        self.assertEqual((x.shape.rank, known.shape.as_list()), (None, [2, 3]))
        total = tf.reduce_sum(x.values)
        value = tf.SparseTensorValue(np.array([[0, 1]]), [2.5], [2, 3])
        with tf.Session() as session:
            self.assertEqual(session.run(total, {x: value}), 2.5)
            self.assertEqual(session.run(total, {x: ([[0], [1]], [1.0, 2.0], [4])}), 3)

    def test_parts_of_other_ranks_are_refused(self):
        with self.assertRaisesRegex(ValueError, "indices of rank 2"):
            tf.SparseTensor([0], [1.0], [2])
        with self.assertRaisesRegex(NotImplementedError, "RaggedTensor"):
            tf.strings.split(["a"], result_type="RaggedTensor")
        self.assertIsInstance(
            tf.SparseTensor.from_value(([[0]], [1.0], [2])), tf.SparseTensor
        )


if __name__ == "__main__":
    tf.test.main()
