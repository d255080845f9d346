"""Distributions of transformed samples, and of samples that depend on more than parameters."""

import math

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions
tfb = tfd.bijectors


def log_normal(loc, scale):
    return tfd.TransformedDistribution(tfd.Normal(loc, scale), tfb.Exp())


def normal_log_prob(x, loc=0.0, scale=1.0):
    z = (np.asarray(x) - loc) / scale
    return -0.5 * z**2 - np.log(scale) - 0.5 * np.log(2 * np.pi)


class TransformedTest(tf.test.TestCase):
    def test_probabilities_of_numbers(self):
        made = log_normal([0.5, 1.0], 2.0)
        y = np.array([[1.0, 2.0], [3.0, 0.5]], np.float32)
        logarithm = normal_log_prob(np.log(y), [0.5, 1.0], 2.0) - np.log(y)
        below = tfd.Normal([0.5, 1.0], 2.0).cdf(np.log(y))
        with self.session() as session:
            self.assertAllClose(session.run(made.log_prob(y)), logarithm, rtol=1e-5)
            self.assertAllClose(session.run(made.prob(y)), np.exp(logarithm), rtol=1e-5)
            cdf = session.run(below)
            self.assertAllClose(session.run(made.cdf(y)), cdf)
            self.assertAllClose(session.run(made.log_cdf(y)), np.log(cdf), rtol=1e-5)
            self.assertAllClose(session.run(made.survival_function(y)), 1 - cdf)
            found = session.run(made.log_survival_function(y))
            self.assertAllClose(found, np.log(1 - cdf), rtol=1e-5)
            self.assertAllClose(session.run(made.quantile(cdf)), y, rtol=1e-4)
        self.assertEqual(made.batch_shape, [2])
        self.assertEqual(made.event_shape, [])

    def test_samples_are_transformed(self):
        made = log_normal(1.0, 0.5)
        y = made.sample([500, 8], seed=1)
        self.assertEqual(y.shape, [500, 8])
        self.assertStartsWith(made.name, "expNormal")
        with self.session() as session:
            found, again = session.run([y, log_normal(1.0, 0.5).sample(2, seed=1)])
        self.assertAllClose(np.log(found).mean(), 1.0, atol=0.05)
        self.assertAllClose(np.log(found).std(), 0.5, atol=0.05)
        self.assertTrue((again > 0).all())

    def test_the_probability_of_a_sample_needs_no_inverse(self):
        made = tfd.TransformedDistribution(
            tfd.Normal(0.0, 1.0),
            tfb.Inline(
                forward_fn=tf.exp, forward_log_det_jacobian_fn=lambda x: x,
                forward_min_event_ndims=0,
            ),
        )  # fmt: skip
        y = made.sample(5)
        with self.session() as session:
            found, value = session.run([made.log_prob(y), y])
        self.assertAllClose(found, normal_log_prob(np.log(value)) - np.log(value), rtol=1e-4)

    def test_branches_of_an_inverse_are_added(self):
        made = tfd.TransformedDistribution(tfd.Normal(0.5, 1.0), tfb.AbsoluteValue())
        y = np.array([0.2, 1.5], np.float32)
        expected = np.exp(normal_log_prob(y, 0.5)) + np.exp(normal_log_prob(-y, 0.5))
        with self.session() as session:
            self.assertAllClose(session.run(made.prob(y)), expected)
            self.assertAllClose(session.run(made.log_prob(y)), np.log(expected), rtol=1e-5)
        with self.assertRaisesRegex(NotImplementedError, "injective"):
            made.cdf(y)

    def test_numbers_become_vectors(self):
        scale = np.array([[2.0, 0], [1, 0.5]], np.float32)
        made = tfd.TransformedDistribution(
            tfd.Normal(0.0, 1.0), tfb.Affine([1.0, -1.0], scale_tril=scale), event_shape=[2]
        )
        y = np.array([[1.0, 2.0], [0.0, 0.5], [3.0, -1.0]], np.float32)
        x = np.linalg.solve(scale, (y - [1.0, -1.0]).T).T
        expected = normal_log_prob(x).sum(1) - np.log(1.0)  # The determinant is 1.
        samples = made.sample(4000, seed=1)
        self.assertEqual(samples.shape, [4000, 2])
        self.assertEqual(made.log_prob(y).shape, [3])
        with self.session() as session:
            self.assertAllClose(session.run(made.log_prob(y)), expected, rtol=1e-4)
            self.assertAllClose(session.run(made.prob(y)), np.exp(expected), rtol=1e-4)
            found, entropy = session.run([samples, made.entropy()])
        self.assertAllClose(np.cov(found.T), scale @ scale.T, atol=0.3)
        self.assertAllClose(entropy, math.log(2 * math.pi * math.e), rtol=1e-5)
        with self.assertRaisesRegex(NotImplementedError, "event_shape"):
            made.cdf(y)

    def test_a_batch_of_numbers_becomes_a_batch_of_vectors(self):
        loc = np.array([0.0, 100.0], np.float32)
        made = tfd.TransformedDistribution(
            tfd.Normal(loc, 1.0), tfb.AffineScalar(scale=2.0), event_shape=[3]
        )
        self.assertEqual(made.batch_shape, [2])
        samples = made.sample([7, 4])
        self.assertEqual(samples.shape, [7, 4, 2, 3])
        y = np.random.RandomState(1).normal(size=[5, 2, 3]).astype(np.float32)
        y[:, 1] += 200
        expected = normal_log_prob(y / 2, loc[:, None]).sum(2) - 3 * np.log(2)
        with self.session() as session:
            found = session.run(samples)
            self.assertLess(np.abs(found[:, :, 0]).max(), 50)
            self.assertGreater(found[:, :, 1].min(), 150)
            self.assertAllClose(session.run(made.log_prob(y)), expected, rtol=1e-4)
            entropy = 3 * (0.5 * math.log(2 * math.pi * math.e) + math.log(2))
            self.assertAllClose(session.run(made.entropy()), [entropy, entropy], rtol=1e-5)

    def test_shapes_that_only_steps_know(self):
        batch, event = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
        made = tfd.TransformedDistribution(
            tfd.Normal(tf.placeholder_with_default(0.0, None), 1.0), tfb.AffineScalar(scale=2.0),
            batch_shape=batch, event_shape=event, validate_args=True,
        )  # fmt: skip
        samples = made.sample(5)
        value = np.ones([5, 2, 3], np.float32)
        nodes = [samples, made.log_prob(value), made.batch_shape_tensor(),
                 made.event_shape_tensor(), made.entropy()]  # fmt: skip
        with self.session() as session:
            drawn, log_prob, batch_sizes, event_sizes, entropy = session.run(
                nodes, {batch: [2], event: [3]}
            )
            self.assertEqual(drawn.shape, (5, 2, 3))
            self.assertAllEqual(batch_sizes, [2])
            self.assertAllEqual(event_sizes, [3])
            self.assertEqual(entropy.shape, (2,))
            expected = np.full([5, 2], 3 * (normal_log_prob(0.5) - np.log(2)))
            self.assertAllClose(log_prob, expected, rtol=1e-4)
            log_prob = session.run(nodes[1], {batch: [5, 2, 3], event: []})
            self.assertEqual(log_prob.shape, (5, 2, 3))
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(nodes[2], {batch: [0], event: [3]})

    def test_shapes_in_the_place_of_others_are_vectors_of_positive_numbers(self):
        scalar, batch = tfd.Normal(0.0, 1.0), tfd.Normal([0.0, 1.0], 1.0)
        for distribution, sizes in ((scalar, [-1]), (scalar, 3), (batch, [2])):
            with self.assertRaises(ValueError):
                tfd.TransformedDistribution(distribution, batch_shape=sizes)
        with self.assertRaises(TypeError):
            tfd.TransformedDistribution(scalar, batch_shape=[1.5])

    def test_bijectors_may_change_the_shape_of_events(self):
        made = tfd.TransformedDistribution(
            tfd.MultivariateNormalDiag(tf.zeros([4, 2])), tfb.SoftmaxCentered()
        )
        self.assertEqual((made.batch_shape, made.event_shape), ([4], [3]))
        y = made.sample(6)
        self.assertEqual(y.shape, [6, 4, 3])
        with self.session() as session:
            found, log_prob = session.run([y, made.log_prob(y)])
            x = np.log(found[..., :2] / found[..., 2:])
            expected = normal_log_prob(x).sum(2) - np.log(found).sum(2)
            self.assertAllClose(found.sum(2), np.ones([6, 4]), rtol=1e-5)
            self.assertAllClose(log_prob, expected, rtol=1e-4)

    def test_entropies_need_a_constant_jacobian(self):
        with self.assertRaises(NotImplementedError):
            log_normal(0.0, 1.0).entropy()

    def test_a_copy_has_other_arguments(self):
        made = log_normal(0.0, 1.0).copy(bijector=tfb.Softplus())
        self.assertIsInstance(made.bijector, tfb.Softplus)
        self.assertIsInstance(made.distribution, tfd.Normal)


