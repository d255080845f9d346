"""K-means: graphs of its steps, and an estimator."""

import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe.contrib import factorization

_CENTERS = np.float32([[20, 20], [30, 20], [20, 30], [30, 30]])


def _points():
    random = np.random.RandomState(0)
    points = np.repeat(_CENTERS, 50, 0) + random.randn(200, 2)
    random.shuffle(points)
    return points.astype(np.float32)


class KMeansTest(tf.test.TestCase):
    def train(self, points, steps=20, **options):
        """The centers that are found, the clusters of the points, and their distances."""
        with tf.Graph().as_default(), tf.Session() as session:
            fed = tf.placeholder(tf.float32, [None, points.shape[1]])
            model = factorization.KMeans(fed, 4, kmc2_chain_length=50, **options)
            distances, clusters, scores, is_chosen, choose, train = model.training_graph()
            session.run(tf.global_variables_initializer())
            for _ in range(10):
                if not session.run(is_chosen):
                    session.run(choose, {fed: points})
            self.assertTrue(session.run(is_chosen))
            for step in range(steps):
                begin, size = step * 40 % len(points), 40
                if not options.get("use_mini_batch"):
                    begin, size = 0, len(points)
                session.run(train, {fed: points[begin : begin + size]})
            found = session.run([distances[0], clusters[0], scores[0]], {fed: points})
            self.assertAllClose(found[0].min(1), found[2], atol=1e-3)
            self.assertAllEqual(found[0].argmin(1), found[1])
            (centers,) = [each for each in tf.global_variables() if each.op.name == "clusters"]
            return session.run(centers), *found[1:]

    def test_centers_are_found_however_they_are_chosen(self):
        points = _points()
        chosen = ["kmeans_plus_plus", "kmc2", _CENTERS + 2, lambda inputs, count: inputs[0][:count]]
        for initial in chosen:
            for batches in ({}, {"use_mini_batch": True}, {
                "use_mini_batch": True, "mini_batch_steps_per_iteration": 5,
            }):  # fmt: skip
                centers, _, _ = self.train(points, initial_clusters=initial, **batches)
                self.assertEqual(centers.shape, (4, 2))
                nearest = np.abs(centers[:, None] - _CENTERS).max(2).min(0)
                self.assertAllClose(nearest, np.zeros(4), atol=2.0)

    def test_a_step_of_all_points_moves_centers_to_their_means(self):
        points = np.float32([[0, 0], [1, 0], [10, 0], [12, 0]])
        begin = np.float32([[0, 0], [9, 0]])
        centers, clusters, scores = self.train(points, 1, initial_clusters=begin)
        self.assertAllClose(centers, [[0.5, 0], [11, 0]], atol=1e-4)
        self.assertAllEqual(clusters, [0, 0, 1, 1])
        self.assertAllClose(scores, [0.25, 0.25, 1, 1], atol=1e-3)

    def test_a_batch_moves_centers_less_the_more_points_they_have(self):
        points = np.float32([[2, 0], [4, 0]])
        begin = np.float32([[0, 0], [90, 0]])
        centers, _, _ = self.train(points, 1, initial_clusters=begin, use_mini_batch=True)
        self.assertAllClose(centers[0], [2, 0])  # of the first center and both points
        centers, _, _ = self.train(points, 2, initial_clusters=begin, use_mini_batch=True)
        self.assertAllClose(centers[0], [12 / 5, 0])

    def test_cosines_tell_directions_apart(self):
        points = np.float32([[1, 0], [9, 1], [0, 1], [1, 9]])
        centers, clusters, _ = self.train(
            points, 3, initial_clusters=points[[0, 2]], distance_metric="cosine"
        )
        self.assertAllEqual(clusters, [0, 0, 1, 1])
        self.assertAllClose(np.linalg.norm(centers, axis=1), [1, 1])

    def test_centers_are_chosen_of_several_batches(self):
        with tf.Session() as session:
            fed = tf.placeholder(tf.float32, [None, 2])
            graph = factorization.KMeans(fed, 4, "random").training_graph()
            session.run(tf.global_variables_initializer())
            for expected in (False, True):
                session.run(graph[4], {fed: _CENTERS[:2] + expected})
                self.assertEqual(session.run(graph[3]), expected)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(tf.raw_ops.KmeansPlusPlusInitialization(
                    points=_CENTERS, num_to_sample=5, seed=0, num_retries_per_sample=0,
                ))  # fmt: skip

    def test_wrong_names_are_refused(self):
        for wrong in ({"initial_clusters": "best"}, {"distance_metric": "miles"}):
            with self.assertRaisesRegex(ValueError, "Unsupported"):
                factorization.KMeans(_CENTERS, 4, **wrong)
            with self.assertRaisesRegex(ValueError, "Unsupported"):
                factorization.KMeansClustering(4, **wrong)


class KMeansClusteringTest(tf.test.TestCase):
    def test_an_estimator_finds_clusters(self):
        points = _points()

        def input_fn():
            return tf.train.limit_epochs(tf.constant(points), num_epochs=1)

        model = factorization.KMeansClustering(
            4, tempfile.mkdtemp(), use_mini_batch=False, random_seed=3,
            initial_clusters=factorization.KMEANS_PLUS_PLUS_INIT,
        )  # fmt: skip
        model.train(input_fn, steps=1)
        before = model.score(input_fn)
        for _ in range(3):
            model.train(input_fn, steps=1)
        self.assertLessEqual(model.score(input_fn), before)
        centers = model.cluster_centers()
        self.assertAllClose(
            np.abs(centers[:, None] - _CENTERS).max(2).min(0), np.zeros(4), atol=0.5
        )
        clusters = np.array(list(model.predict_cluster_index(input_fn)))
        distances = np.array(list(model.transform(input_fn)))
        self.assertAllEqual(distances.argmin(1), clusters)

    def test_a_training_ends_when_the_loss_has_settled(self):
        def input_fn():
            return {"y": tf.constant(_points()[:, 1:]), "x": tf.constant(_points()[:, :1])}, None

        model = tf.estimator.experimental.KMeans(
            4, tempfile.mkdtemp(), _CENTERS, use_mini_batch=False, relative_tolerance=1e-3
        )
        model.train(input_fn, max_steps=1000)
        self.assertLess(model.get_variable_value("global_step"), 10)


if __name__ == "__main__":
    unittest.main()
