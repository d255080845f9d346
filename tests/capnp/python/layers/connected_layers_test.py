"""Layers of `tf.layers` are layers of `tf.keras`: by their class, in models, and what they tell."""

import numpy as np

import troupe as tf

K = tf.keras.layers
ONES = tf.ones_initializer()
X = np.arange(8, dtype=np.float32).reshape(2, 4)


class Scale(tf.layers.Layer):
    """Multiplies its inputs by a variable, and tells their sum."""

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = size

    def build(self, input_shape):
        self.factor = self.add_weight("factor", [self.size], initializer=ONES)
        super().build(input_shape)

    def call(self, inputs):
        self.add_metric(tf.reduce_sum(inputs), aggregation="mean", name="total")
        return inputs * self.factor


class ConnectedLayersTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.keras.backend.clear_session()
        tf.reset_default_graph()

    def test_they_are_layers_of_keras_of_the_same_kinds_and_modules(self):
        for layer, kind in (
            (tf.layers.Dense(3), K.Dense),
            (tf.layers.Conv2D(1, 1), K.Conv2D),
            (tf.layers.BatchNormalization(), K.BatchNormalization),
            (tf.layers.MaxPooling1D(2, 2), K.MaxPooling1D),
        ):
            self.assertIsInstance(layer, K.Layer)
            self.assertIsInstance(layer, kind)
            self.assertIsInstance(layer, tf.Module)
        self.assertIsInstance(tf.nn.rnn_cell.LSTMCell(3), K.Layer)
        self.assertNotIsInstance(tf.layers.Dense(3), K.Conv2D)
        self.assertNotIsInstance(K.Dense(3), tf.layers.Layer)
        self.assertFalse(issubclass(tf.layers.Layer, tf.keras.Model))

    def test_a_layer_that_was_not_called_has_no_inputs(self):
        layer = tf.layers.Dense(3)
        layer(tf.constant(X))  # which is of no model
        for name in ("input", "output", "input_shape", "output_shape", "input_mask"):
            with self.assertRaises(AttributeError):
                getattr(layer, name)
        with self.assertRaisesRegex(RuntimeError, "never been called"):
            layer.get_input_at(0)
        self.assertEqual(layer.inbound_nodes, [])

    def test_a_layer_knows_its_calls_in_models(self):
        layer, given = tf.layers.Dense(3), tf.keras.Input((4,))
        result = layer(given)
        self.assertIs(layer.input, given)
        self.assertIs(layer.get_output_at(0), result)
        self.assertEqual((layer.input_shape, layer.output_shape), ((None, 4), (None, 3)))
        self.assertIsNone(layer.output_mask)
        with self.assertRaisesRegex(ValueError, "only 1 inbound nodes"):
            layer.get_input_at(1)
        layer(tf.keras.Input((4,)))
        self.assertEqual(len(layer.inbound_nodes), 2)
        with self.assertRaisesRegex(AttributeError, "multiple inbound nodes"):
            layer.input.shape

    def test_a_model_of_them_computes_and_learns_as_one_of_keras(self):
        losses = []
        for dense in (tf.layers.Dense, K.Dense):
            tf.keras.backend.clear_session()
            model = tf.keras.Sequential(
                [
                    K.InputLayer((4,)),
                    dense(3, "tanh", kernel_initializer=tf.constant_initializer(0.1)),
                    dense(1, kernel_initializer=tf.constant_initializer(0.5)),
                ]
            )
            model.compile("sgd", "mse")
            fitted = model.fit(X, X[:, 0], epochs=3, shuffle=False, verbose=0)
            losses.append((fitted.history["loss"], model.predict(X)))
            self.assertEqual([len(model.weights), model.count_params()], [4, 19])
        self.assertAllClose(losses[0], losses[1])

    def test_a_model_that_is_called_again_has_the_weights_that_it_has(self):
        layer = tf.layers.Dense(2, kernel_initializer=ONES)
        model = tf.keras.Sequential([K.InputLayer((4,)), layer, Scale(2)])
        model.compile("sgd", "mse")
        result = model(tf.constant(X))
        session = tf.keras.backend.get_session()
        self.assertAllClose(model.predict(X), session.run(result))
        self.assertEqual(len(model.weights), 3)
        self.assertEqual(len(model.trainable_weights), 3)

    def test_losses_and_updates_of_its_layers_are_those_of_the_model(self):
        model = tf.keras.Sequential(
            [
                K.InputLayer((4,)),
                tf.layers.Dense(2, kernel_regularizer=tf.nn.l2_loss, kernel_initializer=ONES),
                tf.layers.BatchNormalization(),
            ]
        )
        self.assertEqual(len(model.losses), 1)
        model.compile("sgd", "mse")
        loss = model.evaluate(np.zeros((2, 4)), np.zeros((2, 2)), verbose=0)
        self.assertAllClose(loss, 4.0)

    def test_layers_of_keras_have_the_weights_of_those_in_them(self):
        class Both(K.Layer):
            def __init__(self):
                super().__init__()
                self.dense = tf.layers.Dense(2, kernel_initializer=ONES)

            def call(self, inputs):
                return self.dense(inputs)

        both = Both()
        both(tf.constant(X))
        self.assertEqual(len(both.trainable_weights), 2)
        self.assertEqual(both.submodules, (both.dense,))

    def test_a_wrapper_applies_one_to_each_time(self):
        given = tf.keras.Input((5, 4))
        layer = K.TimeDistributed(tf.layers.Dense(3, kernel_initializer=ONES))
        model = tf.keras.Model(given, layer(given))
        self.assertAllClose(model.predict(np.ones((2, 5, 4))), np.full((2, 5, 3), 4.0))
        self.assertEqual(model.output_shape, (None, 5, 3))

    def test_values_of_variables_are_those_of_the_session_of_keras(self):
        layer = tf.layers.Dense(2)
        result = layer(tf.constant(X))
        layer.set_weights([np.full((4, 2), 2.0), np.ones(2)])
        self.assertAllClose(layer.get_weights()[0], np.full((4, 2), 2.0))
        expected = 2 * X.sum(1, keepdims=True) + np.ones((2, 2))
        self.assertAllClose(tf.keras.backend.get_session().run(result), expected)
        with self.assertRaisesRegex(ValueError, "expecting 2 weights"):
            layer.set_weights([np.ones(2)])
        with self.assertRaisesRegex(ValueError, "not compatible"):
            layer.set_weights([np.ones(2), np.ones(2)])

    def test_weights_and_shapes_may_be_given_when_it_is_made(self):
        layer = tf.layers.Dense(2, weights=[np.ones((4, 2)), np.zeros(2)], input_shape=(4,))
        self.assertEqual(layer.batch_input_shape, (None, 4))
        model = tf.keras.Sequential([layer])
        self.assertAllClose(model.predict(X), np.repeat(X.sum(1, keepdims=True), 2, 1))
        with self.assertRaisesRegex(TypeError, "not understood"):
            tf.layers.Dense(2, unknown=3)

    def test_metrics_are_means_of_what_is_added(self):
        layer = Scale(4)
        layer(tf.constant(X))
        self.assertEqual([each.name for each in layer.metrics], ["total"])
        with self.assertRaisesRegex(ValueError, "only `mean`"):
            layer.add_metric(tf.constant(1.0), aggregation="sum", name="other")
        with self.assertRaisesRegex(ValueError, "aggregation='mean'"):
            layer.add_metric(tf.constant(1.0))

    def test_masks_reach_layers_that_ask_for_them(self):
        class Masked(tf.layers.Layer):
            supports_masking = True

            def call(self, inputs, mask=None):
                return inputs if mask is None else tf.cast(mask, tf.float32)[..., None] * 9.0

        given = tf.keras.Input((3, 1))
        model = tf.keras.Model(given, Masked()(K.Masking()(given)))
        values = model.predict(np.array([[[1.0], [0.0], [2.0]]]))
        self.assertAllClose(values, [[[9.0], [0.0], [9.0]]])
        with self.assertRaisesRegex(TypeError, "does not support masking"):
            tf.layers.Conv2D(1, 1).compute_mask(None, tf.constant(True))

    def test_layers_of_the_style_of_keras_have_variables_of_their_own(self):
        with tf.layers.experimental.keras_style_scope():
            layers = [tf.layers.Dense(2) for _ in range(2)]
            with self.assertRaisesRegex(ValueError, "neither a scope nor reuse"):
                tf.layers.Dense(2, _scope="one")
        with tf.variable_scope("outer", reuse=tf.AUTO_REUSE):
            for layer in layers:
                layer(tf.constant(X))
        names = [variable.op.name for layer in layers for variable in layer.weights]
        self.assertEqual(
            names,
            [f"outer/dense_{number}/{kind}" for number in (1, 2) for kind in ("kernel", "bias")],
        )
        self.assertFalse(tf.layers.Dense(2)._keras_style)

    def test_a_layer_has_specifications_of_all_inputs(self):
        class First(tf.layers.Layer):
            def call(self, inputs):
                return inputs[0]

        layer = First()
        layer.input_spec = [tf.layers.InputSpec(ndim=2), tf.layers.InputSpec(ndim=1)]
        self.assertEqual(layer([tf.constant(X), tf.constant([1.0])]).shape, [2, 4])
        for inputs, why in (([X, X], "expected ndim=1"), ([X], "expects 2 inputs")):
            with self.assertRaisesRegex(ValueError, why):
                layer([tf.constant(each) for each in inputs])
        with self.assertRaisesRegex(TypeError, "must be an instance of InputSpec"):
            layer.input_spec = 3


if __name__ == "__main__":
    tf.test.main()
