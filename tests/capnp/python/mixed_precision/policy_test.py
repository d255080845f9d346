"""Layers of Keras compute in the dtypes of their policies; the numbers are TensorFlow 1.15.5's."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
import troupe.as_tensorflow  # lets the test import by the places in TensorFlow's source
from tensorflow.python.keras.engine import base_layer_utils
from tensorflow.python.keras.mixed_precision.experimental import policy as policies

mixed = tf.keras.mixed_precision.experimental
ROWS = (np.arange(12).reshape(6, 2) / 8).astype("float32")
SUMS = ROWS.sum(1, keepdims=True)
HALVES = ("float16", "bfloat16")


def dense(units, policy=None, **kwargs):
    initializer = tf.constant_initializer(0.3)
    return tf.keras.layers.Dense(units, kernel_initializer=initializer, dtype=policy, **kwargs)


class Reader(tf.keras.layers.Layer):
    """Notes the dtypes in which it reads its weights."""

    def build(self, input_shape):
        self.w = self.add_weight("w", (), initializer="ones")
        self.v = self.add_weight("v", (), initializer="ones", experimental_autocast=False)
        self.built = True

    def call(self, inputs):
        tensors = [inputs, self.w, tf.identity(self.w), self.w * 2, self.w.value(), self.v]
        self.seen = [each.dtype.name for each in tensors]
        self.update = self.w.assign_add(1.0)
        return inputs * self.w


class PolicyCase(tf.test.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()

    def tearDown(self):
        mixed.set_policy(None)
        base_layer_utils.disable_v2_dtype_behavior()


class PolicyTest(PolicyCase):
    def test_a_name_says_both_dtypes(self):
        for name, compute, variable in (
            ("float64", "float64", "float64"),
            ("mixed_float16", "float16", "float32"),
            ("mixed_bfloat16", "bfloat16", "float32"),
            ("float16_with_float32_vars", "float16", "float32"),
            ("infer", None, None),
            ("infer_with_float32_vars", None, "float32"),
        ):
            made = mixed.Policy(name)
            self.assertEqual((made.compute_dtype, made.variable_dtype), (compute, variable))
            self.assertEqual(made.should_cast_variables, compute != variable)
        self.assertEqual(mixed.Policy("float32_with_float32_vars").name, "float32")

    def test_mixed_float16_alone_scales_losses_by_default(self):
        self.assertIsInstance(
            mixed.Policy("mixed_float16").loss_scale, tf.train.experimental.DynamicLossScale
        )
        self.assertIsNone(mixed.Policy("mixed_float16", None).loss_scale)
        for name in ("mixed_bfloat16", "float16_with_float32_vars", "infer"):
            self.assertIsNone(mixed.Policy(name).loss_scale)
        self.assertEqual(repr(mixed.Policy("infer")), '<Policy "infer", loss_scale=None>')

    def test_wrong_names_are_errors(self):
        with self.assertRaisesRegex(ValueError, "ends with _with_float32_vars, but x cannot"):
            mixed.Policy("x_with_float32_vars")
        with self.assertRaisesRegex(TypeError, "pass DType.name. Got: float16"):
            mixed.Policy(tf.float16)
        with self.assertRaisesRegex(TypeError, "must be a string, but got: 3"):
            mixed.Policy(3)

    def test_the_global_one_infers_the_dtype_unless_the_program_asks_for_the_other(self):
        self.assertEqual(mixed.global_policy().name, "infer")
        with self.assertRaisesRegex(ValueError, "can only be set to a non-infer policy"):
            mixed.set_policy("mixed_float16")
        mixed.set_policy("infer_with_float32_vars")
        self.assertEqual(mixed.global_policy().name, "infer_with_float32_vars")
        mixed.set_policy(None)
        base_layer_utils.enable_v2_dtype_behavior()
        self.assertEqual(mixed.global_policy().name, "float32")
        with policies.policy_scope("mixed_float16"):
            self.assertEqual(dense(1)._compute_dtype, "float16")
        self.assertEqual(mixed.global_policy().name, "float32")


class LayerTest(PolicyCase):
    def test_variables_are_read_in_the_dtype_of_the_computation(self):
        for half in HALVES:
            for name in (f"mixed_{half}", "infer_with_float32_vars"):
                layer = Reader(dtype=mixed.Policy(name))
                result = layer(tf.constant([1.0, 2.0], half))
                self.assertEqual(layer.seen, [half] * 5 + ["float32"])
                self.assertEqual([each.dtype.name for each in layer.weights], ["float32"] * 2)
                self.assertEqual((result.dtype.name, layer.dtype), (half, "float32"))
                self.assertEqual(layer.update.dtype.name, "float32")
        self.assertIn("shape=() dtype=float32 true_dtype=float32>", str(layer.weights))

    def test_inputs_are_cast_where_the_layer_is_told_to(self):
        x = tf.constant([1.0, 2.0])
        policy = mixed.Policy("mixed_float16")
        layer = Reader(dtype=policy, autocast=True)
        self.assertEqual(layer(x).dtype.name, "float16")
        with self.assertRaises((TypeError, ValueError)):
            Reader(dtype=policy)(x)
        self.assertEqual(dense(2, policy)(tf.constant(ROWS)).dtype.name, "float16")
        base_layer_utils.enable_v2_dtype_behavior()
        self.assertEqual(Reader(dtype=policy)(x).dtype.name, "float16")
        self.assertEqual(Reader()(tf.constant([1.0], "float64")).dtype.name, "float32")

    def test_gradients_are_of_the_dtype_of_the_variable(self):
        layer = dense(3, mixed.Policy("mixed_float16"))
        total = tf.reduce_sum(tf.cast(layer(tf.constant(ROWS, "float16")), "float32"))
        (gradient,) = tf.gradients(total, [layer.kernel])
        self.assertEqual(gradient.dtype.name, "float32")
        self.assertAllClose(self.evaluate(gradient), np.repeat(ROWS.sum(0)[:, None], 3, 1))

    def result_of(self, kind, half, inputs, **kwargs):
        layer = getattr(tf.keras.layers, kind)(dtype=mixed.Policy(f"mixed_{half}"), **kwargs)
        made = layer(inputs)
        self.assertEqual(made.dtype.name, half)
        self.assertTrue(all(each.dtype.name == "float32" for each in layer.weights))
        session = tf.keras.backend.get_session()
        session.run(tf.global_variables_initializer())
        return session.run(tf.cast(made, "float32")).ravel()[-1]

    def test_recurrent_layers_compute_in_16_bits(self):
        ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
        for half in HALVES:
            x = tf.cast(ROWS.reshape(6, 2, 1), half)
            for kind, number in (("LSTM", 0.925), ("GRU", 0.285), ("SimpleRNN", 0.999)):
                found = self.result_of(kind, half, x, units=3, recurrent_regularizer="l2", **ones)
                self.assertNear(found, number, 0.005)

    def test_other_layers_compute_in_16_bits(self):
        for half in HALVES:
            x = tf.cast(ROWS.reshape(6, 2, 1), half)
            ones = {"kernel_initializer": "ones"}
            self.assertEqual(self.result_of("Conv1D", half, x, filters=2, kernel_size=1, **ones),
                             1.375)
            self.assertNear(self.result_of("BatchNormalization", half, x), 1.375, 0.002)
            words = tf.constant([[1, 2]])
            found = self.result_of(
                "Embedding", half, words, input_dim=9, output_dim=2, embeddings_initializer="ones"
            )
            self.assertEqual(found, 1.0)

    def test_averages_of_batch_normalization_stay_float32(self):
        x = tf.keras.Input((2,), dtype="float16")
        layer = tf.keras.layers.BatchNormalization(dtype="float16", momentum=0.5)
        model = tf.keras.Model(x, layer(x))
        self.assertEqual([each.dtype.name for each in layer.weights], ["float32"] * 4)
        model.compile("sgd", "mse")
        model.fit(ROWS.astype("float16"), ROWS, batch_size=6, verbose=0)
        self.assertAllClose(model.get_weights()[2], ROWS.mean(0) / 2, rtol=1e-3)


class FitTest(PolicyCase):
    def test_a_model_trains_by_an_optimizer_that_scales_losses(self):
        for half in HALVES:
            policy = mixed.Policy(f"mixed_{half}")
            x = tf.keras.Input((2,))
            y = tf.keras.layers.Lambda(lambda t, half=half: tf.cast(t, half))(x)
            y = dense(1, policy)(dense(3, policy, activation="relu")(y))
            model = tf.keras.Model(x, tf.keras.layers.Lambda(lambda t: tf.cast(t, "float32"))(y))
            model.compile(mixed.LossScaleOptimizer(tf.keras.optimizers.SGD(0.05), 8), "mse")
            fitted = model.fit(ROWS, SUMS, epochs=3, batch_size=3, shuffle=False, verbose=0)
            self.assertAllClose(fitted.history["loss"], [1.2528, 0.449, 0.1551], rtol=0.02)
            self.assertAllClose(model.get_weights()[0], [[0.4186] * 3, [0.4328] * 3], atol=3e-4)
            self.assertEqual({each.dtype.name for each in model.get_weights()}, {"float32"})

    def model_under(self, half):
        base_layer_utils.enable_v2_dtype_behavior()
        mixed.set_policy(f"mixed_{half}")
        softmax = tf.keras.layers.Activation("softmax", dtype="float32")
        model = tf.keras.Sequential([dense(3, input_shape=(2,)), dense(2), softmax])
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["acc"])
        return model

    def test_a_model_under_the_global_policy_has_its_dtypes_and_its_loss_scale(self):
        for half, optimizer in (("float16", "LossScaleOptimizer"), ("bfloat16", "SGD")):
            model = self.model_under(half)
            self.assertEqual(type(model.optimizer).__name__, optimizer)
            self.assertEqual([each.dtype for each in model.layers], ["float32"] * 3)
            dtypes = [each.output.dtype.name for each in model.layers]
            self.assertEqual(dtypes, [half, half, "float32"])
            self.assertEqual(model.input.dtype.name, "float32")
            classes = np.array([0, 1] * 3)
            fitted = model.fit(ROWS, classes, epochs=3, batch_size=3, shuffle=False, verbose=0)
            self.assertAllClose(fitted.history["loss"], [0.69347, 0.69338, 0.69319], atol=6e-4)

    def test_a_class_of_models_casts_what_it_is_called_with(self):
        class Model(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = dense(1)

            def call(self, inputs):
                self.seen = inputs.dtype.name
                return self.dense(inputs)

        base_layer_utils.enable_v2_dtype_behavior()
        mixed.set_policy("mixed_float16")
        model = Model()
        model.compile("sgd", "mse")
        fitted = model.fit(ROWS, SUMS, epochs=2, batch_size=3, shuffle=False, verbose=0)
        self.assertEqual(model.seen, "float16")
        self.assertAllClose(fitted.history["loss"], [1.2587, 1.2279], rtol=2e-3)

    def test_weights_are_saved_in_their_own_dtype(self):
        model = self.model_under("float16")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("weights", "weights.h5"):
                path = os.path.join(folder, name)
                model.save_weights(path)
                before = model.get_weights()
                model.set_weights([each + 1 for each in before])
                model.load_weights(path)
                self.assertAllEqual(model.get_weights()[0], before[0])

    def test_a_loss_scale_asks_for_an_optimizer_of_keras(self):
        self.model_under("float16")
        model = tf.keras.Sequential([dense(1, input_shape=(2,))])
        with self.assertRaisesRegex(ValueError, "must be an instance of tf.keras.optimizers"):
            model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")

    def test_the_rate_is_that_of_the_other_optimizer(self):
        inner = tf.keras.optimizers.SGD(0.1)
        outer = mixed.LossScaleOptimizer(inner, 2)
        outer.lr = 0.5
        self.assertAllClose(tf.keras.backend.get_value(inner.lr), 0.5)


if __name__ == "__main__":
    unittest.main()