class Shifted(tfb.ConditionalBijector):
    def __init__(self):
        super().__init__(forward_min_event_ndims=0, name="shifted")

    def _forward(self, x, by):
        return x + by

    def _inverse(self, y, by):
        return y - by

    def _inverse_log_det_jacobian(self, y, by):
        return tf.zeros_like(y)


class ConditionalTest(tf.test.TestCase):
    def test_bijectors_and_distributions_get_their_arguments(self):
        class Around(tfd.ConditionalDistribution):
            def __init__(self):
                super().__init__(tf.float32, tfd.FULLY_REPARAMETERIZED, False, True)

            def _batch_shape(self):
                return tf.TensorShape([])

            _event_shape = _batch_shape

            def _sample_n(self, n, seed=None, center=0.0):
                return tf.random_normal([n], seed=seed) * 0.01 + center

            def _log_prob(self, value, center=0.0):
                return tfd.Normal(center, 1.0).log_prob(value)

        made = tfd.ConditionalTransformedDistribution(Around(), Shifted())
        given = {"bijector_kwargs": {"by": 10.0}, "distribution_kwargs": {"center": 3.0}}
        with self.session() as session:
            self.assertAllClose(session.run(made.sample(50, **given)), np.full(50, 13.0), atol=0.2)
            found = session.run(made.log_prob([13.5], **given))
            self.assertAllClose(found, normal_log_prob([0.5]), rtol=1e-5)
            found = session.run(made.prob([13.5], **given))
            self.assertAllClose(found, np.exp(normal_log_prob([0.5])), rtol=1e-5)
            one = Around()
            self.assertAllClose(session.run(one.sample(center=5.0)), 5.0, atol=0.1)
            found = session.run(one.prob(1.0, center=1.0))
            self.assertAllClose(found, np.exp(normal_log_prob(0.0)), rtol=1e-5)

    def test_lower_probabilities_get_their_arguments(self):
        made = tfd.ConditionalTransformedDistribution(tfd.Normal(0.0, 1.0), Shifted())
        given = {"bijector_kwargs": {"by": 10.0}}
        with self.session() as session:
            low, high = (0.5 * math.erfc(sign * 0.5 / math.sqrt(2)) for sign in (-1, 1))
            for name, expected in (
                ("cdf", low), ("survival_function", high), ("log_cdf", math.log(low)),
                ("log_survival_function", math.log(high)),
            ):  # fmt: skip
                found = session.run(getattr(made, name)(10.5, **given))
                self.assertAllClose(found, expected, rtol=1e-5)


