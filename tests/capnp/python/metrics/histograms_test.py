"""Areas and rates of counts in bins."""

import unittest

import numpy as np

import troupe as tf

metrics = tf.contrib.metrics


class HistogramsTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.random = np.random.default_rng(1)

    def area(self, labels, scores, steps=1, **given):
        value, update = metrics.auc_using_histogram(labels, scores, [0.0, 1.0], **given)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for _ in range(steps):
                session.run(update)
            return session.run(value)

    def test_the_area_is_that_of_all_pairs_of_scores(self):
        scores = self.random.random(400).astype(np.float32)
        labels = self.random.random(400) < scores
        wins = (scores[labels][:, None] > scores[~labels][None]).mean()
        self.assertNear(self.area(labels, scores, steps=2, nbins=400), wins, 0.005)

    def test_scores_that_part_the_labels_have_a_whole_area(self):
        self.assertAllClose(self.area([True, False], [0.9, 0.2]), 1.0)
        tf.reset_default_graph()
        self.assertAllClose(self.area([True, False], [-3.0, 7.0]), 0.0)

    def test_no_scores_have_no_area(self):
        self.assertTrue(np.isnan(self.area(np.zeros(0, bool), np.zeros(0, np.float32))))

    def test_labels_are_a_vector_of_booleans(self):
        with self.assertRaisesRegex(ValueError, "dtype bool"):
            self.area([1, 0], [0.9, 0.2])
        with self.assertRaises(ValueError):
            self.area([[True], [False]], [0.9, 0.2])
        self.assertEqual([v.op.name for v in tf.global_variables()], [])

    def test_counts_at_equal_thresholds_are_weighted(self):
        predictions = np.array([0.0, 0.3, 0.5, 0.9, 1.0], np.float32)
        labels, weights = np.array([False, True, False, True, True]), np.array([1, 2, 3, 4, 5.0])
        data, update = metrics.precision_recall_at_equal_thresholds(
            labels, predictions, weights, num_thresholds=5
        )
        self.assertCountEqual(
            [each.op.name for each in tf.local_variables()],
            [
                f"precision_recall_at_equal_thresholds/variables/{kind}_buckets"
                for kind in ("tp", "fp")
            ],
        )
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            session.run(update)
            found = session.run(data)
        self.assertAllClose(found.thresholds, [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(found.tp.dtype, np.float32)
        for index, threshold in enumerate(found.thresholds):
            above = predictions >= threshold
            counts = [
                weights[above & labels].sum(), weights[above & ~labels].sum(),
                weights[~above & ~labels].sum(), weights[~above & labels].sum(),
            ]  # fmt: skip
            self.assertAllClose([each[index] for each in found[:4]], counts)
            self.assertAllClose(found.precision[index], counts[0] / sum(counts[:2]))
            self.assertAllClose(found.recall[index], counts[0] / 11.0)

    def test_predictions_are_shares(self):
        given = tf.placeholder_with_default([1.5], [1])
        _, update = metrics.precision_recall_at_equal_thresholds([True], given)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be in"):
                session.run(update)
        with self.assertRaises(TypeError):
            metrics.precision_recall_at_equal_thresholds([1], [0.5])


if __name__ == "__main__":
    unittest.main()
