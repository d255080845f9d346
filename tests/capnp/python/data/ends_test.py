"""What ends a dataset, and what is an error of an element, behind which others follow."""

import unittest

import numpy as np

import troupe as tf

Dataset = tf.data.Dataset


def below_three(x):
    """The number; behind 2, a function of Python raises what ends a loop."""

    def call(i):
        if i >= 3:
            raise StopIteration
        return i

    y = tf.py_func(call, [x], tf.int64)
    y.set_shape([])
    return y


class EndsTest(tf.test.TestCase):
    def results(self, dataset):
        """The elements, with the codes of errors between them."""
        iterator, found = tf.data.make_initializable_iterator(dataset), []
        following = iterator.get_next()
        with self.session() as session:
            session.run(iterator.initializer)
            while len(found) < 20:
                try:
                    found.append(session.run(following).tolist())
                except tf.errors.OutOfRangeError:
                    break
                except tf.errors.InvalidArgumentError as error:
                    found.append(error.message.split(":")[0])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(following)
        return found

    def test_a_function_may_end_what_it_maps(self):
        for calls in (None, 1, 4):
            mapped = Dataset.range(6).map(below_three, calls)
            self.assertEqual(self.results(mapped), [0, 1, 2])
            self.assertEqual(self.results(mapped.batch(2)), [[0, 1], [2]])
            self.assertEqual(self.results(mapped.repeat(2)), [0, 1, 2] * 2)
            self.assertEqual(self.results(mapped.concatenate(Dataset.range(1))), [0, 1, 2, 0])

    def test_elsewhere_the_end_of_a_function_is_an_error(self):
        error = "Function invocation produced OutOfRangeError"
        numbers = Dataset.range(5)
        for dataset in (
            numbers.filter(lambda x: below_three(x) >= 0),
            numbers.flat_map(lambda x: Dataset.from_tensors(below_three(x))),
            numbers.apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s, below_three(x)))),
        ):
            self.assertEqual(self.results(dataset), [0, 1, 2, error, error])
        batches = numbers.apply(tf.data.experimental.map_and_batch(below_three, 2))
        self.assertEqual(self.results(batches)[:2], [[0, 1], error])
        with self.session() as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, error) as raised:
                session.run(numbers.reduce(np.int64(0), lambda s, x: s + below_three(x)))
        self.assertIn("(PyFunc)", str(raised.exception))  # where in the function

    def test_an_error_comes_in_the_turn_of_its_element(self):
        values = np.float32([1, np.nan, 2, np.nan, 3])
        numbers = Dataset.from_tensor_slices(values).map(lambda x: tf.check_numerics(x, "no"))
        for cycle, block, calls in [(1, 3, 1), (2, 1, None), (2, 1, 2), (2, 3, 2), (7, 2, 3)]:
            found = self.results(numbers.interleave(Dataset.from_tensors, cycle, block, calls))
            self.assertEqual(found, [1, "no ", 2, "no ", 3], (cycle, block, calls))

        def dataset_of(x):
            return Dataset.from_tensors(tf.check_numerics(x, "in the function"))

        numbers = Dataset.from_tensor_slices(values)
        found = self.results(numbers.interleave(dataset_of, 5, 1, 2))
        self.assertEqual(found, [1, "in the function ", 2, "in the function ", 3])


if __name__ == "__main__":
    unittest.main()
