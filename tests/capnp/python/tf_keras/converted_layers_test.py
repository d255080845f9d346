"""AutoGraph converts the `call` of layers and models of tf.keras. Numbers are TensorFlow 1.15's."""

import unittest

import numpy as np

import troupe as tf


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


if __name__ == "__main__":
    unittest.main()
