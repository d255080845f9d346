"""Heads of `tf.contrib.learn`: their losses, predictions and metrics."""

import unittest

import numpy as np

import troupe as tf

learn = tf.contrib.learn
head = learn.head


def evaluated(made, *tensors):
    """The loss, the metrics, and other tensors."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(),
                     tf.tables_initializer()])  # fmt: skip
        session.run([update for _, update in made.eval_metric_ops.values()])
        metrics = {name: value for name, (value, _) in made.eval_metric_ops.items()}
        return session.run([made.loss, metrics, *tensors])


class HeadsTest(tf.test.TestCase):
    def evaluate_head(self, given, logits, labels, features=None):
        made = given.create_model_fn_ops(
            features or {}, "eval", tf.constant(labels), logits=tf.constant(logits)
        )
        loss, metrics, predictions = evaluated(made, made.predictions)
        return loss, metrics, predictions

    def test_numbers_have_the_mean_of_squares(self):
        loss, metrics, predictions = self.evaluate_head(
            head.regression_head(), [[1.0], [3.0]], [0.0, 1.0]
        )
        self.assertAllClose(loss, 2.5)
        self.assertAllClose(metrics, {"loss": 2.5})
        self.assertAllClose(predictions, {"scores": [1.0, 3.0]})
        changed = head.regression_head(link_fn=tf.square)
        self.assertAllClose(
            self.evaluate_head(changed, [[1.0], [3.0]], [[0.0], [1.0]])[2]["scores"], [1.0, 9.0]
        )

    def test_the_average_of_weighted_losses_is_by_the_sum_of_weights(self):
        given = head.regression_head(weight_column_name="w")
        features = {"w": tf.constant([2.0, 0.0])}
        loss, metrics, _ = self.evaluate_head(given, [[1.0], [3.0]], [[0.0], [1.0]], features)
        self.assertAllClose((loss, metrics["loss"]), (1.0, 1.0))
        features = {"w": tf.constant([4.0, 1.0])}
        loss, metrics, _ = self.evaluate_head(given, [[1.0], [3.0]], [[0.0], [1.0]], features)
        self.assertAllClose((loss, metrics["loss"]), (4.0, 1.6))
        with self.assertRaisesRegex(ValueError, "Weights w missing"):
            self.evaluate_head(given, [[1.0]], [[0.0]])

    def test_counts_have_the_loss_of_poisson(self):
        loss, _, predictions = self.evaluate_head(
            head.poisson_regression_head(), [[0.0], [1.0]], [[1.0], [0.0]]
        )
        self.assertAllClose(loss, (1.0 + np.e) / 2)
        self.assertAllClose(predictions["scores"], [1.0, np.e])

    def test_two_classes_have_one_logit(self):
        given = head.multi_class_head(2, thresholds=(0.5, 0.99))
        self.assertEqual(given.logits_dimension, 1)
        loss, metrics, predictions = self.evaluate_head(given, [[2.0], [-1.0]], [[1], [1]])
        self.assertAllClose(loss, np.mean(np.log1p(np.exp([-2.0, 1.0]))))
        self.assertAllClose(predictions["classes"], [1, 0])
        probabilities = 1 / (1 + np.exp([-2.0, 1.0]))
        self.assertAllClose(predictions["logistic"][:, 0], probabilities)
        self.assertAllClose(predictions["probabilities"][:, 1], probabilities)
        for name, value in {
            "accuracy": 0.5, "labels/prediction_mean": np.mean(probabilities),
            "labels/actual_label_mean": 1.0, "accuracy/baseline_label_mean": 1.0,
            "accuracy/threshold_0.500000_mean": 0.5, "accuracy/threshold_0.990000_mean": 0.0,
            "precision/positive_threshold_0.500000_mean": 1.0,
            "recall/positive_threshold_0.500000_mean": 0.5,
        }.items():  # fmt: skip
            self.assertAllClose(metrics[name], value)
        self.assertLessEqual({"auc", "auc_precision_recall"}, set(metrics))

    def test_classes_can_have_metrics_of_their_own(self):
        given = head.multi_class_head(3, metric_class_ids=[1], head_name="own")
        loss, metrics, predictions = self.evaluate_head(
            given, [[0.0, 5.0, 0.0], [0.0, 0.0, 5.0]], [[1], [1]]
        )
        self.assertAllClose(predictions["classes"], [1, 2])
        self.assertAllClose(metrics["labels/prediction_mean/class1/own"], 0.5)
        self.assertAllClose(metrics["labels/actual_label_mean/class1/own"], 1.0)
        self.assertAllClose(metrics["labels/logits_mean/class1/own"], 2.5)
        self.assertAllClose(metrics["accuracy/own"], 0.5)
        self.assertAllClose(loss, metrics["loss/own"])
        with self.assertRaisesRegex(ValueError, "Class ID 3 not in"):
            head.multi_class_head(3, metric_class_ids=[3])

    def test_a_loss_of_the_program_is_used(self):
        def loss_fn(labels, logits, weights=1.0):
            return tf.constant(7.0)

        given = head.multi_class_head(3, loss_fn=loss_fn)
        self.assertAllClose(self.evaluate_head(given, [[0.0, 1.0, 2.0]], [[1]])[0], 7.0)
        with self.assertRaisesRegex(ValueError, "weights not found in loss_fn"):
            head.multi_class_head(3, loss_fn=lambda labels, logits: 1.0)

    def test_support_vectors_have_a_hinge(self):
        loss, metrics, predictions = self.evaluate_head(
            head.binary_svm_head(), [[2.0], [0.5]], [1, 0]
        )
        self.assertAllClose((loss, metrics["accuracy"]), (0.75, 0.5))
        self.assertAllClose(predictions["classes"], [1, 1])

    def test_several_labels_are_dense_or_sparse(self):
        given = head.multi_label_head(2, metric_class_ids=[0])
        logits, labels = [[3.0, -3.0], [3.0, 3.0]], [[1, 0], [0, 1]]
        loss, metrics, predictions = self.evaluate_head(given, logits, labels)
        each = np.log1p(np.exp([-3.0, -3.0, 3.0, -3.0]))
        self.assertAllClose(loss, np.mean(each))
        self.assertAllClose(predictions["classes"], [[1, 0], [1, 1]])
        self.assertAllClose(metrics["labels/prediction_mean/class0"], 1.0)
        self.assertAllClose(metrics["labels/actual_label_mean/class0"], 0.5)
        self.assertIn("auc_precision_recall/class0", metrics)
        sparse = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([0, 1], tf.int64), [2, 1])
        made = given.create_model_fn_ops({}, "eval", sparse, logits=tf.constant(logits))
        self.assertAllClose(evaluated(made)[0], np.mean(each))

    def test_logits_can_be_made_of_their_input(self):
        given = head.multi_class_head(3)
        made = given.create_model_fn_ops(
            {}, "train", [[1]], head.no_op_train_fn, logits_input=[[1.0, 2.0]]
        )
        self.assertEqual(made.predictions["logits"].shape.as_list(), [1, 3])
        names = [v.op.name for v in tf.global_variables()]
        wanted = [f"multi_class_head/logits/{kind}" for kind in ("weights", "biases")]
        self.assertEqual(names, wanted)
        for logits in ({}, {"logits": [[1.0] * 3], "logits_input": [[1.0]]}):
            with self.assertRaisesRegex(ValueError, "logits_input supplied"):
                given.create_model_fn_ops({}, "infer", **logits)
        with self.assertRaisesRegex(ValueError, "train_op_fn can not be None"):
            given.create_model_fn_ops({}, "train", [[1]], logits=[[1.0] * 3])
        with self.assertRaisesRegex(ValueError, "unrecognized"):
            given.create_model_fn_ops({}, "no mode")

    def test_several_heads_are_one(self):
        one = head.multi_class_head(3, label_name="a", head_name="one")
        two = head.regression_head(label_name="b", head_name="two")
        more = head.loss_only_head(lambda: tf.constant(10.0), "more")
        both = head.multi_head([one, two, more], [1.0, 2.0, 1.0])
        self.assertEqual(both.logits_dimension, 4)
        labels = {"a": tf.constant([[2]]), "b": tf.constant([[1.0]])}
        logits = tf.constant([[0.0, 0.0, 0.0, 3.0]])
        made = both.create_model_fn_ops({}, "eval", labels, logits=logits)
        loss, metrics, predictions = evaluated(made, made.predictions)
        self.assertAllClose(loss, np.log(3.0) + 2 * 4.0 + 10.0)
        self.assertAllClose(metrics["loss/two"], 4.0)
        self.assertAllClose(predictions["two", "scores"], [3.0])
        trained = both.create_model_fn_ops({}, "train", labels, head.no_op_train_fn, logits)
        self.assertIsNone(trained.predictions)
        used = both.create_model_fn_ops({}, "infer", logits=logits)
        self.assertEqual(set(used.output_alternatives), {"one", "two"})
        with self.assertRaisesRegex(ValueError, "same size"):
            head.multi_head([one, two], [1.0])
        with self.assertRaisesRegex(ValueError, "must have names"):
            head.multi_head([one, head.regression_head()])


if __name__ == "__main__":
    unittest.main()
