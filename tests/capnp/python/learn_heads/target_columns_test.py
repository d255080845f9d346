"""Targets of numbers and classes have the losses and metrics of TensorFlow 1.15."""

import unittest

import troupe as tf

layers = tf.contrib.layers


class TargetColumnsTest(tf.test.TestCase):
    def measured(self, target, logits, labels, weights=None, metrics=None):
        """The losses of training and evaluation, the predictions and the metrics."""
        features = {"w": tf.constant([1.0] * len(labels) if weights is None else weights)}
        scores, truth = tf.constant(logits), tf.constant(labels)
        measures = target.get_eval_ops(features, scores, truth, metrics)
        losses = [f(scores, truth, features) for f in (target.training_loss, target.loss)]
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            session.run([update for _, update in measures.values()])
            values = {name: value for name, (value, _) in measures.items()}
            return session.run([losses, target.logits_to_predictions(scores), values])

    def test_numbers(self):
        target = layers.regression_target("label", "w")
        self.assertEqual((target.label_name, target.weight_column_name), ("label", "w"))
        self.assertEqual((target.num_label_columns, target.problem_type), (1, 2))
        losses, predictions, metrics = self.measured(
            target, [[1.0], [2.0]], [1.5, 0.0], [1.0, 3.0]
        )
        self.assertAllClose(losses, [6.125, 3.0625])
        self.assertAllClose(predictions, [1.0, 2.0])
        self.assertAllClose(metrics, {"loss": 3.0625})

    def test_two_classes(self):
        target = layers.multi_class_target(2, weight_column_name="w")
        losses, predictions, metrics = self.measured(
            target, [[1.0], [-2.0], [3.0]], [1, 1, 0], [1.0, 2.0, 3.0]
        )
        self.assertAllClose(losses, [4.5709596, 2.2854798])
        self.assertAllEqual(predictions, [1, 0, 1])
        self.assertAllClose(metrics, {
            "loss": 2.2854798, "labels/prediction_mean": 0.60094523,
            "labels/actual_target_mean": 0.6666667, "accuracy/baseline_target_mean": 0.6666667,
            "auc": 5e-7, "accuracy/threshold_0.500000_mean": 0.33333334,
            "precision/positive_threshold_0.500000_mean": 0.5,
            "recall/positive_threshold_0.500000_mean": 0.5, "accuracy": 0.16666667,
        })  # fmt: skip

    def test_more_classes(self):
        target = layers.multi_class_target(3, weight_column_name="w")
        logits = [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]
        losses, predictions, metrics = self.measured(target, logits, [1, 1], [1.0, 4.0])
        self.assertAllClose(losses, [2.3066921, 0.92267686])
        self.assertAllEqual(predictions, [2, 1])
        self.assertAllClose(metrics, {"loss": 0.92267686, "accuracy": 0.8})

    def test_metrics_of_classes_and_of_probabilities(self):
        def first(predictions, labels, weights=None):
            return predictions[0], tf.no_op()

        logits = [[1.0, 0.0, 2.0]]
        metrics = {"a": first, ("b", "classes"): first, ("c", "probabilities"): first}
        found = self.measured(layers.multi_class_target(3), logits, [[1]], None, metrics)[2]
        self.assertEqual((found["a"], found["b"]), (2, 2))
        self.assertAllClose(found["c"], [0.24472848, 0.09003057, 0.66524094])

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "n_classes must be > 1"):
            layers.multi_class_target(1)
        target = layers.multi_class_target(3)
        with self.assertRaisesRegex(ValueError, "should be integer"):
            self.measured(target, [[1.0, 0.0, 2.0]], [1.0])
        for key, text in ((("a", "x"), "2nd element"), (("a",), "tuple with len 1"), (1, "form")):
            with self.assertRaisesRegex(ValueError, text):
                self.measured(target, [[1.0, 0.0, 2.0]], [1], None, {key: None})


if __name__ == "__main__":
    unittest.main()
