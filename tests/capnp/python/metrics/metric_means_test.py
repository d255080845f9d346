"""Metrics that are means over steps, and what all metrics have in common."""

import unittest

import numpy as np

import troupe as tf

LABELS = [np.float32([1, 0, 1]), np.float32([0, 0, 4])]
PREDICTIONS = [np.float32([1, 2, 3]), np.float32([0, 5, 4])]
WEIGHTS = [np.float32([1, 0.5, 0]), np.float32([2, 1, 3])]
ALL = [np.concatenate(each) for each in (LABELS, PREDICTIONS, WEIGHTS)]


class MetricTestCase(tf.test.TestCase):
    def run_steps(self, make, *batches):
        """The results of the updates and then the value, for the batches of each argument."""
        with tf.Graph().as_default():
            fed = [tf.placeholder(tf.as_dtype(each[0].dtype), each[0].shape) for each in batches]
            value, update = make(*fed)
            with tf.Session() as session:
                session.run(tf.local_variables_initializer())
                results = [session.run(update, dict(zip(fed, step))) for step in zip(*batches)]
                return [*results, session.run(value)]


class MeansTest(MetricTestCase):
    def check(self, make, each, expected_weights=None):
        """Each value of the two steps, whose mean the metric is."""
        weights = np.ones(6) if expected_weights is None else expected_weights
        first, both, value = self.run_steps(make, LABELS, PREDICTIONS, WEIGHTS)
        self.assertAllClose(first, np.average(each[:3], weights=weights[:3]), rtol=1e-5)
        self.assertAllClose(both, np.average(each, weights=weights), rtol=1e-5)
        self.assertEqual(value, both)

    def test_means_are_of_the_values_of_all_steps(self):
        labels, predictions, weights = ALL
        error = predictions - labels
        metrics = tf.metrics
        for name, each in (
            ("accuracy", error == 0),
            ("mean_absolute_error", np.abs(error)),
            ("mean_squared_error", error**2),
        ):
            with self.subTest(name):
                metric = getattr(metrics, name)
                self.check(lambda x, y, w, m=metric: m(x, y), each)
                self.check(lambda x, y, w, m=metric: m(x, y, w), each, weights)
        self.check(lambda x, y, w: metrics.mean(y, w), predictions, weights)
        self.check(lambda x, y, w: metrics.percentage_below(y, 2.5), predictions < 2.5)

    def test_the_root_is_that_of_the_mean_of_squares(self):
        _, both, value = self.run_steps(tf.metrics.root_mean_squared_error, LABELS, PREDICTIONS)
        self.assertAllClose(both, np.sqrt(np.mean((ALL[1] - ALL[0]) ** 2)))
        self.assertEqual(value, both)

    def test_relative_errors_are_0_where_the_normalizer_is(self):
        normalizer = np.float32([1, 4, 0])
        _, both, _ = self.run_steps(
            lambda x, y: tf.metrics.mean_relative_error(x, y, normalizer), LABELS, PREDICTIONS
        )
        self.assertAllClose(both, (0 + 2 / 4 + 0 + 0 + 5 / 4 + 0) / 6)

    def test_the_distance_is_1_less_the_mean_cosine(self):
        rows = [np.float32([[1, 0], [0, 1]])]
        others = [np.float32([[1, 0], [0.6, 0.8]])]
        make = lambda x, y: tf.metrics.mean_cosine_distance(x, y, 1)  # noqa: E731
        self.assertAllClose(self.run_steps(make, rows, others), [0.1, 0.1])

    def test_the_mean_of_a_tensor_is_that_of_each_element(self):
        first, both, value = self.run_steps(tf.metrics.mean_tensor, PREDICTIONS, WEIGHTS)
        self.assertAllClose(first, [1, 2, 0])
        self.assertAllClose(both, [1 / 3, (1 + 5) / 1.5, 4])
        self.assertAllClose(value, both)

    def test_a_mean_without_values_is_0(self):
        value, _ = tf.metrics.mean(tf.constant([1.0]))
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            self.assertEqual(session.run(value), 0)

    def test_classes_that_did_not_occur_do_not_count(self):
        labels, predictions = [np.array([0, 0, 1])], [np.array([0, 1, 1])]
        make = lambda x, y: tf.metrics.mean_iou(x, y, 3)  # noqa: E731
        matrix, value = self.run_steps(make, labels, predictions)
        self.assertAllEqual(matrix, [[1, 1, 0], [0, 1, 0], [0, 0, 0]])
        self.assertAllClose(value, (1 / 2 + 1 / 2) / 2)
        weights = [np.float32([1, 3, 2])]
        make = lambda x, y, w: tf.metrics.mean_per_class_accuracy(x, y, 2, w)  # noqa: E731
        each, value = self.run_steps(make, labels, predictions, weights)
        self.assertAllClose(each, [1 / 4, 1])
        self.assertAllClose(value, 5 / 8)

    def test_a_class_that_does_not_exist_is_an_error_of_the_step(self):
        labels = tf.placeholder(tf.int32, [2])
        _, update = tf.metrics.mean_iou(labels, [0, 1], 3)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "`labels` out of bound"):
                session.run(update, {labels: [0, 3]})


