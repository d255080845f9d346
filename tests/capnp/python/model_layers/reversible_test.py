"""Reversible blocks, divisive normalization, and gradients that compute layers again."""

import unittest

import numpy as np

import troupe as tf

layers = tf.contrib.layers


def evaluated(value, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(value, feeds)


def dense(x):
    return tf.layers.dense(x, 4, activation=tf.tanh, bias_initializer=tf.ones_initializer())


class ReversibleTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(5)
        random = np.random.RandomState(5)
        self.inputs = [tf.constant(random.rand(3, 4), tf.float32) for _ in range(2)]

    def blocks(self, f, g, side=None, layers_count=3):
        """The same block with gradients that compute again, and with others."""
        with tf.variable_scope("scope") as scope:
            one = layers.rev_block(*self.inputs, f, g, layers_count, side)
        with tf.variable_scope(scope, reuse=True):
            other = layers.rev_block(*self.inputs, f, g, layers_count, side, is_training=False)
        return one, other

    def check_gradients(self, one, other, more=()):
        xs = [*self.inputs, *more, *tf.trainable_variables()]
        gradients = [
            tf.gradients([pair[0] * 2.0, tf.square(pair[1])], xs) for pair in (one, other)
        ]
        outputs, found = evaluated([[one, other], gradients])
        np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-5)
        for left, right in zip(*found):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)

    def test_gradients_are_those_of_plain_layers(self):
        self.check_gradients(*self.blocks(dense, dense))
        self.assertEqual(len(tf.trainable_variables()), 12)

    def test_side_inputs_have_gradients(self):
        side = tf.constant(np.random.RandomState(1).rand(3, 4), tf.float32)
        one, other = self.blocks(lambda x, side: dense(x * side[0]), dense, [side])
        self.check_gradients(one, other, [side])

    def test_each_layer_may_have_its_functions(self):
        functions = [dense, lambda x: tf.layers.dense(x, 4, use_bias=False), tf.sin]
        self.check_gradients(*self.blocks(functions, dense))
        with self.assertRaisesRegex(ValueError, "2 functions for 3 layers"):
            layers.RevBlock(functions[:2], dense, 3)

    def test_one_output_has_gradients_alone(self):
        one, other = self.blocks(dense, dense)
        found = evaluated([tf.gradients(pair[0], self.inputs) for pair in (one, other)])
        np.testing.assert_allclose(found[0], found[1], rtol=1e-4)

    def test_inputs_are_computed_of_outputs(self):
        block = layers.RevBlock(dense, dense, 2)
        inputs = block.backward(*block.forward(*self.inputs))
        found, wanted = evaluated([inputs, self.inputs])
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
        self.assertEqual(len(block.trainable_weights), 8)

    def test_gradients_keep_no_tensors_of_the_functions(self):
        self.blocks(lambda x: tf.sin(x, name="inner"), tf.cos)
        y = layers.rev_block(*self.inputs, lambda x: tf.sin(x, name="inner"), tf.cos)
        before = {op.name for op in tf.get_default_graph().get_operations()}
        tf.gradients(y, self.inputs)
        new = [op for op in tf.get_default_graph().get_operations() if op.name not in before]
        inner = [t.op.name for op in new for t in op.inputs if "revlayer" in t.op.name]
        self.assertEqual([name for name in inner if name in before], [])

    def test_a_decorator_of_recomputed_layers_takes_arguments(self):
        @layers.recompute_grad(use_data_dep=True, tupleize_grads=True)
        def doubled(x):
            return 2.0 * dense(x)

        with tf.variable_scope("scope"):
            y = doubled(self.inputs[0])
        gradient = tf.gradients(y, self.inputs[0])[0]
        self.assertEqual(evaluated(gradient).shape, (3, 4))


class DivisiveNormalizationTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_channels_are_divided_by_their_norm(self):
        for rank in (3, 4, 5):
            for place, axis in (("channels_last", -1), ("channels_first", 1)):
                x = np.random.RandomState(rank).rand(2, 3, 4, 3, 2)[(0,) * (5 - rank)]
                fed = tf.placeholder(tf.float32, x.shape)
                y = layers.gdn(fed, gamma_init=0.3, data_format=place)
                self.assertEqual(y.shape.as_list(), list(x.shape))
                np.testing.assert_allclose(
                    evaluated(y, {fed: x}), x / np.sqrt(1 + 0.3 * x**2), rtol=1e-4
                )

    def test_all_channels_are_in_the_norm(self):
        layer = layers.GDN(gamma_init=0.0)
        x = np.random.RandomState(2).rand(2, 3, 2).astype(np.float32)
        y = layer(tf.constant(x))
        gamma = np.array([[0.25, 1], [0.5, 2]], np.float32)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            variable = next(v for v in layer.weights if "gamma" in v.name)
            session.run(variable.assign(np.sqrt(gamma + 2.0**-36)))
            found = session.run(y)
        np.testing.assert_allclose(found, x / np.sqrt(1 + x**2 @ gamma), rtol=1e-4)

    def test_the_inverse_multiplies(self):
        x = np.random.RandomState(2).rand(1, 2, 3)
        fed = tf.placeholder(tf.float32, x.shape)
        y = evaluated(layers.gdn(fed, inverse=True), {fed: x})
        np.testing.assert_allclose(y, x * np.sqrt(1 + 0.1 * x**2), rtol=1e-4)

    def test_gradients_below_the_least_value_lead_upwards_only(self):
        x = tf.constant(np.ones([1, 1, 2]), tf.float32)
        layer = layers.GDN(beta_min=4.0)
        y = layer(x)
        beta = next(v for v in layer.weights if "beta" in v.name)
        up, down = evaluated([tf.gradients(s * tf.reduce_sum(y), beta)[0] for s in (-1.0, 1.0)])
        self.assertEqual(up.tolist(), [0, 0])
        self.assertTrue((down < 0).all())
        np.testing.assert_allclose(evaluated(layer.beta), [4, 4], rtol=1e-5)

    def test_wrong_shapes_and_formats_are_errors(self):
        with self.assertRaises(ValueError):
            layers.GDN(data_format="NHWC")
        for shape in ([1, 2], [1, 1, 1, 1, 1, 1], [1, 2, None]):
            with self.assertRaises(ValueError):
                layers.gdn(tf.placeholder(tf.float32, shape))
        self.assertEqual(layers.GDN().compute_output_shape([1, 2, 3]).as_list(), [1, 2, 3])
        with self.assertRaises(ValueError):
            layers.GDN().compute_output_shape([1, 2])

    def test_activations_of_integers_are_summarized(self):
        summary = layers.summarize_activation(tf.nn.relu(tf.constant([-1, 0, 5])))
        self.assertIn(b"activation", evaluated(summary))


if __name__ == "__main__":
    unittest.main()
