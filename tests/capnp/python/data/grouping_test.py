"""Groups of elements, buckets, and choices among datasets."""

import collections
import unittest

import numpy as np

import troupe as tf
from troupe.data import Dataset, experimental


class GroupingTest(tf.test.TestCase):
    def elements(self, dataset):
        """All of them, in lists."""
        following = dataset.make_one_shot_iterator().get_next()
        found = []
        with tf.Session() as session:
            while True:
                try:
                    found.append(session.run(following).tolist())
                except tf.errors.OutOfRangeError:
                    return found

    def test_windows_of_a_key_are_reduced_when_they_are_full_and_at_the_end(self):
        grouped = Dataset.range(9).apply(
            experimental.group_by_window(
                lambda x: x % 2, lambda key, window: window.batch(10), window_size=3
            )
        )
        self.assertEqual(grouped.output_shapes.as_list(), [None])
        self.assertEqual(self.elements(grouped), [[0, 2, 4], [1, 3, 5], [6, 8], [7]])

    def test_the_size_of_a_window_may_be_a_function_of_its_key(self):
        grouped = Dataset.range(6).apply(
            experimental.group_by_window(
                lambda x: x % 2,
                lambda key, window: window.map(lambda x: x + 100 * key),
                window_size_func=lambda key: key + 1,
            )
        )
        self.assertEqual(self.elements(grouped), [0, 2, 101, 103, 4, 105])

    def test_elements_with_several_components_and_captured_tensors_can_be_grouped(self):
        ten = tf.constant(10, tf.int64)
        pairs = Dataset.zip((Dataset.range(4), Dataset.range(10, 14)))
        grouped = pairs.apply(
            experimental.group_by_window(
                lambda x, y: (x + ten) // 2,
                lambda key, window: window.map(lambda x, y: x * y + ten).batch(2),
                window_size=2,
            )
        )
        it = grouped.make_initializable_iterator()
        following = it.get_next()
        with tf.Session() as session:
            session.run(it.initializer)
            self.assertAllEqual(session.run(following), [10, 21])
            self.assertAllEqual(session.run(following), [34, 49])

    def test_group_by_window_needs_one_size_and_a_function_that_makes_a_dataset(self):
        for sizes in ({}, {"window_size": 1, "window_size_func": lambda key: key}):
            with self.assertRaisesRegex(ValueError, "either window_size or window_size_func"):
                experimental.group_by_window(lambda x: x, lambda key, window: window, **sizes)
        no_dataset = experimental.group_by_window(lambda x: x, lambda key, window: key, 2)
        with self.assertRaisesRegex(TypeError, "must return a `Dataset`"):
            Dataset.range(3).apply(no_dataset)

    def lines(self):
        lengths = [1, 5, 2, 9, 6, 3]
        return Dataset.from_tensor_slices(lengths).map(lambda n: tf.fill([n], n))

    def test_buckets_hold_elements_of_similar_lengths(self):
        batches = self.lines().apply(
            experimental.bucket_by_sequence_length(tf.size, [3, 7], [2, 3, 1])
        )
        self.assertEqual(
            self.elements(batches),
            [
                [[1, 0], [2, 2]],
                [[9] * 9],
                [[5] * 5 + [0], [6] * 6, [3] * 3 + [0] * 3],
            ],
        )

    def test_a_bucket_may_be_padded_to_its_boundary(self):
        make = experimental.bucket_by_sequence_length
        batches = self.lines().apply(
            make(tf.size, [4, 12], [3, 3, 3], pad_to_bucket_boundary=True, padding_values=-1)
        )
        found = self.elements(batches)
        self.assertEqual([len(batch[0]) for batch in found], [11, 3])
        self.assertEqual(found[1][0], [1, -1, -1])
        too_long = self.lines().apply(make(tf.size, [4], [3, 3], pad_to_bucket_boundary=True))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "max.bucket_boundaries"):
            self.elements(too_long)
        with self.assertRaisesRegex(ValueError, "must equal len.bucket_boundaries. . 1"):
            make(tf.size, [4], [3])

    def test_buckets_may_have_shapes_of_their_own_or_no_padding(self):
        make = experimental.bucket_by_sequence_length
        pairs = self.lines().map(lambda line: tf.stack([line, line], axis=1))
        for shape in ([-1, 3], tf.TensorShape([None, 3])):
            for to_boundary, height in ((True, 11), (False, 9)):
                batches = pairs.apply(
                    make(lambda pair: tf.shape(pair)[0], [12], [6, 1], padded_shapes=shape,
                         pad_to_bucket_boundary=to_boundary)
                )  # fmt: skip
                [found] = self.elements(batches)
                self.assertEqual(np.shape(found), (6, height, 3))
                self.assertEqual(found[0][:2], [[1, 1, 0], [0, 0, 0]])
        lines = Dataset.from_tensor_slices([2, 2, 5]).map(lambda n: tf.fill([n], n))
        for drop, last in ((False, [[[5] * 5]]), (True, [])):
            batches = lines.apply(make(tf.size, [3], [2, 2], no_padding=True, drop_remainder=drop))
            self.assertEqual(self.elements(batches), [[[2, 2], [2, 2]], *last])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "shape"):
            self.elements(self.lines().apply(make(tf.size, [12], [6, 1], no_padding=True)))

    def test_a_dataset_of_choices_says_which_dataset_is_next(self):
        choices = Dataset.from_tensor_slices(tf.constant([0, 1, 0, 0, 1], tf.int64))
        chosen = experimental.choose_from_datasets(
            [Dataset.range(2), Dataset.range(10, 20)], choices
        )
        self.assertEqual(self.elements(chosen), [0, 10, 1, 11])
        with self.assertRaisesRegex(TypeError, "scalar `tf.int64`"):
            experimental.choose_from_datasets([Dataset.range(2)], Dataset.from_tensors(1.0))
        with self.assertRaisesRegex(TypeError, "different types"):
            experimental.choose_from_datasets(
                [Dataset.range(2), Dataset.from_tensors(1.0)], choices
            )

    def test_choices_are_among_datasets_of_one_structure(self):
        choices = Dataset.range(1)
        with self.assertRaisesRegex(ValueError, "a dataset to choose from"):
            experimental.choose_from_datasets([], choices)
        pair = Dataset.zip((Dataset.range(2), Dataset.range(2)))
        with self.assertRaisesRegex(ValueError, "structure"):
            experimental.choose_from_datasets([pair, Dataset.range(2)], choices)
        rows = [Dataset.from_tensors([1] * count) for count in (2, 3)]
        chosen = experimental.choose_from_datasets(rows, Dataset.range(2))
        self.assertEqual(chosen.output_shapes.as_list(), [None])
        self.assertEqual(self.elements(chosen), [[1, 1], [1, 1, 1]])
        windows = [Dataset.range(start, start + 3).window(2) for start in (0, 5)]
        chosen = experimental.choose_from_datasets(windows, Dataset.range(2))
        sums = chosen.flat_map(lambda window: window.batch(3))
        self.assertEqual(self.elements(sums), [[0, 1], [5, 6]])
        nested = Dataset.zip((pair, Dataset.range(2)))
        flat = Dataset.zip((Dataset.range(2), pair))
        with self.assertRaisesRegex(ValueError, "structure"):
            experimental.choose_from_datasets([nested, flat], choices)

    def test_samples_without_weights_are_of_all_and_without_a_seed_others_each_time(self):
        for seed in (None, 7):
            with tf.Graph().as_default():  # which has no seed
                sources = [Dataset.from_tensors(value).repeat() for value in (0, 1, 2)]
                samples = experimental.sample_from_datasets(sources, seed=seed).take(300)
                found, again = self.elements(samples), self.elements(samples)
            self.assertEqual(found == again, seed is not None)
            for count in collections.Counter(found).values():
                self.assertAllClose(count / 300, 1 / 3, atol=0.12)

    def test_samples_are_drawn_by_their_weights_and_with_a_seed_again(self):
        sources = [Dataset.from_tensors(value).repeat() for value in (0, 1, 2)]
        samples = experimental.sample_from_datasets(sources, [0.2, 0.0, 0.8], seed=3)
        found = self.elements(samples.take(500))
        counts = collections.Counter(found)
        self.assertEqual(counts[1], 0)
        self.assertAllClose(counts[0] / 500, 0.2, atol=0.08)
        self.assertEqual(self.elements(samples.take(500)), found)
        changing = Dataset.from_tensor_slices([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).repeat()
        drawn = experimental.sample_from_datasets(sources, changing).take(6)
        self.assertEqual(self.elements(drawn), [0, 2] * 3)
        with self.assertRaisesRegex(ValueError, "a weight for each"):
            experimental.sample_from_datasets(sources, [1.0])


if __name__ == "__main__":
    unittest.main()
