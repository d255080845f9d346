"""Estimators of any head, their functions of logits, and how examples are parsed."""

import tempfile
import unittest

import numpy as np

import troupe as tf

heads, models, fc = tf.contrib.estimator, tf.estimator, tf.feature_column
X = np.random.RandomState(0).rand(40).astype(np.float32)
PRICE = fc.numeric_column("x")
WORD = fc.categorical_column_with_vocabulary_list("w", ["a", "b"])
SEEDED = models.RunConfig(tf_random_seed=7)


def inputs(labels, num_epochs=None):
    features = {"x": X, "w": np.array(["a", "b"] * 20)}
    return models.inputs.numpy_input_fn(features, labels, 40, num_epochs, shuffle=False)


class EstimatorsOfHeadsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def learned(self, model, labels, steps=100):
        model.train(inputs(labels), steps=steps)
        return model.evaluate(inputs(labels, 1))

    def test_a_linear_model_learns_counts(self):
        counts = np.floor(np.exp(2 * X)).reshape(-1, 1)
        head = heads.poisson_regression_head()
        model = models.LinearEstimator(head, [PRICE, WORD], self.folder, config=SEEDED)
        results = self.learned(model, counts)
        self.assertAllClose(results["prediction/mean"], counts.mean(), rtol=0.05)
        self.assertIn("linear/linear_model/x/weights", model.get_variable_names())

    def test_a_network_learns_several_labels(self):
        labels = np.stack([X > 0.5, X < 0.3], 1).astype(np.int64)
        model = models.DNNEstimator(
            heads.multi_label_head(2), [8], [PRICE], self.folder, config=SEEDED,
            optimizer=lambda: tf.train.AdamOptimizer(0.1),
        )  # fmt: skip
        self.assertGreater(self.learned(model, labels)["auc"], 0.95)
        names = model.get_variable_names()
        self.assertIn("dnn/hiddenlayer_0/kernel", names)
        self.assertIn("dnn/logits/bias/t_0/Adam", names)

    def test_a_combined_model_and_a_baseline_take_heads(self):
        labels = (X > 0.5).astype(np.int64)
        combined = models.DNNLinearCombinedEstimator(
            heads.binary_classification_head(name="h"), f"{self.folder}/combined", [WORD],
            dnn_feature_columns=[PRICE], dnn_hidden_units=[4], config=SEEDED,
        )  # fmt: skip
        self.assertIn("auc/h", self.learned(combined, labels, 5))
        baseline = models.BaselineEstimator(heads.multi_class_head(3), f"{self.folder}/base")
        results = self.learned(baseline, labels)
        self.assertAllClose(results["accuracy"], max(labels.mean(), 1 - labels.mean()))

    def test_an_optimizer_by_name_has_its_rate_however_many_columns_there_are(self):
        columns = [fc.numeric_column(f"x{index}") for index in range(100)]
        moved = []
        for index, optimizer in enumerate(("SGD", None)):  # the default one is of Ftrl
            model = models.LinearEstimator(
                heads.regression_head(), columns, f"{self.folder}/{index}", optimizer
            )
            features = {f"x{index}": np.ones(1, np.float32) for index in range(100)}
            labels = np.ones([1, 1], np.float32)
            model.train(models.inputs.numpy_input_fn(features, labels, 1, 1, shuffle=False))
            moved.append(model.get_variable_value("linear/linear_model/bias_weights")[0])
        self.assertAllClose(moved[0], 2 * 0.2)
        self.assertGreater(moved[1], 0.0)
        self.assertLess(moved[1], 0.4)

    def test_functions_of_logits_have_their_variables_in_the_current_scope(self):
        features = {"x": tf.constant(X), "w": tf.constant(["a", "b"] * 20)}
        deep = heads.dnn_logit_fn_builder(2, [3], [PRICE], tf.nn.relu, None, None, False)
        wide = heads.linear_logit_fn_builder(2, [PRICE, WORD])
        with tf.variable_scope("both"):
            logits = heads.call_logit_fn(deep, features, "train", None, None)
            self.assertEqual(logits.shape.as_list(), [40, 2])
            heads.call_logit_fn(wide, features, "train", None, None)
        names = {variable.op.name for variable in tf.trainable_variables()}
        self.assertLess({"both/hiddenlayer_0/kernel", "both/linear_model/x/weights"}, names)
        with self.assertRaisesRegex(ValueError, "logit_fn should return"):
            heads.call_logit_fn(lambda features: 1, features, "train", None, None)

    def test_specs_of_examples_have_the_label_and_the_weight(self):
        spec = models.classifier_parse_example_spec([PRICE], "y", tf.string, weight_column="z")
        self.assertEqual(sorted(spec), ["x", "y", "z"])
        self.assertEqual(spec["y"].dtype, tf.string)
        spec = models.regressor_parse_example_spec([PRICE], "y", label_dimension=2)
        self.assertEqual(spec["y"].shape, (2,))
        with self.assertRaisesRegex(ValueError, "label should not be used as feature"):
            models.regressor_parse_example_spec([PRICE], "x")

    def test_trees_take_a_head_and_their_options_in_any_way(self):
        column = fc.bucketized_column(PRICE, [0.25, 0.5, 0.75])
        labels = (X > 0.5).astype(np.int64)
        head = heads.binary_classification_head()
        by_name = models.BoostedTreesEstimator([column], 1, head, n_trees=2, max_depth=1)
        by_place = models.BoostedTreesEstimator([column], 1, head, None, None, 2, 1)
        found = [self.learned(model, labels, 2) for model in (by_name, by_place)]
        self.assertEqual(found[0]["accuracy"], 1.0)
        self.assertEqual(found[0], found[1])
        with self.assertRaises(TypeError):
            models.BoostedTreesEstimator([column], 1, head, depth=2)
        for taker in (models.BoostedTreesClassifier, models.BoostedTreesEstimator):
            self.assertIn("quantile_sketch_epsilon: The error", taker.__doc__)


if __name__ == "__main__":
    unittest.main()
