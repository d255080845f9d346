"""Estimators of `tf.contrib.learn`: they learn, and their variables have TensorFlow's names."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

layers, learn = tf.contrib.layers, tf.contrib.learn

WORDS = ["a", "b"]


def inputs(labels=((1.0,), (0.0,), (1.0,), (0.0,)), weights=None):
    def input_fn():
        features = {
            "x": tf.constant([[1.0], [-1.0], [2.0], [-2.0]]),
            "word": tf.constant([["a"], ["b"], ["a"], ["b"]]),
        }
        if weights is not None:
            features["weight"] = tf.constant(weights)
        return features, tf.constant(labels)

    return input_fn


def columns():
    word = layers.sparse_column_with_keys("word", WORDS)
    return layers.real_valued_column("x"), word, layers.embedding_column(word, 2)


class ModelsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def seeded(self):
        return learn.RunConfig(tf_random_seed=7)

    def variables(self, estimator):
        return [name for name in estimator.get_variable_names() if name != "global_step"]

    def test_a_linear_classifier_learns(self):
        x, word, _ = columns()
        model = learn.LinearClassifier([x, word], self.folder)
        self.assertIs(model.fit(input_fn=inputs(), steps=40), model)
        found = model.evaluate(input_fn=inputs(), steps=1)
        self.assertEqual((found["accuracy"], found["global_step"]), (1.0, 40))
        self.assertLess(found["loss"], 0.2)
        self.assertAlmostEqual(found["auc"], 1.0, places=4)
        self.assertEqual(found["accuracy/baseline_label_mean"], 0.5)
        self.assertEqual(found["precision/positive_threshold_0.500000_mean"], 1.0)
        self.assertEqual(list(model.predict(input_fn=inputs())), [1, 0, 1, 0])
        probabilities = list(model.predict_proba(input_fn=inputs()))
        self.assertAllClose(np.sum(probabilities, 1), np.ones(4))
        self.assertGreater(probabilities[0][1], 0.8)
        plain = ["linear/bias_weight", "linear/word/weights", "linear/x/weight"]
        slots = [
            f"{name}/" + f"linear/binary_logistic_head/{name}/part_0/{slot}"[len(name) + 8 :]
            for name in plain
            for slot in ("Ftrl", "Ftrl_1")
        ]
        self.assertIn("linear/bias_weight/d/linear/bias_weight/part_0/Ftrl", slots)
        self.assertEqual(set(self.variables(model)), {*plain, *slots})

    def test_a_linear_regressor_learns_the_weights(self):
        x = layers.real_valued_column("", dimension=2)
        data = np.random.RandomState(0).rand(64, 2).astype(np.float32)
        labels = data @ [[2.0], [-1.0]] + 0.5
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        model = learn.LinearRegressor([x], self.folder, optimizer=optimizer)
        model.fit(data, labels.astype(np.float32), steps=400)
        self.assertAllClose(model.get_variable_value("linear//weight"), [[2.0], [-1.0]], atol=0.02)
        scores = list(model.predict_scores(data[:3]))
        self.assertAllClose(scores, labels[:3, 0], atol=0.02)
        self.assertAllClose(model.predict(data[:3], batch_size=2, as_iterable=False), scores)

    def test_a_joint_linear_model_has_one_variable(self):
        _, word, _ = columns()
        model = learn.LinearClassifier([word], self.folder, _joint_weight=True, optimizer="SGD")
        model.fit(input_fn=inputs(), steps=1)
        self.assertEqual(
            self.variables(model), ["linear/bias_weight", "linear/linear_weights/weights"]
        )

    def test_a_network_classifies_several_classes(self):
        x, _, embedded = columns()
        labels = ((2,), (0,), (2,), (0,))
        model = learn.DNNClassifier(
            [10, 8], [x, embedded], self.folder, n_classes=3, config=self.seeded()
        )
        model.fit(input_fn=inputs(labels), steps=100)
        self.assertEqual(model.evaluate(input_fn=inputs(labels), steps=1)["accuracy"], 1.0)
        self.assertEqual(list(model.predict_classes(input_fn=inputs(labels))), [2, 0, 2, 0])
        # TensorFlow's names of slots: of "dnn/multi_class_head/dnn/", the variable's name, "part_0"
        # and "Adagrad" as much is cut off as the variable's name and "part_0" have.
        plain = [f"dnn/{layer}/{kind}" for layer in ("hiddenlayer_0", "hiddenlayer_1", "logits")
                 for kind in ("biases", "weights")]  # fmt: skip
        plain.append("dnn/input_from_feature_columns/word_embedding/weights")
        slots = [
            f"{name}/" + f"dnn/multi_class_head/dnn/{name}/part_0/Adagrad"[len(name) + 8 :]
            for name in plain
        ]
        self.assertIn("dnn/hiddenlayer_0/biases/denlayer_0/biases/part_0/Adagrad", slots)
        rate = "dnn/multi_class_head/dnn/learning_rate"
        self.assertEqual(set(self.variables(model)), {*plain, *slots, rate})

    def test_strings_can_be_labels(self):
        x, _, _ = columns()
        labels = (("high",), ("low",), ("high",), ("low",))
        keys = ["low", "middle", "high"]
        model = learn.DNNClassifier(
            [10], [x], self.folder, n_classes=3, label_keys=keys, config=self.seeded()
        )
        model.fit(input_fn=inputs(labels), steps=100)
        self.assertEqual(list(model.predict(input_fn=inputs(labels))), [b"high", b"low"] * 2)

    def test_a_combined_model_trains_both_parts(self):
        x, word, embedded = columns()
        model = learn.DNNLinearCombinedClassifier(
            self.folder, linear_feature_columns=[word], dnn_feature_columns=[x, embedded],
            dnn_hidden_units=[8], fix_global_step_increment_bug=True, config=self.seeded(),
        )  # fmt: skip
        model.fit(input_fn=inputs(), steps=30)
        found = model.evaluate(input_fn=inputs(), steps=1)
        self.assertEqual((found["accuracy"], found["global_step"]), (1.0, 30))
        names = self.variables(model)
        for name in ("linear/word/weights", "linear/word/weights/", "dnn/logits/biases/",
                     "binary_logistic_head/linear/learning_rate",
                     "binary_logistic_head/dnn/learning_rate"):  # fmt: skip
            self.assertTrue(any(each.startswith(name) for each in names), name)
        value = model.get_variable_value("linear/word/weights")
        self.assertGreater(value[0, 0], 0.0)
        self.assertLess(value[1, 0], 0.0)

    def test_the_parts_of_a_combined_model_each_count_a_step_unless_it_is_said_otherwise(self):
        x, word, _ = columns()
        model = learn.DNNLinearCombinedRegressor(
            self.folder, linear_feature_columns=[word], dnn_feature_columns=[x],
            dnn_hidden_units=[2],
        )  # fmt: skip
        model.fit(input_fn=inputs(), steps=1)
        self.assertEqual(model.get_variable_value("global_step"), 2)
        self.assertIn("loss", model.evaluate(input_fn=inputs(), steps=1))

    def test_gradients_of_embeddings_are_multiplied(self):
        word = layers.sparse_column_with_keys("word", WORDS)
        column = layers.embedding_column(word, 2, initializer=tf.ones_initializer())
        model = learn.DNNRegressor(
            [3], [column], self.folder, embedding_lr_multipliers={column: 0.0}
        )
        model.fit(input_fn=inputs(), steps=5)
        name = "dnn/input_from_feature_columns/word_embedding/weights"
        self.assertAllEqual(model.get_variable_value(name), np.ones((2, 2)))
        other = learn.DNNRegressor([3], [column], embedding_lr_multipliers={word: 0.0})
        with self.assertRaisesRegex(ValueError, "only be defined for embedding columns"):
            other.fit(input_fn=inputs(), steps=1)

    def test_weights_of_examples_count(self):
        x = layers.real_valued_column("x")
        model = learn.LinearRegressor(
            [x], self.folder, weight_column_name="weight",
            optimizer=tf.train.GradientDescentOptimizer(0.0),
        )  # fmt: skip
        given = inputs([[1.0], [2.0], [3.0], [4.0]], weights=[[1.0], [0.0], [2.0], [0.0]])
        model.fit(input_fn=given, steps=1)
        # The average is (1 * 1 + 2 * 9) / 3, as all weights are still zero.
        self.assertAllClose(model.evaluate(input_fn=given, steps=1)["loss"], 19.0 / 3.0)

    def test_a_centered_bias_learns_the_mean(self):
        x = layers.real_valued_column("x")
        model = learn.LinearRegressor(
            [x], self.folder, enable_centered_bias=True,
            optimizer=tf.train.GradientDescentOptimizer(0.0),
        )  # fmt: skip
        given = inputs([[3.0], [3.0], [3.0], [3.0]])
        model.fit(input_fn=given, steps=300)
        names = self.variables(model)
        name = "linear/regression_head/centered_bias_weight"
        self.assertIn(name, names)
        self.assertIn(f"linear/regression_head/{name}/Adagrad", names)
        self.assertAllClose(model.get_variable_value(name), [3.0], atol=0.7)

    def test_newer_columns_are_taken_too(self):
        x = tf.feature_column.numeric_column("x")
        model = learn.LinearClassifier([x], self.folder)
        model.fit(input_fn=inputs(), steps=20)
        self.assertEqual(model.evaluate(input_fn=inputs(), steps=1)["accuracy"], 1.0)
        self.assertIn("linear/linear_model/x/weights", self.variables(model))

    def test_models_are_exported_with_tensorflows_signatures(self):
        x, word, _ = columns()
        spec = layers.create_feature_spec_for_parsing([x, word])
        serving = learn.build_parsing_serving_input_fn(spec)
        model = learn.LinearClassifier([x, word], self.folder)
        model.fit(input_fn=inputs(), steps=20)
        path = model.export_savedmodel(os.path.join(self.folder, "export"), serving)
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.loader.load(session, ["serve"], os.fsdecode(path))
            names = {"serving_default", "default_input_alternative:None"}
            self.assertEqual(set(loaded.signature_def), names)
            signature = loaded.signature_def["serving_default"]
            self.assertEqual(signature.method_name, "tensorflow/serving/classify")
            feature = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0])),
                "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            scores, classes = session.run(
                [signature.outputs[name].name for name in ("scores", "classes")],
                {signature.inputs["inputs"].name: [example.SerializeToString()]},
            )
        self.assertEqual(classes.tolist(), [[b"0", b"1"]])
        self.assertGreater(scores[0, 1], 0.7)
        with self.assertRaisesRegex(ValueError, "available output_alternatives"):
            model.export_savedmodel(self.folder, serving, "other")

    def test_probabilities_are_evaluated_at_thresholds(self):
        def model_fn(features, labels, mode):
            w = tf.get_variable("w", initializer=2.0)
            predictions = tf.sigmoid(w * features["x"])
            loss = tf.reduce_mean(tf.square(predictions - tf.cast(labels, tf.float32)))
            step = tf.assign_add(tf.train.get_global_step(), 1)
            return predictions, loss, step

        model = learn.LogisticRegressor(model_fn, thresholds=(0.5, 0.9), model_dir=self.folder)
        model.fit(input_fn=inputs(), steps=1)
        found = model.evaluate(input_fn=inputs(), steps=1)
        self.assertEqual(found["accuracy/threshold_0.500000_mean"], 1.0)
        self.assertEqual(found["recall/positive_threshold_0.900000_mean"], 0.5)
        self.assertAllClose(found["labels/actual_label_mean"], 0.5)

    def test_wrong_options_are_refused(self):
        x, _, _ = columns()
        for make, text in (
            (lambda: learn.LinearClassifier([], self.folder), "must not be empty"),
            (lambda: learn.LinearClassifier([x], n_classes=1), "n_classes must be > 1"),
            (lambda: learn.LinearClassifier([x], label_keys=["a", "b"]), "not supported for n_"),
            (lambda: learn.DNNClassifier([1], [x], n_classes=3, label_keys=["a"]), "must equal"),
            (lambda: learn.DNNLinearCombinedRegressor(), "must be defined"),
        ):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                make()
        combined = learn.DNNLinearCombinedClassifier(dnn_feature_columns=[x])
        with self.assertRaisesRegex(ValueError, "dnn_hidden_units must be defined"):
            combined.fit(input_fn=inputs(), steps=1)
        model = learn.DNNClassifier([1], [x], activation_fn="cube")
        with self.assertRaisesRegex(ValueError, "Activation name should be one of"):
            model.fit(input_fn=inputs(), steps=1)


if __name__ == "__main__":
    unittest.main()
