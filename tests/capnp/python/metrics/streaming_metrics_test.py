"""The metrics of `tf.contrib.metrics`, against NumPy's numbers for all steps at once."""

import inspect
import unittest

import numpy as np
from metric_means_test import MetricTestCase

import troupe as tf

contrib = tf.contrib.metrics
random = np.random.RandomState(2)
TRUTHS = [random.rand(8) < 0.5 for _ in range(2)]
SCORES = [random.rand(8).astype(np.float32) for _ in range(2)]
WEIGHTS = [random.rand(8).astype(np.float32) for _ in range(2)]
ALL_TRUTHS, ALL_SCORES, ALL_WEIGHTS = (np.concatenate(each) for each in (TRUTHS, SCORES, WEIGHTS))


def counts_at(threshold, weights=None):
    """The true and false positives and the false and true negatives of all steps."""
    is_positive = ALL_SCORES > threshold
    given = np.ones(16) if weights is None else weights
    return [
        given[chosen].sum()
        for chosen in (
            ALL_TRUTHS & is_positive, ~ALL_TRUTHS & is_positive,
            ALL_TRUTHS & ~is_positive, ~ALL_TRUTHS & ~is_positive,
        )
    ]  # fmt: skip


def at_each(count, function):
    """function(tp, fp, fn, tn) at as many thresholds of equal distances."""
    with np.errstate(invalid="ignore", divide="ignore"):
        limits = [-1e-7, *np.arange(1, count - 1) / (count - 1), 1 + 1e-7]
        return np.array([np.nan_to_num(function(*counts_at(limit))) for limit in limits])


class RenamedTest(MetricTestCase):
    def test_predictions_come_first_and_arguments_are_those_of_tensorflow(self):
        signatures = {
            "streaming_accuracy": "predictions, labels, weights, metrics_collections, "
            "updates_collections, name",
            "streaming_auc": "predictions, labels, weights, num_thresholds, metrics_collections, "
            "updates_collections, curve, name",
            "streaming_true_positives_at_thresholds": "predictions, labels, thresholds, weights",
            "streaming_sparse_precision_at_top_k": "top_k_predictions, labels, class_id, weights, "
            "metrics_collections, updates_collections, name",
            "sparse_recall_at_top_k": "labels, top_k_predictions, class_id, weights, "
            "metrics_collections, updates_collections, name",
            "streaming_mean": "values, weights, metrics_collections, updates_collections, name",
        }
        for name, arguments in signatures.items():
            function = getattr(contrib, name)
            self.assertEqual(", ".join(inspect.signature(function).parameters), arguments)
            self.assertEqual((function.__name__, function.__module__), (name, contrib.__name__))
            self.assertIn(f"    {arguments.split(', ')[0]}:", inspect.getdoc(function))
        with self.assertRaisesRegex(TypeError, "summation_method"):
            contrib.streaming_auc([0.5], [1.0], summation_method="minoring")

    def test_results_are_those_of_the_metric_with_its_own_arguments(self):
        thresholds = [0.3, 0.6]
        for name, newer, more in (
            ("accuracy", "accuracy", ()),
            ("auc", "auc", (None, 20)),
            ("false_negatives", "false_negatives", ()),
            ("false_positives_at_thresholds", "false_positives_at_thresholds", (thresholds,)),
            ("mean_relative_error", "mean_relative_error", (np.arange(1, 9, dtype=np.float32),)),
            ("precision", "precision", ()),
            ("recall", "recall", ()),
            ("recall_at_thresholds", "recall_at_thresholds", (thresholds,)),
            ("sensitivity_at_specificity", "sensitivity_at_specificity", (0.5,)),
        ):
            found = self.run_steps(
                lambda labels, scores: getattr(contrib, f"streaming_{name}")(scores, labels, *more),
                [each.astype(np.float32) for each in TRUTHS], SCORES,
            )  # fmt: skip
            wanted = self.run_steps(
                lambda labels, scores: getattr(tf.metrics, newer)(labels, scores, *more),
                [each.astype(np.float32) for each in TRUTHS], SCORES,
            )  # fmt: skip
            with self.subTest(name):
                self.assertAllClose(found, wanted)
        less = self.run_steps(lambda x: contrib.streaming_percentage_less(x, 0.4), SCORES)
        self.assertAllClose(less[-1], np.mean(ALL_SCORES < 0.4))

    def test_given_classes_are_compared_with_labels(self):
        labels = [np.int64([[0], [2], [1]])]
        top = [np.int64([[1, 0], [2, 0], [0, 2]])]
        recall = self.run_steps(contrib.sparse_recall_at_top_k, labels, top)
        precision = self.run_steps(contrib.streaming_sparse_precision_at_top_k, top, labels)
        average = self.run_steps(contrib.streaming_sparse_average_precision_at_top_k, top, labels)
        self.assertAllClose(recall, [2 / 3] * 2)
        self.assertAllClose(precision, [2 / 6] * 2)
        self.assertAllClose(average, [(1 / 2 + 1) / 3] * 2)


