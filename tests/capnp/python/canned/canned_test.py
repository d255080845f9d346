"""Estimators of common models: they learn, and have the variables and metrics of TensorFlow's."""

import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf

fc, models = tf.feature_column, tf.estimator
RANDOM = np.random.RandomState(0)
X = RANDOM.rand(200).astype(np.float32)
WORDS = np.array(["a", "b"], object)[RANDOM.randint(2, size=200)]
PRICE, WORD = fc.numeric_column("x"), fc.categorical_column_with_vocabulary_list("w", ["a", "b"])
DENSE = [PRICE, fc.embedding_column(WORD, 2)]


def inputs(labels, num_epochs=None, **more):
    features = {"x": X, "w": WORDS, **more}
    return models.inputs.numpy_input_fn(
        features, labels, 50, num_epochs, shuffle=num_epochs is None
    )


SEEDED = tf.estimator.RunConfig(tf_random_seed=7)


class CannedTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def learned(self, model, labels, steps=200, **more):
        model.train(inputs(labels, **more), steps=steps)
        return model.evaluate(inputs(labels, 1, **more))

    def test_a_linear_classifier_learns_two_classes(self):
        labels = (X > 0.5).astype(np.int32)
        model = models.LinearClassifier([PRICE, WORD], self.folder)
        results = self.learned(model, labels)
        self.assertGreater(results["accuracy"], 0.9)
        self.assertEqual(
            set(results),
            {
                "accuracy", "accuracy_baseline", "auc", "auc_precision_recall", "average_loss",
                "global_step", "label/mean", "loss", "precision", "prediction/mean", "recall",
            },
        )  # fmt: skip
        self.assertAllClose(results["label/mean"], labels.mean())
        self.assertAllClose(results["loss"], results["average_loss"] * 50)
        names = [name for name in model.get_variable_names() if "Ftrl" not in name]
        wanted = ["bias_weights", "w/weights", "x/weights"]
        wanted = [f"linear/linear_model/{name}" for name in wanted]
        self.assertEqual(names, ["global_step", *wanted])
        prediction = next(model.predict(inputs(None, 1)))
        self.assertEqual(
            sorted(prediction),
            [
                "all_class_ids", "all_classes", "class_ids", "classes", "logistic", "logits",
                "probabilities",
            ],
        )  # fmt: skip
        self.assertEqual(list(prediction["all_classes"]), [b"0", b"1"])
        self.assertAllClose(prediction["probabilities"][1], prediction["logistic"][0])

    def test_a_network_learns_classes_of_a_vocabulary(self):
        labels = np.array(["low", "middle", "high"], object)[(X * 3).astype(int)]
        model = models.DNNClassifier(
            [16],
            DENSE,
            self.folder,
            n_classes=3,
            config=SEEDED,
            label_vocabulary=["low", "middle", "high"],
            optimizer=lambda: tf.train.AdamOptimizer(0.05),
        )
        results = self.learned(model, labels, 300)
        self.assertGreater(results["accuracy"], 0.85)
        self.assertEqual(set(results), {"accuracy", "average_loss", "global_step", "loss"})
        names = [name for name in model.get_variable_names() if "Adam" not in name]
        self.assertEqual(
            names,
            [
                "dnn/head/beta1_power", "dnn/head/beta2_power", "dnn/hiddenlayer_0/bias",
                "dnn/hiddenlayer_0/kernel",
                "dnn/input_from_feature_columns/input_layer/w_embedding/embedding_weights",
                "dnn/logits/bias", "dnn/logits/kernel", "global_step",
            ],
        )  # fmt: skip
        found = [each["classes"][0].decode() for each in model.predict(inputs(None, 1))]
        self.assertGreater(np.mean(np.array(found) == labels), 0.85)

    def test_slots_have_the_names_by_which_tensorflow_s_checkpoints_know_them(self):
        labels = (X > 0.5).astype(np.int32)
        for model, wanted in (
            (
                models.DNNClassifier([4], [PRICE]),
                {"dnn/hiddenlayer_0/bias/t_0/Adagrad", "dnn/hiddenlayer_0/kernel/t_0/Adagrad",
                 "dnn/logits/bias/t_0/Adagrad", "dnn/logits/kernel/t_0/Adagrad"},
            ),
            (
                models.LinearRegressor([PRICE]),
                {f"linear/linear_model/{name}/part_0/{slot}"
                 for name in ("x/weights", "bias_weights") for slot in ("Ftrl", "Ftrl_1")},
            ),
        ):  # fmt: skip
            model.train(inputs(labels), steps=1)
            names = model.get_variable_names()
            self.assertEqual({each for each in names if "/Adag" in each or "/Ftrl" in each}, wanted)

    def test_the_network_of_a_combined_model_has_a_smaller_rate_than_one_alone(self):
        model = models.DNNLinearCombinedRegressor(
            dnn_feature_columns=[PRICE], dnn_hidden_units=[2], linear_feature_columns=[WORD]
        )
        model.train(inputs(X + 5), steps=1)
        bias = model.get_variable_value("dnn/logits/bias")  # 0, and a step of Adagrad
        self.assertAllClose(bias, [0.001], rtol=0.01)
        slot = model.get_variable_value("dnn/logits/bias/Adagrad")
        self.assertGreater(slot[0], 1.0)

    def test_the_losses_and_predictions_have_the_names_that_programs_log_and_serve(self):
        sums = {"loss": "weighted_loss/Sum", "average_loss": "truediv"}
        scores = {"p": "predictions/probabilities"}
        both = {"linear_feature_columns": [PRICE], "dnn_feature_columns": DENSE}
        for number, (scope, model, names) in enumerate((
            ("linear/head", models.LinearClassifier([PRICE]), {**sums, **scores}),
            ("dnn/head", models.DNNClassifier([4], DENSE, n_classes=3), {**sums, **scores}),
            ("head", models.DNNLinearCombinedClassifier(**both, dnn_hidden_units=[4]), sums),
            ("head", models.BaselineClassifier(), {**sums, "l": "predictions/logistic"}),
            (
                "dnn/head",
                models.DNNRegressor(
                    [4], DENSE, loss_reduction=tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS
                ),
                {"loss": "weighted_loss/value"},
            ),
        )):  # fmt: skip
            named = {tag: f"{scope}/{name}" for tag, name in names.items()}
            hook = tf.train.LoggingTensorHook(named, every_n_iter=1)
            with self.subTest(number), self.assertLogs("troupe", "INFO") as logs:
                model.train(inputs((X > 0.5).astype(np.int32)), hooks=[hook], steps=1)
            lines = [line for line in logs.output if all(f"{tag} = " in line for tag in named)]
            self.assertTrue(lines, logs.output)

    def test_the_average_of_a_loss_that_is_a_sum_is_summarized_as_well(self):
        model = models.LinearClassifier([PRICE], self.folder)
        model.train(inputs((X > 0.5).astype(np.int32)), steps=1)
        (path,) = pathlib.Path(self.folder).glob("events.*")
        found = {
            value.tag: value.simple_value
            for event in tf.train.summary_iterator(str(path))
            for value in event.summary.value
        }
        self.assertAllClose(found["loss"], 50 * found["average_loss"])

    def test_regressions_learn_numbers(self):
        labels = 2 * X + np.where(WORDS == "a", 1.0, -1.0).astype(np.float32)
        for number, model in enumerate(
            (
                models.LinearRegressor(
                    [PRICE, WORD],
                    self.folder + "/0",
                    # The sum of 50 losses is too steep for the rate that belongs to a name.
                    optimizer=tf.train.GradientDescentOptimizer(0.005),
                ),
                models.DNNRegressor([8], DENSE, self.folder + "/1", dropout=0.01, config=SEEDED),
                models.DNNLinearCombinedRegressor(
                    self.folder + "/2",
                    linear_feature_columns=[WORD],
                    dnn_feature_columns=[PRICE],
                    dnn_hidden_units=[8],
                    config=SEEDED,
                    linear_optimizer=tf.train.FtrlOptimizer(0.5),
                ),
            )
        ):
            with self.subTest(number):
                results = self.learned(model, labels)
                self.assertLess(results["average_loss"], 0.4)
                self.assertAllClose(results["label/mean"], labels.mean(), atol=1e-5)

    def test_a_training_moves_the_averages_of_normalized_layers(self):
        model = models.DNNRegressor([4], [PRICE], self.folder, batch_norm=True)
        model.train(inputs(X), steps=2)
        averages = model.get_variable_value("dnn/hiddenlayer_0/batchnorm_0/moving_variance")
        self.assertAllLess(averages, 1.0)

    def test_a_combined_classifier_counts_each_step_once(self):
        labels = (X > 0.5).astype(np.int32)
        model = models.DNNLinearCombinedClassifier(
            self.folder,
            linear_feature_columns=[WORD],
            dnn_feature_columns=[PRICE],
            dnn_hidden_units=[32],
            dnn_optimizer=lambda: tf.train.AdagradOptimizer(0.05),
            config=SEEDED,
        )
        self.assertGreater(self.learned(model, labels)["accuracy"], 0.85)
        self.assertEqual(model.get_variable_value("global_step"), 200)

    def test_a_baseline_learns_how_frequent_classes_are(self):
        labels = (X > 0.25).astype(np.int32)
        model = models.BaselineClassifier(self.folder)
        results = self.learned(model, labels, 300)
        self.assertAllClose(results["prediction/mean"], labels.mean(), atol=0.05)

    def test_examples_have_weights(self):
        labels, weights = X.copy(), (X > 0.5).astype(np.float32)
        model = models.BaselineRegressor(self.folder, weight_column="weight")
        results = self.learned(model, labels, 300, weight=weights)
        self.assertAllClose(results["label/mean"], X[X > 0.5].mean())
        self.assertAllClose(results["prediction/mean"], X[X > 0.5].mean(), atol=0.05)

    def test_wrong_options_are_refused(self):
        for make, text in (
            (lambda: models.LinearClassifier([PRICE], self.folder, n_classes=1), "n_classes"),
            (lambda: models.LinearRegressor([PRICE], self.folder, label_dimension=0), "dimension"),
            (lambda: models.DNNLinearCombinedClassifier(self.folder), "must be defined"),
            (lambda: models.BaselineClassifier(self.folder, loss_reduction="other"), "reduction"),
            (
                lambda: models.LinearRegressor([PRICE], self.folder, optimizer="Other").train(
                    inputs(X), steps=1
                ),
                "Unsupported optimizer",
            ),
        ):
            with self.assertRaisesRegex(ValueError, text):
                make()


if __name__ == "__main__":
    unittest.main()
