"""Datasets whose functions draw random numbers."""

import unittest

import troupe as tf

Dataset = tf.data.Dataset


def add_random(x):
    return tf.cast(x, tf.float32) + tf.random_uniform([], seed=5)


class RandomFunctionsTest(tf.test.TestCase):
    def take(self, session, following, count):
        return [float(session.run(following)) for _ in range(count)]

    def test_numbers_of_a_seed_go_on_over_epochs_and_begin_again_with_an_iterator(self):
        iterator = Dataset.range(3).map(add_random).repeat(2).make_initializable_iterator()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            first = self.take(session, following, 6)
            session.run(iterator.initializer)
            self.assertEqual(self.take(session, following, 6), first)
        epochs = [[x - i % 3 for i, x in enumerate(first)][e : e + 3] for e in (0, 3)]
        self.assertEqual(len(set(epochs[0] + epochs[1])), 6)

    def test_iterators_over_one_dataset_each_begin_the_numbers(self):
        dataset = Dataset.range(3).map(add_random)
        one, other = (dataset.make_one_shot_iterator().get_next() for _ in range(2))
        with tf.Session() as session:
            self.assertEqual(self.take(session, one, 3), self.take(session, other, 3))

    def test_datasets_made_by_a_function_go_on_with_the_numbers_of_an_iterator(self):
        inner = lambda _: Dataset.from_tensors(0).map(add_random)
        dataset = Dataset.range(4).flat_map(inner)
        iterator = dataset.make_initializable_iterator()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            first = self.take(session, following, 4)
            self.assertEqual(len(set(first)), 4)
            session.run(iterator.initializer)
            self.assertEqual(self.take(session, following, 4), first)

    def test_shuffles_made_by_a_function_have_the_orders_of_tensorflow_1(self):
        inner = lambda x: Dataset.range(4).shuffle(4, seed=6).map(lambda y: 10 * x + y)
        numbers = Dataset.range(3)
        for dataset, expected in (
            # A place of the cycle goes on with its numbers; a dataset made in parallel has its own.
            (numbers.interleave(inner, 2), [2, 12, 1, 11, 3, 13, 0, 10, 20, 22, 21, 23]),
            (
                numbers.interleave(inner, 2, num_parallel_calls=2),
                [2, 12, 1, 11, 3, 13, 0, 10, 22, 21, 23, 20],
            ),
            (
                Dataset.range(2).flat_map(inner).repeat(2),
                [2, 1, 3, 0, 12, 11, 13, 10, 0, 2, 1, 3, 10, 12, 11, 13],
            ),
        ):
            following = dataset.make_one_shot_iterator().get_next()
            with tf.Session() as session:
                self.assertEqual(self.take(session, following, len(expected)), expected)

    def test_without_a_seed_an_iterator_draws_others(self):
        tf.get_default_graph().seed = None
        random = lambda x: tf.random_uniform([])
        iterator = Dataset.range(3).map(random).make_initializable_iterator()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            first = self.take(session, following, 3)
            session.run(iterator.initializer)
            self.assertNotEqual(self.take(session, following, 3), first)

    def test_a_restored_iterator_gives_the_numbers_that_were_to_come(self):
        def build():
            tf.reset_default_graph()
            iterator = Dataset.range(6).map(add_random).make_initializable_iterator()
            saved = tf.data.experimental.make_saveable_from_iterator(iterator)
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saved)
            return iterator, iterator.get_next(), tf.train.Saver()

        prefix = self.get_temp_dir() + "/model"
        iterator, following, saver = build()
        with tf.Session() as session:
            session.run(iterator.initializer)
            self.take(session, following, 2)
            saver.save(session, prefix)
            rest = self.take(session, following, 4)
        iterator, following, saver = build()
        with tf.Session() as session:
            session.run(iterator.initializer)
            saver.restore(session, prefix)
            self.assertEqual(self.take(session, following, 4), rest)

    def test_samples_of_datasets_are_those_that_tensorflow_draws(self):
        tf.set_random_seed(5)
        sources = [Dataset.range(first, first + 4) for first in (0, 10, 20)]
        weights = [0.2, 0.5, 0.3]
        uniform = [0, 20, 1, 10, 21, 2, 22, 11, 3, 12, 23, 13]
        weighted = [0, 10, 1, 11, 20, 2, 21, 12, 3, 13, 22, 23]
        for given, wanted in (
            (None, uniform), (weights, weighted), (Dataset.from_tensors(weights).repeat(), weighted)
        ):  # fmt: skip
            drawn = tf.data.experimental.sample_from_datasets(sources, given, seed=3)
            following = tf.data.make_one_shot_iterator(drawn).get_next()
            with tf.Session() as session:
                self.assertEqual(self.take(session, following, 12), wanted)


if __name__ == "__main__":
    unittest.main()