class RatesTest(MetricTestCase):
    def check(self, make, wanted, weights=None):
        if weights is None:
            found = self.run_steps(make, TRUTHS, SCORES)
        else:
            found = self.run_steps(make, TRUTHS, SCORES, weights)
        self.assertAllClose(found[-1], wanted, rtol=1e-4, atol=1e-6)
        if found[-2] is not None:
            self.assertAllClose(found[-2], wanted, rtol=1e-4, atol=1e-6)

    def test_rates_are_the_fractions_that_are_wrong(self):
        decided = [each > 0.5 for each in SCORES]
        tp, fp, fn, tn = counts_at(0.5)
        for function, wanted in (
            (contrib.streaming_false_positive_rate, fp / (fp + tn)),
            (contrib.streaming_false_negative_rate, fn / (fn + tp)),
        ):
            self.assertAllClose(self.run_steps(function, decided, TRUTHS)[1:], [wanted] * 2)
            nothing = [np.zeros(0, bool)] * 2
            self.assertAllEqual(self.run_steps(function, nothing, nothing), [0, 0, 0])

    def test_rates_are_for_each_threshold_with_weights(self):
        limits = [0.2, 0.7]
        tp, fp, fn, tn = np.transpose([counts_at(limit, ALL_WEIGHTS) for limit in limits])
        for function, wanted in (
            (contrib.streaming_false_positive_rate_at_thresholds, fp / (fp + tn)),
            (contrib.streaming_false_negative_rate_at_thresholds, fn / (fn + tp)),
        ):
            self.check(
                lambda labels, scores, weights: function(scores, labels, limits, weights),
                wanted, WEIGHTS,
            )  # fmt: skip

    def test_points_are_those_of_the_curve(self):
        roc = at_each(9, lambda tp, fp, fn, tn: (fp / (fp + tn), tp / (tp + fn)))
        self.check(lambda *given: contrib.streaming_curve_points(*given, num_thresholds=9), roc)
        pr = at_each(
            9, lambda tp, fp, fn, tn: (tp / (tp + fn), 1.0 if tp + fp == 0 else tp / (tp + fp))
        )
        self.check(
            lambda *given: contrib.streaming_curve_points(*given, num_thresholds=9, curve="PR"), pr
        )
        with self.assertRaisesRegex(ValueError, "ROC or PR"):
            contrib.streaming_curve_points([1], [0.5], curve="L")

    def test_the_best_score_of_all_thresholds_is_found(self):
        scores = at_each(9, lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn))
        self.check(lambda *given: contrib.f1_score(*given, num_thresholds=9), scores.max())

    def test_recall_is_that_of_the_precision_which_is_nearest(self):
        precision = at_each(9, lambda tp, fp, fn, tn: tp / (tp + fp))
        recall = at_each(9, lambda tp, fp, fn, tn: tp / (tp + fn))
        for target in (0.4, 0.6, 0.9):
            nearest = recall[np.argmin(abs(precision - target))]
            enough = [i for i in range(9) if precision[i] >= target]
            least = recall[min(enough, key=lambda i: precision[i])] if enough else 0.0
            self.check(lambda *given: contrib.recall_at_precision(*given, target, None, 9), nearest)
            self.check(
                lambda *given: contrib.recall_at_precision(
                    *given, target, num_thresholds=9, strict_mode=True
                ),
                least,
            )
        with self.assertRaisesRegex(ValueError, "range"):
            contrib.recall_at_precision([1], [0.5], 2.0)

    def test_a_precision_that_no_threshold_has_gives_no_recall(self):
        truths, scores = [np.array([False, True])] * 1, [np.float32([0.9, 0.5])]
        for strict, wanted in ((True, 0.0), (False, 1.0)):
            found = self.run_steps(
                lambda *given: contrib.recall_at_precision(
                    *given, 0.8, num_thresholds=5, strict_mode=strict
                ),
                truths, scores,
            )  # fmt: skip
            self.assertAllClose(found[-1], wanted, atol=1e-5)

    def test_precision_is_that_of_the_last_threshold_with_enough_recall(self):
        precision = at_each(9, lambda tp, fp, fn, tn: tp / (tp + fp))
        recall = at_each(9, lambda tp, fp, fn, tn: tp / (tp + fn))
        for target in (0.3, 0.8, 1.0):
            last = max(i for i in range(9) if recall[i] >= target)
            self.check(
                lambda *given: contrib.precision_at_recall(*given, target, num_thresholds=9),
                precision[last],
            )
        with self.assertRaisesRegex(ValueError, "range"):
            contrib.precision_at_recall([1], [0.5], -0.1)


