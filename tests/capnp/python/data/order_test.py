"""Elements that come as soon as each is there, and those that wait for their turn."""

import threading
import unittest

import numpy as np

import troupe as tf

Dataset = tf.data.Dataset


class Gates:
    """A function of Python that waits with a number until that may go on."""

    def __init__(self, closed):
        self.gates = {number: threading.Event() for number in closed}

    def pass_through(self, number):
        if int(number) in self.gates:
            self.gates[int(number)].wait()
        return number

    def __call__(self, x):
        y = tf.py_func(self.pass_through, [x], tf.int64)
        y.set_shape([])
        return y

    def open(self, number):
        self.gates[number].set()


class OrderTest(tf.test.TestCase):
    def unordered(self, dataset):
        options = tf.data.Options()
        options.experimental_deterministic = False
        return dataset.with_options(options)

    def check_others_come_first(self, dataset, gates, others):
        """The others come although 0 is not there yet; it comes when it is."""
        for kind in ("one_shot", "initializable"):
            gates.gates[0].clear()
            iterator = getattr(dataset, f"make_{kind}_iterator")()
            following = iterator.get_next()
            with tf.Session() as session:
                if kind == "initializable":
                    session.run(iterator.initializer)
                self.assertCountEqual([session.run(following) for _ in others], others)
                gates.open(0)
                self.assertEqual(session.run(following), 0)
                with self.assertRaises(tf.errors.OutOfRangeError):
                    session.run(following)

    def test_a_call_that_waits_does_not_hold_back_others_where_the_order_is_free(self):
        gates = Gates([0])
        dataset = Dataset.range(4).map(gates, num_parallel_calls=2)
        self.check_others_come_first(self.unordered(dataset), gates, [1, 2, 3])

    def test_options_hold_for_what_is_made_of_a_dataset(self):
        gates = Gates([0])
        dataset = self.unordered(Dataset.range(4)).map(gates, num_parallel_calls=2)
        self.check_others_come_first(dataset.map(lambda x: x), gates, [1, 2, 3])
        both = Dataset.zip((dataset, Dataset.range(4)))
        self.assertIs(both.options().experimental_deterministic, False)
        self.assertIs(dataset.concatenate(dataset).options().experimental_deterministic, False)
        self.assertIsNone(Dataset.range(4).options().experimental_deterministic)

    def test_options_of_two_datasets_that_differ_are_refused(self):
        options = tf.data.Options()
        options.experimental_deterministic = True
        other = Dataset.range(4).with_options(options)
        with self.assertRaisesRegex(ValueError, "Cannot merge"):
            self.unordered(Dataset.range(4)).concatenate(other)

    def test_a_dataset_that_waits_does_not_hold_back_others_where_the_order_is_free(self):
        gates = Gates([0])
        dataset = Dataset.range(3).interleave(
            lambda x: Dataset.from_tensors(x).map(gates), 2, num_parallel_calls=2
        )
        self.check_others_come_first(self.unordered(dataset), gates, [1, 2])

    def test_a_dataset_that_is_not_made_yet_does_not_hold_back_others(self):
        gates = Gates([0])
        dataset = Dataset.from_tensor_slices(np.array([1, 0])).interleave(
            lambda x: Dataset.from_tensors(gates(x)), 2, num_parallel_calls=2
        )
        self.check_others_come_first(self.unordered(dataset), gates, [1])

    def test_a_sloppy_interleave_does_not_wait(self):
        for interleave in (
            tf.contrib.data.sloppy_interleave,
            lambda function, turns: tf.data.experimental.parallel_interleave(
                function, turns, sloppy=tf.constant(True), buffer_output_elements=3
            ),
        ):
            gates = Gates([0])
            dataset = Dataset.range(3).apply(
                interleave(lambda x: Dataset.from_tensors(x).map(gates), 2)
            )
            self.check_others_come_first(dataset, gates, [1, 2])

    def test_elements_wait_for_their_turn_where_the_order_is_kept(self):
        gates = Gates([0])
        for dataset in (
            Dataset.range(3).map(gates, num_parallel_calls=3),
            Dataset.range(3).apply(
                tf.data.experimental.parallel_interleave(
                    lambda x: Dataset.from_tensors(x).map(gates), 3
                )
            ),
        ):
            gates.gates[0].clear()
            following = dataset.make_one_shot_iterator().get_next()
            with tf.Session() as session:
                found = []
                thread = threading.Thread(target=lambda: found.append(session.run(following)))
                thread.start()
                gates.open(0)
                thread.join()
                self.assertEqual(found + [session.run(following)], [0, 1])

    def test_an_iterator_without_order_has_all_elements_and_the_errors_among_them(self):
        dataset = Dataset.range(40).map(lambda x: 60 // (x - 7), num_parallel_calls=4)
        kept = self.unordered(dataset).apply(tf.data.experimental.ignore_errors())
        following = kept.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            found = [session.run(following) for _ in range(39)]
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(following)
        self.assertCountEqual(found, [60 // (x - 7) for x in range(40) if x != 7])


if __name__ == "__main__":
    unittest.main()
