"""Elements that are reduced by their keys, batched into sparse tensors, resampled, or written."""

import collections
import os
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe.data import Dataset, experimental


class Elements(tf.test.TestCase):
    def elements(self, dataset):
        """All of them."""
        following = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        found = []
        with tf.Session() as session:
            while True:
                try:
                    found.append(session.run(following))
                except tf.errors.OutOfRangeError:
                    return found


class ReducerTest(Elements):
    def test_the_elements_of_each_key_become_one_of_its_last_state(self):
        reducer = experimental.Reducer(
            init_func=lambda key: {"sum": key * 100, "texts": ""},
            reduce_func=lambda state, x: {
                "sum": state["sum"] + x,
                "texts": state["texts"] + tf.as_string(x),
            },
            finalize_func=lambda state: (state["sum"], state["texts"]),
        )
        reduced = Dataset.range(5).apply(experimental.group_by_reducer(lambda x: x % 2, reducer))
        self.assertEqual(reduced.output_types, (tf.int64, tf.string))
        self.assertEqual(self.elements(reduced), [(6, b"024"), (104, b"13")])

    def test_a_state_may_have_captured_tensors_and_sparse_ones(self):
        ten = tf.constant(10, tf.int64)

        def sparse(value):
            return tf.SparseTensor([[0]], tf.reshape(value, [1]), [1])

        reducer = experimental.Reducer(
            lambda key: sparse(key + ten),
            lambda state, x: sparse(state.values[0] + x * ten),
            lambda state: tf.sparse.to_dense(state) + ten,
        )
        reduced = Dataset.range(4).apply(experimental.group_by_reducer(lambda x: x % 2, reducer))
        iterator = reduced.make_initializable_iterator()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            self.assertAllEqual(session.run(following), [40])
            self.assertAllEqual(session.run(following), [61])

    def test_what_is_known_of_a_state_is_what_holds_for_all(self):
        reducer = experimental.Reducer(
            lambda key: (tf.zeros([1]), tf.zeros([2])),
            lambda state, x: (tf.concat([state[0], [1.0]], 0), state[1]),
            lambda *state: state,
        )
        reduced = Dataset.range(3).apply(
            experimental.group_by_reducer(lambda x: np.int64(0), reducer)
        )
        self.assertEqual([each.as_list() for each in reduced.output_shapes], [[None], [2]])
        self.assertAllEqual(self.elements(reduced)[0][0], [0, 1, 1, 1])

    def test_a_key_that_is_no_number_is_refused(self):
        reducer = experimental.Reducer(lambda key: 0, lambda state, x: state, lambda state: state)
        for key in ("text", np.array([0, 1])):
            with self.assertRaisesRegex(ValueError, "must return a single tf.int64"):
                Dataset.range(3).apply(experimental.group_by_reducer(lambda x: key, reducer))

    def test_a_state_that_changes_its_dtype_is_refused(self):
        reducer = experimental.Reducer(lambda key: 0, lambda state, x: 1.0, lambda state: state)
        with self.assertRaisesRegex(TypeError, "must match the initial state"):
            Dataset.range(3).apply(experimental.group_by_reducer(lambda x: x, reducer))

    def test_a_whole_dataset_is_reduced(self):
        reducer = tf.contrib.data.Reducer(lambda key: key + 5, lambda state, x: state + x, None)
        total = tf.contrib.data.reduce_dataset(Dataset.range(4), reducer)
        with tf.Session() as session:
            self.assertEqual(session.run(total), 11)
        with self.assertRaisesRegex(TypeError, "must be a `tf.data.Dataset`"):
            tf.contrib.data.reduce_dataset(3, reducer)


class SparseBatchTest(Elements):
    def rows(self):
        return Dataset.range(3).map(lambda x: tf.fill([x], x))

    def test_elements_of_several_sizes_are_rows_of_a_sparse_tensor(self):
        batches = self.rows().apply(experimental.dense_to_sparse_batch(2, [4]))
        self.assertEqual(batches.output_classes, tf.SparseTensor)
        self.assertEqual(batches.output_shapes.as_list(), [None, 4])
        first, last = self.elements(batches)
        self.assertAllEqual(first.indices, [[1, 0]])
        self.assertAllEqual(first.values, [1])
        self.assertAllEqual(first.dense_shape, [2, 4])
        self.assertAllEqual(last.indices, [[0, 0], [0, 1]])
        self.assertAllEqual(last.dense_shape, [1, 4])

    def test_a_row_may_have_an_open_size_or_one_that_a_tensor_says(self):
        for size, known in ((None, None), (-1, None), (tf.constant([3], tf.int64), 3)):
            row = size if isinstance(size, tf.Tensor) else [size]
            batches = self.rows().apply(experimental.dense_to_sparse_batch(3, row))
            self.assertEqual(batches.output_shapes.as_list(), [None, known])
            (batch,) = self.elements(batches)
            self.assertAllEqual(batch.dense_shape, [3, known or 2])
            self.assertAllEqual(batch.values, [1, 2, 2])

    def test_a_row_that_is_too_large_is_an_error(self):
        batches = self.rows().apply(experimental.dense_to_sparse_batch(3, [1]))
        with self.assertRaisesRegex(tf.errors.DataLossError, "larger than the row shape"):
            self.elements(batches)

    def test_elements_of_sparse_batches_have_one_component(self):
        pairs = Dataset.zip((Dataset.range(3), Dataset.range(3)))
        with self.assertRaisesRegex(TypeError, "single component"):
            pairs.apply(experimental.dense_to_sparse_batch(3, [1]))


