"""Heads of tf.estimator have metrics of tf.keras, and programs derive heads from them."""

import importlib.util
import tempfile
import unittest

import numpy as np

import troupe as tf

models = tf.estimator
X = np.linspace(-1, 1, 20).astype(np.float32)
LABELS = (X > 0.2).astype(np.int32)


def inputs(labels, num_epochs=None):
    features = {"x": X, "id": np.arange(20).astype(str)}
    return models.inputs.numpy_input_fn(features, labels, 20, num_epochs, shuffle=False)


class OwnHead(models.Head):
    """A head of absolute differences."""

    name, logits_dimension, loss_reduction = "own", 1, "sum"

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        return tf.reduce_sum(tf.abs(tf.cast(tf.reshape(labels, [-1, 1]), tf.float32) - logits))

    def predictions(self, logits, keys=None):
        return {"doubled": logits * 2}

    def metrics(self, regularization_losses=None):
        return {"mean": tf.keras.metrics.Mean(name="mean")}

    def update_metrics(
        self, eval_metrics, features, logits, labels, mode=None, regularization_losses=None
    ):
        eval_metrics["mean"].update_state(logits)
        return eval_metrics

    def create_estimator_spec(self, features, mode, logits, labels=None, train_op_fn=None, **_):
        if mode == models.ModeKeys.PREDICT:
            return models.EstimatorSpec(mode, self.predictions(logits))
        loss = self.loss(labels, logits)
        if mode == models.ModeKeys.TRAIN:
            return models.EstimatorSpec(mode, loss=loss, train_op=train_op_fn(loss))
        metrics = self.update_metrics(self.metrics(), features, logits, labels)
        return models.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)


@unittest.skipUnless(importlib.util.find_spec("keras"), "keras is not installed")
class EstimatorHeadsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def own_model(self, head):
        def model_fn(features, labels, mode):
            w = tf.get_variable("w", [1, 1], initializer=tf.ones_initializer(), use_resource=True)
            optimizer = tf.keras.optimizers.SGD(0.5)
            if mode == models.ModeKeys.TRAIN:
                optimizer.iterations = tf.train.get_or_create_global_step()
            return head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=tf.matmul(tf.reshape(features["x"], [-1, 1]), w),
                labels=labels,
                optimizer=optimizer,
                trainable_variables=[w],
            )

        return models.Estimator(model_fn, self.folder)

    def test_an_optimizer_of_keras_trains_a_model_of_a_program(self):
        model = self.own_model(models.BinaryClassHead(thresholds=[0.5]))
        model.train(inputs(LABELS), steps=50)
        results = model.evaluate(inputs(LABELS, 1))
        self.assertEqual(results["global_step"], 50)
        self.assertGreater(results["auc"], 0.99)
        self.assertEqual(results["accuracy"], results["accuracy/positive_threshold_0.5"])
        self.assertAllClose(results["accuracy_baseline"], 0.6)
        self.assertAllClose(results["loss"], results["average_loss"])
        names = model.get_variable_names()
        self.assertEqual([name for name in names if "SGD" not in name], ["global_step", "w"])

    def test_a_combined_model_takes_such_a_head(self):
        model = models.DNNLinearCombinedEstimator(
            models.RegressionHead(name="r"),
            self.folder,
            [tf.feature_column.numeric_column("x")],
            tf.train.GradientDescentOptimizer(0.1),
        )
        model.train(inputs(3 * X), steps=100)
        results = model.evaluate(inputs(3 * X, 1))
        self.assertEqual(
            set(results),
            {"average_loss/r", "label/mean/r", "prediction/mean/r", "loss", "global_step"},
        )
        self.assertLess(results["loss"], 0.01)

    def test_an_optimizer_of_another_kind_is_refused(self):
        columns = [tf.feature_column.numeric_column("x")]
        model = models.DNNEstimator(models.BinaryClassHead(), [2], columns, self.folder)
        with self.assertRaisesRegex(ValueError, "not a tf.keras.optimizers.Optimizer"):
            model.train(inputs(LABELS), steps=1)

    def test_programs_derive_heads(self):
        model = models.BaselineEstimator(OwnHead(), self.folder)
        model.train(inputs(LABELS), steps=2)
        self.assertIn("mean", model.evaluate(inputs(LABELS, 1)))
        self.assertEqual(next(model.predict(inputs(None, 1)))["doubled"].shape, (1,))
        with self.assertRaises(TypeError):
            models.Head()

    def test_losses_of_several_heads_are_added(self):
        both = models.MultiHead(
            [models.RegressionHead(name="one"), models.MultiClassHead(3, name="two")], [2.0, 1.0]
        )
        logits = tf.constant([[1.0, 0.0, 0.0, 0.0]])
        labels = {"one": [[0.0]], "two": [[1]]}
        self.assertAllClose(self.evaluate(both.loss(labels, logits)), 2.0 + np.log(3))
        self.assertEqual((both.name, both.logits_dimension), ("one_two", 4))
        with self.assertRaisesRegex(ValueError, "labels has missing values"):
            both.loss({"one": [[0.0]]}, logits)

    def test_a_metric_without_an_update_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Please call update_state"):
            metrics = {"m": tf.keras.metrics.Mean()}
            models.EstimatorSpec("eval", loss=tf.constant(1.0), eval_metric_ops=metrics)

    def test_metrics_at_thresholds_count_examples_of_several_classes(self):
        head = models.MultiLabelHead(2, thresholds=[0.5])
        logits, labels = tf.constant([[1.0, 1.0], [1.0, -1.0]]), np.array([[1, 0], [1, 0]])
        spec = head.create_estimator_spec({}, "eval", logits, labels)
        value, update = spec.eval_metric_ops["accuracy/positive_threshold_0.5"]
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            session.run(update)
            self.assertAllClose(session.run(value), 0.75)
        self.assertEqual(tf.global_variables(), [])


if __name__ == "__main__":
    unittest.main()
