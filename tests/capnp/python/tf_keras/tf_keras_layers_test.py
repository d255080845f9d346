"""Layers and models of `tf.keras` have TensorFlow's names, methods and files."""

import os
import tempfile
import unittest
from unittest import mock

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers


class Scaled(layers.Layer):
    """A layer as programs for TensorFlow write it: shapes are TensorShapes."""

    def build(self, input_shape):
        self.size = input_shape[-1].value
        self.scale = self.add_variable(
            "scale", shape=[self.size], initializer=tf.ones_initializer(), dtype=tf.float32
        )
        self.shift = self.add_weight("shift", (input_shape[-1],), use_resource=True)
        super().build(input_shape)

    def call(self, inputs):
        self.add_metric(tf.reduce_mean(inputs), aggregation="mean", name="level")
        return tf.concat([inputs, inputs * self.scale + self.shift], 1)


class LayerCase(unittest.TestCase):
    def setUp(self):
        keras.backend.clear_session()
        self.addCleanup(keras.backend.clear_session)


class NamesTest(LayerCase):
    def test_averages_are_not_among_what_optimizers_train(self):
        tf.keras.layers.BatchNormalization(name="own")(tf.zeros([2, 3]), training=True)
        names = [variable.op.name for variable in tf.trainable_variables()]
        self.assertEqual(names[-2:], ["own/gamma", "own/beta"])

    def test_weights_are_kept_as_they_are_told_to_be(self):
        layer = layers.Layer()
        sum_, on_read = tf.VariableAggregation.SUM, tf.VariableSynchronization.ON_READ
        weight = layer.add_weight(
            "w", (), aggregation=sum_, synchronization=on_read, collections=["own"]
        )
        self.assertEqual((weight.aggregation, weight.synchronization), (sum_, on_read))
        self.assertFalse(weight.trainable)
        self.assertEqual(tf.get_collection("own"), [weight])
        self.assertEqual(tf.global_variables() + tf.trainable_variables(), [])
        self.assertEqual(np.shape(keras.backend.get_value(weight)), ())  # which it begins with
        with self.assertRaisesRegex(ValueError, "ON_READ"):
            layer.add_weight("w", (), synchronization=on_read, trainable=True)
        with mock.patch("troupe._src.platform.logging.warning") as warning:
            layer.add_weight("w", (), getter=tf.get_variable)
        self.assertIn("getter", str(warning.call_args))

    def test_the_second_of_a_kind_is_the_first_with_a_number(self):
        model = keras.Sequential([layers.Dense(2, input_shape=(3,)), layers.Dense(2)])
        self.assertEqual(
            [model.name, *(v.name for v in model.variables)],
            ["sequential", "dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0"],
        )
        self.assertEqual(model.input_names, ["dense_input"])
        self.assertEqual(keras.Input((1,)).name, "input_1:0")
        self.assertEqual(keras.Sequential().name, "sequential_1")

    def test_weights_of_models_are_in_the_order_of_their_layers(self):
        model = keras.Sequential(
            [layers.Dense(2, input_shape=(3,)), layers.BatchNormalization(), layers.Dense(2)]
        )
        names = [variable.name.split(":")[0].split("/")[1] for variable in model.weights]
        moving = ["moving_mean", "moving_variance"]
        self.assertEqual(
            names, ["kernel", "bias", "gamma", "beta", *moving, "kernel", "bias"]
        )
        shapes = [tuple(variable.shape.as_list()) for variable in model.weights]
        self.assertEqual([w.shape for w in model.get_weights()], shapes)

    def test_results_of_one_layer_are_told_apart(self):
        given = keras.Input((3, 2))
        model = keras.Model(given, layers.SimpleRNN(2, return_state=True)(given))
        self.assertEqual(model.output_names, ["simple_rnn", "simple_rnn_1"])

    def test_variables_of_a_model_with_a_function_have_its_name_in_front(self):
        class MyModel(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = layers.Dense(1)

            def call(self, inputs):
                return self.dense(inputs)

        model = MyModel()
        model.compile("sgd", "mse")
        model.fit(np.ones((2, 3)), np.ones((2, 1)), verbose=0)
        names = [v.name for v in model.trainable_variables]
        self.assertEqual(names, ["my_model/dense/kernel:0", "my_model/dense/bias:0"])


class MethodsTest(LayerCase):
    def test_a_layer_of_a_program_gets_shapes_of_tensorflow_and_need_not_tell_any(self):
        model = keras.Sequential([Scaled(input_shape=(3,)), layers.Dense(2)])
        scaled, dense = model.layers
        self.assertEqual(scaled.size, 3)
        self.assertEqual(keras.backend.int_shape(dense.kernel), (6, 2))
        self.assertEqual(scaled.trainable_variables, [scaled.scale, scaled.shift])
        self.assertEqual(model.submodules[-2:], (scaled, dense))
        model.compile("sgd", "mse")
        history = model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0).history
        self.assertEqual(history["level"], [1.0])
        around = keras.Input((3,))
        self.assertEqual(model(around).shape.as_list(), [None, 2])

    def test_a_layer_derived_from_another_gets_them_too(self):
        class Wider(layers.Dense):
            def build(self, input_shape):
                self.size = input_shape.as_list()[-1]
                super().build(input_shape)

            def compute_output_shape(self, input_shape):
                return tf.TensorShape([input_shape[0], self.units])

        layer = Wider(4)
        self.assertEqual(layer(keras.Input((3,))).shape.as_list(), [None, 4])
        self.assertEqual(layer.size, 3)
        self.assertEqual(layer.compute_output_shape((None, 3)), (None, 4))

    def test_sizes_that_layers_compute_are_numbers(self):
        given = keras.Input((3, 2))
        flat = layers.Flatten()(given)
        self.assertEqual(repr(keras.backend.int_shape(flat)), "(None, 6)")
        reshaped = layers.Reshape((-1, 3))(given)
        self.assertEqual(repr(keras.backend.int_shape(reshaped)), "(None, 2, 3)")
        self.assertEqual(layers.Dense(4)(flat).shape.as_list(), [None, 4])

    def test_arguments_may_be_positional(self):
        dense = layers.Dense(4, "relu", False)
        self.assertEqual((dense.activation.__name__, dense.use_bias), ("relu", False))
        convolution = layers.Conv2D(4, (3, 3), 2, "same")
        self.assertEqual((convolution.strides, convolution.padding), ((2, 2), "same"))
        normalization = layers.BatchNormalization(-1, 0.9)
        self.assertEqual((normalization.axis, normalization.momentum), (-1, 0.9))

    def test_inputs_may_have_a_size_of_batch(self):
        given = keras.Input((3,), batch_size=4, dtype=tf.float32)
        self.assertEqual(keras.backend.int_shape(given), (4, 3))

    def test_arguments_without_a_meaning_here_are_taken_and_others_refused(self):
        layers.BatchNormalization(fused=False, virtual_batch_size=None)
        layers.LocallyConnected1D(2, 3, implementation=1)
        with self.assertRaisesRegex(ValueError, "ragged=True is not supported"):
            layers.InputLayer((2,), ragged=True)

    def test_the_phase_may_be_set_for_a_while(self):
        backend = keras.backend
        with backend.learning_phase_scope(1):
            self.assertEqual(backend.learning_phase(), 1)
        self.assertIsInstance(backend.learning_phase(), tf.Tensor)

    def test_initial_values_are_those_of_tensorflow_s_initializers(self):
        for ours, other in (
            (keras.initializers.Orthogonal(2.0, seed=3), tf.orthogonal_initializer(2.0, seed=3)),
            (keras.initializers.Identity(2.0), tf.initializers.identity(2.0)),
        ):
            values = [keras.backend.eval(each((4, 4))) for each in (ours, other)]
            np.testing.assert_array_equal(*values)
            again = keras.initializers.deserialize(keras.initializers.serialize(ours))
            self.assertEqual(again.gain, 2.0)


