"""Elements taken by chance: the rates and shares that they have in the mean."""

import unittest

import numpy as np

import troupe as tf

training = tf.contrib.training


class SamplingTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def run_queues(self, fetches, count):
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                return [session.run(fetches) for _ in range(count)]
            finally:
                coordinator.request_stop()
                coordinator.join(threads, stop_grace_period_secs=5, ignore_live_threads=True)

    def test_each_element_is_taken_as_often_as_its_rate_says(self):
        values = tf.constant([[0, 0], [1, 1], [2, 2]])
        (found,) = training.resample_at_rate([values], [0.0, 300.0, 900.0], seed=1)
        with tf.Session() as session:
            counts = np.bincount(session.run(found)[:, 0], minlength=3)
        self.assertEqual(counts[0], 0)
        self.assertAllClose(counts[1:], [300, 900], rtol=0.2)

    def test_no_element_may_be_taken(self):
        (found,) = training.resample_at_rate([tf.constant(["a", "b"])], [0.0, 0.0])
        with tf.Session() as session:
            self.assertEqual(session.run(found).shape, (0,))

    def test_rates_are_weights_over_their_mean(self):
        weights = tf.constant([1.0, 3.0])
        values, rates = training.weighted_resample([tf.constant([0, 1])], weights, 50.0, seed=1)
        self.assertEqual(tf.local_variables()[0].op.name, "estimate_mean/estimated_mean")
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            (found,), of_each = session.run((values, rates))
        self.assertAllClose(of_each, np.where(found == 1, 75.0, 25.0), rtol=1e-5)
        self.assertGreater((found == 1).sum(), (found == 0).sum())

    def test_only_accepted_elements_are_in_a_batch(self):
        number = tf.random_uniform([], maxval=10, dtype=tf.int32, seed=1)

        def accepts(parts):
            return tf.cast(parts[0] < 3, tf.float32)

        first, second = training.rejection_sample([number, number * 2], accepts, 4)
        for got, twice in self.run_queues((first, second), 3):
            self.assertEqual(got.shape, (4,))
            self.assertLess(got.max(), 3)
            self.assertAllEqual(twice, got * 2)

    def test_several_elements_are_taken_apart(self):
        numbers = tf.constant([[1, 1], [5, 5]])

        def accepts(parts):
            return tf.cast(tf.equal(parts[0][0], 5), tf.float32)

        (found,) = training.rejection_sample([numbers], accepts, 3, enqueue_many=True)
        self.assertAllEqual(self.run_queues(found, 1)[0], np.full([3, 2], 5))
        with self.assertRaisesRegex(ValueError, "compatible"):
            training.rejection_sample(
                [numbers, tf.zeros([3])], accepts, 3, enqueue_many=True, name="unequal"
            )

    def test_a_probability_above_one_is_an_error_of_a_step(self):
        value = tf.placeholder_with_default(2.0, [])
        training.rejection_sample([value], lambda parts: parts[0], 1, runtime_checks=True)
        checked = tf.get_default_graph().get_tensor_by_name("rejection_sample/prob_with_checks:0")
        with tf.Session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(checked)

    def check_shares(self, target, **given):
        labels = tf.random_uniform([], maxval=4, dtype=tf.int32, seed=3)
        labels = tf.minimum(labels, 1)  # a quarter of zeros
        (data,), found = training.stratified_sample([labels + 10], labels, target, 20, **given)
        seen = self.run_queues((data, found), 15)
        for values, classes in seen:
            self.assertAllEqual(values, classes + 10)
        return np.mean([classes.mean() for _, classes in seen])

    def test_classes_have_their_shares_in_batches(self):
        self.assertNear(self.check_shares([0.5, 0.5], init_probs=[0.25, 0.75]), 0.5, 0.15)

    def test_shares_of_the_data_are_counted(self):
        self.assertNear(self.check_shares([0.8, 0.2]), 0.2, 0.15)
        self.assertIn("class_count", tf.global_variables()[0].op.name)

    def test_shares_are_vectors_of_one_size(self):
        labels, images = tf.constant([0, 1]), [tf.zeros([2, 3])]
        for target, first in (([0.5, 0.5], [1.0]), ([[1.0]], [[1.0]])):
            with self.assertRaises(ValueError):
                training.stratified_sample(images, labels, target, 1, first, enqueue_many=True)
        with self.assertRaises(ValueError):
            training.stratified_sample([tf.zeros([3])], labels, [1.0], 1, [1.0], enqueue_many=True)

    def test_a_class_that_the_data_lacks_cannot_be_in_batches(self):
        with self.assertRaises(tf.errors.InvalidArgumentError):
            (data,), _ = training.stratified_sample([tf.constant(1)], 0, [0.5, 0.5], 1, [1.0, 0.0])
            self.run_queues(data, 1)


class PlacementTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})

    def placed(self, strategy, values):
        setter = tf.train.replica_device_setter(cluster=self.cluster, ps_strategy=strategy)
        with tf.device(setter):
            return [tf.Variable(each).device[-1] for each in values]

    def test_variables_are_placed_by_a_hash_of_the_names_that_they_get(self):
        strategy = training.RandomStrategy(2)
        self.assertEqual(self.placed(strategy, [tf.zeros([2, 2])] * 4), ["1", "0", "1", "1"])

    def test_a_number_has_a_size_in_bytes(self):
        strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
        self.assertEqual(self.placed(strategy, [0, 1.0, 2]), ["0", "1", "0"])


if __name__ == "__main__":
    unittest.main()
