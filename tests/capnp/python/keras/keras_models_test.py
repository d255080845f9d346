"""Keras, the package of PyPI, on Troupe: `import keras` and `tf.keras`."""

import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

import numpy as np

import troupe as tf

PACKAGES = {**os.environ, "PYTHONPATH": str(pathlib.Path(tf.__file__).parents[1].absolute())}


def data(count, seed=1):
    """Points, and the class that each has by the largest of its first three coordinates."""
    points = np.random.RandomState(seed).randn(count, 8).astype("f")
    return points, points[:, :3].argmax(1)


class KerasCase(unittest.TestCase):
    def setUp(self):
        self.addCleanup(tf.keras.backend.clear_session)
        np.random.seed(7)

    def classifier(self):
        layers = tf.keras.layers
        return tf.keras.Sequential(
            [
                layers.Dense(32, activation="relu", input_shape=(8,)),
                layers.BatchNormalization(),
                layers.Dropout(0.1),
                layers.Dense(3, activation="softmax"),
            ]
        )


class ModelTest(KerasCase):
    def test_a_model_learns_and_its_file_gives_the_same_predictions(self):
        model = self.classifier()
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        points, classes = data(1000)
        history = model.fit(points, classes, epochs=8, verbose=0, validation_split=0.1).history
        self.assertLess(history["loss"][-1], history["loss"][0] / 2)
        self.assertGreater(model.evaluate(*data(500, seed=2), verbose=0)[1], 0.85)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.h5")
            model.save(path)
            wanted = model.predict(points[:20])
            tf.keras.backend.clear_session()
            again = tf.keras.models.load_model(path)
            np.testing.assert_allclose(again.predict(points[:20]), wanted, rtol=1e-5)
            again.fit(points, classes, verbose=0)  # with the optimizer's state

    def test_a_model_learns_from_datasets_and_iterators(self):
        model = self.classifier()
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        points, classes = data(640)
        batches = tf.data.Dataset.from_tensor_slices((points, classes)).batch(32)
        others = tf.data.Dataset.from_tensor_slices(data(300, seed=2)).batch(50)
        fitted = model.fit(batches, epochs=12, validation_data=others, verbose=0)
        self.assertEqual(len(fitted.history["val_loss"]), 12)
        loss, accuracy = model.evaluate(others, verbose=0)
        self.assertGreater(accuracy, 0.8)
        self.assertAlmostEqual(loss, fitted.history["val_loss"][-1], places=4)
        expected = model.evaluate(*data(300, seed=2), verbose=0)
        np.testing.assert_allclose([loss, accuracy], expected, rtol=1e-4)
        np.testing.assert_allclose(
            model.predict(others, steps=2), model.predict(data(300, seed=2)[0][:100]), rtol=1e-5
        )
        of_arrays = model.fit(points, classes, verbose=0, validation_data=others).history
        self.assertEqual(len(of_arrays["val_loss"]), 1)
        once = batches.make_one_shot_iterator()
        model.fit(once, steps_per_epoch=10, epochs=2, verbose=0)
        with self.assertRaisesRegex(ValueError, "no more batches"):
            model.fit(once, steps_per_epoch=1, verbose=0)
        with self.assertRaisesRegex(ValueError, "must be given"):
            model.fit(once)
        with self.assertRaisesRegex(ValueError, "`y` cannot be given beside a dataset"):
            model.fit(batches, classes)

    def test_datasets_have_several_inputs_by_name_or_in_a_tuple(self):
        keras = tf.keras
        left, right = keras.Input((4,), name="left"), keras.Input((4,), name="right")
        total = keras.layers.Dense(1)(keras.layers.Concatenate()([left, right]))
        model = keras.Model([left, right], total)
        model.compile("adam", "mse")
        points = data(64)[0]
        parts, sums = (points[:, :4], points[:, 4:]), points.sum(1, keepdims=True)
        named = {"left": parts[0], "right": parts[1]}
        for inputs in (parts, named):
            dataset = tf.data.Dataset.from_tensor_slices((inputs, sums)).batch(16)
            loss = model.evaluate(dataset, verbose=0)
            self.assertAlmostEqual(loss, model.evaluate(list(parts), sums, verbose=0), places=4)
            fitted = model.fit(dataset.repeat(), steps_per_epoch=8, verbose=0)
            self.assertEqual(len(fitted.epoch), 1)

    def test_recurrent_and_convolutional_layers_train(self):
        layers = tf.keras.layers
        given = tf.keras.Input((12, 8))
        masked = layers.Masking(0.0)(given)
        read = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(masked)
        read = layers.GRU(5)(read)
        seen = layers.GlobalMaxPooling1D()(layers.Conv1D(6, 3, padding="causal")(given))
        model = tf.keras.Model(given, layers.Dense(1)(layers.concatenate([read, seen])))
        model.compile(tf.keras.optimizers.RMSprop(0.01), "mse")
        x = np.random.randn(64, 12, 8)
        x[:, 9:] = 0
        y = x[:, :9, 0].sum(1)
        losses = model.fit(x, y, epochs=15, verbose=0).history["loss"]
        self.assertLess(losses[-1], losses[0] * 0.8)

    def test_optimizers_of_tensorflow_train_models(self):
        model = self.classifier()
        model.compile(tf.train.AdamOptimizer(0.01), "sparse_categorical_crossentropy")
        losses = model.fit(*data(300), epochs=5, verbose=0).history["loss"]
        self.assertLess(losses[-1], losses[0])

    def test_initial_values_may_be_normal_without_being_cut_off(self):
        for kind in ("normal", "truncated_normal", "untruncated_normal"):
            initializer = tf.keras.initializers.VarianceScaling(2.0, distribution=kind, seed=1)
            with tf.Session() as session:
                values = session.run(initializer([500, 200])) / np.sqrt(2 / 500)
            self.assertAlmostEqual(values.std(), 1, delta=0.02)
            self.assertEqual(abs(values).max() > 3, kind == "untruncated_normal")

    def test_layers_apply_to_tensors_of_a_graph_of_tensorflow(self):
        x = tf.placeholder(tf.float32, [None, 8])
        layer = tf.keras.layers.Dense(2, activation="tanh")
        loss = tf.reduce_mean(tf.square(layer(x) - 1.0))
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        self.assertEqual(tf.trainable_variables(), layer.trainable_weights)
        points, _ = data(50)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run([loss, step], {x: points})[0] for _ in range(20)]
        self.assertLess(losses[-1], losses[0])

    def test_generators_feed_models_from_threads(self):
        class Batches(tf.keras.utils.Sequence):
            def __len__(self):
                return 10

            def __getitem__(self, index):
                return data(32, seed=index)

        model = self.classifier()
        model.compile("sgd", "sparse_categorical_crossentropy")
        history = model.fit_generator(Batches(), epochs=2, verbose=0, workers=2).history
        self.assertLess(history["loss"][1], history["loss"][0])

    def test_a_model_that_is_called_hands_training_to_its_layers(self):
        layers = tf.keras.layers
        inner = tf.keras.Sequential([layers.Dropout(0.5, input_shape=(100,))])
        outer = tf.keras.Sequential([layers.Lambda(lambda x: x, input_shape=(100,)), inner])
        entry = layers.Input((100,))
        graph = tf.keras.Model(entry, layers.Dropout(0.5)(inner(entry), training=False))
        ones = tf.ones([4, 100])
        flag = tf.placeholder(tf.bool, [])
        with tf.Session() as session:
            for model in (inner, outer, graph):
                trained, again = model(ones, training=True), model(ones, training=True)
                self.assertIs(trained, again)
                found = session.run(
                    [trained, model(ones, training=False), model(ones), model(ones, training=flag)],
                    {flag: True, tf.keras.backend.learning_phase(): False},
                )
                zeros = [int((each == 0).sum()) for each in found]
                self.assertEqual([zeros[1], zeros[2]], [0, 0])
                self.assertTrue(100 < zeros[0] < 300 and 100 < zeros[3] < 300, zeros)

    def test_a_clone_of_a_model_of_layers_in_a_graph_has_its_layers_and_new_weights(self):
        layers = tf.keras.layers
        image, number = layers.Input((4,)), layers.Input((2,))
        hidden = layers.Dropout(0.5)(layers.Dense(3, name="hidden")(image))
        joined = layers.concatenate([hidden, number])
        model = tf.keras.Model([image, number], layers.Dense(1)(joined))
        clone = tf.keras.models.clone_model(model)
        self.assertEqual(
            [type(layer).__name__ for layer in clone.layers],
            [type(layer).__name__ for layer in model.layers],
        )
        self.assertIsNot(clone.get_layer("hidden").kernel, model.get_layer("hidden").kernel)
        given = [np.random.randn(5, 4), np.random.randn(5, 2)]
        clone.set_weights(model.get_weights())
        np.testing.assert_allclose(clone.predict(given), model.predict(given), rtol=1e-5)

    def test_a_model_with_a_function_of_its_own_is_called_on_tensors_of_known_shapes(self):
        class Halves(tf.keras.Model):
            def call(self, x):
                return [x[:, :2], tf.layers.dense(x[:, 2:], 3)]

        first, second = Halves()(tf.ones([4, 5]))
        self.assertEqual([first.shape, second.shape], [[4, 2], [4, 3]])
        doubled = tf.keras.layers.Lambda(lambda x: 2 * x)(first)
        with tf.Session() as session:
            self.assertEqual(session.run(doubled).tolist(), [[2, 2]] * 4)


