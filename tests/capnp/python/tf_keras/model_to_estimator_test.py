"""Estimators of models of `tf.keras`, whose numbers and names are TensorFlow 1.15's."""

import tempfile
import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers
X = np.random.RandomState(1).randn(40, 4).astype("f")
Y = np.random.RandomState(2).randint(0, 3, (40, 1))


def inputs(epochs=None):
    return tf.estimator.inputs.numpy_input_fn(
        {"hidden_input": X}, Y, batch_size=10, num_epochs=epochs, shuffle=False
    )


class ModelToEstimatorTest(unittest.TestCase):
    def setUp(self):
        keras.backend.clear_session()
        self.addCleanup(keras.backend.clear_session)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def model(self, optimizer="adam"):
        model = keras.Sequential(
            [
                layers.Dense(5, "tanh", input_shape=(4,), name="hidden"),
                layers.Dense(3, "softmax", name="out"),
            ]
        )
        random = np.random.RandomState(3)
        model.set_weights([random.randn(*w.shape) * 0.4 for w in model.get_weights()])
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def test_copies_of_a_model_learn_from_its_weights(self):
        model = self.model(keras.optimizers.SGD(0.1, 0.9))
        before = model.get_weights()
        estimator = keras.estimator.model_to_estimator(model, model_dir=self.folder)
        estimator.train(inputs(), steps=6)
        results = estimator.evaluate(inputs(1))
        self.assertEqual(sorted(results), ["acc", "global_step", "loss"])
        self.assertEqual(results["global_step"], 6)
        self.assertAlmostEqual(results["loss"], 1.0411, places=4)
        self.assertAlmostEqual(results["acc"], 0.4, places=4)
        for ours, theirs in zip(model.get_weights(), before):
            np.testing.assert_array_equal(ours, theirs)
        (first, *_) = estimator.predict(inputs(1))
        np.testing.assert_allclose(first["out"], [0.26773, 0.36361, 0.36866], atol=2e-4)
        dense = [f"{layer}/{part}" for layer in ("hidden", "out") for part in ("bias", "kernel")]
        slots = [f"training/SGD/{name}/momentum" for name in dense]
        rates = [f"training/SGD/{name}" for name in ("decay", "learning_rate", "momentum")]
        self.assertEqual(
            sorted(estimator.get_variable_names()), sorted([*dense, *slots, *rates, "global_step"])
        )
        estimator.train(inputs(), steps=2)  # goes on where it was
        self.assertEqual(estimator.evaluate(inputs(1))["global_step"], 8)

    def test_a_model_may_be_a_file_and_its_optimizer_one_of_tensorflow_1(self):
        path = f"{self.folder}/model.h5"
        self.model().save(path)
        estimator = keras.estimator.model_to_estimator(keras_model_path=path)
        estimator.train(inputs(), steps=1)
        model = self.model(tf.train.GradientDescentOptimizer(0.1))
        estimator = keras.estimator.model_to_estimator(model)
        before = estimator.train(inputs(), steps=1).evaluate(inputs(1))
        after = estimator.train(inputs(), steps=100).evaluate(inputs(1))
        self.assertLess(after["loss"], before["loss"])
        self.assertEqual(after["global_step"], 101)

    def test_what_is_no_compiled_model_is_an_error(self):
        make = keras.estimator.model_to_estimator
        with self.assertRaisesRegex(ValueError, "Either `keras_model` or"):
            make()
        with self.assertRaisesRegex(ValueError, "has not been compiled"):
            make(keras.Sequential([layers.Dense(1, input_shape=(2,))]))
        with self.assertRaisesRegex(NotImplementedError, "only 'saver'"):
            make(self.model(), checkpoint_format="checkpoint")


if __name__ == "__main__":
    unittest.main()
