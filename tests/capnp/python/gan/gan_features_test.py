"""Conditions, pools, clipped and normalized weights of `tf.contrib.gan.features`."""

import unittest

import numpy as np

import troupe as tf

features = tf.contrib.gan.features


class FeaturesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()

    def values(self, fetches, feed_dict=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feed_dict)

    def test_a_linear_function_of_conditions_is_added(self):
        tensor = np.random.RandomState(0).rand(5, 2, 3).astype(np.float32)
        conditions = np.random.RandomState(1).rand(5, 2, 2).astype(np.float32)
        for shape in ([5, 2, 3], [None, 2, 3]):
            tf.reset_default_graph()
            fed = tf.placeholder(tf.float32, shape)
            found = features.condition_tensor(fed, tf.constant(conditions))
            found, variables = self.values([found, tf.trainable_variables()], {fed: tensor})
            mapped = conditions.reshape(5, 4) @ variables[0] + variables[1]
            self.assertAllClose(found, tensor + mapped.reshape(5, 2, 3), rtol=1e-5)

    def test_conditions_of_unknown_or_small_shapes_are_refused(self):
        conditions = tf.zeros([5, 2])
        for tensor, wrong in (
            (tf.placeholder(tf.float32, [5, None]), conditions), (tf.zeros([5, 2]), tf.zeros([5])),
        ):  # fmt: skip
            with self.assertRaises(ValueError):
                features.condition_tensor(tensor, wrong)
        for labels in (tf.zeros([5]), tf.placeholder(tf.float32, [5, None])):
            with self.assertRaises(ValueError):
                features.condition_tensor_from_onehot(tf.zeros([5, 2]), labels)

    def test_classes_have_embeddings(self):
        labels = np.float32([[0, 1, 0], [1, 0, 0], [0, 1, 0]])
        found = features.condition_tensor_from_onehot(tf.zeros([3, 4]), tf.constant(labels), 7)
        found, variables = self.values([found, tf.trainable_variables()])
        table, weights, biases = variables
        self.assertEqual(table.shape, (3, 7))
        self.assertAllClose(found, table[[1, 0, 1]] @ weights + biases, rtol=1e-5, atol=1e-6)

    def test_no_element_of_clipped_variables_is_too_large(self):
        x = tf.Variable([1.0, -3.0, 0.25])
        free = tf.Variable([5.0])
        optimizer = features.clip_variables(tf.train.GradientDescentOptimizer(0.5), [x], 0.75)
        step = optimizer.minimize(tf.reduce_sum(x) + tf.reduce_sum(free))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            found, other = session.run([x, free])
        self.assertAllClose(found, [0.5, -0.75, -0.25])
        self.assertAllClose(other, [4.5])
        with self.assertRaisesRegex(ValueError, "must be positive"):
            features.clip_variables(optimizer, [x], -1)

    def test_the_weights_of_a_discriminator_are_clipped(self):
        def network(data, *_):
            return tf.layers.dense(data, 2, name="dense", kernel_initializer=tf.ones_initializer())

        zeros = np.zeros([2, 2], np.float32)
        model = tf.contrib.gan.gan_model(network, network, zeros, zeros)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        clipped = features.clip_discriminator_weights(optimizer, model, 0.01)
        kernel, _ = model.discriminator_variables
        other, _ = model.generator_variables
        step = clipped.minimize(tf.reduce_sum(kernel) + tf.reduce_sum(other))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllClose(session.run(kernel), np.full([2, 2], 0.01))
            self.assertAllClose(session.run(other), np.full([2, 2], 0.9))


class TensorPoolTest(tf.test.TestCase):
    def outputs(self, count, **options):
        """The results for the inputs 0, 1, ..., each with its double."""
        with tf.Graph().as_default(), tf.Session() as session:
            fed = tf.placeholder(tf.float32, [2])
            pooled = features.tensor_pool({"one": fed, "two": [2 * fed]}, **options)
            self.assertEqual(pooled["one"].shape.as_list(), [2])
            found = []
            for number in range(count):
                values = session.run(pooled, {fed: [number, number + 0.5]})
                self.assertAllClose(values["two"][0], 2 * values["one"])
                found.append(int(values["one"][0]))
            return found

    def test_a_pool_that_is_not_full_gives_its_input(self):
        self.assertEqual(self.outputs(10, pool_size=10, pooling_probability=1.0), list(range(10)))

    def test_a_full_pool_gives_each_value_once(self):
        found = self.outputs(60, pool_size=10, pooling_probability=1.0)
        self.assertEqual(found[:10], list(range(10)))
        later = found[10:]
        self.assertEqual(len(set(later)), 50)
        for number, value in enumerate(later, 10):
            self.assertLess(value, number)

    def test_a_full_pool_gives_older_values_by_a_probability(self):
        found = self.outputs(210, pool_size=10, pooling_probability=0.5)
        current = sum(number == value for number, value in enumerate(found[10:], 10))
        self.assertBetween(current, 60, 140)
        self.assertEqual(self.outputs(30, pool_size=5, pooling_probability=0), list(range(30)))

    def test_without_a_size_there_is_no_pool(self):
        values = [tf.constant(1.0)]
        self.assertIs(features.tensor_pool(values, pool_size=0), values)
        with self.assertRaisesRegex(ValueError, "negative"):
            features.tensor_pool(values, pool_size=-1)


class SpectralNormalizationTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        tf.set_random_seed(1)

    weights = np.random.RandomState(0).randn(3, 3, 4, 5).astype(np.float32)
    norm = np.linalg.svd(weights.reshape(-1, 5), compute_uv=False)[0]

    def test_the_largest_singular_value_is_found_by_rounds_or_by_steps(self):
        for rounds, steps in ((50, 1), (1, 50)):
            tf.reset_default_graph()
            found = features.compute_spectral_norm(tf.constant(self.weights), rounds)
            (vector,) = tf.global_variables()
            self.assertEqual(vector.op.name, "spectral_norm/spectral_norm_u")
            self.assertEqual(vector.shape.as_list(), [36, 1])
            self.assertEqual(tf.trainable_variables(), [])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for _ in range(steps):
                    value = session.run(found)
            self.assertAllClose(value, self.norm, rtol=1e-4)
            self.assertEqual(value.shape, ())

    def test_weights_are_divided_by_it(self):
        found = features.spectral_normalize(tf.constant(self.weights), 60)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value = session.run(found)
        self.assertAllClose(value, self.weights / self.norm, rtol=1e-3, atol=1e-5)

    def test_its_vectors_are_constants_for_gradients(self):
        weights = tf.constant(self.weights)
        gradient = tf.gradients(features.compute_spectral_norm(weights), weights)[0]
        (vector,) = tf.global_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            left = session.run(vector)
            found = session.run(gradient)
        matrix = self.weights.reshape(-1, 5)
        right = matrix.T @ left
        right /= np.linalg.norm(right)
        left = matrix @ right
        left /= np.linalg.norm(left)
        expected = np.outer(left, right).reshape(self.weights.shape)
        self.assertAllClose(found, expected, rtol=1e-4, atol=1e-5)

    def test_a_regularizer_is_a_multiple_of_it(self):
        tf.get_variable("w", initializer=self.weights,
                        regularizer=features.spectral_norm_regularizer(0.5, 60))  # fmt: skip
        loss = tf.losses.get_regularization_loss()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(loss), self.norm / 2, rtol=1e-4)
        self.assertIsNone(features.spectral_norm_regularizer(0.0)(None))
        for wrong in (1, -0.5):
            with self.assertRaisesRegex(ValueError, "scale"):
                features.spectral_norm_regularizer(wrong)

    def check_layers(self, layer):
        """A layer in a scope with the getter, which is called twice and shares its variables."""
        getter = features.spectral_normalization_custom_getter(power_iteration_rounds=60)
        images = np.random.RandomState(1).randn(2, 5, 5, 4).astype(np.float32)
        with tf.variable_scope("D", custom_getter=getter):
            layer(tf.constant(images))
        count = len(tf.global_variables())
        with tf.variable_scope("D", custom_getter=getter, reuse=True):
            found = layer(tf.constant(images))
        self.assertEqual(len(tf.global_variables()), count)
        kernel, bias = tf.trainable_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(bias.assign(np.arange(5)))
            found, weights = session.run([found, kernel])
        norm = np.linalg.svd(weights.reshape(-1, weights.shape[-1]), compute_uv=False)[0]
        return images, found, weights / norm

    def test_layers_get_normalized_weights_and_plain_biases(self):
        images, found, weights = self.check_layers(lambda x: tf.layers.dense(x, 5, name="dense"))
        self.assertAllClose(found, images @ weights + np.arange(5), rtol=1e-3, atol=1e-3)

    def test_layers_of_contrib_get_them_too(self):
        images, found, weights = self.check_layers(
            lambda x: tf.contrib.layers.fully_connected(x, 5, None, scope="dense")
        )
        self.assertAllClose(found, images @ weights + np.arange(5), rtol=1e-3, atol=1e-3)

    def test_variables_that_cannot_be_normalized_are_refused(self):
        getter = features.spectral_normalization_custom_getter(lambda name: True)
        with tf.variable_scope("scope", custom_getter=getter):
            with self.assertRaisesRegex(ValueError, "multi-dimensional"):
                tf.get_variable("vector", [3])
            with self.assertRaisesRegex(ValueError, "data type"):
                tf.get_variable("integers", [3, 3], tf.int32)
            with self.assertRaisesRegex(ValueError, "internal variables"):
                tf.get_variable("matrix", [3, 3])
        with self.assertRaisesRegex(ValueError, "callable"):
            features.spectral_normalization_custom_getter("kernel")
        with self.assertRaisesRegex(ValueError, "positive"):
            features.compute_spectral_norm(tf.zeros([2, 2]), 0)


class VirtualBatchNormTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()

    def values(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def expected(self, reference, batch, axis, batch_axis=0):
        """Normalized as NumPy does it, one example after the other."""
        axis, ndim = axis % reference.ndim, reference.ndim
        others = tuple(each for each in range(ndim) if each != axis)
        count = reference.shape[batch_axis]
        mean = reference.mean(others, keepdims=True)
        squares = np.square(reference).mean(others, keepdims=True)
        results = []
        for example in np.split(batch, batch.shape[batch_axis], batch_axis):
            both = [
                (count * old + new) / (count + 1)
                for old, new in (
                    (mean, example.mean(others, keepdims=True)),
                    (squares, np.square(example).mean(others, keepdims=True)),
                )
            ]
            results.append((example - both[0]) / np.sqrt(both[1] - both[0] ** 2 + 1e-3))
        return np.concatenate(results, batch_axis)

    def test_examples_are_normalized_by_themselves_and_the_reference_batch(self):
        random = np.random.RandomState(0)
        for shape, axis, batch_axis in (
            ([6, 4], -1, 0), ([6, 3, 5, 4], -1, 0), ([6, 4, 3, 5], 1, 0), ([4, 6, 3], 0, 1),
            ([3, 6, 4], 2, 1),
        ):  # fmt: skip
            tf.reset_default_graph()
            reference = random.randn(*shape).astype(np.float32) + 2
            wanted = list(shape)
            wanted[batch_axis] = 3
            batch = random.randn(*wanted).astype(np.float32)
            layer = features.VBN(tf.constant(reference), axis=axis, batch_axis=batch_axis)
            found = self.values(layer(tf.constant(batch)))
            expected = self.expected(reference, batch, axis, batch_axis)
            self.assertAllClose(found, expected, rtol=1e-3, atol=1e-4, msg=str(shape))

    def test_the_reference_batch_is_normalized_as_by_batch_normalization(self):
        reference = np.random.RandomState(0).randn(8, 3, 3, 4).astype(np.float32)
        layer = features.VBN(tf.constant(reference), name="norm", epsilon=0.01)
        plain = tf.layers.batch_normalization(tf.constant(reference), epsilon=0.01, training=True)
        found, plain = self.values([layer.reference_batch_normalization(), plain])
        self.assertAllClose(found, plain, rtol=1e-3, atol=1e-4)

    def test_variables_are_shared_among_calls_and_may_be_left_out(self):
        reference = tf.zeros([4, 3])
        layer = features.VBN(
            reference, name="norm", gamma_initializer=tf.constant_initializer(2.0),
            beta_initializer=tf.constant_initializer(5.0),
        )  # fmt: skip
        found = self.values([layer(reference), layer(reference)])
        self.assertAllClose(found, np.full([2, 4, 3], 5.0))
        names = [each.op.name for each in tf.trainable_variables()]
        self.assertEqual(names, ["norm/beta", "norm/gamma"])
        features.VBN(reference, center=False, scale=False)(reference)
        self.assertEqual(len(tf.global_variables()), 2)
        features.VBN(reference, trainable=False)
        self.assertEqual(len(tf.trainable_variables()), 2)

    def test_axes_and_shapes_that_do_not_fit_are_refused(self):
        reference = tf.zeros([4, 3])
        for wrong in ({"axis": 2}, {"axis": -3}, {"axis": 0}, {"batch_axis": 1}):
            with self.assertRaises(ValueError):
                features.VBN(reference, **wrong)
        with self.assertRaisesRegex(ValueError, "unknown dimensions"):
            features.VBN(tf.placeholder(tf.float32))
        with self.assertRaises(ValueError):
            features.VBN(reference)(tf.zeros([4, 5]))


if __name__ == "__main__":
    unittest.main()
