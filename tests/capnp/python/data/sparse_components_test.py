"""Sparse tensors as components of datasets."""

import unittest

import numpy as np

import troupe as tf

Dataset = tf.data.Dataset


def elements(dataset):
    """All elements, as an initializable iterator gives them."""
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer)
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


def diagonal(x):
    """A sparse matrix of two rows with x on its diagonal."""
    return tf.SparseTensor([[0, 0], [1, 1]], [x, x], [2, 2])


class SparseComponentsTest(tf.test.TestCase):
    def check(self, found, indices, values, dense_shape):
        self.assertIsInstance(found, tf.SparseTensorValue)
        self.assertAllEqual(found.indices, indices)
        self.assertAllEqual(found.values, values)
        self.assertAllEqual(found.dense_shape, dense_shape)

    def test_datasets_of_functions_of_datasets_have_sparse_elements(self):
        def flattened(matrix):
            shape = matrix.dense_shape
            return tf.sparse.reshape(matrix, [shape[0] * shape[1], shape[2]])

        def batches(window):
            return window.batch(2).map(flattened)

        matrices = Dataset.from_tensor_slices([1, 2, 3, 4]).map(diagonal)
        found = elements(matrices.window(2).flat_map(batches))
        self.assertEqual(len(found), 2)
        places = [[0, 0], [1, 1], [2, 0], [3, 1]]
        self.check(found[0], places, [1, 1, 2, 2], [4, 2])
        self.check(found[1], places, [3, 3, 4, 4], [4, 2])

    def test_a_function_takes_and_returns_sparse_tensors(self):
        def doubled(matrix):
            self.assertIsInstance(matrix, tf.SparseTensor)
            self.assertEqual(matrix.shape.rank, 2)
            return {"m": tf.SparseTensor(matrix.indices, matrix.values * 2, matrix.dense_shape)}

        dataset = Dataset.range(1, 3).map(diagonal).filter(lambda m: m.values[0] > 1).map(doubled)
        self.assertEqual(dataset.output_types, {"m": tf.int64})
        self.assertEqual(dataset.output_shapes["m"].as_list(), [None, None])
        self.assertEqual(dataset.output_classes, {"m": tf.SparseTensor})
        (only,) = elements(dataset)
        self.check(only["m"], [[0, 0], [1, 1]], [4, 4], [2, 2])

    def test_batches_have_one_more_axis_and_the_largest_sizes(self):
        rows = Dataset.range(1, 3).map(lambda x: tf.SparseTensor([[0]], [x], [x]))
        (batch,) = elements(rows.batch(2))
        self.check(batch, [[0, 0], [1, 0]], [1, 2], [2, 2])
        (twice,) = elements(rows.batch(2).batch(1))
        self.check(twice, [[0, 0, 0], [0, 1, 0]], [1, 2], [1, 2, 2])
        self.assertEqual(rows.batch(2, drop_remainder=True).output_shapes.as_list(), [2, None])
        again = elements(rows.batch(2).apply(tf.data.experimental.unbatch()))
        self.check(again[1], [[0]], [2], [2])
        with self.assertRaisesRegex(TypeError, "sparse"):
            rows.padded_batch(2, [None])

    def test_values_are_slices_or_one_element(self):
        value = tf.SparseTensorValue(np.array([[0, 1], [2, 0]]), np.array([5, 6]), (3, 2))
        slices = elements(Dataset.from_tensor_slices((value, [1, 2, 3])))
        self.check(slices[0][0], [[1]], [5], [2])
        self.check(slices[1][0], np.zeros([0, 1]), [], [2])
        (whole,) = elements(Dataset.from_tensors(value))
        self.check(whole, value.indices, value.values, value.dense_shape)

    def test_parsed_features_of_any_length_stay_sparse(self):
        def example(values):
            numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
            features = tf.train.Features(feature={"ids": numbers})
            return tf.train.Example(features=features).SerializeToString()

        features = {"ids": tf.VarLenFeature(tf.int64)}
        parsed = Dataset.from_tensor_slices([example([7]), example([8, 9])]).map(
            lambda text: tf.parse_single_example(text, features)
        )
        (batch,) = elements(parsed.batch(2))
        self.check(batch["ids"], [[0, 0], [1, 0], [1, 1]], [7, 8, 9], [2, 2])

    def test_iterators_of_a_structure_are_told_which_components_are_sparse(self):
        dataset = Dataset.range(3, 4).map(diagonal)
        iterator = tf.data.Iterator.from_structure(
            dataset.output_types, dataset.output_shapes, output_classes=dataset.output_classes
        )
        self.assertEqual(iterator.output_classes, tf.SparseTensor)
        following, begin = iterator.get_next(), iterator.make_initializer(dataset)
        with tf.Session() as session:
            session.run(begin)
            self.check(session.run(following), [[0, 0], [1, 1]], [3, 3], [2, 2])
        with self.assertRaises(TypeError):
            iterator.make_initializer(Dataset.from_tensors(np.zeros([2, 2], np.int64)))

    def test_a_state_may_be_sparse(self):
        def add(state, x):
            return tf.SparseTensor(state.indices, state.values + x, state.dense_shape)

        total = Dataset.range(4).reduce(diagonal(tf.constant(0, tf.int64)), add)
        with tf.Session() as session:
            self.check(session.run(total), [[0, 0], [1, 1]], [6, 6], [2, 2])


if __name__ == "__main__":
    unittest.main()
