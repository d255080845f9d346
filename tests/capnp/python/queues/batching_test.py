"""Batches of the elements that the threads of a pipeline compute."""

import unittest

import numpy as np

import troupe as tf


class Pipeline(tf.test.TestCase):
    def counter(self, limit):
        """A tensor that is 0, 1, ... in the steps that compute it, as many times as `limit`."""
        return tf.Variable(tf.constant(0, tf.int64)).count_up_to(limit)

    def take_all(self, tensors):
        """The values of tensors in the steps until the end of the data."""
        coordinator = tf.train.Coordinator()
        found = []
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            threads = tf.train.start_queue_runners(session, coordinator)
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(tensors))
            coordinator.request_stop()
            coordinator.join(threads)
        return found


class BatchingTest(Pipeline):
    def test_a_batch_has_as_many_elements_as_it_should(self):
        number = self.counter(5)
        numbers, texts = tf.train.batch([number, "text"], 2)
        self.assertEqual(numbers.shape.as_list(), [2])
        found = self.take_all([numbers, texts])
        self.assertEqual([values[0].tolist() for values in found], [[0, 1], [2, 3]])
        self.assertAllEqual(found[0][1], [b"text", b"text"])

    def test_the_last_batch_may_be_smaller(self):
        batch = tf.train.batch([self.counter(5)], 3, allow_smaller_final_batch=True)
        self.assertEqual(batch.shape.as_list(), [None])
        found = self.take_all(batch)
        self.assertEqual([values.tolist() for values in found], [[0, 1, 2], [3, 4]])

    def test_elements_are_lists_or_dicts(self):
        number = self.counter(2)
        batch = tf.train.batch({"n": number, "square": number * number}, 2)
        single = tf.train.batch({"n": self.counter(2)}, 2)
        self.assertEqual(sorted(single), ["n"])
        ((found, one),) = self.take_all([batch, single])
        self.assertAllEqual(found["square"], [0, 1])
        self.assertAllEqual(one["n"], [0, 1])

    def test_rows_are_many_elements(self):
        number = self.counter(3)
        rows = tf.stack([number * 2, number * 2 + 1])
        batch = tf.train.batch([rows], 3, enqueue_many=True)
        found = self.take_all(batch)
        self.assertEqual([values.tolist() for values in found], [[0, 1, 2], [3, 4, 5]])

    def test_all_threads_compute_elements(self):
        batch = tf.train.batch([self.counter(50)], 10, num_threads=4)
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        self.assertEqual(len(runner.enqueue_ops), 4)
        found = self.take_all(batch)
        self.assertCountEqual(np.concatenate(found), range(50))

    def test_elements_of_different_sizes_are_padded(self):
        number = self.counter(4)
        element = tf.fill(tf.reshape(tf.to_int32(number), [1]), number)
        batch = tf.train.batch([element], 2, dynamic_pad=True)
        self.assertEqual(batch.shape.as_list(), [2, None])
        found = self.take_all(batch)
        self.assertEqual(
            [values.tolist() for values in found], [[[0], [1]], [[2, 2, 0], [3, 3, 3]]]
        )
        with self.assertRaisesRegex(ValueError, "must be fully defined"):
            tf.train.batch([element], 2)

    def test_the_shapes_of_elements_may_be_given(self):
        x = tf.placeholder_with_default([1.0, 2.0], None)
        with self.assertRaisesRegex(ValueError, "Cannot infer Tensor's rank"):
            tf.train.batch([x], 2)
        batch = tf.train.batch([x], 3, shapes=[(2,)])
        self.assertEqual(batch.shape.as_list(), [3, 2])
        coordinator = tf.train.Coordinator()
        with self.session() as session:
            threads = tf.train.start_queue_runners(session, coordinator)
            self.assertAllEqual(session.run(batch), [[1, 2]] * 3)
            coordinator.request_stop()
            coordinator.join(threads)

    def test_several_sources_have_a_thread_each(self):
        sources = [[self.counter(4), "one"], [self.counter(4) + 10, "two"]]
        numbers, texts = tf.train.batch_join(sources, 2)
        found = self.take_all([numbers, texts])
        values = np.concatenate([each[0] for each in found])
        names = np.concatenate([each[1] for each in found])
        self.assertCountEqual(values, [0, 1, 2, 3, 10, 11, 12, 13])
        for value, name in zip(values, names):
            self.assertEqual(name, b"one" if value < 10 else b"two")
        with self.assertRaisesRegex(TypeError, "types to be consistent: int32 vs. float32"):
            tf.train.batch_join([[1], [1.0]], 2)
        with self.assertRaisesRegex(ValueError, "same keys"):
            tf.train.batch_join([{"a": 1}, {"b": 1}], 2)
        with self.assertRaisesRegex(ValueError, "at least one"):
            tf.train.batch_join([], 2)

    def test_shuffled_batches_have_all_elements(self):
        batch = tf.train.shuffle_batch([self.counter(40)], 10, 40, 20, seed=3)
        found = np.concatenate(self.take_all(batch))
        self.assertCountEqual(found, range(40))
        self.assertNotEqual(found.tolist(), list(range(40)))
        with self.assertRaisesRegex(ValueError, "capacity 10 must be bigger"):
            tf.train.shuffle_batch([1], 2, 10, 10)

    def test_several_sources_are_shuffled_together(self):
        sources = [[self.counter(20)], [self.counter(20) + 100]]
        batch = tf.train.shuffle_batch_join(
            sources, 16, 32, 8, seed=3, allow_smaller_final_batch=True
        )
        found = np.concatenate(self.take_all(batch))
        self.assertCountEqual(found, [*range(20), *range(100, 120)])

    def test_only_elements_for_which_it_is_true_are_kept(self):
        number = self.counter(6)
        is_even = tf.equal(number % 2, 0)
        makers = {
            "batch": lambda: tf.train.maybe_batch([number], is_even, 3),
            "shuffle": lambda: tf.train.maybe_shuffle_batch([number], 3, 8, 1, is_even),
            "join": lambda: tf.train.maybe_batch_join([[number]], is_even, 3),
            "shuffle_join": lambda: tf.train.maybe_shuffle_batch_join([[number]], 3, 8, 1, is_even),
        }
        for name, make in makers.items():
            tf.get_default_graph().clear_collection(tf.GraphKeys.QUEUE_RUNNERS)
            with self.subTest(name):
                batch = make()
                (found,) = self.take_all(batch)
                self.assertCountEqual(found, [0, 2, 4])

    def test_rows_are_kept_one_by_one_or_all(self):
        number = self.counter(3)
        rows = tf.stack([number, number + 10, number + 20])
        some = tf.train.maybe_batch([rows], [True, False, True], 2, enqueue_many=True)
        found = self.take_all(some)
        self.assertEqual([values.tolist() for values in found], [[0, 20], [1, 21], [2, 22]])
        never = tf.train.maybe_batch([rows], False, 2, enqueue_many=True)
        self.assertEqual(never.shape.as_list(), [2])
        with self.assertRaisesRegex(ValueError, "cannot be a vector"):
            tf.train.maybe_batch([number], [True], 2)
        with self.assertRaisesRegex(ValueError, "0 or 1 dimensions"):
            tf.train.maybe_batch([rows], [[True]], 2, enqueue_many=True)
        with self.assertRaisesRegex(ValueError, "must be known"):
            tf.train.maybe_batch([number], tf.placeholder(tf.bool), 2)