class MetricVariablesTest(MetricTestCase):
    def test_the_variables_are_local_ones_with_tensorflows_names(self):
        tf.metrics.accuracy([1], [1])
        tf.metrics.accuracy([1], [1])
        tf.metrics.auc([1], [1.0], name="area")
        names = [variable.op.name for variable in tf.get_collection("metric_variables")]
        kinds = ("true_positives", "false_negatives", "true_negatives", "false_positives")
        self.assertEqual(
            names,
            ["accuracy/total", "accuracy/count", "accuracy_1/total", "accuracy_1/count"]
            + [f"area/{kind}" for kind in kinds],
        )
        self.assertEqual(tf.local_variables(), tf.get_collection(tf.GraphKeys.METRIC_VARIABLES))
        self.assertEqual(tf.global_variables(), [])

    def test_results_are_in_the_collections_that_are_named(self):
        value, update = tf.metrics.recall([1], [1], None, ["values", "more"], ["updates"])
        self.assertEqual(tf.get_collection("values"), [value])
        self.assertEqual(tf.get_collection("more"), [value])
        self.assertEqual(tf.get_collection("updates"), [update])

    def test_ranks_may_differ_by_a_last_dimension_of_1(self):
        column = np.float32([[1], [2]])
        row = np.float32([1, 4])
        for given in ((column, row), (row, column)):
            result = self.run_steps(lambda x, y: tf.metrics.accuracy(x, y, column), *zip(given))
            self.assertAllClose(result[0], 1 / 3)
        with tf.Graph().as_default():
            fed = [tf.placeholder(tf.float32) for _ in range(3)]
            _, update = tf.metrics.accuracy(*fed)
            with tf.Session() as session:
                session.run(tf.local_variables_initializer())
                step = dict(zip(fed, (column, row, row)))
                self.assertAllClose(session.run(update, step), 1 / 5)

    def test_weights_that_do_not_fit_are_errors(self):
        with self.assertRaisesRegex(ValueError, "can not be broadcast.*Mismatch at dim 0"):
            tf.metrics.mean([1.0, 2.0, 3.0], [1.0, 2.0])
        with self.assertRaisesRegex(ValueError, r"values.rank=3. weights.rank=1"):
            tf.metrics.mean(np.ones((2, 2, 2)), [1.0, 2.0])
        weights = tf.placeholder(tf.float32, [None])
        _, update = tf.metrics.mean([1.0, 2.0, 3.0], weights)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "can not be broadcast"):
                session.run(update, {weights: [1, 2]})


class ConfusionMatrixTest(tf.test.TestCase):
    def test_rows_are_labels_and_columns_are_predictions(self):
        labels, predictions = [1, 2, 2], [2, 2, 0]
        with tf.Session() as session:
            counts = session.run(tf.confusion_matrix(labels, predictions))
            self.assertAllEqual(counts, [[0, 0, 0], [0, 0, 1], [1, 0, 1]])
            self.assertEqual(counts.dtype, np.int32)
            weighted = tf.math.confusion_matrix(
                labels, predictions, 4, tf.float32, weights=[0.5, 2, 3]
            )
            expected = np.zeros((4, 4))
            expected[1, 2], expected[2, 2], expected[2, 0] = 0.5, 2, 3
            self.assertAllEqual(session.run(weighted), expected)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "negative values"):
                session.run(tf.confusion_matrix([-1], [0]))


if __name__ == "__main__":
    unittest.main()
