"""Layers, losses and metrics of `tf.keras` give the numbers of TensorFlow 1.15's."""

import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers


class NumbersTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(keras.backend.clear_session)

    def applied(self, layer, *shapes):
        """A model of one layer with weights from -0.5 to 0.7, and its results for sines."""
        inputs = [keras.Input(shape[1:]) for shape in shapes]
        model = keras.Model(inputs, layer(inputs if len(inputs) > 1 else inputs[0]))
        model.set_weights(
            [np.linspace(-0.5, 0.7, w.size).reshape(w.shape) for w in model.get_weights()]
        )
        given = [
            np.sin(np.arange(np.prod(shape)) + i).reshape(shape).astype("f")
            for i, shape in enumerate(shapes)
        ]
        return model, given, model.predict(given)

    def check(self, numbers, expected, **options):
        np.testing.assert_allclose(np.ravel(numbers), expected, rtol=0, atol=1.1e-5, **options)

    def test_layers_of_tensorflow(self):
        for layer, shapes, expected in (
            (
                layers.LayerNormalization(axis=[1, 2]), [(1, 2, 3)],
                [-0.47940, -0.55625, -0.04469, 0.25450, -0.04739, -0.27063],
            ),
            (
                layers.Attention(use_scale=True, causal=True), [(1, 2, 3), (1, 2, 3)],
                [0.84147, 0.90930, 0.14112, 0.34453, 0.32842, 0.01036],
            ),
            (
                layers.AdditiveAttention(), [(1, 2, 3), (1, 2, 3)],
                [-0.11549, -0.20930, -0.11067, -0.12402, -0.21926, -0.11292],
            ),
            (layers.LSTM(2), [(1, 3, 2)], [0.02503, 0.08053]),
            (layers.GRU(2), [(1, 3, 2)], [0.28538, 0.42037]),
            (
                layers.UpSampling2D((1, 2), interpolation="bilinear"), [(1, 1, 3, 1)],
                [0.0, 0.21037, 0.63110, 0.85843, 0.89234, 0.90930],
            ),
        ):  # fmt: skip
            self.check(self.applied(layer, *shapes)[2], expected, err_msg=layer.name)

    def test_masks_hide_values_and_results_of_attention(self):
        query, value = keras.Input((2, 3)), keras.Input((2, 3))
        masked = [layers.Masking(0.0)(each) for each in (query, value)]
        model = keras.Model([query, value], layers.Attention()(masked))
        q, v = np.ones((1, 2, 3)), np.ones((1, 2, 3))
        q[0, 1] = v[0, 0] = 0
        self.check(model.predict([q, v]), [1, 1, 1, 0, 0, 0])
        with self.assertRaisesRegex(ValueError, "Given length: 1"):
            layers.Attention()([query])

    def test_moving_variances_are_those_of_the_batch(self):
        model, given, result = self.applied(layers.BatchNormalization(), (4, 2))
        model.compile("sgd", "mse")
        model.fit(given, result, verbose=0, batch_size=4)
        self.check(model.get_weights()[3], [-0.49132, 0.69791])

    def test_regularizers_of_results_are_means_over_the_batch(self):
        model, given, result = self.applied(layers.Dense(2, activity_regularizer="l2"), (4, 2))
        model.compile("sgd", "mse")
        self.assertAlmostEqual(model.evaluate(given, result, verbose=0), 0.011681, places=5)

    def test_optimizers_have_tensorflow_s_rates_and_metrics_the_names_of_their_functions(self):
        model, given, _ = self.applied(layers.Dense(2, activation="softmax"), (4, 2))
        model.compile("adagrad", "cosine_similarity", metrics=[keras.metrics.MeanIoU(2)])
        classes = np.eye(2)[[0, 1, 1, 0]]
        history = model.fit(given, classes, verbose=0, shuffle=False).history
        self.check([history["loss"][0], history["mean_io_u"][0]], [0.575033, 0.25])
        self.check(model.get_weights()[0], [-0.501, -0.099, 0.299, 0.701])

    def test_what_is_measured_has_tensorflow_s_names(self):
        model, given, _ = self.applied(layers.Dense(2, activation="softmax"), (4, 2))
        model.compile(
            "sgd", "categorical_crossentropy", weighted_metrics=["acc"],
            metrics=["accuracy", "mae", keras.metrics.AUC(name="area")],
        )  # fmt: skip
        history = model.fit(given, np.eye(2)[[0, 1, 1, 0]], verbose=0, shuffle=False).history
        self.assertEqual(
            list(history), ["loss", "acc", "mean_absolute_error", "area", "weighted_acc"]
        )
        self.check(list(history.values()), [0.990554, 0.5, 0.539193, 0.5, 0.5])

    def test_errors_may_be_relative(self):
        metric = keras.metrics.MeanRelativeError(np.array([1.0, 2.0, 0.0], "f"))
        update = metric.update_state(tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 4.0, 4.0]))
        with keras.backend.get_session() as session:
            session.run(update)
            self.assertAlmostEqual(session.run(metric.result()), 2 / 3, places=6)


if __name__ == "__main__":
    unittest.main()
