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

    def test_a_dense_shape_may_be_a_tensor(self):
        shape = tf.constant([2, 3], tf.int64)
        fed = tf.sparse_placeholder(tf.float32, shape)
        self.assertIs(fed.dense_shape, shape)
        self.assertEqual(fed.indices.shape.as_list(), [None, 2])
        with tf.Session() as session:
            value = tf.SparseTensorValue([[1, 2]], [5.0], [2, 3])
            dense = session.run(tf.sparse_tensor_to_dense(fed), {fed: value})
        self.assertAllEqual(dense, [[0, 0, 0], [0, 0, 5]])

    def test_parts_of_other_ranks_are_refused(self):
        with self.assertRaisesRegex(ValueError, "indices of rank 2"):
            tf.SparseTensor([0], [1.0], [2])
        self.assertIsInstance(
            tf.SparseTensor.from_value(([[0]], [1.0], [2])), tf.SparseTensor
        )

    def test_a_sparse_tensor_is_fetched_beside_its_consumers(self):
        x = tf.SparseTensor([[0]], [1.0], [2])
        tf.sparse.to_dense(x)
        self.assertEqual([op.type for op in x.consumers()], ["SparseToDense"])


class SparseErrorsTest(tf.test.TestCase):
    """Wrong shapes are errors of the call where they are known, else of the step."""

    def setUp(self):
        super().setUp()
        self.x = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
        self.fed = tf.sparse_placeholder(tf.float32)
        self.value = tf.SparseTensorValue([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])

    def check(self, call, error, words):
        with self.assertRaisesRegex(error, words):
            self.evaluate_sparse(call(self.x), {})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
            self.evaluate_sparse(call(self.fed), {self.fed: self.value})

    def evaluate_sparse(self, fetches, feeds):
        with tf.Session() as session:
            return session.run(fetches, feeds)

    def test_operands_of_other_shapes_are_refused(self):
        other = tf.SparseTensor([[0, 1]], [1.0], [2, 4])
        for operation in (tf.sparse.add, tf.sparse.maximum, tf.sparse.minimum):
            self.check(lambda x: operation(x, other), ValueError, "must have one shape")
        dense = np.ones((3, 3), np.float32)
        self.check(lambda x: x * dense, ValueError, "[Bb]roadcast")
        larger = np.ones((4, 2, 3), np.float32)
        with self.assertRaisesRegex(ValueError, "must extend"):
            self.x / larger

    def test_a_smaller_new_shape_is_refused(self):
        smaller = lambda x: tf.sparse.reset_shape(x, [1, 3])  # noqa: E731
        self.check(smaller, ValueError, "sizes >= sp_input.shape")
        with self.assertRaises(ValueError):
            tf.sparse.reset_shape(self.x, [2, 3, 1])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "rank of sp_input"):
            call = tf.sparse.reset_shape(self.fed, [2, 3, 1])
            self.evaluate_sparse(call, {self.fed: self.value})

    def test_a_reshape_keeps_the_number_of_elements(self):
        self.check(lambda x: tf.sparse.reshape(x, [4, 2]), ValueError, "annot reshape")
        with self.assertRaisesRegex(ValueError, "At most one dimension"):
            tf.sparse.reshape(self.x, [-1, -1])

    def test_a_split_needs_an_axis_of_that_size(self):
        def split(count, axis):
            return lambda x: tf.sparse.split(sp_input=x, num_split=count, axis=axis)

        self.check(split(4, 1), ValueError, "at most the size of the axis")
        self.check(split(1, 2), ValueError, "less than the rank")
        with self.assertRaisesRegex(ValueError, "at least 1"):
            split(0, 0)(self.x)
        with self.assertRaisesRegex(ValueError, "Keyword arguments"):
            tf.sparse.split(self.x, 2, 0)

    def test_other_values_are_no_sparse_tensors(self):
        for call in (tf.sparse.to_dense, tf.sparse.reorder, tf.sparse.reduce_sum):
            with self.assertRaisesRegex(TypeError, "must be a SparseTensor"):
                call([1.0])
        with self.assertRaisesRegex(TypeError, "tf.add"):
            tf.sparse.add([1.0], [2.0])
        with self.assertRaisesRegex(ValueError, "incompatible|not compatible"):
            tf.sparse.retain(self.x, [True])

    def test_repeated_indices_fail_unless_they_are_not_validated(self):
        repeated = tf.SparseTensor([[1], [1]], [1.0, 2.0], [3])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "repeated"):
            self.evaluate_sparse(tf.sparse.to_dense(repeated), {})
        found = self.evaluate_sparse(tf.sparse.to_dense(repeated, validate_indices=False), {})
        self.assertAllEqual(found, [0, 2, 0])


if __name__ == "__main__":
    tf.test.main()
