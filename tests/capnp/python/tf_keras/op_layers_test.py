"""Ops of TensorFlow between the layers of a model of `tf.keras`."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers
X = np.random.RandomState(1).randn(6, 4).astype("f")


class OpLayersTest(unittest.TestCase):
    def setUp(self):
        keras.backend.clear_session()
        self.addCleanup(keras.backend.clear_session)

    def model(self):
        left, right = keras.Input((4,)), keras.Input((4,))
        hidden = layers.Dense(3, name="hidden")(tf.concat([left, right], 1) * 2.0)
        result = tf.nn.relu(hidden) + tf.reduce_mean(hidden, 1, keepdims=True)
        model = keras.Model([left, right], result)
        random = np.random.RandomState(3)
        model.set_weights([np.abs(random.randn(*w.shape)) * 0.3 for w in model.get_weights()])
        return model

    def test_ops_are_layers_of_the_model(self):
        model = self.model()
        self.assertEqual([v.name for v in model.weights], ["hidden/kernel:0", "hidden/bias:0"])
        expected = [[4.6756, 4.4501, 2.2237], [2.4156, 5.1943, 1.7902]]  # TensorFlow 1.15's
        np.testing.assert_allclose(model.predict([X, X + 1])[:2], expected, atol=1e-4)
        model.compile("sgd", "mse")
        losses = model.fit([X, X + 1], np.ones((6, 3)), verbose=0, epochs=2, shuffle=False).history
        np.testing.assert_allclose(losses["loss"], [11.90223, 4.08893], rtol=1e-5)

    def test_they_are_computed_of_other_inputs_too(self):
        inner, given = self.model(), keras.Input((4,))
        outer = keras.Model(given, inner([given, given * 2.0]))
        np.testing.assert_allclose(outer.predict(X), inner.predict([X, X * 2]), rtol=1e-5)

    def test_variables_and_loops_between_layers_stay_where_they_are(self):
        given = keras.Input((4,))
        scale = tf.Variable(3.0, trainable=False)
        hidden = layers.Lambda(lambda x: x + 1.0)(given)
        doubled = tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, 2.0 * x), [0, hidden])[1]
        model = keras.Model(given, layers.Lambda(lambda x: x - 1.0)(doubled * scale))
        np.testing.assert_allclose(model.predict(X), (X + 1) * 24 - 1, rtol=1e-4, atol=1e-5)

    def test_what_comes_of_no_layer_is_an_error_and_loops_are_not_saved(self):
        given = keras.Input((4,))
        with self.assertRaisesRegex(ValueError, "must be the output of a Keras `Layer`"):
            keras.Model(given, tf.ones([2, 3]))
        doubled = tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, 2.0 * x), [0, given])[1]
        with self.assertRaisesRegex(NotImplementedError, "put them into a Lambda layer"):
            keras.Model(given, doubled).to_json()

    def test_each_op_is_a_layer_with_a_configuration_as_tensorflow_has_it(self):
        given = keras.Input((4,), name="a")
        hidden = layers.Dense(3, name="h")(given)
        model = keras.Model(given, tf.nn.relu(hidden) + tf.reduce_mean(hidden, 1, True) * 2.0)
        self.assertEqual(
            [each.name for each in model.layers],
            ["a", "h", *(f"tf_op_layer_{name}" for name in ("Mean", "Relu", "mul", "add"))],
        )
        mean = model.get_layer("tf_op_layer_Mean").get_config()
        self.assertEqual(mean["node_def"]["attr"]["keep_dims"], {"b": True})
        self.assertEqual(mean["node_def"]["attr"]["T"], {"type": "DT_FLOAT"})
        self.assertEqual((mean["name"], mean["node_def"]["input"][0]), ("Mean", "h/BiasAdd"))
        self.assertEqual(mean["constants"], {1: 1})

    def test_models_with_ops_are_saved(self):
        given = keras.Input((4,), name="a")
        left, right = tf.split(given, 2, axis=1)
        rows = tf.shape(given)[0]
        hidden = tf.concat([layers.Dense(2)(left[:, :1] - 1.0), tf.square(right)], axis=1)
        model = keras.Model(given, tf.cast(tf.reshape(hidden, [rows, 2, 2]) > 0.0, tf.float32))
        expected = model.predict(X)
        told = keras.models.model_from_json(model.to_json())
        told.set_weights(model.get_weights())
        np.testing.assert_allclose(told.predict(X), expected, rtol=1e-5)
        with tempfile.TemporaryDirectory() as folder:
            for name, kind in (("model.h5", "h5"), ("model", "tf")):
                path = os.path.join(folder, name)
                model.save(path, save_format=kind)
                loaded = keras.models.load_model(path, compile=False)
                np.testing.assert_allclose(loaded.predict(X), expected, rtol=1e-5)

    def test_updates_of_a_metric_need_not_be_a_list(self):
        class Sum(keras.metrics.Metric):
            def __init__(self):
                super().__init__(name="sum")
                self.total = self.add_weight(name="total", initializer="zeros")

            def update_state(self, y_true, y_pred, sample_weight=None):
                return self.total.assign_add(tf.reduce_sum(y_true))

            def result(self):
                return self.total

        model = keras.Sequential([layers.Dense(1, input_shape=(4,))])
        model.compile("sgd", "mse", metrics=[Sum()])
        history = model.fit(X, np.ones((6, 1)), verbose=0, batch_size=2, epochs=2).history
        self.assertEqual(history["sum"], [6.0, 6.0])


if __name__ == "__main__":
    unittest.main()
