"""Metrics of the k best classes, against their definitions in Python."""

import unittest

import numpy as np

import troupe as tf

# Two steps of three rows with two labels each, and scores of five classes.
LABELS = [np.array([[4, 0], [3, 3], [1, 2]]), np.array([[0, 1], [2, 4], [2, 3]])]
SCORES = [
    np.float32([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5], [1, 5, 3, 4, 2]]),
    np.float32([[3, 1, 5, 4, 2], [2, 5, 4, 1, 3], [5, 4, 3, 2, 1]]),
]
WEIGHTS = [np.float32([1, 2, 0.5]), np.float32([3, 1, 2])]


def rows():
    """(labels, classes from the best on, weight) of each row of both steps."""
    for labels, scores, weights in zip(LABELS, SCORES, WEIGHTS):
        for some, each, weight in zip(labels, scores, weights):
            yield set(some), list(np.argsort(-each)), weight


def fraction(kind, k, weighted=False, only=None):
    found = total = 0
    for labels, best, weight in rows():
        predicted, weight = set(best[:k]), weight if weighted else 1
        if only is not None:
            predicted, labels = predicted & {only}, labels & {only}
        found += weight * len(predicted & labels)
        total += weight * len(labels if kind == "recall" else predicted)
    return found / total


def average_precision(labels, best, k):
    hits = [best[i] in labels for i in range(k)]
    precisions = [sum(hits[: i + 1]) / (i + 1) for i in range(k)]
    return np.dot(hits, precisions) / min(len(labels), k)


class RankingTest(tf.test.TestCase):
    def final(self, make):
        """The value after both steps, which is the result of the last update too."""
        with tf.Graph().as_default():
            labels, scores = tf.placeholder(tf.int64, [3, 2]), tf.placeholder(tf.float32, [3, 5])
            weights = tf.placeholder(tf.float32, [3])
            value, update = make(labels, scores, weights)
            with tf.Session() as session:
                session.run(tf.local_variables_initializer())
                for step in zip(LABELS, SCORES, WEIGHTS):
                    last = session.run(update, dict(zip((labels, scores, weights), step)))
                self.assertEqual(last, session.run(value))
                return last

    def test_precision_and_recall_are_fractions_of_the_k_best(self):
        metrics = {"recall": tf.metrics.recall_at_k, "precision": tf.metrics.precision_at_k}
        for kind, metric in metrics.items():
            for k in (1, 3):
                with self.subTest(kind, k=k):
                    value = self.final(lambda x, y, w, m=metric, k=k: m(x, y, k))
                    self.assertAllClose(value, fraction(kind, k))
                    value = self.final(lambda x, y, w, m=metric, k=k: m(x, y, k, weights=w))
                    self.assertAllClose(value, fraction(kind, k, weighted=True))
                    value = self.final(lambda x, y, w, m=metric, k=k: m(x, y, k, class_id=2))
                    self.assertAllClose(value, fraction(kind, k, only=2))

    def test_sparse_labels_are_sets_of_any_size(self):
        for class_id in (None, 2):
            with self.subTest(class_id=class_id):

                def of_sparse(labels, scores, _, class_id=class_id):
                    places = [[i, j] for i in range(3) for j in range(2)]
                    sets = tf.SparseTensor(places, tf.reshape(labels, [-1]), [3, 2])
                    return tf.metrics.recall_at_k(sets, scores, 3, class_id)

                self.assertAllClose(self.final(of_sparse), fraction("recall", 3, only=class_id))

    def test_given_classes_are_the_best_ones(self):
        chosen = tf.metrics.precision_at_top_k, tf.metrics.recall_at_top_k
        for kind, metric in zip(("precision", "recall"), chosen):
            value = self.final(lambda x, y, w, m=metric: m(x, tf.nn.top_k(y, 2).indices))
            self.assertAllClose(value, fraction(kind, 2))

    def test_a_label_a_row_is_a_set_of_one(self):
        _, update = tf.metrics.precision_at_k(tf.constant([2, 0], tf.int64), SCORES[0][:2], 3)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            self.assertAllClose(session.run(update), 1 / 6)

    def test_the_average_precision_counts_where_labels_are(self):
        for k in (1, 3):
            expected = [average_precision(*row[:2], k) for row in rows() if len(row[0]) == 2]
            weights = [row[2] for row in rows() if len(row[0]) == 2]
            # Labels that occur twice in a row count twice, as in TensorFlow.
            twice = [row for row in rows() if len(row[0]) == 1]
            for labels, best, weight in twice:
                found = average_precision(labels, best, k)
                expected.append(found / min(2, k))
                weights.append(weight)
            value = self.final(
                lambda x, y, w, k=k: tf.metrics.average_precision_at_k(x, y, k, weights=w)
            )
            self.assertAllClose(value, np.average(expected, weights=weights))

    def test_labels_that_are_no_classes_count_as_none(self):
        labels = tf.constant([[0, 7]], tf.int64)
        _, update = tf.metrics.average_precision_at_k(labels, [[3.0, 2.0, 1.0]], 2)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            self.assertAllClose(session.run(update), 1)
        with self.assertRaisesRegex(ValueError, "Invalid k=0"):
            tf.metrics.average_precision_at_k(labels, [[3.0]], 0)

    def test_names_have_k_and_the_class(self):
        labels = tf.constant([[1]], tf.int64)
        value, _ = tf.metrics.recall_at_k(labels, [[3.0, 2.0]], 2, class_id=1)
        self.assertEqual(value.op.name, "recall_at_2_class1")
        names = [variable.op.name for variable in tf.get_collection("metric_variables")]
        prefix = "recall_at_2_class1"
        self.assertEqual(
            names,
            [f"{prefix}/true_positive_at_2_class1", f"{prefix}/false_negative_at_2_class1"],
        )


if __name__ == "__main__":
    unittest.main()
