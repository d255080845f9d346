"""Recurrent networks of sequences have the variables, losses and predictions of TensorFlow 1.15."""

import itertools
import os
import tempfile
import unittest

import numpy as np

import troupe as tf

learn = tf.contrib.learn
layers = tf.contrib.layers
CLASSIFICATION, REGRESSION = 1, 2
SINGLE, MULTIPLE = 1, 2
STEPS = np.sin(np.arange(1, 41.0)).reshape(4, 5, 2).astype(np.float32)
CONTEXT = np.cos(np.arange(4.0)).reshape(4, 1).astype(np.float32)
LENGTHS = np.array([5, 3, 2, 4], np.int32)
CLASSES = np.array([0, 2, 1, 2])
EACH = np.array([[0, 1, 0, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 1, 0]])
NUMBERS = np.cos(np.arange(20.0)).reshape(4, 5).astype(np.float32)

# What TensorFlow gives: losses with accuracies or predictions.
EXPECTED = {
    "single": [1.087287, 0.5],
    "probabilities": [0.32748, 0.327297, 0.345223],
    "multiple": [0.682061, 0.571429],
    "numbers": [0.530836, 0.136015, 0.184513, 0.099579, 0.121241, 0.187843],
    "state": [0.546157, 0.112676, 0.125189, 0.029784, 0.025971],
}


class DynamicRnnEstimatorTest(tf.test.TestCase):
    def check(self, values, name):
        self.assertAllClose(values, EXPECTED[name], rtol=1e-4, atol=1e-5)

    def features(self, labels=None, **others):
        arrays = {"x": STEPS, "sequence_length": LENGTHS, **others}

        def input_fn():
            made = {key: tf.constant(value) for key, value in arrays.items() if value is not None}
            return made, None if labels is None else tf.constant(labels)

        return input_fn

    def results(self, labels, problem, kind, context=False, others=None, **options):
        """Metrics and predictions after three steps from variables of known values."""
        columns = [layers.real_valued_column("x", dimension=2)]
        around = [layers.real_valued_column("c")] if context else None
        others = {**({"c": CONTEXT} if context else {}), **(others or {})}

        def model(folder):
            return learn.DynamicRnnEstimator(
                problem, kind, columns, around, model_dir=folder, **options
            )

        first = model(tempfile.mkdtemp())
        first.fit(input_fn=self.features(labels, **others), steps=1)
        folder = self.with_known_values(first)
        found = model(folder)
        found.fit(input_fn=self.features(labels, **others), steps=3)
        metrics = found.evaluate(input_fn=self.features(labels, **others), steps=1)
        predictions = found.predict(input_fn=self.features(**others))
        return metrics, list(itertools.islice(predictions, 4)), found.get_variable_names()

    def with_known_values(self, model):
        """The folder of a checkpoint of its variables."""
        folder = tempfile.mkdtemp()
        with tf.Graph().as_default(), tf.Session() as session:
            for name in model.get_variable_names():
                value = model.get_variable_value(name)
                waves = 0.2 * np.sin(np.arange(1.0, value.size + 1)).reshape(value.shape)
                if name == "global_step":
                    waves = value * 0
                elif name.endswith("learning_rate"):
                    waves = value
                tf.Variable(waves.astype(value.dtype), name=name)
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, os.path.join(folder, "model.ckpt"), global_step=0)
        return folder

    def test_a_class_of_each_sequence(self):
        metrics, predictions, names = self.results(
            CLASSES, CLASSIFICATION, SINGLE, context=True, num_classes=3, num_units=3,
            cell_type="lstm", predict_probabilities=True, optimizer="Momentum", momentum=0.9,
        )  # fmt: skip
        self.check([metrics["loss"], metrics["accuracy"]], "single")
        self.check(predictions[1]["probabilities"], "probabilities")
        self.assertEqual(predictions[1]["rnn_cell_state_1"].shape, (3,))
        self.assertIn("rnn/lstm_cell/kernel", names)
        self.assertIn("OptimizeLoss/fully_connected/weights/Momentum", names)

    def test_a_class_of_each_step(self):
        metrics, predictions, names = self.results(
            EACH, CLASSIFICATION, MULTIPLE, num_classes=2, num_units=[3, 2], cell_type="gru",
            predict_probabilities=True,
        )  # fmt: skip
        self.check([metrics["loss"], metrics["accuracy"]], "multiple")
        self.assertEqual(predictions[0]["classes"].shape, (5,))
        self.assertEqual(predictions[0]["probabilities"].shape, (5, 2))
        self.assertIn("rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel", names)

    def test_a_number_of_each_step_without_lengths(self):
        metrics, predictions, _ = self.results(
            NUMBERS, REGRESSION, MULTIPLE, num_units=3, gradient_clipping_norm=None,
            others={"sequence_length": None},
        )  # fmt: skip
        self.check([metrics["loss"], *predictions[0]["scores"]], "numbers")

    def test_a_number_of_each_sequence_from_a_state(self):
        state = np.full((4, 2), 0.3, np.float32)
        metrics, predictions, _ = self.results(
            NUMBERS[:, 0], REGRESSION, SINGLE, num_units=2, others={"rnn_cell_state_0": state}
        )
        scores = [each["scores"] for each in predictions]
        self.check([metrics["loss"], *scores], "state")

    def test_errors(self):
        columns = [layers.real_valued_column("x", dimension=2)]
        for text, options in {
            "problem_type must be": {"problem_type": 7},
            "prediction_type must be": {"prediction_type": 9},
            "num_classes must be": {"num_classes": None},
            "predict_probabilities": {"problem_type": REGRESSION, "predict_probabilities": True},
            "supported cell types": {"cell_type": "other"},
            "dropout probabilities": {"dropout_keep_probabilities": [0.5]},
        }.items():
            arguments = {
                "problem_type": CLASSIFICATION, "prediction_type": SINGLE, "num_classes": 3,
                "num_units": 2, **options,
            }  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                model = learn.DynamicRnnEstimator(sequence_feature_columns=columns, **arguments)
                model.fit(input_fn=self.features(CLASSES), steps=1)


if __name__ == "__main__":
    unittest.main()