class MomentsTest(MetricTestCase):
    X = [(random.randn(5) + mean).astype(np.float32) for mean in (3, 0, -1)]
    Y = [random.randn(5).astype(np.float32) - each for each in X]

    def test_covariances_are_those_of_all_values(self):
        found = self.run_steps(contrib.streaming_covariance, self.X, self.Y)
        self.assertAllClose(found[0], np.cov(self.X[0], self.Y[0])[0, 1], rtol=1e-4)
        wanted = np.cov(np.concatenate(self.X), np.concatenate(self.Y))[0, 1]
        self.assertAllClose(found[2:], [wanted] * 2, rtol=1e-4)

    def test_weights_are_how_often_a_value_counts(self):
        often = [np.float32([1, 0, 2, 1, 3]), np.float32([0, 2, 1, 1, 1])]
        often.append(np.float32([1, 1, 0, 0, 2]))
        x, y, weights = (np.concatenate(each) for each in (self.X, self.Y, often))
        repeated = [np.repeat(each, weights.astype(int)) for each in (x, y)]
        found = self.run_steps(contrib.streaming_covariance, self.X, self.Y, often)
        self.assertAllClose(found[2:], [np.cov(*repeated)[0, 1]] * 2, rtol=1e-4)
        found = self.run_steps(contrib.streaming_pearson_correlation, self.X, self.Y, often)
        self.assertAllClose(found[2:], [np.corrcoef(*repeated)[0, 1]] * 2, rtol=1e-4)

    def test_correlations_are_those_of_all_values(self):
        found = self.run_steps(contrib.streaming_pearson_correlation, self.X, self.Y)
        wanted = np.corrcoef(np.concatenate(self.X), np.concatenate(self.Y))[0, 1]
        self.assertAllClose(found[2:], [wanted] * 2, rtol=1e-4)

    def test_one_pair_has_no_covariance(self):
        one = [np.float32([2])]
        self.assertTrue(np.isnan(self.run_steps(contrib.streaming_covariance, one, one)).all())


