"""Heads of tf.contrib.estimator give TensorFlow 1.15's losses, predictions, metrics and exports."""

import unittest

import numpy as np

import troupe as tf

heads = tf.contrib.estimator
REDUCTION = tf.losses.Reduction
LOGITS = np.array([[1.0], [-2.0], [0.5]], np.float32)
LABELS = np.array([1, 0, 0])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cross_entropies(logits, labels):
    return np.log1p(np.exp(logits)) - labels * logits


class HeadsTest(tf.test.TestCase):
    def spec(self, head, mode, logits, labels=None, features=None, **more):
        tf.train.get_or_create_global_step()
        logits = logits if isinstance(logits, (dict, tf.Tensor)) else tf.constant(logits)
        return head.create_estimator_spec(features or {}, mode, logits, labels, **more)

    def evaluated(self, spec):
        with self.session() as session:
            session.run([tf.local_variables_initializer(), tf.tables_initializer()])
            session.run([update for _, update in spec.eval_metric_ops.values()])
            values = {key: value for key, (value, _) in spec.eval_metric_ops.items()}
            return session.run([spec.loss, values])

    def test_a_binary_head_has_the_keys_and_numbers_of_its_metrics(self):
        head = heads.binary_classification_head("w", [0.3], name="h")
        weights = np.array([1.0, 2.0, 3.0], np.float32)
        spec = self.spec(head, "eval", LOGITS, LABELS, {"w": tf.constant(weights)})
        loss, metrics = self.evaluated(spec)
        losses = cross_entropies(LOGITS[:, 0], LABELS) * weights
        self.assertAllClose(loss, losses.sum() / 3)
        self.assertEqual(
            set(metrics),
            {
                f"{key}/h"
                for key in (
                    "accuracy", "accuracy/positive_threshold_0.3", "accuracy_baseline", "auc",
                    "auc_precision_recall", "average_loss", "label/mean", "precision",
                    "precision/positive_threshold_0.3", "prediction/mean", "recall",
                    "recall/positive_threshold_0.3",
                )
            },
        )  # fmt: skip
        self.assertAllClose(metrics["average_loss/h"], losses.sum() / 6)
        self.assertAllClose(metrics["accuracy/h"], 0.5)
        self.assertAllClose(metrics["label/mean/h"], 1 / 6)
        self.assertAllClose(metrics["accuracy_baseline/h"], 5 / 6)
        self.assertAllClose(
            metrics["prediction/mean/h"], (sigmoid(LOGITS[:, 0]) * weights).sum() / 6
        )

    def test_regularization_is_added_to_the_loss_and_has_a_metric(self):
        head = heads.binary_classification_head()
        more = {"regularization_losses": [tf.constant(2.0), tf.constant(0.5)]}
        loss, metrics = self.evaluated(self.spec(head, "eval", LOGITS, LABELS, **more))
        self.assertAllClose(loss, cross_entropies(LOGITS[:, 0], LABELS).mean() + 2.5)
        self.assertAllClose(metrics["regularization_loss"], 2.5)

    def test_predictions_of_a_vocabulary_are_its_words(self):
        head = heads.multi_class_head(3, label_vocabulary=["a", "b", "c"])
        spec = self.spec(head, "infer", [[0.0, 2.0, 1.0]])
        with self.session() as session:
            session.run(tf.tables_initializer())
            found = session.run(spec.predictions)
        self.assertEqual(found["classes"].tolist(), [[b"b"]])
        self.assertEqual(found["all_classes"].tolist(), [[b"a", b"b", b"c"]])
        self.assertEqual(
            set(spec.export_outputs), {"serving_default", "classification", "predict"}
        )

    def test_a_training_updates_what_layers_ask_for_and_counts_the_step(self):
        head = heads.regression_head(label_dimension=2, name="r")
        w = tf.get_variable("w", initializer=[[1.0, 2.0]])
        moved = tf.get_variable("moved", initializer=0.0, trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, moved.assign_add(1.0).op)
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        spec = self.spec(head, "train", w * 1.0, [[0.0, 0.0]], optimizer=optimizer)
        names = [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        self.assertEqual(names, ["loss/r"])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(spec.train_op)
            self.assertAllClose(session.run(w), [[0.5, 1.0]])  # the mean of two squares
            self.assertAllClose(session.run([moved, tf.train.get_global_step()]), [1, 1])

    def test_counts_and_probabilities_have_their_losses(self):
        logits, counts = np.array([[0.5], [1.0]], np.float32), np.array([1.0, 3.0], np.float32)
        poisson = heads.poisson_regression_head(compute_full_loss=False)
        spec = self.spec(poisson, "eval", logits, counts)
        self.assertAllClose(
            self.evaluated(spec)[0], (np.exp(logits[:, 0]) - counts * logits[:, 0]).mean()
        )
        logistic = heads.logistic_regression_head()
        spec = self.spec(logistic, "eval", logits, np.array([0.25, 1.0], np.float32))
        self.assertAllClose(
            self.evaluated(spec)[0], cross_entropies(logits[:, 0], [0.25, 1.0]).mean()
        )
        self.assertAllClose(
            self.evaluate(self.spec(logistic, "infer", logits).predictions)["predictions"],
            sigmoid(logits),
        )

    def test_examples_may_have_any_number_of_classes(self):
        head = heads.multi_label_head(
            3, label_vocabulary=["a", "b", "c"], classes_for_class_based_metrics=["c"]
        )
        labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["c", "a", "b"], [2, 2])
        logits = np.array([[1.0, -1.0, 2.0], [0.0, 3.0, -2.0]], np.float32)
        loss, metrics = self.evaluated(self.spec(head, "eval", logits, labels))
        wanted = np.array([[1, 0, 1], [0, 1, 0]])
        self.assertAllClose(loss, cross_entropies(logits, wanted).mean())
        self.assertAllClose(metrics["probability_mean/c"], sigmoid(logits[:, 2]).mean())
        self.assertIn("auc_precision_recall/c", metrics)

    def test_losses_of_several_heads_are_added(self):
        both = heads.multi_head(
            [heads.binary_classification_head(name="one"), heads.regression_head(name="two")],
            [1.0, 0.5],
        )
        logits = np.concatenate([LOGITS, LOGITS], 1)
        labels = {"one": LABELS, "two": np.zeros([3, 1], np.float32)}
        loss, metrics = self.evaluated(self.spec(both, "eval", logits, labels))
        one, two = cross_entropies(LOGITS[:, 0], LABELS).mean(), (LOGITS**2).mean()
        self.assertAllClose(loss, one + 0.5 * two)
        self.assertAllClose([metrics["loss/one"], metrics["loss/two"]], [one, two])
        spec = self.spec(both, "infer", logits)
        self.assertIn(("two", "predictions"), spec.predictions)
        self.assertIn("one/classification", spec.export_outputs)

    def test_what_does_not_fit_is_refused(self):
        binary = heads.binary_classification_head()
        for fault, call in {
            "must provide a labels": lambda: self.spec(binary, "eval", LOGITS),
            "Expected labels dimension=1": lambda: self.spec(
                binary, "eval", LOGITS, np.zeros([3, 2])
            ),
            "logits shape must be": lambda: self.spec(binary, "infer", np.zeros([3, 2])),
            "cannot both be None": lambda: self.spec(binary, "train", LOGITS, LABELS),
            "thresholds not in": lambda: heads.binary_classification_head(thresholds=[1.0]),
            "Invalid loss_reduction": lambda: heads.regression_head(loss_reduction="none"),
            "n_classes must be > 2": lambda: heads.multi_class_head(2),
            "must have name specified": lambda: heads.multi_head([binary]),
            "must contain argument": lambda: heads.regression_head(loss_fn=lambda a, b: a),
        }.items():
            with self.assertRaisesRegex(ValueError, fault):
                call()

    def test_a_step_checks_that_labels_are_classes(self):
        labels = tf.placeholder(tf.int64, [None])
        spec = self.spec(heads.multi_class_head(3), "eval", np.zeros([3, 3]), labels)
        fault = "Labels must be <= n_classes"
        with self.session() as session:
            session.run(spec.loss, {labels: [0, 2, 1]})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, fault):
                session.run(spec.loss, {labels: [0, 3, 1]})


if __name__ == "__main__":
    unittest.main()
