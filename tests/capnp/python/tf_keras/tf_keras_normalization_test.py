"""Layers of `tf.keras` that Keras has in part. The numbers are TensorFlow 1.15's."""

import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers
X = np.random.RandomState(0).randn(8, 5, 4, 3).astype("f")


class NormalizationTest(unittest.TestCase):
    def setUp(self):
        keras.backend.clear_session()
        self.addCleanup(keras.backend.clear_session)

    def check(self, layer, x, losses, outputs):
        """Losses of steps, and what is predicted after them."""
        given = keras.Input(x.shape[1:])
        model = keras.Model(given, layer(given))
        random = np.random.RandomState(5)
        model.set_weights([random.uniform(0.1, 1, w.shape) for w in model.get_weights()])
        model.compile("sgd", "mse")
        labels = np.ones(model.predict(x).shape)
        found = [model.train_on_batch(x, labels) for _ in losses]
        np.testing.assert_allclose(found, losses, atol=1e-4)
        np.testing.assert_allclose(model.predict(x).ravel()[:4], outputs, atol=1e-4)
        config = layer.get_config()
        told = type(layer).from_config(config).get_config()
        self.assertEqual({**told, "axis": None}, {**config, "axis": None})

    def test_batches_are_normalized_as_by_moving_averages(self):
        self.check(
            layers.BatchNormalization(renorm=True), X,
            [1.30602, 1.23476, 1.16838], [1.48344, 0.09047, 0.84764, 1.74785],
        )  # fmt: skip
        clipping = {"rmax": 1.1, "rmin": 0.9, "dmax": 0.1}
        self.check(
            layers.BatchNormalization(
                renorm=True, renorm_clipping=clipping, renorm_momentum=0.5, momentum=0.7
            ), X, [0.53538, 0.52652, 0.51652], [1.43611, 0.76929, 0.94703, 1.60178],
        )  # fmt: skip

    def test_virtual_batches_several_axes_and_no_fused_op(self):
        self.check(
            layers.BatchNormalization(virtual_batch_size=2), X.reshape(8, 60),
            [0.58316, 0.58279, 0.58241], [1.32402, 0.39062, 1.06512, 2.81554],
        )  # fmt: skip
        self.check(
            layers.BatchNormalization(axis=[1, 3]), X,
            [0.68258, 0.68077, 0.67895], [1.0168, 0.58595, 0.48493, 1.21],
        )  # fmt: skip
        self.check(
            layers.BatchNormalization(fused=False, momentum=0.5, scale=False), X,
            [1.33682, 1.33233, 1.3279], [1.90841, 1.20483, 1.44478, 2.38244],
        )  # fmt: skip

    def test_local_layers_with_kernels_of_all_places(self):
        sequences = X.reshape(8, 10, 6)
        self.check(
            layers.LocallyConnected1D(2, 3, strides=2, padding="same", implementation=2),
            sequences, [7.55797], [3.33796, 6.79181, 4.02009, 4.1844],
        )  # fmt: skip
        self.check(
            layers.LocallyConnected2D(
                2, (3, 2), strides=2, padding="same", implementation=3,
                data_format="channels_first", activation="tanh",
            ), X, [1.36449], [0.99996, 0.74897, 0.0287, 0.37004],
        )  # fmt: skip
        self.check(
            layers.LocallyConnected1D(2, 3, implementation=3, data_format="channels_first"),
            sequences, [8.4268], [2.56842, 1.34139, 0.93216, -0.08914],
        )  # fmt: skip
        with self.assertRaisesRegex(ValueError, 'only "valid" is supported'):
            layers.LocallyConnected1D(2, 3, padding="same")

    def test_a_mean_of_tensors(self):
        mean = keras.metrics.MeanTensor()
        with self.assertRaisesRegex(ValueError, "does not have any result yet"):
            mean.result()
        one = mean.update_state(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        other = mean.update_state(
            tf.constant([[5.0, 6.0], [7.0, 8.0]]), sample_weight=tf.constant([[1.0], [0.5]])
        )
        with self.assertRaisesRegex(ValueError, "must always have the same shape"):
            mean.update_state(tf.constant([1.0]))
        session = keras.backend.get_session()
        for updates in (one, other):
            session.run(updates)
        expected = [[3.0, 4.0], [4.33333, 5.33333]]
        np.testing.assert_allclose(session.run(mean.result()), expected, rtol=1e-5)
        mean.reset_states()
        np.testing.assert_allclose(session.run(mean.total), np.zeros((2, 2)))

    def test_premade_models(self):
        x = X[:, 0, 0]
        linear = keras.experimental.LinearModel(2, activation="tanh", kernel_initializer="ones")
        linear.compile("sgd", "mse")
        losses = [linear.train_on_batch(x, np.ones((8, 2))) for _ in range(3)]
        np.testing.assert_allclose(losses, [1.99385, 1.9875, 1.98111], rtol=1e-4)
        linear = keras.experimental.LinearModel(kernel_initializer="ones")
        deep = keras.Sequential([layers.Dense(n, kernel_initializer="ones") for n in (3, 1)])
        model = keras.experimental.WideDeepModel(linear, deep)
        model.compile(["sgd", "adam"], "mse")
        losses = [model.train_on_batch([x, x], np.ones((8, 1))) for _ in range(3)]
        np.testing.assert_allclose(losses, [13.45118, 13.26676, 13.08467], rtol=1e-4)
        found = model.predict([x, x]).ravel()[:4]
        np.testing.assert_allclose(found, [6.18563, -3.58959, -0.81524, -4.63089], rtol=1e-4)

    def test_cells(self):
        cell = keras.experimental.PeepholeLSTMCell(3)
        model = keras.Sequential([layers.RNN(cell, return_sequences=True, input_shape=(4, 3))])
        random = np.random.RandomState(5)
        model.set_weights([random.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])
        found = model.predict(X[:, 0])[0]
        expected = [[0.01627, 0.03072, 0.07109], [0.05523, 0.14672, 0.02776]]
        np.testing.assert_allclose(found[:2], expected, atol=1e-5)

        class Sum(layers.AbstractRNNCell):
            @property
            def state_size(self):
                return 3

            def call(self, inputs, states):
                return inputs + states[0], [inputs + states[0]]

        model = keras.Sequential([layers.RNN(Sum(), input_shape=(4, 3))])
        np.testing.assert_allclose(model.predict(X[:, 0]), X[:, 0].sum(1), rtol=1e-5, atol=1e-5)
        states = layers.LSTMCell(3).get_initial_state(batch_size=2, dtype=tf.float32)
        self.assertEqual([keras.backend.eval(each).shape for each in states], [(2, 3)] * 2)

    def test_the_axis_is_a_list_of_axes_once_the_rank_is_known(self):
        layer = layers.BatchNormalization()
        self.assertEqual((layer.axis, layer.get_config()["axis"]), (-1, -1))
        layer(tf.zeros([2, 3, 4, 5]))
        self.assertEqual((layer.axis, layer.get_config()["axis"]), ([3], [3]))
        self.assertEqual(layer.input_spec.axes, {3: 5})
        again = layers.BatchNormalization.from_config(layer.get_config())
        self.assertEqual(again.axis, [3])

    def test_a_radial_constraint(self):
        kernel = np.arange(9.0).reshape(3, 3, 1, 1)
        found = keras.backend.eval(keras.constraints.RadialConstraint()(tf.constant(kernel)))
        expected = [[4, 4, 4], [4, 0, 4], [4, 4, 4]]
        np.testing.assert_allclose(found[:, :, 0, 0], expected)


if __name__ == "__main__":
    unittest.main()
