"""Configurations of layers, cells, initializers and specifications: as TensorFlow 1.15 has them."""

import json

import numpy as np

import troupe as tf

CELLS = tf.nn.rnn_cell
ZEROS = {"class_name": "Zeros", "config": {"dtype": "float32"}}
X = np.arange(8, dtype=np.float32).reshape(2, 4)

LAYERS = [
    lambda: tf.layers.Dense(3, tf.nn.relu, kernel_initializer=tf.constant_initializer(2.0)),
    lambda: tf.layers.Conv1D(2, 3),
    lambda: tf.layers.Conv2D(2, 3, padding="same", activation="tanh"),
    lambda: tf.layers.Conv3D(2, 3, strides=2),
    lambda: tf.layers.SeparableConv1D(2, 3),
    lambda: tf.layers.SeparableConv2D(2, 3),
    lambda: tf.layers.Conv2DTranspose(2, 3),
    lambda: tf.layers.Conv3DTranspose(2, 3),
    lambda: tf.layers.BatchNormalization(momentum=0.5),
    lambda: tf.layers.Dropout(0.3, seed=4),
    lambda: tf.layers.Flatten(),
    lambda: tf.layers.MaxPooling2D(2, 2),
    lambda: tf.layers.AveragePooling3D(2, 2),
    lambda: CELLS.BasicRNNCell(3),
    lambda: CELLS.GRUCell(3, bias_initializer=tf.ones_initializer()),
    lambda: CELLS.BasicLSTMCell(3, forget_bias=0.5),
    lambda: CELLS.LSTMCell(3, use_peepholes=True, num_proj=2),
    lambda: CELLS.ResidualWrapper(CELLS.GRUCell(2)),
    lambda: CELLS.DropoutWrapper(CELLS.LSTMCell(2), 0.5, seed=1),
    lambda: CELLS.DeviceWrapper(CELLS.GRUCell(2), "/cpu:0"),
]

INITIALIZERS = {
    tf.zeros_initializer: {"dtype": "float32"},
    tf.ones_initializer: {"dtype": "float32"},
    tf.constant_initializer: {"value": 0, "dtype": "float32"},
    tf.random_uniform_initializer: {
        "minval": 0, "maxval": None, "seed": None, "dtype": "float32",
    },
    tf.random_normal_initializer: {
        "mean": 0.0, "stddev": 1.0, "seed": None, "dtype": "float32",
    },
    tf.uniform_unit_scaling_initializer: {"factor": 1.0, "seed": None, "dtype": "float32"},
    tf.variance_scaling_initializer: {
        "scale": 1.0, "mode": "fan_in", "distribution": "truncated_normal", "seed": None,
        "dtype": "float32",
    },
    tf.glorot_uniform_initializer: {"seed": None, "dtype": "float32"},
    tf.orthogonal_initializer: {"gain": 1.0, "seed": None, "dtype": "float32"},
    tf.initializers.identity: {"gain": 1.0, "dtype": "float32"},
    tf.contrib.framework.convolutional_orthogonal_2d: {
        "gain": 1.0, "seed": None, "dtype": "float32",
    },
}  # fmt: skip


class ConfigurationsTest(tf.test.TestCase):
    def test_that_of_a_layer_is_tensorflows(self):
        config = tf.layers.Dense(3, tf.nn.relu, name="own").get_config()
        rest = dict.fromkeys(
            "kernel_initializer kernel_regularizer bias_regularizer activity_regularizer "
            "kernel_constraint bias_constraint dtype".split()
        )
        expected = {
            "name": "own", "trainable": True, "units": 3, "activation": "relu", "use_bias": True,
            "bias_initializer": ZEROS, **rest,
        }  # fmt: skip
        self.assertEqual(config, expected)

    def test_a_layer_of_one_has_the_same(self):
        for make in LAYERS:
            layer = make()
            config = layer.get_config()
            with self.subTest(layer=layer):
                again = type(layer).from_config(config)
                self.assertIs(type(again), type(layer))
                self.assertEqual(again.get_config(), config)
                json.dumps(config)

    def test_a_layer_of_one_computes_the_same(self):
        layer = LAYERS[0]()
        again = tf.layers.Dense.from_config({**layer.get_config(), "name": "again"})
        results = [layer(tf.constant(X)), again(tf.constant(X))]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            one, other = session.run(results)
        self.assertAllClose(one, other)

    def test_a_class_with_arguments_must_tell_them(self):
        class Plain(tf.layers.Layer):
            pass

        class Sized(tf.layers.Layer):
            def __init__(self, size, **kwargs):
                super().__init__(**kwargs)
                self.size = size

        class Told(Sized):
            def get_config(self):
                return {**super().get_config(), "size": self.size}

        self.assertEqual(Plain().get_config()["trainable"], True)
        with self.assertRaisesRegex(NotImplementedError, "must override `get_config`"):
            Sized(2).get_config()
        self.assertEqual(Told.from_config(Told(2).get_config()).size, 2)

    def test_functions_of_wrappers_have_none(self):
        cell = CELLS.ResidualWrapper(CELLS.GRUCell(2), lambda inputs, outputs: outputs)
        with self.assertRaisesRegex(NotImplementedError, "residual_fn"):
            cell.get_config()
        config = CELLS.ResidualWrapper(CELLS.GRUCell(2)).get_config()
        config["cell"]["class_name"] = "Unknown"
        with self.assertRaisesRegex(ValueError, "Unknown cell"):
            CELLS.ResidualWrapper.from_config(config)

    def test_those_of_initializers_are_tensorflows(self):
        for kind, expected in INITIALIZERS.items():
            with self.subTest(kind=kind):
                self.assertEqual(kind().get_config(), expected)
                self.assertEqual(kind.from_config(expected).get_config(), expected)

    def test_an_initializer_of_one_makes_the_same_values(self):
        made = tf.constant_initializer([1, 2], tf.int32)
        again = tf.constant_initializer.from_config(made.get_config())
        with tf.Session() as session:
            self.assertAllEqual(session.run(again([2])), [1, 2])

    def test_that_of_a_specification_has_the_name_of_its_dtype(self):
        spec = tf.layers.InputSpec(min_ndim=2, axes={-1: 3}, dtype=tf.float32)
        self.assertEqual(spec.get_config()["dtype"], "float32")
        self.assertEqual(repr(tf.layers.InputSpec.from_config(spec.get_config())), repr(spec))

    def test_arguments_may_be_names(self):
        layer = tf.layers.Dense(
            3, "relu", kernel_initializer="ones", kernel_regularizer="l2",
            kernel_constraint="non_neg",
        )  # fmt: skip
        result = layer(tf.constant(-X))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(result), np.zeros((2, 3)))
            self.assertAllClose(session.run(layer.losses), [0.12])
        self.assertEqual(tf.layers.Dense(3).activation(5), 5)
        with self.assertRaises(ValueError):
            tf.layers.Dense(3, "no such activation")

    def test_signatures_are_of_the_layers_dtype(self):
        layer = tf.layers.Dense(3, dtype=tf.float64)
        signature = layer.compute_output_signature(tf.TensorSpec([None, 4], tf.float32))
        self.assertEqual((signature.shape.as_list(), signature.dtype), ([None, 3], tf.float64))
        with self.assertRaisesRegex(TypeError, "TensorSpec"):
            layer.compute_output_signature([3])


if __name__ == "__main__":
    tf.test.main()
