"""Models of `tf.keras` as SavedModels. The numbers are TensorFlow 1.15's."""

import json
import os
import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe._src.messages.meta_graph_messages import SavedModel

RECORDED = pathlib.Path(__file__).parents[3] / "reference" / "saved_models"
keras = tf.keras
layers = keras.layers


class Projection(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.kernel = self.add_weight(
            "kernel", shape=(int(input_shape[-1]), self.units), initializer="ones"
        )

    def call(self, x):
        return tf.matmul(x, self.kernel)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.units)


class Subclass(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2, activation="tanh")
        self.dropout = layers.Dropout(0.5)

    def call(self, x, training=None):
        return tf.nn.softmax(self.dropout(self.dense(x), training=training))


def sequential():
    model = keras.Sequential(
        [
            layers.Dense(
                3, input_shape=(4,), activation="relu",
                kernel_regularizer=keras.regularizers.l2(0.1),
            ),
            layers.BatchNormalization(),
            layers.Dense(2),
        ]
    )  # fmt: skip
    model.compile("adam", "mse", metrics=["mae"])
    return model


def functional():
    given = keras.Input((4,), name="a")
    hidden = layers.Dense(3, activity_regularizer=keras.regularizers.l1(0.01))(given)
    normal = layers.BatchNormalization()(hidden)
    outputs = [
        layers.Dense(2, name="o1")(layers.concatenate([hidden, normal])),
        layers.Dense(1, name="o2")(normal),
    ]
    model = keras.Model(given, outputs)
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    model.compile(optimizer, {"o1": "mse", "o2": "mae"}, loss_weights={"o1": 1.0, "o2": 0.5})
    return model


def custom():
    given = keras.Input((4,))
    model = keras.Model(given, Projection(2)(layers.Dense(3)(given)))
    model.compile("sgd", "mse")
    return model


def recurrent():
    return keras.Sequential(
        [
            layers.Embedding(7, 5, input_length=4, mask_zero=True),
            layers.LSTM(4, return_sequences=True),
            layers.GRU(3),
            layers.Dense(2, activation="softmax"),
        ]
    )


X = np.arange(20.0).reshape(5, 4).astype("f") / 20
Y = [np.ones((5, 2), "f"), np.ones((5, 1), "f")]


def joined(outputs):
    return np.hstack(outputs) if isinstance(outputs, list) else outputs


