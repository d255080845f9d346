"""Functions whose calls by several steps are made as one, and the ops beneath."""

import threading
import unittest

import numpy as np

import troupe as tf

LIMITS = {
    "num_batch_threads": 1,
    "max_batch_size": 4,
    "batch_timeout_micros": 60_000_000,
}


def both(session, first, second):
    """The results of two steps at once, each a fetch and its feeds."""
    results = [None, None]

    def run(index, fetch, feeds):
        results[index] = session.run(fetch, feeds)

    threads = [
        threading.Thread(target=run, args=(index, *step))
        for index, step in enumerate((first, second))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class BatchingTest(tf.test.TestCase):
    def test_calls_of_two_steps_are_one(self):
        captured = tf.constant(2.0)
        for decorator in (tf.nondifferentiable_batch_function, tf.contrib.batching.batch_function):

            @decorator(**LIMITS)
            def scaled(x, y):
                return [x * y * captured, tf.fill(tf.shape(x), tf.shape(x)[0])]

            x = tf.placeholder(tf.float32, [None])
            products, rows = scaled(x, x + 1)
            self.assertEqual(products.op.type, "BatchFunction")
            with tf.Session() as session:
                one, two = both(
                    session,
                    ([products, rows], {x: [1]}),
                    ([products, rows], {x: [2, 3, 4]}),
                )
            self.assertAllEqual(one[0], [4])
            self.assertAllEqual(two[0], [12, 24, 40])
            self.assertAllEqual(one[1], [4])
            self.assertAllEqual(two[1], [4, 4, 4])

    def test_arguments_are_tensors(self):
        decorated = tf.nondifferentiable_batch_function(**LIMITS)(lambda x: [x])
        with self.assertRaisesRegex(ValueError, "supposed to be Tensors"):
            decorated(3)

    def test_rows_are_gathered_and_given_back_and_so_are_gradients(self):
        x = tf.placeholder(tf.float32, [None])
        batched = tf.raw_ops.Batch(in_tensors=[x], grad_timeout_micros=60_000_000, **LIMITS)
        rows, index, own = batched
        result = tf.raw_ops.Unbatch(
            batched_tensor=rows * rows, batch_index=index, id=own, timeout_micros=60_000_000
        )
        (gradient,) = tf.gradients(result * 3.0, x)
        types = {op.type for op in tf.get_default_graph().get_operations()}
        self.assertLessEqual({"Batch", "Unbatch", "UnbatchGrad"}, types)
        with tf.Session() as session:
            one, two = both(session, (result, {x: [1, 2]}), (result, {x: [3, 4]}))
            self.assertAllEqual(one, [1, 4])
            self.assertAllEqual(two, [9, 16])
            one, two = both(session, (gradient, {x: [1, 2]}), (gradient, {x: [3, 4]}))
            self.assertAllEqual(one, [6, 12])
            self.assertAllEqual(two, [18, 24])

    def test_a_batch_that_is_not_full_waits_for_its_time_alone(self):
        limits = dict(LIMITS, batch_timeout_micros=1000, allowed_batch_sizes=[2, 4])
        batch = tf.nondifferentiable_batch_function(**limits)
        x = tf.constant(np.float32([[1, 2]]))
        (rows,) = batch(lambda x: [x + tf.cast(tf.shape(x)[0], tf.float32)])(x)
        with tf.Session() as session:
            self.assertAllEqual(session.run(rows), [[3, 4]])
            large = tf.zeros([5, 1])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(batch(lambda x: [x])(large))


if __name__ == "__main__":
    unittest.main()