class AutoregressiveTest(tf.test.TestCase):
    class Walk(tfd.Distribution):
        """Each element is near the double of the last one."""

        def __init__(self, before):
            self.center = tf.concat([tf.ones_like(before[..., :1]), 2.0 * before[..., :-1]], -1)
            super().__init__(tf.float32, tfd.FULLY_REPARAMETERIZED, False, True)

        def _batch_shape(self):
            return self.center.shape[:-1]

        def _event_shape(self):
            return self.center.shape[-1:]

        def _sample_n(self, n, seed=None):
            sizes = tf.concat([[n], tf.shape(self.center)], 0)
            return self.center + 0.1 * tf.random_normal(sizes, seed=seed)

        def _log_prob(self, value):
            return tf.reduce_sum(tfd.Normal(self.center, 0.1).log_prob(value), -1)

    def test_each_element_follows_those_before_it(self):
        made = tfd.Autoregressive(self.Walk, tf.zeros([4]))
        self.assertEqual((made.num_steps, made.event_shape), (4, [4]))
        x = made.sample(100, seed=3)
        log_prob = made.log_prob(x)
        with self.session() as session:
            found, logarithm = session.run([x, log_prob])
        center = np.concatenate([np.ones([100, 1]), 2 * found[:, :-1]], 1)
        rest = (found - center) / 0.1
        # Every element is a draw around the double of the last one, which itself is final.
        self.assertLess(np.abs(rest).max(), 5)
        self.assertAllClose(rest.std(), 1.0, atol=0.15)
        expected = normal_log_prob(found, center, 0.1).sum(1)
        self.assertAllClose(logarithm, expected, rtol=1e-3)

    def test_the_number_of_steps_is_positive_and_known(self):
        with self.assertRaisesRegex(ValueError, "at least 1"):
            tfd.Autoregressive(self.Walk, tf.zeros([4]), num_steps=0)
        with self.assertRaisesRegex(ValueError, "event_shape"):
            tfd.Autoregressive(self.Walk, tf.placeholder(tf.float32, [None]))


if __name__ == "__main__":
    tf.test.main()
