"""Accumulators of gradients."""

import threading
import unittest

import numpy as np
import troupe as tf


class AccumulatorsTest(tf.test.TestCase):
    def test_the_mean_or_the_sum_of_gradients_is_taken(self):
        for reduction, expected in (("MEAN", [2.0, 3.0]), ("SUM", [4.0, 6.0])):
            accumulator = tf.ConditionalAccumulator(
                tf.float32, shape=[2], reduction_type=reduction
            )
            with tf.Session() as session:
                session.run(accumulator.apply_grad([1.0, 2.0]))
                session.run(accumulator.apply_grad([3.0, 4.0], local_step=0))
                self.assertEqual(session.run(accumulator.num_accumulated()), 2)
                taken = accumulator.take_grad(2)
                self.assertEqual(taken.shape.as_list(), [2])
                self.assertAllEqual(session.run(taken), expected)

    def test_gradients_of_older_steps_are_dropped(self):
        accumulator = tf.ConditionalAccumulator(tf.float32, shape=[])
        with tf.Session() as session:
            session.run(accumulator.set_global_step(3))
            session.run(accumulator.apply_grad(1.0, local_step=2))
            self.assertEqual(session.run(accumulator.num_accumulated()), 0)
            session.run(accumulator.apply_grad(5.0, local_step=np.int32(3)))
            self.assertEqual(session.run(accumulator.take_grad(1)), 5.0)

    def test_a_take_waits_for_gradients_until_its_step_ends(self):
        accumulator = tf.ConditionalAccumulator(tf.float32, shape=[])
        take, apply = accumulator.take_grad(2), accumulator.apply_grad(1.0)
        results = []
        with tf.Session() as session:
            thread = threading.Thread(target=lambda: results.append(session.run(take)))
            thread.start()
            session.run(apply)
            session.run(apply)
            thread.join(60)
            self.assertEqual(results, [1.0])
            session.run(accumulator.apply_grad(3.0, local_step=1))
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(take, options=tf.RunOptions(timeout_in_ms=100))
            self.assertEqual(session.run(accumulator.take_grad(1)), 3.0)

    def test_sessions_share_an_accumulator_by_its_name_only(self):
        server = tf.train.Server.create_local_server()
        shared = tf.ConditionalAccumulator(tf.float32, shape=[], shared_name="shared")
        own = tf.ConditionalAccumulator(tf.float32, shape=[], name="own")
        counts = [shared.num_accumulated(), own.num_accumulated()]
        applies = [shared.apply_grad(1.0), own.apply_grad(1.0)]
        with tf.Session(server.target) as first, tf.Session(server.target) as second:
            first.run(applies)
            self.assertEqual(first.run(counts), [1, 1])
            self.assertEqual(second.run(counts), [1, 0])
        server.stop()

    def test_what_does_not_fit_is_refused(self):
        accumulator = tf.ConditionalAccumulator(tf.float32, shape=[2])
        with self.assertRaisesRegex(ValueError, "incompatible"):
            accumulator.apply_grad([1.0, 2.0, 3.0])
        with self.assertRaisesRegex(ValueError, "MEAN"):
            tf.ConditionalAccumulator(tf.float32, reduction_type="MEDIAN")
        anything = tf.ConditionalAccumulator(tf.float32)
        value = tf.placeholder(tf.float32)
        apply = anything.apply_grad(value)
        with tf.Session() as session:
            session.run(apply, {value: [1.0, 2.0]})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Shape mismatch"):
                session.run(apply, {value: [1.0]})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be positive"):
                session.run(anything.take_grad(0))


class SparseAccumulatorsTest(tf.test.TestCase):
    def test_each_row_is_averaged_over_the_gradients_that_have_it(self):
        accumulator = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 1])
        with tf.Session() as session:
            session.run(accumulator.apply_grad([0, 2], [[1.0], [2.0]], [4, 1]))
            rows = tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([2]))
            session.run(accumulator.apply_indexed_slices_grad(rows))
            taken = session.run(accumulator.take_grad(2))
            self.assertAllEqual(taken.indices, [0, 2])
            self.assertAllEqual(taken.values, [[1.0], [3.0]])
            self.assertAllEqual(taken.shape, [4, 1])

    def test_gathered_rows_are_added_and_taken_as_slices(self):
        table = tf.Variable([[1.0], [2.0], [3.0]])
        (gradient,) = tf.gradients(tf.gather(table, [2, 0, 2]), [table])
        accumulator = tf.sparse.SparseConditionalAccumulator(tf.float32, shape=())
        apply = accumulator.apply_indexed_slices_grad(gradient)
        taken = accumulator.take_indexed_slices_grad(1)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(apply)
            value = session.run(taken)
            self.assertAllEqual(value.indices, [0, 2])
            self.assertAllEqual(value.values, [[1.0], [2.0]])


if __name__ == "__main__":
    unittest.main()
