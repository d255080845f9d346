"""Areas under curves of all values so far."""

import unittest

import numpy as np

import troupe as tf
from troupe.contrib import metrics


class PlacementsTest(unittest.TestCase):
    def found(self, make):
        """The results after each of three steps."""
        tf.reset_default_graph()
        fed = [tf.placeholder(kind, [None]) for kind in (tf.int64, tf.float32, tf.float32)]
        value, update = make(*fed)
        random = np.random.RandomState(4)
        results = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for _ in range(3):
                scores = np.round(random.rand(20), 1)
                labels, weights = random.randint(0, 2, 20), random.rand(20) * 2
                feeds = dict(zip(fed, (labels, scores, weights)))
                session.run(update, feeds)
                results.append(session.run(value, feeds))
        return results

    def test_areas_are_those_of_tensorflow(self):
        found = self.found(lambda l, p, w: metrics.streaming_dynamic_auc(l, p, weights=w))
        np.testing.assert_allclose(found, [0.36590808, 0.41036334, 0.50532487], rtol=1e-6)
        found = self.found(lambda l, p, w: metrics.streaming_dynamic_auc(l, p, curve="PR"))
        np.testing.assert_allclose(found, [0.42049171, 0.41961653, 0.45755264], rtol=1e-6)

    def test_intervals_are_those_of_tensorflow(self):
        found = self.found(lambda l, p, w: metrics.auc_with_confidence_intervals(l, p))
        want = [
            [0.41919196, 0.1921767, 0.68648666],
            [0.4122807, 0.25111568, 0.5947363],
            [0.469308, 0.3277281, 0.61600673],
        ]
        np.testing.assert_allclose(found, want, rtol=1e-5)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "ROC or PR"):
            metrics.streaming_dynamic_auc(tf.constant([1]), tf.constant([1.0]), curve="x")
        with self.assertRaisesRegex(ValueError, "alpha"):
            metrics.auc_with_confidence_intervals([1], [1.0], alpha=2.0)
        with self.assertRaises(tf.errors.InvalidArgumentError), tf.Session() as session:
            _, update = metrics.streaming_dynamic_auc(tf.constant([2]), tf.constant([1.0]))
            session.run(tf.local_variables_initializer())
            session.run(update)


if __name__ == "__main__":
    unittest.main()
