"""Layers in programs: training, reuse, unknown sizes, channels first, classes of one's own."""

import unittest

import numpy as np

import troupe as tf

IMAGES = np.sin(np.arange(2 * 6 * 5 * 2)).astype(np.float32).reshape(2, 6, 5, 2)


class LayersTest(tf.test.TestCase):
    def run_with(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)

    def test_a_network_of_layers_learns(self):
        x = tf.placeholder(tf.float32, [None, 6, 5, 2])
        y = tf.placeholder(tf.float32, [None, 1])
        hidden = tf.layers.conv2d(
            x, 4, 3, activation=tf.nn.relu, kernel_initializer=_small
        )
        hidden = tf.layers.batch_normalization(hidden, training=True)
        hidden = tf.layers.flatten(tf.layers.max_pooling2d(hidden, 2, 2))
        loss = tf.losses.mean_squared_error(
            y, tf.layers.dense(hidden, 1, kernel_initializer=_small)
        )
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        targets = [[1.0], [-1.0]]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(loss, {x: IMAGES, y: targets})
            for _ in range(20):
                session.run(step, {x: IMAGES, y: targets})
            self.assertLess(session.run(loss, {x: IMAGES, y: targets}), before / 10)
            (moving_mean,) = [
                v for v in tf.global_variables() if "moving_mean" in v.name
            ]
            self.assertGreater(np.abs(session.run(moving_mean)).max(), 0)

    def test_layers_with_channels_first_are_those_with_channels_last(self):
        first = tf.constant(np.moveaxis(IMAGES, -1, 1))
        for layer in (
            lambda x, **format: tf.layers.conv2d(
                x, 3, 2, kernel_initializer=_small, **format
            ),
            lambda x, **format: tf.layers.max_pooling2d(x, 2, 2, **format),
            lambda x, **format: tf.layers.average_pooling2d(x, 3, 1, "same", **format),
            lambda x, **format: tf.layers.conv2d_transpose(
                x, 3, 2, 2, kernel_initializer=_small, **format
            ),
            lambda x, **format: tf.layers.separable_conv2d(
                x,
                3,
                2,
                depthwise_initializer=_small,
                pointwise_initializer=_small,
                bias_initializer=_small,
                **format,
            ),
        ):
            last = layer(tf.constant(IMAGES))
            turned = layer(first, data_format="channels_first")
            self.assertEqual(turned.shape[1], last.shape[-1])
            expected, found = self.run_with([last, turned])
            self.assertAllClose(
                np.moveaxis(expected, -1, 1), found, rtol=1e-4, atol=1e-5
            )
            tf.reset_default_graph()
            first = tf.constant(np.moveaxis(IMAGES, -1, 1))

    def test_sizes_that_are_known_in_a_step_alone(self):
        x = tf.placeholder(tf.float32, [None, None, None, 2])
        transposed = tf.layers.conv2d_transpose(x, 3, 3, 2, kernel_initializer=_small)
        wide = tf.placeholder(tf.float32, [None, None, 4])
        dense = tf.layers.dense(wide, 2, kernel_initializer=_small)
        flat = tf.layers.flatten(x)
        self.assertEqual(transposed.shape.as_list(), [None, None, None, 3])
        self.assertEqual(dense.shape.as_list(), [None, None, 2])
        values = self.run_with(
            [transposed, dense, flat], {x: IMAGES, wide: np.ones([2, 3, 4], np.float32)}
        )
        self.assertEqual(
            [value.shape for value in values], [(2, 13, 11, 3), (2, 3, 2), (2, 60)]
        )

    def test_a_tensor_may_say_whether_a_step_trains(self):
        training = tf.placeholder(tf.bool, [])
        ones = tf.ones([1000])
        dropped = tf.layers.dropout(ones, 0.5, training=training)
        x = tf.constant([[1.0], [3.0]])
        normal = tf.layers.batch_normalization(x, training=training, epsilon=0.0)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(normal, {training: False}), [[1], [3]])
            session.run(updates, {training: False})
            self.assertAllClose(session.run(tf.global_variables()[2]), [0])
            self.assertAllClose(session.run(normal, {training: True}), [[-1], [1]])
            session.run(updates, {training: True})
            self.assertAllClose(session.run(tf.global_variables()[2]), [0.02])
            self.assertEqual(set(session.run(dropped, {training: True})), {0, 2})
            self.assertEqual(set(session.run(dropped, {training: False})), {1})

    def test_a_class_of_ones_own_makes_its_variables_when_it_is_called(self):
        class Scale(tf.layers.Layer):
            def build(self, input_shape):
                self.factor = self.add_weight(
                    "factor", [input_shape[-1]], initializer=_small
                )
                super().build(input_shape)

            def call(self, inputs, power=1):
                return inputs * self.factor**power

        layer = Scale(name="scale")
        with self.assertRaisesRegex(ValueError, "not been used yet"):
            layer.scope_name  # noqa: B018
        x = tf.ones([2, 3])
        once, squared = layer(x), layer.apply(x, power=2)
        self.assertEqual([v.name for v in layer.variables], ["scale/factor:0"])
        self.assertEqual((layer.scope_name, layer.count_params()), ("scale", 3))
        first, second = self.run_with([once, squared])
        self.assertAllClose(first**2, second)

    def test_a_layer_shows_its_name_its_size_and_whether_it_has_its_variables(self):
        dense = tf.layers.Dense(3)
        self.assertEqual(repr(dense), "<tf.layers.Dense name='dense_1' units=3 built=False>")
        dense(tf.ones([1, 2], tf.float64))
        shown = "<tf.layers.Dense name='dense_1' units=3 dtype='float64' built=True>"
        self.assertEqual(repr(dense), shown)
        self.assertEqual(
            repr(tf.layers.Conv2D(4, 3, name="c", dtype=tf.float32)),
            "<tf.layers.Conv2D name='c' filters=4 dtype='float32' built=False>",
        )
        self.assertEqual(
            repr(tf.layers.Flatten()), "<tf.layers.Flatten name='flatten_1' built=False>"
        )
        self.assertEqual(
            repr(tf.nn.rnn_cell.GRUCell(5)),
            "<tf.nn.rnn_cell.GRUCell name='gru_cell_1' num_units=5 built=False>",
        )

    def test_a_layer_that_is_not_set_up_shows_its_class(self):
        class Own(tf.layers.Dense):
            def __init__(self):
                self.units = 3

        self.assertRegex(repr(Own()), r"^<.*\.Own>$")

    def test_layers_state_the_shapes_of_their_outputs(self):
        shape = tf.TensorShape([None, 7, 6, 3])
        for layer, expected in (
            (tf.layers.Conv2D(4, 3, 2), [None, 3, 2, 4]),
            (tf.layers.Conv2D(4, 3, padding="same"), [None, 7, 6, 4]),
            (tf.layers.Conv2DTranspose(4, 3, 2), [None, 15, 13, 4]),
            (tf.layers.MaxPooling2D(2, 2), [None, 3, 3, 3]),
            (tf.layers.Flatten(), [None, 126]),
            (tf.layers.Dense(5), [None, 7, 6, 5]),
            (tf.layers.BatchNormalization(), [None, 7, 6, 3]),
        ):
            with self.subTest(layer.name):
                self.assertEqual(layer.compute_output_shape(shape).as_list(), expected)
                x = tf.placeholder(tf.float32, shape)
                self.assertEqual(layer(x).shape.as_list(), expected)

    def test_inputs_and_arguments_that_do_not_fit_are_refused(self):
        x = tf.ones([2, 3])
        for wrong, says in (
            (lambda: tf.layers.conv2d(x, 2, 2), "expected ndim=4, found ndim=2"),
            (lambda: tf.layers.dense(tf.ones([3]), 2), "expected min_ndim=2"),
            (
                lambda: tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 2),
                "last dimension",
            ),
            (lambda: tf.layers.conv1d(x, 2, [2, 2]), "tuple of 1 integers"),
            (lambda: tf.layers.conv1d(x, 2, 2, padding="some"), "padding"),
            (
                lambda: tf.layers.max_pooling2d(x, 2, 2, data_format="NHWC"),
                "data_format",
            ),
            (lambda: tf.layers.max_pooling2d(x, 2, None), "strides"),
            (lambda: tf.layers.batch_normalization(x, axis=2), "Invalid axis"),
            (lambda: tf.layers.dense(x, 2, name="fc", reuse=True), "does not exist"),
        ):
            with self.assertRaisesRegex(ValueError, says):
                wrong()
        layer = tf.layers.Dense(2)
        layer(x)
        with self.assertRaisesRegex(ValueError, "incompatible with the layer"):
            layer(tf.ones([2, 4]))