class SparseTest(Pipeline):
    def sparse(self, number):
        return tf.SparseTensor(
            tf.reshape(number, [1, 1]), tf.reshape(tf.to_float(number) + 0.5, [1]), [5]
        )

    def test_sparse_tensors_become_a_sparse_batch(self):
        number = self.counter(4)
        batch, numbers = tf.train.batch([self.sparse(number), number], 2)
        self.assertEqual(batch.shape.rank, 2)
        found = self.take_all([batch, numbers])
        self.assertEqual(len(found), 2)
        value, count = found[1]
        self.assertAllEqual(count, [2, 3])
        self.assertAllEqual(value.indices, [[0, 2], [1, 3]])
        self.assertAllEqual(value.values, [2.5, 3.5])
        self.assertAllEqual(value.dense_shape, [2, 5])

    def test_rows_of_a_sparse_tensor_are_elements(self):
        limited = tf.train.limit_epochs(tf.constant([[0, 1], [2, 0]], tf.int64), 1)
        rows = tf.SparseTensor(limited, [1.0, 2.0], [3, 4])
        batch = tf.train.batch([rows], 3, enqueue_many=True)
        kept = tf.train.maybe_batch([rows], [True, False, True], 2, enqueue_many=True)
        self.assertEqual(batch.shape.rank, 2)
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
            results = []
            for runner, each in zip(runners, (batch, kept)):
                session.run(tf.local_variables_initializer())
                filling, *_ = runner.create_threads(session, coordinator, daemon=True, start=True)
                results.append(session.run(each))
                # Else it would count the one epoch of the next runner as its own.
                filling.join(timeout=60)
                self.assertFalse(filling.is_alive())
            coordinator.request_stop()
            coordinator.join()
        self.assertAllEqual(results[0].indices, [[0, 1], [2, 0]])
        self.assertAllEqual(results[0].dense_shape, [3, 4])
        self.assertAllEqual(results[1].indices, [[0, 1], [1, 0]])
        self.assertAllEqual(results[1].values, [1, 2])

    def test_sparse_tensors_of_several_sources_are_of_one_kind(self):
        first, second = self.counter(2), self.counter(2)
        sources = [{"s": self.sparse(first)}, {"s": self.sparse(second)}]
        batch = tf.train.shuffle_batch_join(sources, 4, 8, 0)["s"]
        (found,) = self.take_all(batch)
        self.assertCountEqual(found.values, [0.5, 1.5, 0.5, 1.5])
        with self.assertRaisesRegex(ValueError, "Inconsistent SparseTensors"):
            tf.train.batch_join([[self.sparse(first)], [first]], 2)
        with self.assertRaisesRegex(ValueError, "Inconsistent SparseTensors"):
            tf.train.batch_join([[first], [self.sparse(first)]], 2)


if __name__ == "__main__":
    unittest.main()
