"""Trainings of `tf.keras`, where Keras does otherwise. The numbers are TensorFlow 1.15's."""

import contextlib
import glob
import io
import json
import os
import re
import tempfile
import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers
random = np.random.RandomState(0)
X, Y = random.randn(12, 4).astype("f"), random.randn(12, 2).astype("f")


def with_weights(model):
    numbers = np.random.RandomState(5)
    model.set_weights([numbers.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
    return model


def compiled(**options):
    model = keras.Sequential(
        [layers.Dense(5, input_shape=(4,), activation="tanh"), layers.Dense(2)]
    )
    with_weights(model).compile("sgd", "mse", **options)
    return model


class TrainingTest(unittest.TestCase):
    def setUp(self):
        keras.backend.clear_session()
        self.addCleanup(keras.backend.clear_session)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def fit(self, model, **options):
        return model.fit(X, Y, verbose=0, shuffle=False, **options).history

    def test_checkpoints_after_a_number_of_examples(self):
        path = os.path.join(self.folder, "w{epoch}.h5")
        saves = keras.callbacks.ModelCheckpoint(path, save_freq=8, save_weights_only=True)
        self.fit(compiled(), epochs=2, batch_size=2, callbacks=[saves])
        self.assertEqual(sorted(os.listdir(self.folder)), ["w1.h5", "w2.h5"])
        with self.assertRaisesRegex(ValueError, "Unrecognized save_freq"):
            keras.callbacks.ModelCheckpoint(path, save_freq="batch")

    def test_a_training_begins_with_the_latest_checkpoint(self):
        for pattern in ("w{epoch:02d}.h5", "w", "w{epoch}"):
            path = os.path.join(self.folder, pattern)
            begins = keras.callbacks.ModelCheckpoint(
                path, save_weights_only=True, load_weights_on_restart=True
            )
            first, second = compiled(), compiled()
            self.fit(first, epochs=2, callbacks=[begins])
            second.set_weights([0.0 * each for each in second.get_weights()])
            begins.set_model(second)
            begins.on_train_begin()
            for one, other in zip(first.get_weights(), second.get_weights()):
                np.testing.assert_array_equal(one, other)

    def test_summaries_of_epochs(self):
        writes = keras.callbacks.TensorBoard(self.folder, write_graph=False)
        self.fit(
            compiled(metrics=["mae"]), epochs=2, validation_data=(X, Y), callbacks=[writes]
        )
        found = {}
        for path in glob.glob(f"{self.folder}/**/*tfevents*", recursive=True):
            for event in tf.train.summary_iterator(path):
                for value in event.summary.value:
                    found.setdefault(value.tag, []).append((event.step, value.simple_value))
        names = ["loss", "mean_absolute_error", "val_loss", "val_mean_absolute_error"]
        self.assertEqual(sorted(found), [f"epoch_{name}" for name in names])
        np.testing.assert_allclose(found["epoch_loss"], [(0, 1.14072), (1, 1.11418)], rtol=1e-4)

    def test_metrics_over_batches_that_are_not_reset(self):
        model = compiled(metrics=["mae"])
        found = [
            model.train_on_batch(X[n : n + 4], Y[n : n + 4], reset_metrics=False)
            for n in (0, 4, 8)
        ]
        expected = [[1.36125, 0.94033], [1.14005, 0.90527], [0.87301, 0.87217]]
        np.testing.assert_allclose(found, expected, rtol=1e-4)

    def test_evaluations_in_steps_give_means_and_metrics_of_all(self):
        model = compiled(metrics=["mae"])
        expected = model.evaluate(X, Y, verbose=0)
        found = model.evaluate(tf.constant(X), tf.constant(Y), steps=3, verbose=0)
        np.testing.assert_allclose(found, expected, rtol=1e-5)

    def test_histories_are_numbers_for_json_and_lines_as_tensorflow_prints_them(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            model = compiled(metrics=["mae"])
            history = model.fit(X, Y, verbose=2, shuffle=False, epochs=2).history
        self.assertIn("1.14", json.dumps(history["loss"]))
        lines = re.sub(r"\d+m?s", "T", text.getvalue()).splitlines()
        line = "12/12 - T - loss: 1.1407 - mean_absolute_error: 0.8776"
        self.assertEqual(lines[:3], ["Train on 12 samples", "Epoch 1/2", line])

    def test_losses_of_layers_and_what_they_measure(self):
        class Square(layers.Layer):
            def call(self, x):
                self.add_loss(tf.reduce_sum(tf.square(x)) * 0.01, inputs=True)
                self.add_metric(tf.reduce_mean(x), name="mean", aggregation="mean")
                return x

        model = keras.Sequential([layers.Dense(3, input_shape=(4,)), Square(), layers.Dense(2)])
        with_weights(model).compile("sgd", "mse", metrics=["mae"])
        history = self.fit(model, epochs=2)
        np.testing.assert_allclose(history["loss"], [0.76563, 0.75785], rtol=1e-4)
        np.testing.assert_allclose(history["mean"], [-0.13996, -0.13805], rtol=1e-3)
        self.assertEqual(model.metrics_names, ["loss", "mean_absolute_error", "mean"])

    def test_copies_of_models_with_other_layers(self):
        def changed(layer):
            return layers.Dense(layer.units, activation="relu", name=layer.name)

        copy = keras.models.clone_model(compiled(), clone_function=changed)
        found = with_weights(copy).predict(X)[:4, 0]
        np.testing.assert_allclose(found, [0.29819, 0.29419, 0.07766, 0.15075], rtol=1e-4)

    def test_trained_variables_are_those_of_layers_that_are_trained(self):
        layers.BatchNormalization(input_shape=(4,)).build((None, 4))
        names = [each.op.name.split("/")[0] for each in tf.trainable_variables()]
        self.assertEqual(names, ["gamma", "beta"])
        with self.assertRaisesRegex(ValueError, "run_eagerly=True"):
            compiled(run_eagerly=True)

    def test_signatures_and_specifications_of_layers(self):
        found = layers.Dense(3).compute_output_signature(tf.TensorSpec([None, 4], tf.float32))
        self.assertEqual((found.shape.as_list(), found.dtype), ([None, 3], tf.float32))
        spec = layers.InputSpec(ndim=3, axes={-1: 2})
        self.assertEqual(type(spec).from_config(spec.get_config()).axes, {-1: 2})


if __name__ == "__main__":
    unittest.main()