# What TensorFlow 1.15 says of a model of a normalization and a dense layer.
OF_TENSORFLOW = """{"class_name": "Model", "config": {"name": "m", "layers": [
    {"name": "i", "class_name": "InputLayer", "inbound_nodes": [], "config": {"name": "i",
        "batch_input_shape": [null, 3], "dtype": "float32", "sparse": false, "ragged": false}},
    {"name": "b", "class_name": "BatchNormalization", "inbound_nodes": [[["i", 0, 0, {}]]],
     "config": {"name": "b", "trainable": true, "dtype": "float32", "axis": [1], "momentum": 0.99,
        "epsilon": 0.001, "center": true, "scale": true,
        "beta_initializer": {"class_name": "Zeros", "config": {"dtype": "float32"}},
        "gamma_initializer": {"class_name": "Ones", "config": {"dtype": "float32"}}}},
    {"name": "d", "class_name": "Dense", "inbound_nodes": [[["b", 0, 0, {}]]],
     "config": {"name": "d", "dtype": "float32", "units": 1, "activation": "linear",
        "kernel_initializer": {"class_name": "GlorotUniform",
                               "config": {"seed": null, "dtype": "float32"}}}}],
    "input_layers": [["i", 0, 0]], "output_layers": [["d", 0, 0]]},
  "keras_version": "2.2.4-tf", "backend": "tensorflow"}"""