class ValuesTest(MetricTestCase):
    def test_values_of_all_steps_are_kept(self):
        steps = [np.arange(6.0).reshape(2, 3), -np.arange(6.0).reshape(2, 3)]
        for axis, most in ((0, None), (1, None), (-1, 5), (0, 1)):
            wanted = np.concatenate(steps, axis)[: most if axis == 0 else None]
            wanted = wanted if axis == 0 else wanted[:, :most]
            found = self.run_steps(lambda x: contrib.streaming_concat(x, axis, most), steps)
            self.assertAllEqual(found[1], wanted.shape[axis])
            self.assertAllEqual(found[2], wanted)

    def test_the_number_of_values_may_change_from_step_to_step(self):
        given = tf.placeholder(tf.int32, [None, 2])
        value, update = contrib.streaming_concat(given)
        self.assertEqual(value.shape.as_list(), [None, 2])
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            self.assertAllEqual(session.run(value), np.zeros([0, 2]))
            for rows, total in ((3, 3), (0, 3), (1, 4)):
                fed = {given: np.full([rows, 2], rows)}
                self.assertEqual(session.run(update, fed), total)
            self.assertAllEqual(session.run(value)[:, 0], [3, 3, 3, 1])

    def test_values_whose_other_sizes_are_not_known_are_refused(self):
        for values, axis, words in (
            (tf.placeholder(tf.float32), 0, "rank"), ([1.0], 1, "axis = 1"),
            (tf.placeholder(tf.float32, [2, None]), 0, "must be known"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, words):
                contrib.streaming_concat(values, axis)

    def test_values_or_their_weights_are_counted(self):
        self.assertAllEqual(self.run_steps(contrib.count, SCORES), [8, 16, 16])
        found = self.run_steps(contrib.count, SCORES, WEIGHTS)
        self.assertAllClose(found[1:], [ALL_WEIGHTS.sum()] * 2, rtol=1e-5)

    def test_agreement_is_compared_with_chance(self):
        labels = [np.int32([0, 1, 2, 2, 1]), np.int32([0, 0, 1, 2, 2])]
        chosen = [np.int32([0, 1, 2, 1, 1]), np.int32([0, 1, 1, 2, 0])]
        weights = [np.float32([1, 2, 0.5, 1, 1]), np.float32([1, 1, 1, 3, 1])]
        for given in (None, weights):
            each = np.ones(10) if given is None else np.concatenate(given)
            x, y = np.concatenate(labels), np.concatenate(chosen)
            agreed = each[x == y].sum()
            by_chance = sum(each[x == k].sum() * each[y == k].sum() for k in range(3)) / each.sum()
            batches = [labels, chosen] if given is None else [labels, chosen, given]
            found = self.run_steps(lambda x, y, *w: contrib.cohen_kappa(x, y, 3, *w), *batches)
            wanted = (agreed - by_chance) / (each.sum() - by_chance)
            self.assertAllClose(found[1:], [wanted] * 2, rtol=1e-6)
        with self.assertRaisesRegex(ValueError, "num_classes"):
            contrib.cohen_kappa([0], [0], 1)

    def test_labels_are_among_the_greatest_predictions(self):
        scores = [np.float32([[1, 2, 3], [3, 2, 1]]), np.float32([[1, 3, 2], [2, 3, 1]])]
        labels = [np.int32([1, 2]), np.int32([1, 0])]
        found = self.run_steps(lambda x, y: contrib.streaming_recall_at_k(x, y, 2), scores, labels)
        self.assertAllClose(found, [0.5, 0.75, 0.75])

    def test_the_accuracy_of_a_step_is_weighted(self):
        found = contrib.accuracy([1, 2, 3, 4], [1, 2, 0, 0])
        weighted = contrib.accuracy([1, 2, 3, 4], [1, 2, 0, 0], [1.0, 1.0, 4.0, 2.0])
        self.assertAllClose(self.evaluate([found, weighted]), [0.5, 0.25])
        with self.assertRaisesRegex(ValueError, "Labels should"):
            contrib.accuracy([1.0], [1.0])
        with self.assertRaisesRegex(ValueError, "should match"):
            contrib.accuracy(["a"], [1])

    def test_metrics_are_gathered_in_lists_and_by_name(self):
        one, two = contrib.count([1.0]), contrib.streaming_mean([1.0])
        self.assertEqual(contrib.aggregate_metrics(one, two), ([one[0], two[0]], [one[1], two[1]]))
        values, updates = contrib.aggregate_metric_map({"a": one, "b": two})
        self.assertEqual(values, {"a": one[0], "b": two[0]})
        self.assertEqual(updates, {"a": one[1], "b": two[1]})
        with self.assertRaisesRegex(ValueError, "at least one"):
            contrib.aggregate_metrics()

    def test_results_are_in_the_collections_that_are_named(self):
        for make in (contrib.count, contrib.streaming_mean, contrib.streaming_concat):
            value, update = make([1.0], metrics_collections=["m"], updates_collections=["u"])
            self.assertIs(tf.get_collection("m")[-1], value)
            self.assertIs(tf.get_collection("u")[-1], update)


if __name__ == "__main__":
    unittest.main()