class ImportTest(unittest.TestCase):
    def run_program(self, text, **beside):
        """What a program prints, or its errors; with the text of packages beside it."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "program.py")
            path.write_text(textwrap.dedent(text))
            for name, source in beside.items():
                pathlib.Path(folder, name).mkdir()
                pathlib.Path(folder, name, "__init__.py").write_text(textwrap.dedent(source))
            done = subprocess.run(
                [sys.executable, "-m", "troupe", str(path)],
                capture_output=True, text=True, timeout=100, env=PACKAGES,
            )  # fmt: skip
        return done.stdout if done.returncode == 0 else done.stderr

    def test_all_names_of_a_module_are_the_same_module(self):
        told = self.run_program("""
            import tensorflow as tf
            from tensorflow import keras as one
            from tensorflow.keras import backend as K
            from tensorflow.keras.layers import Dense
            from tensorflow.python.keras.layers import Dense as of_source
            from tensorflow.python.keras import backend, models
            assert Dense is of_source is one.layers.Dense is tf.keras.layers.Dense
            assert models is tf.keras.models and tf.keras.Model is models.Model
            assert backend.mean is K.mean is tf.keras.backend.mean
            print("all the same")
        """)
        self.assertEqual(told, "all the same\n")

    def test_the_package_keras_is_another_one_beside_it_and_shares_the_session(self):
        told = self.run_program("""
            import sys
            sys.stderr = sys.stdout
            import tensorflow as tf
            print(tf.keras.layers.Dense(2).name, tf.keras.layers.Dense(2).name)
            import keras
            print(keras.layers.Dense(2).name, keras.layers.Dense is tf.keras.layers.Dense)
            tf.keras.backend.set_session(tf.Session())
            print(tf.keras.backend.get_session() is keras.backend.get_session())
        """)
        lines = ["dense dense_1", "Using TensorFlow backend.", "dense_1 False", "True", ""]
        self.assertEqual(told.splitlines(), lines[:-1])

    def test_arguments_of_functions_are_inspected_as_before_python_3_11(self):
        told = self.run_program("""
            from keras.utils.generic_utils import getargspec

            args, varargs, keywords, defaults = getargspec(lambda a, b=1, *c, **d: a)
            print(args, varargs, keywords, defaults)
        """)
        self.assertEqual(told, "['a', 'b'] c d (1,)\n")

    def test_processes_that_a_program_spawns_import_keras(self):
        told = self.run_program("""
            import multiprocessing
            import keras

            if __name__ == "__main__":
                spawn = multiprocessing.get_context("spawn")
                with spawn.Pool(1) as pool:
                    print(pool.apply(keras.utils.to_categorical, ([1], 2)))
        """)
        self.assertEqual(told, "[[0. 1.]]\n")

    def test_a_program_has_an_older_version_beside_it_and_tf_keras_has_that_of_the_path(self):
        told = self.run_program(
            """
            import keras
            import tensorflow as tf

            print(keras.__version__, keras.is_many([]), keras.__file__.startswith(tf.__path__[0]))
            from tensorflow.keras.utils import Sequence
            print(tf.keras.layers.Dense(2)(tf.zeros([3, 4])).shape, Sequence.__name__)
            """,
            keras="""
            from collections import Iterable

            __version__ = '2.2.4'


            def is_many(value):
                return isinstance(value, Iterable)
            """,
        )
        self.assertEqual(told, "2.2.4 True False\n(3, 2) Sequence\n")

    def test_summaries_show_sizes_as_plain_numbers(self):
        told = self.run_program("""
            from keras import layers, models

            model = models.Sequential([layers.Reshape((3, -1), input_shape=(6, 4))])
            model.add(layers.Flatten())
            model.summary()
        """)
        self.assertRegex(told, r"\(None, 3, 8\) (.|\n)*\(None, 24\) ")

    def test_estimators_of_scikit_learn_say_what_they_are(self):
        told = self.run_program(
            """
            from keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

            print(KerasClassifier(lambda: 0).__sklearn_tags__())
            print(KerasRegressor(lambda: 0).__sklearn_tags__())
            """,
            sklearn="""
            import sys


            class BaseEstimator:
                def __sklearn_tags__(self):
                    return "estimator"


            class ClassifierMixin:
                def __sklearn_tags__(self):
                    return "classifier and " + super().__sklearn_tags__()


            class RegressorMixin:
                def __sklearn_tags__(self):
                    return "regressor and " + super().__sklearn_tags__()


            sys.modules["sklearn.base"] = sys.modules["sklearn"]
            """,
        )
        self.assertEqual(told, "classifier and estimator\nregressor and estimator\n")

    def test_a_program_finds_no_tf_keras_where_the_only_version_is_older(self):
        folder = ("keras", "2.2.4")
        modules = "troupe._src.api.keras_modules"
        with (
            mock.patch(f"{modules}.keras_folders", lambda: iter([folder])),
            mock.patch(f"{modules}.keras_version", lambda: folder[1]),
            self.assertRaisesRegex(ImportError, "version 2.3, and version 2.2.4 is installed"),
        ):
            importlib.import_module("troupe.keras.no_such_module")

    def test_where_no_version_fits_the_error_says_which_to_install(self):
        for version, found in [(None, "none is installed"), ("3.10.0", "version 3.10.0 is")]:
            modules = "troupe._src.api.keras_modules"
            with (
                mock.patch(f"{modules}.keras_folders", lambda: iter(())),
                mock.patch(f"{modules}.keras_version", lambda: version),
            ):
                with self.assertRaisesRegex(AttributeError, f"{found}.*pip install 'keras=="):
                    tf.keras.layers
                with self.assertRaisesRegex(ImportError, f"{found}.*pip install"):
                    importlib.import_module("troupe.keras.no_such_module")


if __name__ == "__main__":
    unittest.main()
