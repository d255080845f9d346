"""Batches of the elements of buckets, and summaries of how full queues are."""

import unittest

from batching_test import Pipeline

import troupe as tf


class BucketingTest(Pipeline):
    def test_a_batch_is_of_one_bucket(self):
        number = self.counter(12)
        which, batch = tf.contrib.training.bucket(
            [number], tf.cast(number % 3, tf.int32), batch_size=2, num_buckets=3
        )
        self.assertEqual(batch.shape.as_list(), [2])
        found = self.take_all([which, batch])
        self.assertCountEqual(
            [(int(which), batch.tolist()) for which, batch in found],
            [(0, [0, 3]), (0, [6, 9]), (1, [1, 4]), (1, [7, 10]), (2, [2, 5]), (2, [8, 11])],
        )

    def test_sequences_are_bucketed_by_their_lengths_and_padded(self):
        number = self.counter(9)
        length = tf.cast(number, tf.int32)
        lengths, batch = tf.contrib.training.bucket_by_sequence_length(
            length,
            {"s": tf.fill([length], number), "n": number},
            batch_size=[2, 1, 3],
            bucket_boundaries=[3, 5],
            dynamic_pad=True,
            allow_smaller_final_batch=True,
        )
        self.assertEqual(batch["s"].shape.as_list(), [None, None])
        found = {tuple(lengths): batch for lengths, batch in self.take_all([lengths, batch])}
        self.assertCountEqual(found, [(0, 1), (2,), (3,), (4,), (5, 6, 7), (8,)])
        self.assertAllEqual(found[0, 1]["s"], [[0], [1]])
        self.assertAllEqual(found[5, 6, 7]["s"], [[5] * 5 + [0, 0], [6] * 6 + [0], [7] * 7])
        self.assertAllEqual(found[8,]["n"], [8])

    def test_elements_may_be_left_out(self):
        number = self.counter(6)
        lengths, batch = tf.contrib.training.bucket_by_sequence_length(
            tf.cast(number, tf.int32),
            [number],
            batch_size=1,
            bucket_boundaries=[3],
            keep_input=tf.greater(number, 2),
            allow_smaller_final_batch=True,
        )
        found = self.take_all([lengths, *batch])
        self.assertCountEqual([int(lengths[0]) for lengths, _ in found], [3, 4, 5])

    def test_arguments_are_checked(self):
        buckets = tf.contrib.training.bucket_by_sequence_length
        with self.assertRaisesRegex(TypeError, "must be a list or tuple"):
            buckets(1, [1], 2, 3)
        with self.assertRaisesRegex(ValueError, "must not be empty"):
            buckets(1, [1], 2, [])
        with self.assertRaisesRegex(TypeError, "must be integers"):
            buckets(1, [1], 2, [1, 2.5])
        with self.assertRaisesRegex(ValueError, "3 before 3"):
            buckets(1, [1], 2, [3, 3])
        with self.assertRaisesRegex(ValueError, "must have num_buckets elements"):
            buckets(1, [1], [2], [3])
        with self.assertRaisesRegex(ValueError, "must have exactly num_buckets"):
            buckets(1, [1], 2, [3], bucket_capacities=[1])


class SummariesTest(tf.test.TestCase):
    def fraction(self, queue_name, queue, count):
        """The summary of a queue that has so many elements more."""
        (summary,) = tf.get_collection(tf.GraphKeys.SUMMARIES)
        self.assertIn(queue_name, summary.name)
        with self.session() as session:
            for _ in range(count):
                session.run(queue.enqueue(1))
            message = tf.Summary.FromString(session.run(summary))
        (value,) = message.value
        return value.tag, value.simple_value

    def test_batches_have_a_summary_of_how_full_their_queue_is(self):
        tf.train.batch([tf.constant(1)], 2, capacity=8)
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        tag, value = self.fraction("fraction_of_8_full", runner.queue, 2)
        self.assertEqual((tag, value), ("batch/fraction_of_8_full", 0.25))

    def test_shuffled_batches_do_not_count_what_stays_in_the_queue(self):
        tf.train.shuffle_batch([tf.constant(1)], 2, capacity=9, min_after_dequeue=1)
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        tag, value = self.fraction("fraction_over_1_of_8_full", runner.queue, 5)
        self.assertEqual((tag, value), ("shuffle_batch/fraction_over_1_of_8_full", 0.5))

    def test_producers_have_a_summary_unless_they_have_no_name_for_it(self):
        tf.train.input_producer([1, 2])
        self.assertEqual(tf.get_collection(tf.GraphKeys.SUMMARIES), [])
        tf.train.range_input_producer(3, capacity=4)
        (summary,) = tf.get_collection(tf.GraphKeys.SUMMARIES)
        self.assertEqual(summary.op.name, "input_producer_1/fraction_of_4_full")


if __name__ == "__main__":
    unittest.main()
