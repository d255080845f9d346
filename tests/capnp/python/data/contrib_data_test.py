"""`tf.contrib.data`, what is new in `tf.data.experimental`, and options."""

import gzip
import os
import tempfile
import unittest

import numpy as np

import troupe as tf

Dataset = tf.data.Dataset


class Elements(tf.test.TestCase):
    def elements(self, dataset):
        """The elements, as lists."""
        following = dataset.make_one_shot_iterator().get_next()
        found = []
        with tf.Session() as session:
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(following))
        return [each.tolist() if hasattr(each, "tolist") else each for each in found]


class TransformationsTest(Elements):
    def test_elements_are_chosen_and_scanned(self):
        experimental = tf.data.experimental
        numbers = Dataset.from_tensor_slices(np.array([3, 1, 3, 2, 1]))
        self.assertEqual(self.elements(numbers.apply(experimental.unique())), [3, 1, 2])
        small = numbers.apply(experimental.take_while(lambda x: x > 1))
        self.assertEqual(self.elements(small), [3])
        sums = numbers.apply(experimental.scan(np.int64(0), lambda sum, x: (sum + x, (sum, x))))
        self.assertEqual(self.elements(sums), [(0, 3), (3, 1), (4, 3), (7, 2), (9, 1)])
        inverses = Dataset.range(3).map(lambda x: 6 // x).apply(experimental.ignore_errors())
        self.assertEqual(self.elements(inverses), [6, 3])
        self.assertEqual(inverses.output_types, tf.int64)

    def test_elements_are_for_a_device(self):
        for place in (tf.data.experimental, tf.contrib.data):
            numbers = Dataset.range(3).apply(place.copy_to_device("/cpu:0"))
            for size in (None, 2):
                prefetched = numbers.apply(place.prefetch_to_device("/cpu:0", size))
                self.assertEqual(self.elements(prefetched), [0, 1, 2])

    def test_a_scan_that_gives_no_state_is_refused(self):
        scan = tf.contrib.data.scan
        with self.assertRaisesRegex(TypeError, "a pair"):
            Dataset.range(3).apply(scan(0, lambda state, x: x))
        with self.assertRaisesRegex(TypeError, "must match the initial state"):
            Dataset.range(3).apply(scan(0, lambda state, x: (x, x)))
        with self.assertRaisesRegex(ValueError, "scalar boolean"):
            Dataset.range(3).apply(tf.data.experimental.take_while(lambda x: x))

    def test_datasets_take_turns(self):
        def three(number):
            return Dataset.from_tensors(number).repeat(3)

        for module in (tf.contrib.data, tf.data.experimental):
            dataset = Dataset.range(3).apply(module.parallel_interleave(three, 2, block_length=2))
            self.assertEqual(self.elements(dataset), [0, 0, 1, 1, 0, 1, 2, 2, 2])
        sloppy = Dataset.range(3).apply(tf.contrib.data.sloppy_interleave(three, 2))
        self.assertCountEqual(self.elements(sloppy), [0, 0, 0, 1, 1, 1, 2, 2, 2])
        options = {"sloppy": True, "buffer_output_elements": 4, "prefetch_input_elements": 2}
        dataset = Dataset.range(3).apply(tf.contrib.data.parallel_interleave(three, 3, **options))
        self.assertEqual(sorted(self.elements(dataset)), [0] * 3 + [1] * 3 + [2] * 3)

    def test_a_batch_is_mapped(self):
        apply = tf.contrib.data.map_and_batch(lambda x: x * 2, 2, drop_remainder=True)
        self.assertEqual(self.elements(Dataset.range(5).apply(apply)), [[0, 2], [4, 6]])
        for calls in ({"num_parallel_batches": 2}, {"num_parallel_calls": 3}):
            apply = tf.contrib.data.map_and_batch(lambda x: x * 2, 3, **calls)
            self.assertEqual(self.elements(Dataset.range(5).apply(apply)), [[0, 2, 4], [6, 8]])
        with self.assertRaisesRegex(ValueError, "mutually exclusive"):
            tf.contrib.data.map_and_batch(
                lambda x: x, 2, num_parallel_batches=1, num_parallel_calls=2
            )

    def test_a_last_smaller_batch_is_left_out(self):
        dataset = Dataset.range(5).apply(tf.contrib.data.batch_and_drop_remainder(2))
        self.assertEqual(dataset.output_shapes.as_list(), [2])
        self.assertEqual(self.elements(dataset), [[0, 1], [2, 3]])
        rows = Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        apply = tf.contrib.data.padded_batch_and_drop_remainder(2, [None], np.int64(9))
        self.assertEqual(self.elements(rows.apply(apply)), [[[1, 9], [2, 2]]])

    def test_elements_are_numbered(self):
        dataset = Dataset.from_tensor_slices(["a", "b"])
        numbered = dataset.apply(tf.contrib.data.enumerate_dataset(start=5))
        self.assertEqual(self.elements(numbered), [(5, b"a"), (6, b"b")])


class SourcesTest(Elements):
    def test_a_counter_has_no_end(self):
        counter = tf.data.experimental.Counter
        self.assertEqual(self.elements(counter(3, 4).take(3)), [3, 7, 11])
        self.assertEqual(self.elements(counter(1, -2).take(3)), [1, -1, -3])
        numbers = counter(dtype=tf.float32)
        self.assertEqual(numbers.output_types, tf.float32)
        self.assertEqual(self.elements(numbers.take(2)), [0.0, 1.0])

    def test_the_single_element_is_computed_in_each_step(self):
        x = tf.placeholder(tf.int64, [None])
        dataset = Dataset.from_tensor_slices(x).map(lambda n: {"n": n * 2}).batch(3)
        only = tf.data.experimental.get_single_element(dataset)
        with tf.Session() as session:
            self.assertAllEqual(session.run(only, {x: [1, 2]})["n"], [2, 4])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(only, {x: [1, 2, 3, 4]})
        with self.assertRaisesRegex(TypeError, "must be a `tf.data.Dataset`"):
            tf.data.experimental.get_single_element(3)

    def test_records_of_files_have_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in "ab"]
            for path, text in zip(paths, ("n,t,u\n1,x,\n", 'n,t,u\n2,"y,z",5\n')):
                with open(path, "w") as file:
                    file.write(text)
            defaults = [tf.int32, tf.string, [7.5]]
            dataset = tf.data.experimental.CsvDataset(paths, defaults, header=True)
            self.assertEqual(dataset.output_types, (tf.int32, tf.string, tf.float32))
            self.assertEqual(self.elements(dataset), [(1, b"x", 7.5), (2, b"y,z", 5.0)])
            chosen = tf.contrib.data.CsvDataset(
                paths[1], [tf.float32], header=True, select_cols=[2]
            )
            self.assertEqual(self.elements(chosen), [(5.0,)])

    def test_fields_in_quotes_may_have_line_breaks_inside(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            with gzip.open(path, "wb") as file:
                file.write(b'n,"two\nlines"\r\n1,"a\nb ""c"""\r\n2,"d"e"\r\n,NA\r\n')
            dataset = tf.data.experimental.CsvDataset(
                path, [[7], ["-"]], "GZIP", header=True, buffer_size=5, na_value="NA"
            )
            self.assertEqual(dataset.output_shapes, (tf.TensorShape([]),) * 2)
            valid = dataset.apply(tf.data.experimental.ignore_errors())
            self.assertEqual(self.elements(valid), [(1, b'a\nb "c"'), (7, b"-")])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "has to be escaped"):
                self.elements(dataset)
        with self.assertRaisesRegex(ValueError, "must be at most rank 1 but is rank 2"):
            tf.data.experimental.CsvDataset("a", [tf.constant([[1]])])


