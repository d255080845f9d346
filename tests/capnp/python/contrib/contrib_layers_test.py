"""Layers of tf.contrib: their results, and the names and collections of their variables."""

import unittest

import numpy as np

import troupe as tf

layers = tf.contrib.layers
X = np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 9.0]], np.float32)
WEIGHTS = np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 1.0]], np.float32)


class ContribLayersTest(tf.test.TestCase):
    def run_tensor(self, tensor):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(tensor)

    def names(self, key=tf.GraphKeys.GLOBAL_VARIABLES):
        return [each.op.name for each in tf.get_collection(key)]

    def test_rows_are_normalized_by_their_own_moments(self):
        rows = np.random.RandomState(0).rand(2, 3, 4).astype(np.float32)
        outputs = layers.layer_norm(
            rows, begin_norm_axis=-1, variables_collections={"beta": ["b"]}, outputs_collections="o"
        )
        last = (rows - rows.mean(-1, keepdims=True)) / rows.std(-1, keepdims=True)
        self.assertAllClose(self.run_tensor(outputs), last, 1e-5, 1e-5)
        self.assertEqual(tf.get_collection("o"), [outputs])
        self.assertEqual([v.op.name for v in tf.get_collection("b")], ["LayerNorm/beta"])
        names = ["LayerNorm/beta", "LayerNorm/gamma"]
        for key in ("variables", "trainable_variables", "model_variables"):
            self.assertEqual(self.names(key), names)
        beta, gamma = tf.global_variables()
        with tf.control_dependencies([beta.initializer, gamma.initializer]):
            changed = [beta.assign([1, 2, 3, 4]), gamma.assign([2, 2, 2, 2])]
        again = layers.layer_norm(rows, scope="LayerNorm", reuse=True, activation_fn=tf.nn.relu)
        whole = rows - rows.mean((1, 2), keepdims=True)
        whole = whole / rows.std((1, 2), keepdims=True) * 2 + [1, 2, 3, 4]
        with tf.Session() as session:
            session.run(changed)
            self.assertAllClose(session.run(again), np.maximum(whole, 0), 1e-5, 1e-5)

    def test_parameters_of_rows_are_as_asked_for(self):
        rows = tf.placeholder(tf.float16, [None, 2, 3])
        layers.layer_norm(rows, begin_params_axis=1, center=False, scope="a", trainable=False)
        (gamma,) = tf.global_variables()
        self.assertEqual((gamma.op.name, gamma.shape.as_list()), ("a/gamma", [2, 3]))
        self.assertEqual((gamma.dtype.base_dtype, tf.trainable_variables()), (tf.float16, []))
        for options, text in (
            ({"begin_params_axis": 0}, "not fully defined"),
            ({"begin_params_axis": 3}, "must be <"),
            ({"begin_norm_axis": 3}, "must be <"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                layers.layer_norm(rows, **options)
        with self.assertRaisesRegex(ValueError, "undefined rank"):
            layers.layer_norm(tf.placeholder(tf.float32))

    def test_a_fully_connected_layer_has_weights_and_biases(self):
        options = {
            "weights_initializer": tf.constant_initializer(WEIGHTS),
            "biases_initializer": tf.constant_initializer(0.5),
        }
        product = X @ WEIGHTS + 0.5
        outputs = layers.fully_connected(X, 3, outputs_collections="ends", **options)
        self.assertAllClose(self.run_tensor(outputs), np.maximum(product, 0))
        self.assertEqual(tf.get_collection("ends"), [outputs])
        self.assertAllClose(self.run_tensor(layers.linear(X, 3, **options)), product)
        expected = [
            f"fully_connected{suffix}/{kind}"
            for suffix in ("", "_1")
            for kind in ("weights", "biases")
        ]
        for key in ("variables", "trainable_variables", "model_variables"):
            self.assertEqual(self.names(key), expected)

    def test_a_layer_is_reused_by_its_scope(self):
        collections = {"weights": ["w"], "biases": ["b"]}
        first = layers.linear(X, 3, scope="top", variables_collections=collections)
        again = layers.linear(X, 3, scope="top", reuse=True)
        self.assertEqual(self.names(), ["top/weights", "top/biases"])
        self.assertEqual(self.names("w") + self.names("b"), ["top/weights", "top/biases"])
        self.assertAllEqual(*self.run_tensor([first, again]))
        with self.assertRaisesRegex(ValueError, "num_outputs type"):
            layers.linear(X, 3.0)

    def test_a_normalizer_replaces_the_biases(self):
        halved = lambda outputs, by: outputs / by  # noqa: E731
        outputs = layers.linear(
            X, 3, normalizer_fn=halved, normalizer_params={"by": 2.0},
            weights_initializer=tf.constant_initializer(WEIGHTS),
        )  # fmt: skip
        self.assertEqual(self.names(), ["fully_connected/weights"])
        self.assertAllClose(self.run_tensor(outputs), X @ WEIGHTS / 2)

    def test_a_convolution_and_pools_are_those_of_the_ops(self):
        images = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) - 16
        ones = tf.ones_initializer()
        convolved = layers.conv2d(images, 3, 3, stride=2, weights_initializer=ones, scope="first")
        expected = tf.nn.relu(tf.nn.conv2d(images, np.ones((3, 3, 2, 3)), [1, 2, 2, 1], "SAME"))
        self.assertAllClose(*self.run_tensor([convolved, tf.cast(expected, tf.float32)]))
        self.assertEqual(self.names(), ["first/weights", "first/biases"])
        blocks = images.reshape(1, 2, 2, 2, 2, 2)
        pooled = self.run_tensor([layers.max_pool2d(images, 2), layers.avg_pool2d(images, 2)])
        self.assertAllClose(pooled[0], blocks.max((2, 4)))
        self.assertAllClose(pooled[1], blocks.mean((2, 4)))
        self.assertEqual(self.run_tensor(layers.flatten(images)).shape, (1, 32))
        for layer in (layers.max_pool2d, layers.avg_pool2d):
            with self.assertRaisesRegex(ValueError, "either NCHW or NHWC"):
                layer(images, 2, data_format="HW")
        with self.assertRaisesRegex(ValueError, "input with rank 4, got 2"):
            layers.conv2d(X, 3, 3)

    def test_dropout_keeps_at_its_rate_in_training_only(self):
        kept = self.run_tensor(layers.dropout(np.ones((100, 100), np.float32), 0.8, seed=1))
        self.assertAllClose(np.unique(kept), [0, 1.25])
        self.assertAlmostEqual(np.mean(kept > 0), 0.8, delta=0.03)
        self.assertAllEqual(self.run_tensor(layers.dropout(X, 0.1, is_training=False)), X)

    def test_one_hot_rows_have_the_one_value_at_the_label(self):
        rows = self.run_tensor(layers.one_hot_encoding([2, 0], 3, on_value=5.0))
        self.assertAllEqual(rows, [[0, 0, 5], [5, 0, 0]])

    def test_batch_norm_normalizes_by_the_moments_of_the_batch(self):
        expected = (X - X.mean(0)) / np.sqrt(X.var(0) + 0.001)
        for fused in (None, False):
            with self.subTest(fused=fused), tf.Graph().as_default():
                outputs = layers.batch_norm(X, fused=fused)
                self.assertAllClose(self.run_tensor(outputs), expected, rtol=1e-4)
                kinds = ("beta", "moving_mean", "moving_variance")
                self.assertEqual(self.names(), [f"BatchNorm/{kind}" for kind in kinds])
                self.assertEqual(self.names("trainable_variables"), ["BatchNorm/beta"])
                self.assertEqual(len(tf.get_collection("update_ops")), 2)

    def test_batch_norm_moves_its_averages_where_updates_run(self):
        average = 0.1 * X.mean(0)
        outputs = layers.batch_norm(X, decay=0.9, updates_collections=None, scope="norm")
        other = layers.batch_norm(X, decay=0.9, updates_collections="mine", scope="other")
        self.assertEqual(tf.get_collection("update_ops"), [])
        self.assertEqual(len(tf.get_collection("mine")), 2)
        mean, later = (tf.contrib.framework.get_unique_variable(f"{scope}/moving_mean")
                       for scope in ("norm", "other"))  # fmt: skip
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([outputs, other])
            self.assertAllClose(session.run(mean), average, rtol=1e-5)
            self.assertAllEqual(session.run(later), [0, 0])
            session.run(tf.get_collection("mine"))
            self.assertAllClose(session.run(later), average, rtol=1e-5)
            with tf.variable_scope("", reuse=True):
                still = layers.batch_norm(X, is_training=False, scope="norm")
            variance = session.run("norm/moving_variance:0")
            wanted = (X - average) / np.sqrt(variance + 0.001)
            self.assertAllClose(session.run(still), wanted, rtol=1e-4)

    def test_batch_norm_corrects_what_it_normalizes_by_its_averages(self):
        clipping = {"rmax": 2.0, "dmax": 0.5}
        outputs = layers.batch_norm(
            X,
            renorm=True,
            renorm_clipping=clipping,
            renorm_decay=0.5,
            adjustment=lambda shape: (tf.ones(shape[-1:]) * 3, tf.ones(shape[-1:])),
        )
        stddev = np.sqrt(X.var(0) + 0.001)
        # The averages begin with the mean 0 and the deviation 1.
        r, d = np.minimum(stddev, 2), np.clip(X.mean(0), -0.5, 0.5)
        corrected = (X - X.mean(0)) / stddev * r + d
        self.assertAllClose(self.run_tensor(outputs), 3 * corrected + 1, rtol=1e-4)
        kinds = ("beta", "moving_mean", "moving_variance", "moving_stddev", "renorm_mean",
                 "renorm_stddev")  # fmt: skip
        self.assertEqual(self.names(), [f"BatchNorm/{kind}" for kind in kinds])


class RegularizersTest(tf.test.TestCase):
    def test_regularizers_are_scaled_sums(self):
        with tf.Session() as session:
            one, two = layers.l1_regularizer(0.5), layers.l2_regularizer(0.1)
            self.assertAllClose(session.run(one(X)), 0.5 * np.abs(X).sum())
            self.assertAllClose(session.run(two(X)), 0.05 * (X**2).sum())
            both = layers.l1_l2_regularizer(0.5, 0.1)(X)
            self.assertAllClose(session.run(both), 0.5 * np.abs(X).sum() + 0.05 * (X**2).sum())
            total = layers.apply_regularization(two, [X, X])
            self.assertAllClose(session.run(total), 0.1 * (X**2).sum())
        self.assertEqual(tf.losses.get_regularization_losses(), [total])
        self.assertIsNone(layers.l1_regularizer(0.0)(X))
        for scale, words in ((1, "cannot be an integer"), (-0.5, "less than 0")):
            with self.assertRaisesRegex(ValueError, words):
                layers.l2_regularizer(scale)
        with self.assertRaisesRegex(ValueError, "No weights to regularize"):
            layers.apply_regularization(two)

    def test_variables_are_in_each_collection_once(self):
        keys = [tf.GraphKeys.TRAINABLE_VARIABLES, "mine"]
        for collections in (keys, {"beta": keys, "moving_mean": ["mine"]}):
            with tf.Graph().as_default():
                layers.batch_norm(tf.zeros([2, 3]), scope="n", variables_collections=collections)
                for key in keys:
                    names = [each.op.name for each in tf.get_collection(key)]
                    self.assertEqual(len(names), len(set(names)))
                    self.assertIn("n/beta", names)

    def test_losses_of_layers_are_in_their_collection_once(self):
        for reuse in (None, True):
            layers.linear(X, 2, scope="top", reuse=reuse,
                          weights_regularizer=layers.l2_regularizer(0.1))  # fmt: skip
        self.assertEqual(len(tf.losses.get_regularization_losses()), 1)

    def test_initializers_have_the_variance_of_their_connections(self):
        shape = [3, 3, 20, 60]
        inputs, outputs = 180, 540
        cases = [
            (layers.xavier_initializer(seed=1), 2 / (inputs + outputs)),
            (layers.xavier_initializer(False, seed=1), 2 / (inputs + outputs)),
            (layers.variance_scaling_initializer(seed=1), 2 / inputs),
            (layers.variance_scaling_initializer(3.0, "FAN_OUT", True, seed=1), 3 / outputs),
        ]
        with tf.Session() as session:
            for initializer, variance in cases:
                values = session.run(initializer(shape))
                self.assertAllClose(np.var(values), variance, rtol=0.05)
        with self.assertRaisesRegex(TypeError, "Unknown mode ALL"):
            layers.variance_scaling_initializer(mode="ALL")
        with self.assertRaisesRegex(TypeError, "non-floating"):
            layers.xavier_initializer(dtype=tf.int32)


if __name__ == "__main__":
    unittest.main()
