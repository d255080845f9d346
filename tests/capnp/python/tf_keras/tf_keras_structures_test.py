"""Tuples, dicts and nested lists that layers and models of tf.keras take and give."""

import collections
import unittest

import numpy as np

import troupe as tf

keras = tf.keras
layers = keras.layers
Pair = collections.namedtuple("Pair", "one other")
X = np.ones([2, 3], np.float32)


class Giving(layers.Layer):
    """A layer that gives what a function makes of a tensor and its double."""

    def __init__(self, function, **kwargs):
        super().__init__(**kwargs)
        self.function = function

    def call(self, inputs):
        return self.function(inputs, 2.0 * inputs)


class Taking(layers.Layer):
    """A layer that adds what a function finds in the inputs."""

    def __init__(self, function, **kwargs):
        super().__init__(**kwargs)
        self.function = function

    def build(self, input_shape):
        self.shapes = [each.as_list() for each in self.function(input_shape)]
        self.built = True

    def call(self, inputs):
        return tf.add_n(list(self.function(inputs)))


class Two(keras.Model):
    """A model of a dict that gives a tuple."""

    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2)

    def call(self, inputs):
        return self.dense(inputs["a"]), self.dense(inputs["b"])


class StructuresTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        keras.backend.clear_session()

    def test_results_keep_their_structure(self):
        inputs = keras.Input((3,))
        for function, chosen in (
            (lambda x, y: (x, y), lambda found: found[1]),
            (lambda x, y: {"x": x, "y": y}, lambda found: found["y"]),
            (Pair, lambda found: found.other),
            (lambda x, y: [x, (y, x)], lambda found: found[1][0]),
        ):
            found = Giving(function)(inputs)
            self.assertIs(type(found), type(function(1, 2)))
            model = keras.Model(inputs, chosen(found))
            self.assertAllEqual(model.predict(X), 2 * X)
            self.assertAllEqual(keras.backend.eval(model(tf.constant(X))), 2 * X)
        self.assertIsInstance(layers.Lambda(lambda x: (x, x))(inputs), tuple)
        found = layers.Lambda(lambda x: (x, 2.0 * x))(tf.placeholder_with_default(X, None))
        self.assertAllEqual(keras.backend.eval(found[1]), 2 * X)

    def test_inputs_keep_their_structure(self):
        one, other = keras.Input((3,)), keras.Input((3,))
        for structure, function, count, total in (
            ((one, other), lambda x: (x[0], x[1]), 2, 3),
            ({"a": one, "b": other}, lambda x: (x["a"], x["b"]), 2, 3),
            ([one, [other, one]], lambda x: (x[0], x[1][0], x[1][1]), 3, 4),
        ):
            layer = Taking(function)
            found = layer(structure)
            self.assertEqual(layer.shapes, [[None, 3]] * count)
            model = keras.Model([one, other], found)
            self.assertAllEqual(model.predict([X, X]), count * X)
            self.assertAllEqual(keras.backend.eval(model([X, 2 * X]))[0, 0], total)

    def test_models_have_structures_of_inputs_and_results(self):
        one = keras.Input((3,))
        model = keras.Model({"a": one}, {"o": layers.Lambda(lambda x: x + 1.0)(one)})
        self.assertAllEqual(model.predict(X), X + 1)

    def test_models_of_programs_take_dicts_and_give_tuples(self):
        model = Two()
        found = model({"a": tf.constant(X), "b": tf.constant(X)})
        self.assertIsInstance(found, tuple)
        self.assertEqual(found[1].shape.as_list(), [2, 2])
        model = Two()
        model.compile("sgd", ["mse", "mse"])
        model.fit({"a": X, "b": X}, [np.ones([2, 2])] * 2, verbose=0)
        self.assertEqual([each.shape for each in model.predict({"a": X, "b": X})], [(2, 2)] * 2)

    def test_shapes_of_results_are_as_those_of_tensors(self):
        shape = layers.Dense(2).compute_output_shape((None, 3))
        self.assertEqual((shape.as_list(), shape.ndims), ([None, 2], 2))


if __name__ == "__main__":
    unittest.main()
