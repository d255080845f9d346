"""Losses of embeddings, against loops in Python."""

import itertools
import unittest

import numpy as np

import troupe as tf

metric_learning = tf.contrib.losses.metric_learning


def evaluated(value):
    with tf.Session() as session:
        return session.run(value)


def distances_of(rows):
    return np.linalg.norm(rows[:, None] - rows[None], axis=-1)


def semihard(labels, rows, margin):
    squares, losses = distances_of(rows) ** 2, []
    for a, p in itertools.permutations(range(len(labels)), 2):
        if labels[a] != labels[p]:
            continue
        wrong = squares[a][labels != labels[a]]
        farther = wrong[wrong > squares[a, p]]
        chosen = farther.min() if farther.size else wrong.max()
        losses.append(max(0.0, margin + squares[a, p] - chosen))
    return np.mean(losses)


def lifted(labels, rows, margin):
    distances, losses = distances_of(rows), []
    for a, p in itertools.combinations(range(len(labels)), 2):
        if labels[a] != labels[p]:
            continue
        wrong = [np.exp(margin - distances[i][labels != labels[i]]).sum() for i in (a, p)]
        losses.append(max(0.0, np.log(sum(wrong)) + distances[a, p]) ** 2)
    return np.mean(losses) / 2


def cross_entropy(shared, one, other, weight):
    similar = one @ other.T
    logs = similar - np.log(np.exp(similar).sum(1, keepdims=True))
    wanted = shared / shared.sum(1, keepdims=True)
    lengths = sum((each**2).sum(1).mean() for each in (one, other))
    return -(wanted * logs).sum(1).mean() + 0.25 * weight * lengths


class MetricLearningTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.random = np.random.RandomState(8)
        self.labels = self.random.randint(0, 4, 14)
        self.rows = self.random.rand(14, 5)

    def test_wrong_embeddings_are_to_be_farther_than_a_margin(self):
        for margin in (0.1, 1.0, 5.0):
            found = evaluated(
                metric_learning.triplet_semihard_loss(self.labels, self.rows, margin)
            )
            self.assertAlmostEqual(found, semihard(self.labels, self.rows, margin), places=5)

    def test_all_wrong_embeddings_count_in_lifted_structures(self):
        for margin in (0.1, 1.0, 30.0):
            found = evaluated(metric_learning.lifted_struct_loss(self.labels, self.rows, margin))
            wanted = lifted(self.labels, self.rows, margin)
            np.testing.assert_allclose(found, wanted, rtol=1e-5)

    def test_gradients_lead_downwards(self):
        for loss in (metric_learning.triplet_semihard_loss, metric_learning.lifted_struct_loss):
            rows = tf.constant(self.rows)
            value = loss(self.labels, rows)
            with tf.Session():
                error = tf.test.compute_gradient_error(
                    rows, [14, 5], value, [], x_init_value=self.rows, delta=1e-6
                )
            self.assertLess(error, 1e-4)

    def test_far_embeddings_do_not_overflow(self):
        rows = np.array([[0.0], [1.0], [600.0], [3.0]])
        labels = np.array([0, 1, 0, 1])
        found = evaluated(metric_learning.lifted_struct_loss(labels, np.float32(rows)))
        self.assertAlmostEqual(found / lifted(labels, rows, 1.0), 1, places=5)

    def test_equal_embeddings_have_finite_gradients(self):
        rows = tf.ones([4, 3])
        value = metric_learning.lifted_struct_loss([0, 0, 1, 1], rows)
        self.assertTrue(np.isfinite(evaluated(tf.gradients(value, rows)[0])).all())

    def test_pairs_are_near_or_far(self):
        one, other = self.rows[:7], self.rows[7:]
        labels = np.array([1, 0, 1, 0, 0, 1, 0])
        distances = np.linalg.norm(one - other, axis=1)
        wanted = np.where(labels == 1, distances**2, np.maximum(0.9 - distances, 0) ** 2).mean()
        found = evaluated(metric_learning.contrastive_loss(labels, one, other, 0.9))
        self.assertAlmostEqual(found, wanted, places=6)

    def test_pairs_find_their_own(self):
        one, other = self.rows[:7], self.rows[7:]
        labels = np.array([0, 1, 2, 2, 3, 4, 0])
        shared = (labels[:, None] == labels[None]).astype(float)
        found = evaluated(metric_learning.npairs_loss(labels, one, other, 0.3))
        self.assertAlmostEqual(found, cross_entropy(shared, one, other, 0.3), places=6)

    def test_pairs_share_several_classes(self):
        one, other = self.rows[:4], self.rows[4:8]
        classes = [[0, 2], [2], [1], [0, 1, 2]]
        sparse = [
            tf.SparseTensor([[i] for i in each], tf.ones([len(each)], tf.int32), [3])
            for each in classes
        ]
        shared = np.array([[len(set(a) & set(b)) for b in classes] for a in classes], float)
        found = evaluated(metric_learning.npairs_loss_multilabel(sparse, one, other, 0.5))
        self.assertAlmostEqual(found, cross_entropy(shared, one, other, 0.5), places=6)
        with self.assertRaises(TypeError):
            metric_learning.npairs_loss_multilabel([[1]], one, other)

    def test_the_older_losses_are_where_they_were(self):
        loss = tf.contrib.losses.mean_squared_error([1.0], [3.0])
        self.assertEqual(evaluated(loss), 4)


if __name__ == "__main__":
    unittest.main()