class SavedModelsTest(unittest.TestCase):
    def setUp(self):
        keras.backend.clear_session()
        self.addCleanup(keras.backend.clear_session)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "model")

    def with_weights(self, model):
        random = np.random.RandomState(0)
        model.set_weights([random.uniform(0.1, 1, w.shape) for w in model.get_weights()])
        return model

    def of_session(self, x, tag="serve", key="serving_default"):
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.loader.load(session, [tag], self.folder)
            signature = loaded.signature_def[key]
            feeds = {each.name: x[name] for name, each in signature.inputs.items()}
            fetches = {name: each.name for name, each in signature.outputs.items()}
            return session.run(fetches, feeds)

    def test_models_are_saved_loaded_and_served(self):
        for make in (sequential, functional, custom, recurrent):
            with self.subTest(make.__name__):
                keras.backend.clear_session()
                model, x = self.with_weights(make()), X
                if make is recurrent:
                    x = np.arange(20).reshape(5, 4).astype("f") % 7
                expected = joined(model.predict(x))
                self.folder += make.__name__
                model.save(self.folder, save_format="tf")
                loaded = keras.models.load_model(self.folder)
                np.testing.assert_allclose(joined(loaded.predict(x)), expected, rtol=1e-5)
                served = self.of_session({model.input_names[0]: x})
                self.assertEqual(sorted(served), sorted(model.output_names))
                found = joined([served[name] for name in model.output_names])
                np.testing.assert_allclose(found, expected, rtol=1e-5)
                with tf.Graph().as_default(), tf.Session() as session:
                    called = tf.saved_model.load_v2(self.folder)(tf.constant(x))
                    session.run(tf.global_variables_initializer())
                    found = joined(session.run(called))
                    np.testing.assert_allclose(found, expected, rtol=1e-5)

    def test_a_loaded_model_is_compiled_as_it_was(self):
        model = self.with_weights(sequential())
        model.train_on_batch(X, Y[0])
        expected = model.evaluate(X, Y[0], verbose=0)
        model.save(self.folder, save_format="tf")
        loaded = keras.models.load_model(self.folder)
        np.testing.assert_allclose(loaded.evaluate(X, Y[0], verbose=0), expected, rtol=1e-5)
        self.assertIsInstance(loaded.optimizer, keras.optimizers.Adam)
        self.assertIsNone(keras.models.load_model(self.folder, compile=False).optimizer)

    def test_models_with_a_function_are_loaded_with_it(self):
        model = Subclass()
        model.compile("sgd", "mse")
        model.fit(X, Y[0], verbose=0)
        expected = model.predict(X)
        with self.assertRaisesRegex(NotImplementedError, "HDF5"):
            model.save(self.folder + ".h5")
        model.save(self.folder, save_format="tf")
        losses = model.evaluate(X, Y[0], verbose=0)
        keras.backend.clear_session()
        loaded = keras.models.load_model(self.folder)
        np.testing.assert_allclose(loaded.predict(X), expected, rtol=1e-5)
        np.testing.assert_allclose(loaded.evaluate(X, Y[0], verbose=0), losses, rtol=1e-5)
        self.assertEqual(type(loaded).__name__, "Subclass")
        before = loaded.get_weights()
        loaded.fit(X, Y[0], verbose=0)
        self.assertFalse(np.allclose(before[0], loaded.get_weights()[0]))

    def test_a_model_of_tensorflow_is_loaded(self):
        x = np.array([[1.0, 2.0, 3.0], [0.0, 0.5, 1.0]])
        loaded = keras.models.load_model(str(RECORDED / "subclass"))
        np.testing.assert_allclose(
            loaded.predict(x), [[0.980096, 0.991007], [0.635149, 0.604368]], rtol=1e-4
        )
        self.assertEqual([each.name for each in loaded.layers], ["dense", "dropout"])
        found = loaded.evaluate(x, np.ones((2, 2)), verbose=0)
        np.testing.assert_allclose(found, 0.163530, rtol=1e-4)

    def test_regularizers_are_functions_and_layers_have_metadata(self):
        self.with_weights(sequential()).save(self.folder, save_format="tf")
        loaded = tf.saved_model.load_v2(self.folder)
        self.assertEqual(len(loaded.regularization_losses), 1)
        loss = loaded.regularization_losses[0]()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            kernel = session.run(loaded.trainable_variables[0])
            np.testing.assert_allclose(session.run(loss), 0.1 * np.sum(kernel**2), rtol=1e-5)
        message = SavedModel.FromString(pathlib.Path(self.folder, "saved_model.pb").read_bytes())
        nodes = message.meta_graphs[0].object_graph_def.nodes
        self.assertEqual(nodes[0].user_object.identifier, "_tf_keras_sequential")
        told = json.loads(nodes[0].user_object.metadata)
        self.assertEqual(told["training_config"]["metrics"], ["mae"])
        self.assertEqual(told["config"]["layers"][0]["class_name"], "Dense")

    def test_graphs_train_evaluate_and_predict(self):
        model = self.with_weights(functional())
        model.train_on_batch(X, Y)
        outputs, losses = model.predict(X), model.evaluate(X, Y, verbose=0)
        keras.experimental.export_saved_model(model, self.folder)
        loaded = keras.experimental.load_from_saved_model(self.folder)
        np.testing.assert_allclose(loaded.predict(X)[0], outputs[0], rtol=1e-5)
        served = self.of_session({"a": X})
        np.testing.assert_allclose(served["o1"], outputs[0], rtol=1e-5)
        given = {"a": X, "o1_target": Y[0], "o2_target": Y[1]}
        found = self.of_session(given, "eval", "eval")
        self.assertEqual(sorted(found), ["loss", "predictions/o1", "predictions/o2"])
        np.testing.assert_allclose(found["loss"], losses[0], rtol=1e-5)
        self.assertGreater(self.of_session(given, "train", "train")["loss"], 0)
        with self.assertRaisesRegex(NotImplementedError, "serving_only=True"):
            tf.contrib.saved_model.save_keras_model(Subclass(), self.folder + "2")

    def test_a_model_without_inputs_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "input shapes have not been set"):
            Subclass().save(self.folder, save_format="tf")
        with self.assertRaisesRegex(OSError, "SavedModel file does not exist"):
            keras.models.load_model(self.folder)


if __name__ == "__main__":
    unittest.main()