def _small(shape, dtype=None, partition_info=None):
    sizes = [int(size) for size in shape]
    return tf.constant(
        np.cos(np.arange(np.prod(sizes))).reshape(sizes) * 0.5, tf.float32
    )


class NetworksTest(tf.test.TestCase):
    def test_attributes_that_do_not_fit_are_refused(self):
        images = tf.constant(IMAGES)
        for wrong, says in (
            (
                lambda: tf.nn.conv2d(images, tf.ones([2, 2, 2, 1]), [1, 2, 3], "SAME"),
                "length 1, 2",
            ),
            (
                lambda: tf.nn.conv2d(images, tf.ones([2, 2, 2, 1]), 1, [[0, 0]]),
                "size 4",
            ),
            (lambda: tf.nn.max_pool(images, 2, 2, "SAME", "NHCW"), "data_format"),
            (lambda: tf.nn.pool(images, [2, 2], "MIN", "SAME"), "MAX"),
            (
                lambda: tf.nn.convolution(tf.ones([2]), tf.ones([2]), "SAME"),
                "rank of 3 or 4 or 5",
            ),
            (
                lambda: tf.nn.fused_batch_norm(images, [1.0], [0.0], is_training=False),
                "needed",
            ),
            (lambda: tf.nn.bias_add(images, [1.0], "CHWN"), "N...C"),
            (lambda: tf.nn.embedding_lookup([images, images], [0], "odd"), "strategy"),
            (
                lambda: tf.nn.max_pool([1], 2, 2, "SAME", input=images),
                "Cannot specify both",
            ),
            (
                lambda: tf.nn.weighted_moments(
                    images, 0, 1.0, keep_dims=True, keepdims=True
                ),
                "both",
            ),
        ):
            with self.assertRaisesRegex(ValueError, says):
                wrong()
        with self.assertRaisesRegex(ValueError, "windows with gaps"):
            tf.nn.pool(images, [2, 2], "MAX", "SAME", dilation_rate=[2, 2])

    def test_random_layers_follow_their_seeds_and_shapes(self):
        tf.set_random_seed(7)
        rows = tf.nn.dropout(tf.ones([40, 5]), rate=0.5, noise_shape=[None, 1], seed=3)
        noisy = tf.train.noisy_linear_cosine_decay(0.1, 10, 100, initial_variance=0.01)
        with tf.Session() as session:
            values, rate = session.run([rows, noisy])
            self.assertAllEqual(values, np.repeat(values[:, :1], 5, 1))
            self.assertEqual(set(values.ravel()), {0, 2})
            self.assertNear(rate, 0.1 * (0.9 * 0.97553 + 0.001), 0.05)

    def test_checks_while_a_graph_is_built(self):
        x = tf.ones([2], name="checked")
        self.assertEqual(tf.assert_type(x, tf.float32).type, "NoOp")
        self.assertEqual(tf.debugging.assert_integer(tf.constant(1)).type, "NoOp")
        self.assertIs(tf.assert_same_float_dtype([x], tf.float32), tf.float32)
        scalar = tf.constant(1.0)
        self.assertIs(tf.assert_scalar(scalar), scalar)
        tf.assert_proper_iterable([x])
        for kind, wrong, says in (
            (TypeError, lambda: tf.assert_type(x, tf.int32, "told"), "told.*checked"),
            (TypeError, lambda: tf.assert_integer(x), "integer type"),
            (ValueError, lambda: tf.assert_scalar(x), "scalar shape"),
            (TypeError, lambda: tf.assert_proper_iterable(x), "proper"),
            (
                ValueError,
                lambda: tf.assert_same_float_dtype([x], tf.float64),
                "float64",
            ),
            (
                ValueError,
                lambda: tf.assert_same_float_dtype([tf.constant(1)]),
                "floating",
            ),
        ):
            with self.assertRaisesRegex(kind, says):
                wrong()


if __name__ == "__main__":
    unittest.main()
