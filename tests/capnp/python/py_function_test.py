"""Functions of Python that steps call with tensors that have values."""

import unittest

import numpy as np

import troupe as tf


class PyFunctionTest(tf.test.TestCase):
    def results(self, function, inputs, dtypes, **options):
        return self.evaluate(tf.py_function(function, inputs, dtypes, **options))

    def test_a_function_asks_its_arguments_for_values(self):
        def describe(x, word):
            self.assertEqual((x.dtype, x.shape.as_list()), (tf.float32, [2, 2]))
            self.assertEqual(word.numpy(), b"sum")
            return f"{word.numpy().decode()} {x.numpy().sum()}"

        x = tf.placeholder(tf.float32)
        with self.session() as session:
            text = tf.py_function(describe, [x, "sum"], tf.string)
            self.assertEqual(session.run(text, {x: [[1, 2], [3, 4]]}), b"sum 10.0")

    def test_operations_in_a_function_have_values_too(self):
        def count_down(x):
            steps = 0
            while x > 1:
                x = tf.cond(x % 2 < 1, lambda: x // 2, lambda: 3 * x + 1)
                steps += 1
            total = tf.while_loop(lambda i, _: i < steps, lambda i, t: [i + 1, t + i], [0, 0])[1]
            return [steps, total, np.float64(int(x)), [x, x + 1]]

        dtypes = [tf.int32, tf.int32, tf.float32, tf.int64]
        found = self.results(count_down, [tf.constant(6, tf.int64)], dtypes)
        self.assertEqual([value.tolist() for value in found], [8, 28, 1.0, [1, 2]])

    def test_each_operation_runs_once(self):
        calls = []

        def draw(x):
            random = tf.random_uniform([3])
            self.assertAllEqual(random.numpy() * 2, (random * 2).numpy())
            noted = tf.py_func(lambda a: calls.append(a), [random], [])
            with tf.control_dependencies(noted if isinstance(noted, list) else [noted]):
                later = random + x
            self.assertAllEqual(later.numpy(), random.numpy() + 1)
            return random, later

        random, later = self.results(draw, [1.0], [tf.float32, tf.float32])
        self.assertAllEqual(later, random + 1)
        self.assertEqual(len(calls), 1)

    def test_tensors_of_a_function_are_iterated_over_and_taken_by_numpy(self):
        def rows(x):
            self.assertTrue(tf.executing_eagerly())
            self.assertEqual([int(tf.reduce_sum(row)) for row in x], [3, 7])
            self.assertIn("[1, 2]", repr(x))
            indices = tf.where(x > 1)
            self.assertEqual(indices.shape.as_list(), [3, 2])
            return np.sum(x) + len(x)

        self.assertEqual(self.results(rows, [[[1, 2], [3, 4]]], tf.int32), 12)
        self.assertFalse(tf.executing_eagerly())

    def test_datasets_map_by_such_a_function(self):
        def load(number):
            return np.full([int(number)], number.numpy(), np.int64)

        dataset = tf.data.Dataset.range(4).map(lambda x: tf.py_function(load, [x], tf.int64))
        following = dataset.make_one_shot_iterator().get_next()
        with self.session() as session:
            found = [session.run(following).tolist() for _ in range(4)]
        self.assertEqual(found, [[], [1], [2, 2], [3, 3, 3]])

    def test_a_function_without_results_is_run_for_its_effect(self):
        seen = []
        noted = tf.py_function(lambda x: seen.append(x.numpy()), [7], [])
        with self.session() as session:
            session.run(noted)
        self.assertEqual(seen, [7])

    def test_gradients_pass_through_the_operations_of_a_function(self):
        def log_huber(x, m):
            if tf.abs(x) <= m:
                return [x**2, x.numpy()]
            return [m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2)), x.numpy()]

        x, m = tf.placeholder(tf.float32), tf.constant(2.0)
        y, same = tf.py_function(log_huber, [x, m], [tf.float32, tf.float32])
        dx, dm = tf.gradients(3 * y + same, [x, m])
        with self.session() as session:
            self.assertAllClose(session.run([y, dx, dm], {x: 1.0}), [1.0, 6.0, 0.0])
            self.assertAllClose(session.run([dx, dm], {x: 4.0}), [6.0, 24 * np.log(2.0)])

    def test_gradients_pass_through_a_function_in_a_loop(self):
        square = lambda x: tf.py_function(lambda a: a * a, [x], tf.float32)
        x = tf.constant(3.0)
        y = tf.while_loop(
            lambda i, _: i < 2, lambda i, t: [i + 1, tf.reshape(square(t), [])], [0, x]
        )[1]
        self.assertAllClose(self.evaluate([y, tf.gradients(y, x)[0]]), [81.0, 108.0])

    def test_what_ran_together_with_an_operation_that_failed_has_its_error(self):
        def divide(x):
            failing, other = x // 0, x + 1
            for tensor in (failing, other, failing):
                with self.assertRaisesRegex(tf.errors.OpError, "division by zero"):
                    tensor.numpy()
            return x + 2

        self.assertEqual(self.results(divide, [1], tf.int32), 3)

    def test_errors_of_a_function_are_those_of_the_step(self):
        refused = {
            "Expected int32": lambda x: 1.5,
            "returns 2 values": lambda x: [1, 2],
            "integer division by zero": lambda x: x // 0,
            "Attempting to return a variable": lambda x: tf.Variable(1),
        }
        for message, function in refused.items():
            with self.assertRaisesRegex(tf.errors.OpError, message):
                self.results(function, [1], tf.int32)
        with self.assertRaisesRegex(ValueError, "Expected func to be callable"):
            tf.py_function(3, [], tf.int32)


if __name__ == "__main__":
    unittest.main()