class OptionsTest(Elements):
    def test_options_are_kept_and_change_no_elements(self):
        options = tf.data.Options()
        options.experimental_deterministic = False
        options.experimental_threading.private_threadpool_size = 3
        dataset = Dataset.range(3).with_options(options)
        self.assertEqual(dataset.options(), options)
        self.assertNotEqual(Dataset.range(3).options(), options)
        self.assertEqual(self.elements(dataset), [0, 1, 2])

    def test_options_have_types(self):
        options = tf.data.Options()
        with self.assertRaisesRegex(AttributeError, "Cannot set the property other"):
            options.other = 3
        with self.assertRaisesRegex(TypeError, "must be of type"):
            options.experimental_slack = 3
        with self.assertRaises(AttributeError):
            options.other
        self.assertTrue(options.experimental_distribute.auto_shard)
        self.assertIsNone(options.experimental_optimization.map_vectorization.enabled)

    def test_options_are_merged_unless_they_differ(self):
        one, other = tf.data.Options(), tf.data.Options()
        one.experimental_slack = True
        one.experimental_optimization.map_fusion = True
        other.experimental_optimization.autotune = False
        merged = one.merge(other)
        self.assertTrue(merged.experimental_slack)
        self.assertTrue(merged.experimental_optimization.map_fusion)
        self.assertIs(merged.experimental_optimization.autotune, False)
        self.assertIsNone(one.experimental_optimization.autotune)
        other.experimental_slack = False
        with self.assertRaisesRegex(ValueError, "Cannot merge"):
            one.merge(other)
        with self.assertRaisesRegex(TypeError, "Incompatible options type"):
            one.merge(3)


if __name__ == "__main__":
    tf.test.main()
