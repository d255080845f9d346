"""Windows of datasets, and other datasets as components of elements."""

import collections
import unittest

import numpy as np

import troupe as tf
from troupe.data import Dataset, experimental


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


def lists(dataset):
    return [element.tolist() for element in elements(dataset)]


def batched(window):
    return window.batch(100)


class WindowsTest(tf.test.TestCase):
    def test_windows_are_datasets_of_elements_that_follow_each_other(self):
        numbers = Dataset.range(7)
        self.assertEqual(
            lists(numbers.window(2).flat_map(batched)), [[0, 1], [2, 3], [4, 5], [6]]
        )
        self.assertEqual(
            lists(numbers.window(3, 2, 1, True).flat_map(batched)),
            [[0, 1, 2], [2, 3, 4], [4, 5, 6]],
        )
        self.assertEqual(
            lists(numbers.window(3, shift=1, stride=2, drop_remainder=True).flat_map(batched)),
            [[0, 2, 4], [1, 3, 5], [2, 4, 6]],
        )

    def test_each_component_has_a_window_in_the_structure_of_elements(self):
        Pair = collections.namedtuple("Pair", ["x", "y"])
        slices = {"a": np.arange(4), "b": Pair(np.arange(4.0), np.eye(4, dtype=np.float32))}
        windows = Dataset.from_tensor_slices(slices).window(3)
        self.assertEqual(
            windows.output_types["b"].y, tf.data.DatasetSpec(tf.TensorSpec([4], tf.float32))
        )
        self.assertEqual(windows.output_types, windows.output_classes)

        def sums(element):
            self.assertIsInstance(element["b"].x, Dataset)
            return Dataset.zip(
                (element["a"].batch(2), element["b"].x.batch(2), element["b"].y.batch(2))
            )

        found = elements(windows.flat_map(sums))
        self.assertEqual([a.tolist() for a, _, _ in found], [[0, 1], [2], [3]])
        self.assertAllEqual(found[2][2], [[0, 0, 0, 1]])

    def test_a_window_of_sparse_components_batches_them(self):
        rows = Dataset.range(5).map(lambda x: tf.SparseTensor([[0]], [x], [x + 1]))
        window = rows.window(2, shift=3, drop_remainder=True)
        self.assertEqual(
            window.element_spec, tf.data.DatasetSpec(tf.SparseTensorSpec([None], tf.int64))
        )
        first, second = elements(window.flat_map(lambda x: x.batch(2)))
        self.assertAllEqual(first.dense_shape, [2, 2])
        self.assertAllEqual(second.values, [3, 4])
        self.assertAllEqual(second.indices, [[0, 0], [1, 0]])

    def test_windows_are_mapped_reduced_filtered_and_windowed_again(self):
        windows = Dataset.range(6).window(2)
        sums = windows.map(lambda window: window.reduce(np.int64(0), lambda a, b: a + b))
        self.assertEqual(elements(sums), [1, 5, 9])
        later = windows.filter(lambda window: experimental.get_single_element(window.take(1)) > 1)
        self.assertEqual(elements(later.flat_map(lambda window: window)), [2, 3, 4, 5])
        nested = windows.window(2).flat_map(
            lambda outer: outer.flat_map(lambda inner: inner).batch(10)
        )
        self.assertEqual(lists(nested), [[0, 1, 2, 3], [4, 5]])
        ends = windows.map(lambda window: (window.skip(1), window.take(1)))
        swapped = ends.flat_map(lambda last, first: last.concatenate(first))
        self.assertEqual(elements(swapped), [1, 0, 3, 2, 5, 4])

    def test_an_iterator_over_windows_gives_datasets_of_the_step(self):
        iterator = Dataset.range(5).window(2).make_one_shot_iterator()
        window = iterator.get_next()
        self.assertIsInstance(window, Dataset)
        self.assertEqual(window.output_types, tf.int64)
        batch = experimental.get_single_element(window.batch(9))
        with tf.Session() as session:
            self.assertEqual([session.run(batch).tolist() for _ in range(3)], [[0, 1], [2, 3], [4]])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(batch)

    def test_datasets_are_elements_and_results_of_functions(self):
        numbers = Dataset.range(3)
        both = Dataset.from_tensors((numbers, tf.constant(7)))
        self.assertIsInstance(both.output_types[0], tf.data.DatasetSpec)
        sums = both.flat_map(lambda inner, x: inner.map(lambda y: y + tf.cast(x, tf.int64)))
        self.assertEqual(elements(sums), [7, 8, 9])
        ranges = numbers.map(lambda n: Dataset.range(n)).shuffle(1).prefetch(2).repeat(2)
        self.assertEqual(elements(ranges.flat_map(lambda inner: inner)), [0, 0, 1] * 2)
        joined = numbers.window(2).concatenate(numbers.window(1))
        self.assertEqual(lists(joined.flat_map(batched)), [[0, 1], [2], [0], [1], [2]])
        with self.assertRaisesRegex(TypeError, "different types"):
            numbers.window(2).concatenate(Dataset.from_tensors(1.0).window(2))

    def test_a_state_may_have_a_dataset(self):
        first = (Dataset.range(2), tf.constant(0, tf.int64))
        inner, total = Dataset.range(3).reduce(
            first, lambda state, x: (state[0].map(lambda y: y + x), state[1] + x)
        )
        with tf.Session() as session:
            values = session.run([experimental.get_single_element(inner.batch(5)), total])
        self.assertEqual([values[0].tolist(), int(values[1])], [[3, 4], 3])

    def test_iterators_of_a_structure_may_have_datasets(self):
        windows = Dataset.range(4).window(2)
        iterator = tf.data.Iterator.from_structure(windows.output_types, windows.output_shapes)
        batch = experimental.get_single_element(iterator.get_next().batch(9))
        begin = iterator.make_initializer(windows)
        with tf.Session() as session:
            session.run(begin)
            self.assertAllEqual(session.run(batch), [0, 1])
        with self.assertRaises(TypeError):
            iterator.make_initializer(Dataset.from_tensors(1.0).window(2))
        with self.assertRaises(TypeError):
            iterator.make_initializer(Dataset.range(4))

    def test_datasets_are_not_stacked_or_sliced(self):
        windows = Dataset.range(4).window(2)
        with self.assertRaisesRegex(TypeError, "Batching of elements with .*DatasetSpec"):
            windows.batch(2)
        with self.assertRaisesRegex(TypeError, "Batching of padded elements"):
            windows.padded_batch(2, [])
        with self.assertRaisesRegex(ValueError, "Slicing of elements"):
            Dataset.from_tensor_slices((Dataset.range(2), [1]))

    def test_errors_of_elements_and_of_numbers_reach_the_step(self):
        values = Dataset.from_tensor_slices(np.float32([1, np.nan, 2, np.nan, 3]))
        checked = values.map(lambda x: tf.check_numerics(x, "not a number"))
        odd = checked.window(2, shift=2, stride=2, drop_remainder=True).flat_map(batched)
        self.assertEqual(lists(odd), [[1, 2], [2, 3]])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not a number"):
            elements(checked.window(2).flat_map(batched))
        for sizes, name in (((0, 3, 3), "size"), ((3, 0, 3), "shift"), ((3, 3, 0), "stride")):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f"Window {name} must be"):
                elements(Dataset.range(3).window(*sizes).flat_map(batched))

    def test_the_number_of_windows_is_known(self):
        counts = []
        for size, shift, stride, drops in ((3, 2, 1, True), (3, 2, 1, False), (2, 1, 9, True)):
            windows = Dataset.range(7).window(size, shift, stride, drops)
            counts.append((experimental.cardinality(windows), len(elements(windows.map(_zero)))))
        with tf.Session() as session:
            found = [(session.run(known), n) for known, n in counts]
        self.assertEqual(found, [(3, 3), (4, 4), (0, 0)])

    def test_a_sliding_window_batches_elements_that_overlap(self):
        sliding = tf.contrib.data.sliding_window_batch
        numbers = Dataset.range(6)
        self.assertEqual(
            lists(numbers.apply(sliding(3, window_stride=2))), [[0, 2, 4], [1, 3, 5]]
        )
        self.assertEqual(lists(numbers.apply(sliding(4, stride=2))), [[0, 1, 2, 3], [2, 3, 4, 5]])
        pairs = Dataset.zip({"a": numbers, "b": numbers}).apply(sliding(5))
        self.assertEqual(pairs.output_shapes["a"].as_list(), [None])
        self.assertAllEqual(elements(pairs)[1]["b"], [1, 2, 3, 4, 5])
        pairs = Dataset.zip((numbers, numbers)).apply(sliding(5))
        self.assertAllEqual(elements(pairs)[0][1], [0, 1, 2, 3, 4])
        with self.assertRaisesRegex(ValueError, "Cannot specify both"):
            sliding(3, stride=1, window_shift=1)

    def test_a_tensor_that_holds_a_dataset_is_one_again(self):
        dataset = Dataset.range(3)
        again = experimental.from_variant(
            tf.identity(experimental.to_variant(dataset)), dataset.element_spec
        )
        self.assertEqual(elements(again), [0, 1, 2])


def _zero(window):
    return 0


if __name__ == "__main__":
    unittest.main()
