"""AutoGraph converts the `call` of layers and models of tf.keras. Numbers are TensorFlow 1.15's."""

import unittest
from unittest import mock

import numpy as np

import troupe as tf
from troupe._src.autograph import transpiler


class Doubled(tf.keras.layers.Layer):
    """Doubles what is large, and adds 3."""

    def build(self, input_shape):
        self.w = self.add_weight("w", shape=(input_shape[-1],), initializer="ones")
        super().build(input_shape)

    def call(self, inputs):
        y = inputs * self.w
        if tf.reduce_sum(y) > 3.0:
            y = y * 2
        for _ in tf.range(3):
            y = y + 1.0
        return y

    def compute_output_shape(self, input_shape):
        return input_shape


class Grown(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, inputs):
        y = self.dense(inputs)
        while tf.reduce_max(y) < 100.0:
            y = y * 2.0
        return y


class Counting(tf.keras.layers.Layer):
    """Counts its calls and has a loss, and only then asks a tensor for a value."""

    def build(self, input_shape):
        self.calls = self.add_weight("calls", shape=(), initializer="zeros", trainable=False)
        super().build(input_shape)

    def call(self, inputs):
        self.calls.assign_add(1.0)
        self.add_loss(tf.reduce_sum(inputs))
        return inputs if tf.reduce_sum(inputs) > 0 else -inputs


class ConvertedLayersTest(tf.test.TestCase):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def test_a_layer_in_a_model_is_converted_and_trained(self):
        dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        model = tf.keras.Sequential([Doubled(input_shape=(3,)), dense])
        model.compile("sgd", "mse")
        np.testing.assert_allclose(model.predict(self.x), [[15.0], [33.0]])
        np.testing.assert_allclose(model.predict(0 * self.x), [[9.0], [9.0]])
        self.assertAlmostEqual(model.train_on_batch(self.x, np.ones((2, 1))), 610.0)
        np.testing.assert_allclose(model.get_weights()[0], [-0.92, -1.84, -2.76], rtol=1e-5)

    def test_a_model_is_converted(self):
        model = Grown()
        model.compile("sgd", "mse")
        np.testing.assert_allclose(model.predict(self.x), [[48.0, 48.0], [192.0, 192.0]])

    def test_what_a_call_adds_before_it_is_converted_counts_once(self):
        layer = Counting()
        layer(tf.constant([2.0]))
        self.assertEqual(len(layer.losses), 1)
        found = tf.function(layer)(tf.constant([-3.0]))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_allclose(session.run(found), [3.0])
            self.assertEqual(session.run(layer.calls), 1.0)

    def test_without_the_package_the_error_says_what_to_install(self):
        transpiler.library.cache_clear()
        self.addCleanup(transpiler.library.cache_clear)
        with mock.patch.dict("sys.modules", {"malt": None}):
            with self.assertRaisesRegex(TypeError, "pip install diastatic-malt"):
                Counting()(tf.constant([2.0]))


if __name__ == "__main__":
    unittest.main()