class FilesTest(LayerCase):
    def test_what_tensorflow_says_of_a_model_makes_it_again(self):
        model = keras.models.model_from_json(OF_TENSORFLOW)
        self.assertEqual(model.predict(np.ones((2, 3))).shape, (2, 1))
        told = model.get_config()["layers"][-1]["config"]["kernel_initializer"]
        config = {"seed": None, "dtype": "float32"}
        self.assertEqual(told, {"class_name": "GlorotUniform", "config": config})
        self.assertTrue(model.to_json().endswith('"2.2.4-tf", "backend": "tensorflow"}'))

    def test_a_model_inside_of_another_is_in_files_as_in_tensorflow(self):
        inner = keras.Sequential([layers.BatchNormalization(input_shape=(2,)), layers.Dense(2)])
        outer = keras.Sequential([inner, layers.Dense(1)])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            outer.save_weights(path)
            graph = tf.train.checkpoint_exists(path) and tf.train.list_variables(path)
            names = [name.split("/.")[0] for name, _ in graph]
            self.assertIn("layer_with_weights-0/layer_with_weights-1/kernel", names)
            outer.save(f"{path}.h5")
            again = keras.models.load_model(f"{path}.h5")
            for ours, theirs in zip(outer.get_weights(), again.get_weights()):
                np.testing.assert_array_equal(ours, theirs)

    def model(self):
        model = keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.Dense(1)])
        model.compile("adam", "mse")
        return model

    def test_weights_are_a_checkpoint_unless_the_name_is_one_of_hdf5(self):
        model, given = self.model(), np.ones((4, 2))
        model.fit(given, np.ones((4, 1)), verbose=0)
        wanted = model.predict(given)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "weights")
            model.save_weights(path)
            model.save_weights(f"{path}.h5")
            self.assertEqual(tf.train.latest_checkpoint(folder), path)
            names = [name for name, _ in tf.train.list_variables(path)]
            self.assertIn("layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE", names)
            for name in (path, f"{path}.h5"):
                other = self.model()
                self.assertFalse(np.allclose(other.predict(given), wanted))
                other.load_weights(name)
                np.testing.assert_allclose(other.predict(given), wanted, rtol=1e-6)
            with self.assertRaisesRegex(NotImplementedError, "by_name=True"):
                model.load_weights(path, by_name=True)
            with self.assertRaisesRegex(ValueError, "looks like an HDF5 file"):
                model.save_weights(f"{path}.h5", save_format="tf")
            with self.assertRaises(FileExistsError):
                model.save_weights(path, overwrite=False)
        with self.assertRaisesRegex(ValueError, "Unknown format"):
            model.save("model", save_format="onnx")

    def test_an_optimizer_of_tensorflow_1_trains_and_is_not_saved(self):
        model = self.model()
        model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
        losses = model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=5, verbose=0).history["loss"]
        self.assertLess(losses[-1], losses[0])
        with self.assertRaises(NotImplementedError):
            model.optimizer.get_config()

    def test_wrappers_have_weights_of_their_own_besides(self):
        class Scaled(layers.Wrapper):
            def build(self, input_shape=None):
                super().build(input_shape)
                self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
                self.count = self.add_weight(name="count", shape=(), trainable=False)

            def call(self, inputs):
                return self.scale * self.layer(inputs)

        layer = Scaled(layers.Dense(2), input_shape=(3,))
        keras.Sequential([layer])
        self.assertEqual(len(layer.trainable_weights), 3)
        self.assertEqual(len(layer.non_trainable_weights), 1)
        self.assertEqual(len(layer.get_weights()), 4)
        layer.set_weights([np.float32(2), np.ones([3, 2]), np.zeros(2), np.float32(1)])
        self.assertEqual(keras.backend.get_value(layer.scale), 2)
        self.assertEqual(keras.backend.get_value(layer.layer.kernel).sum(), 6)

    def test_a_single_size_is_a_shape_that_layers_are_built_with(self):
        for kind, units in ((layers.GRUCell, 6), (layers.LSTMCell, 8), (layers.Dense, 2)):
            for shape in (3, (3,), tf.TensorShape([3])):
                layer = kind(2)
                layer.build(input_shape=shape)
                self.assertEqual(tuple(layer.kernel.shape), (3, units))
        cell = layers.SimpleRNNCell(2)
        cell.build(3)
        self.assertEqual(tuple(cell.kernel.shape), (3, 2))


if __name__ == "__main__":
    unittest.main()
