"""What begins a pipeline: strings, numbers and slices, epoch by epoch."""

import os
import unittest

import numpy as np

import troupe as tf


class ProducerTest(tf.test.TestCase):
    def take_all(self, tensor):
        """The values of a tensor in the steps until the end of the data."""
        coordinator = tf.train.Coordinator()
        found = []
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            threads = tf.train.start_queue_runners(session, coordinator)
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(tensor))
            coordinator.request_stop()
            coordinator.join(threads)
        return found

    def test_strings_come_in_order_in_each_epoch(self):
        queue = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
        self.assertEqual(self.take_all(queue.dequeue()), [b"a", b"b", b"c"] * 2)

    def test_each_epoch_has_another_order(self):
        queue = tf.train.range_input_producer(50, num_epochs=2, seed=7)
        found = self.take_all(queue.dequeue())
        first, second = found[:50], found[50:]
        self.assertCountEqual(first, range(50))
        self.assertCountEqual(second, range(50))
        self.assertNotEqual(first, list(range(50)))
        self.assertNotEqual(first, second)

    def test_slices_of_several_tensors_belong_together(self):
        rows = np.arange(12).reshape(6, 2)
        names = [f"row {i}" for i in range(6)]
        row, name = tf.train.slice_input_producer([rows, names], num_epochs=1)
        self.assertEqual(row.shape.as_list(), [2])
        self.assertEqual(name.shape.as_list(), [])
        found = self.take_all([row, name])
        self.assertEqual(len(found), 6)
        for values, text in found:
            number = int(text.decode().split()[1])
            self.assertAllEqual(values, rows[number])

    def test_rows_without_a_known_shape_need_one(self):
        x = tf.placeholder(tf.float32, [None, None])
        with self.assertRaisesRegex(ValueError, "element_shape"):
            tf.train.input_producer(x)
        queue = tf.train.input_producer(x, element_shape=[3])
        self.assertEqual(queue.shapes, [[3]])

    def test_nothing_is_no_input(self):
        with self.assertRaisesRegex(ValueError, "non-null input tensor"):
            tf.train.string_input_producer([])
        with self.assertRaisesRegex(ValueError, "at least one tensor"):
            tf.train.slice_input_producer([])
        names = tf.placeholder_with_default(tf.constant([], tf.string), [None])
        take = tf.train.string_input_producer(names).dequeue()
        coordinator = tf.train.Coordinator()
        with self.session() as session:
            tf.train.start_queue_runners(session, coordinator)
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(take)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "non-null input tensor"):
                coordinator.join()

    def test_a_number_of_epochs_is_a_number_of_steps(self):
        limited = tf.train.limit_epochs(tf.constant([1, 2]), num_epochs=2)
        self.assertIs(tf.train.limit_epochs(limited), limited)
        with self.assertRaisesRegex(ValueError, "num_epochs must be > 0 not -1"):
            tf.train.limit_epochs(limited, -1)
        (epochs,) = tf.local_variables()
        self.assertEqual(epochs.dtype.base_dtype, tf.int64)
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            for _ in range(2):
                self.assertAllEqual(session.run(limited), [1, 2])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(limited)

    def test_files_are_looked_up_once(self):
        folder = self.get_temp_dir()
        for name in ("a.txt", "b.txt", "c.csv"):
            with open(os.path.join(folder, name), "w") as file:
                file.write(name)
        one = tf.train.match_filenames_once(os.path.join(folder, "*.txt"))
        two = tf.io.match_filenames_once(
            [os.path.join(folder, f"*.{end}") for end in ("txt", "csv")]
        )
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            os.remove(os.path.join(folder, "a.txt"))
            names = [os.path.basename(name) for name in session.run(one)]
            self.assertEqual(names, [b"a.txt", b"b.txt"])
            self.assertEqual(len(session.run(two)), 3)

    def test_the_files_of_a_pattern_are_read_batch_by_batch(self):
        folder = self.get_temp_dir()
        for number in range(5):
            with open(os.path.join(folder, f"{number}.txt"), "w") as file:
                file.write(str(number))
        names = tf.train.match_filenames_once(os.path.join(folder, "*.txt"))
        name = tf.train.string_input_producer(names, num_epochs=1, shuffle=False).dequeue()
        number = tf.string_to_number(tf.read_file(name), tf.int32)
        batch = tf.train.batch([number], 2, allow_smaller_final_batch=True)
        found = self.take_all(batch)
        self.assertEqual([values.tolist() for values in found], [[0, 1], [2, 3], [4]])


if __name__ == "__main__":
    unittest.main()
