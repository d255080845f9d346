"""Counts of decisions, precision, recall and curves, for two steps."""

import unittest

import numpy as np

import troupe as tf

LABELS = [np.array([True, False, True, False]), np.array([True, True, False, False])]
SCORES = [np.float32([0.9, 0.7, 0.4, 0.1]), np.float32([0.6, 0.2, 0.8, 0.3])]
WEIGHTS = [np.float32([1, 2, 3, 4]), np.float32([5, 6, 7, 8])]
THRESHOLDS = [0.25, 0.5, 0.75]
TRUE, SCORE, WEIGHT = (np.concatenate(each) for each in (LABELS, SCORES, WEIGHTS))
KINDS = {
    "true_positives": lambda true, decided: true & decided,
    "true_negatives": lambda true, decided: ~true & ~decided,
    "false_positives": lambda true, decided: ~true & decided,
    "false_negatives": lambda true, decided: true & ~decided,
}

# Those that TensorFlow gives for all steps, with four thresholds and the weights.
RECORDED_AREAS = {
    ("ROC", "trapezoidal"): 0.4714285,
    ("ROC", "careful_interpolation"): 0.4714285,
    ("ROC", "minoring"): 0.3428571,
    ("ROC", "majoring"): 0.5999999,
    ("PR", "trapezoidal"): 0.38,
    ("PR", "careful_interpolation"): 0.3668712,
    ("PR", "minoring"): 0.2266667,
    ("PR", "majoring"): 0.5333333,
}


class DecisionsTest(tf.test.TestCase):
    def results(self, name, *arguments, weighted=False, **options):
        """The updates' results and the value, given placeholders of labels and scores."""
        with tf.Graph().as_default():
            labels, scores = tf.placeholder(tf.bool, [4]), tf.placeholder(tf.float32, [4])
            weights = tf.placeholder(tf.float32, [4])
            if weighted:
                options["weights"] = weights
            given = scores if arguments or "curve" in options else scores > 0.5
            value, update = getattr(tf.metrics, name)(labels, given, *arguments, **options)
            with tf.Session() as session:
                session.run(tf.local_variables_initializer())
                steps = [
                    session.run(update, {labels: x, scores: y, weights: w})
                    for x, y, w in zip(LABELS, SCORES, WEIGHTS)
                ]
                return [*steps, session.run(value)]

    def check(self, expected, results):
        self.assertAllClose(results[1], expected, rtol=1e-5)
        self.assertAllClose(results[2], expected, rtol=1e-5)

    def test_counts_are_sums_of_weights(self):
        for name, chosen in KINDS.items():
            with self.subTest(name):
                is_chosen = chosen(TRUE, SCORE > 0.5)
                self.check(np.sum(is_chosen), self.results(name))
                self.check(np.sum(is_chosen * WEIGHT), self.results(name, weighted=True))

    def test_counts_at_thresholds_are_those_of_each_threshold(self):
        for name, chosen in KINDS.items():
            with self.subTest(name):
                expected = [np.sum(chosen(TRUE, SCORE > limit) * WEIGHT) for limit in THRESHOLDS]
                name = f"{name}_at_thresholds"
                self.check(expected, self.results(name, THRESHOLDS, weighted=True))

    def test_precision_and_recall_are_fractions_of_decisions_and_of_labels(self):
        at_thresholds = ("precision_at_thresholds", "recall_at_thresholds")
        for limit, names in ((0.5, ("precision", "recall")), (0.25, at_thresholds)):
            decided = SCORE > limit
            both = np.sum((TRUE & decided) * WEIGHT)
            for name, total in zip(names, (decided, TRUE)):
                with self.subTest(name):
                    arguments = [[limit]] if limit != 0.5 else []
                    results = self.results(name, *arguments, weighted=True)
                    fraction = both / np.sum(total * WEIGHT)
                    self.check([fraction] if arguments else fraction, results)

    def test_precision_without_decisions_is_0(self):
        value, update = tf.metrics.precision([True, False], [False, False])
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            self.assertEqual(session.run([update, value]), [0, 0])

    def test_areas_are_those_that_tensorflow_computes(self):
        for (curve, method), expected in RECORDED_AREAS.items():
            with self.subTest(curve=curve, method=method):
                options = {"curve": curve, "summation_method": method, "num_thresholds": 4}
                self.check(expected, self.results("auc", weighted=True, **options))
        self.check(9 / 16, self.results("auc", curve="ROC"))  # of 16 pairs, 9 are in order
        given = self.results("auc", curve="ROC", thresholds=[0.75, 0.25])
        self.check(0.5, given)
        with self.assertRaisesRegex(ValueError, "curve must be either ROC or PR, AB unknown"):
            tf.metrics.auc([1], [1.0], curve="AB")
        with self.assertRaisesRegex(ValueError, "Invalid summation_method: half"):
            tf.metrics.auc([1], [1.0], summation_method="half")

    def test_points_of_curves_are_at_the_nearest_threshold(self):
        # Above 0.75 one of four true labels is found, and three of four false ones are not.
        sensitivity = self.results("sensitivity_at_specificity", 0.75)
        self.check(0.25, sensitivity)
        self.check(0.75, self.results("sensitivity_at_specificity", 0.5))
        self.check(0.5, self.results("specificity_at_sensitivity", 0.75))
        for name in ("sensitivity_at_specificity", "specificity_at_sensitivity"):
            with self.assertRaisesRegex(ValueError, r"must be in the range \[0, 1\]"):
                getattr(tf.metrics, name)([1], [1.0], 1.5)

    def test_scores_beyond_0_and_1_are_an_error_of_the_step(self):
        scores = tf.placeholder(tf.float32, [2])
        _, update = tf.metrics.auc([0, 1], scores)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for values in ([0.5, 1.5], [-0.5, 0.5]):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"in \[0, 1\]"):
                    session.run(update, {scores: values})


if __name__ == "__main__":
    unittest.main()
