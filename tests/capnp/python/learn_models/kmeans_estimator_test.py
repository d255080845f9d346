"""The older estimator of clusters has the centers and scores of TensorFlow 1.15."""

import itertools
import tempfile
import unittest

import numpy as np

import troupe as tf

KMeans = tf.contrib.learn.KMeansClustering
POINTS = np.array(
    [[0, 0], [0.1, 0], [0, 0.2], [5, 5], [5.1, 5], [4.9, 5.2], [10, 0], [10.2, 0.1]], np.float32
)
CENTERS = [[0.1 / 3, 0.2 / 3], [5, 5.2 - 0.4 / 3], [10.1, 0.05]]


def points():
    return tf.constant(POINTS), None


def by_name():
    return {"b": tf.constant(POINTS[:, 1:]), "a": tf.constant(POINTS[:, :1])}, None


class KMeansEstimatorTest(tf.test.TestCase):
    def trained(self, input_fn=points, steps=10, **options):
        options = {"initial_clusters": POINTS[[0, 3, 6]], "use_mini_batch": False, **options}
        model = KMeans(3, tempfile.mkdtemp(), **options)
        return model.fit(input_fn=input_fn, steps=steps)

    def test_centers_and_scores(self):
        for input_fn in (points, by_name):
            model = self.trained(input_fn)
            self.assertAllClose(model.clusters(), CENTERS, atol=1e-5)
            distances = np.square(POINTS[:, None] - np.array(CENTERS)).sum(2)
            self.assertAllClose(model.transform(input_fn=input_fn), distances, atol=1e-4)
            score = model.score(input_fn=input_fn, steps=1)
            self.assertAllClose(score, distances.min(1).sum(), atol=1e-4)
            (first,) = itertools.islice(model.transform(input_fn=input_fn, as_iterable=True), 1)
            self.assertAllClose(first["all_scores"], distances[0], atol=1e-4)
            numbers = list(itertools.islice(model.predict_cluster_idx(input_fn=input_fn), 8))
            self.assertEqual(numbers, [0, 0, 0, 1, 1, 1, 2, 2])

    def test_a_training_ends_when_its_loss_has_settled(self):
        model = self.trained(relative_tolerance=1e-3, steps=100)
        self.assertLess(model.get_variable_value("global_step"), 10)


if __name__ == "__main__":
    unittest.main()
