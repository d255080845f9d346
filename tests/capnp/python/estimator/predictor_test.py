"""`tf.contrib.predictor`: functions of arrays, made of SavedModels and of estimators."""

import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe.contrib import predictor

ROWS = np.float32([[0, 1], [2, 3]])


def model_fn(features, labels, mode):
    y = tf.layers.dense(features["x"], 1, name="d")
    outputs = {
        "serving_default": tf.estimator.export.PredictOutput({"y": y}),
        "doubled": tf.estimator.export.PredictOutput({"twice": 2 * y}),
    }
    loss = tf.reduce_mean(y**2)
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train_op, export_outputs=outputs)


def receiver():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"rows": x})


class PredictorTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.estimator = tf.estimator.Estimator(model_fn, self.folder + "/model")

    def train(self):
        self.estimator.train(lambda: ({"x": tf.constant(ROWS)}, tf.constant([0.0])), steps=1)
        kernel, bias = map(self.estimator.get_variable_value, ("d/kernel", "d/bias"))
        return ROWS @ kernel + bias

    def made(self, predict):
        self.addCleanup(predict.session.close)
        return predict

    def test_a_saved_model_is_a_function_of_arrays(self):
        expected = self.train()
        path = self.estimator.export_saved_model(self.folder + "/export", receiver)
        predict = self.made(predictor.from_saved_model(path))
        self.assertAllClose(predict({"rows": ROWS})["y"], expected)
        self.assertEqual(list(predict.fetch_tensors), ["y"])
        self.assertEqual(predict.feed_tensors["rows"].graph, predict.graph)
        doubled = self.made(predictor.from_saved_model(path, "doubled"))
        self.assertAllClose(doubled({"rows": ROWS})["twice"], 2 * expected)
        named = self.made(
            predictor.from_saved_model(path, input_names={"a": "x:0"}, output_names={"b": "x:0"})
        )
        self.assertAllClose(named({"a": ROWS})["b"], ROWS)

    def test_an_estimator_is_a_function_of_arrays(self):
        expected = self.train()
        predict = self.made(predictor.from_estimator(self.estimator, receiver))
        self.assertAllClose(predict({"rows": ROWS})["y"], expected)
        self.assertAllClose(predict({"rows": ROWS[:1]})["y"], expected[:1])
        doubled = self.made(predictor.from_estimator(self.estimator, receiver, "doubled"))
        self.assertAllClose(doubled({"rows": ROWS})["twice"], 2 * expected)

    def test_what_does_not_fit_is_refused(self):
        self.train()
        path = self.estimator.export_saved_model(self.folder + "/export", receiver)
        predict = self.made(predictor.from_saved_model(path))
        with self.assertRaisesRegex(ValueError, "unexpected keys.*columns"):
            predict({"columns": ROWS})
        with self.assertRaisesRegex(ValueError, "Available signatures are .*serving_default"):
            predictor.from_saved_model(path, "other")
        with self.assertRaisesRegex(ValueError, "at most one"):
            predictor.from_saved_model(path, "doubled", input_names={}, output_names={})
        with self.assertRaisesRegex(ValueError, "both"):
            predictor.from_saved_model(path, input_names={"a": "x:0"})
        with self.assertRaisesRegex(ValueError, "'other'"):
            predictor.from_estimator(self.estimator, receiver, "other")
        with self.assertRaisesRegex(TypeError, "Estimator"):
            predictor.from_estimator(path, receiver)

    def test_stateless_numbers_depend_on_their_seed_alone(self):
        stateless = tf.contrib.stateless
        with tf.Session() as session:
            for function in (
                stateless.stateless_random_uniform, stateless.stateless_random_normal,
                stateless.stateless_truncated_normal,
            ):  # fmt: skip
                first, again, other = session.run([function([3], [1, seed]) for seed in (2, 2, 3)])
                self.assertAllEqual(first, again)
                self.assertNotAllClose(first, other)


if __name__ == "__main__":
    unittest.main()