class ResampleTest(Elements):
    def frequencies(self, initial_dist, target=(0.2, 0.2, 0.2, 0.2, 0.2)):
        classes = np.random.RandomState(3).choice(5, 4000, p=[0.4, 0.3, 0.1, 0.1, 0.1])
        data = Dataset.from_tensor_slices(classes).map(lambda c: (c, tf.as_string(c))).repeat()
        resampled = data.apply(
            experimental.rejection_resample(
                lambda c, _: tf.cast(c, tf.int32), list(target), initial_dist, seed=7
            )
        )
        found = self.elements(resampled.take(3000))
        for kind, (number, text) in found:
            self.assertEqual((kind, str(kind).encode()), (number, text))
        counts = collections.Counter(kind for kind, _ in found)
        return [counts[kind] / len(found) for kind in range(5)]

    def test_classes_are_as_frequent_as_wanted_whether_it_is_known_how_frequent_they_are(self):
        for initial in ([0.4, 0.3, 0.1, 0.1, 0.1], None):
            self.assertAllClose(self.frequencies(initial), [0.2] * 5, atol=0.05)

    def test_a_class_that_is_not_wanted_does_not_come(self):
        frequencies = self.frequencies([0.4, 0.3, 0.1, 0.1, 0.1], (0.0, 0.4, 0.2, 0.2, 0.2))
        self.assertAllClose(frequencies, [0, 0.4, 0.2, 0.2, 0.2], atol=0.05)
        self.assertEqual(frequencies[0], 0)

    def test_no_elements_are_left_out_that_are_as_wanted(self):
        resample = experimental.rejection_resample(lambda x: 0, [0.5, 0.5], [0.5, 0.5])
        found = self.elements(Dataset.range(5).apply(resample))
        self.assertEqual(found, [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)])

    def test_the_number_of_classes_must_be_known(self):
        resample = experimental.rejection_resample(
            lambda x: 0, tf.placeholder(tf.float32, [None])
        )
        with self.assertRaisesRegex(ValueError, "number of classes"):
            Dataset.range(3).apply(resample)


class WriterTest(Elements):
    def test_a_dataset_is_written_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "records")
            for kind in (None, "GZIP"):
                texts = Dataset.range(3).map(tf.as_string)
                write = experimental.TFRecordWriter(path, kind).write(texts)
                with tf.Session() as session:
                    session.run(write)
                read = tf.data.TFRecordDataset(path, kind)
                self.assertEqual(self.elements(read), [b"0", b"1", b"2"])

    def test_a_window_is_written_by_the_function_that_reduces_it(self):
        with tempfile.TemporaryDirectory() as folder:

            def write(key, window):
                path = tf.strings.join([folder, "/", tf.as_string(key)])
                writer = tf.contrib.data.TFRecordWriter(path)
                with tf.control_dependencies([writer.write(window.map(lambda _, text: text))]):
                    return Dataset.from_tensors(tf.identity(path))

            texts = Dataset.range(5).map(tf.as_string).enumerate()
            paths = texts.apply(
                experimental.group_by_window(lambda i, _: i % 2, write, tf.int64.max)
            )
            found = self.elements(paths)
            self.assertEqual([os.path.basename(path) for path in found], [b"0", b"1"])
            self.assertEqual(self.elements(tf.data.TFRecordDataset(found[1])), [b"1", b"3"])

    def test_only_scalars_of_strings_are_written(self):
        writer = experimental.TFRecordWriter("records")
        for dataset in (Dataset.range(3), Dataset.from_tensors(["a", "b"])):
            with self.assertRaisesRegex(TypeError, "must produce scalar"):
                writer.write(dataset)
        with self.assertRaisesRegex(TypeError, "must be a `tf.data.Dataset`"):
            writer.write("a")


class ShapesTest(Elements):
    def pairs(self, length=2):
        return Dataset.range(2).map(
            lambda x: (x, tf.py_func(lambda: np.ones([length, 3], np.float32), [], tf.float32))
        )

    def test_elements_of_the_expected_shape_pass_and_have_it(self):
        expected = (tf.TensorShape(None), tf.TensorShape([None, 3]))
        checked = self.pairs().apply(tf.contrib.data.assert_element_shape(expected))
        self.assertEqual([each.as_list() for each in checked.output_shapes], [[], [None, 3]])
        self.assertEqual(len(self.elements(checked)), 2)

    def test_an_element_of_another_shape_is_an_error(self):
        for wrong in ([4, 3], [None, 4], [2], [2, 3, 1]):
            shapes = (tf.TensorShape([]), tf.TensorShape(wrong))
            checked = self.pairs().apply(tf.contrib.data.assert_element_shape(shapes))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must have the shape"):
                self.elements(checked)

    def test_a_dataset_of_another_shape_is_refused(self):
        with self.assertRaises(ValueError):
            Dataset.range(3).apply(tf.contrib.data.assert_element_shape(tf.TensorShape([2])))


if __name__ == "__main__":
    unittest.main()
