"""Distributions, compared with formulas, sums and samples."""

import math
import unittest

import numpy as np

import troupe as tf

tfd = tf.distributions
erf = np.vectorize(math.erf)
lgamma = np.vectorize(math.lgamma)
GRID = np.linspace(-30, 30, 60001)


def integral(values, grid=GRID):
    return np.sum((values[1:] + values[:-1]) / 2 * np.diff(grid))


class ContinuousTest(tf.test.TestCase):
    """The statistics of a distribution are those of its own density, by numeric integration."""

    def check_statistics(self, made, low=-30.0, high=30.0, rtol=2e-3):
        grid = np.linspace(low, high, 60001)
        prob, log_prob, cdf = self.evaluate(
            [made.prob(grid), made.log_prob(grid), made.cdf(grid)]
        )
        statistics = self.evaluate([made.mean(), made.variance(), made.stddev(), made.entropy()])
        mean = integral(prob * grid, grid)
        variance = integral(prob * (grid - mean) ** 2, grid)
        entropy = -integral(prob * np.where(prob > 0, log_prob, 0), grid)
        expected = [mean, variance, np.sqrt(variance), entropy]
        self.assertAllClose(integral(prob, grid), 1.0, rtol=1e-3)
        self.assertAllClose(statistics, expected, rtol=rtol, atol=1e-3)
        steps = (prob[1:] + prob[:-1]) / 2 * np.diff(grid)
        self.assertAllClose(cdf[1:], np.cumsum(steps), rtol=1e-3, atol=1e-3)

    def test_statistics_are_those_of_the_density(self):
        with self.session():
            self.check_statistics(tfd.Normal(np.float64(1.5), np.float64(2.0)))
            self.check_statistics(tfd.Laplace(np.float64(1.5), np.float64(1.2)))
            self.check_statistics(tfd.Uniform(np.float64(-1.0), np.float64(2.5)))
            self.check_statistics(tfd.Gamma(np.float64(2.5), np.float64(1.5)), 1e-9)
            self.check_statistics(tfd.Exponential(np.float64(0.8)), 1e-9)
            beta = tfd.Beta(np.float64(2.5), np.float64(3.0))
            self.check_statistics(beta, 1e-9, 1 - 1e-9)
            student = tfd.StudentT(np.float64(9.0), np.float64(0.5), np.float64(1.3))
            self.check_statistics(student)

    def test_densities_are_those_of_the_formulas(self):
        x = np.array([0.2, 0.5, 0.9])
        values = self.evaluate(
            [
                tfd.Normal(1.0, [2.0, 3.0, 0.5]).log_prob(x),
                tfd.Gamma([2.0, 3.0, 0.5], 1.5).log_prob(x.astype(np.float32)),
                tfd.Beta(2.0, [3.0, 0.5, 1.0]).prob(x.astype(np.float32)),
                tfd.StudentT(3.0, 1.0, 2.0).prob(x.astype(np.float32)),
                tfd.Normal(0.0, 1.0).cdf([-1.0, 0.0, 2.0]),
            ]
        )
        scale, alpha, b = np.array([2, 3, 0.5]), np.array([2, 3, 0.5]), np.array([3, 0.5, 1])
        self.assertAllClose(
            values[0], -(((x - 1) / scale) ** 2) / 2 - np.log(scale * np.sqrt(2 * np.pi))
        )
        gamma = alpha * np.log(1.5) + (alpha - 1) * np.log(x) - 1.5 * x - lgamma(alpha)
        self.assertAllClose(values[1], gamma)
        norm = np.exp(lgamma(2) + lgamma(b) - lgamma(2 + b))
        self.assertAllClose(values[2], x * (1 - x) ** (b - 1) / norm)
        student = (1 + ((x - 1) / 2) ** 2 / 3) ** -2.0
        norm = math.gamma(2) / (math.gamma(1.5) * math.sqrt(3 * math.pi) * 2)
        self.assertAllClose(values[3], student * norm)
        self.assertAllClose(values[4], (1 + erf(np.array([-1, 0, 2]) / np.sqrt(2))) / 2)

    def test_logarithms_of_small_probabilities_are_exact(self):
        x = np.array([-3.0, -12.0, -40.0, 0.0, 7.0], np.float32)
        point = tf.constant(x)
        found = tfd.Normal(0.0, 1.0).log_cdf(point)
        (slope,) = tf.gradients(found, point)
        logs, slopes, laplace, survival = self.evaluate(
            [
                found,
                slope,
                tfd.Laplace(0.0, 1.0).log_cdf(point),
                tfd.Normal(0.0, 1.0).log_survival_function(-point),
            ]
        )
        # By Mills' ratio as a continued fraction where erfc vanishes.
        self.assertAllClose(logs[:2], [math.log(math.erfc(-t / math.sqrt(2)) / 2) for t in x[:2]])
        self.assertAllClose(logs[2], -800 - math.log(40.025 * math.sqrt(2 * math.pi)), rtol=1e-5)
        self.assertAllClose(logs[3], math.log(0.5))
        self.assertAllClose(slopes[2], 40.025, rtol=1e-3)
        self.assertTrue(np.all(np.isfinite(slopes)))
        self.assertAllClose(laplace[:3], x[:3] - math.log(2))
        self.assertAllClose(survival, logs)

    def test_undefined_statistics_are_nan_or_errors(self):
        def all_of(**options):
            return [
                tfd.Gamma([0.5, 3.0], 2.0, **options).mode(),
                tfd.Beta([0.5, 3.0], 2.0, **options).mode(),
                tfd.StudentT([0.5, 3.0], 1.0, 2.0, **options).mean(),
                tfd.StudentT([0.5, 3.0], 1.0, 2.0, **options).variance(),
            ]

        nan = math.nan
        expected = [[nan, 1.0], [nan, 2 / 3], [nan, 1.0], [nan, 12.0]]
        self.assertAllClose(self.evaluate(all_of()), expected)
        variance = tfd.StudentT([1.5, 2.0], 1.0, 2.0).variance()
        self.assertAllEqual(self.evaluate(variance), [math.inf, math.inf])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "mode not defined"):
            self.evaluate(all_of(allow_nan_stats=False)[0])

    def test_parameters_and_values_are_checked_where_that_is_asked_for(self):
        number = tf.placeholder_with_default(-1.0, [])
        for made in (
            lambda: tfd.Normal(0.0, number, validate_args=True).sample(),
            lambda: tfd.Gamma(number, 1.0, validate_args=True).sample(),
            lambda: tfd.Gamma(1.0, 1.0, validate_args=True).log_prob(number),
            lambda: tfd.Uniform(0.0, number, validate_args=True).sample(),
            lambda: tfd.Beta(1.0, 1.0, validate_args=True).prob(number),
            lambda: tfd.Bernoulli(probs=number, validate_args=True).sample(),
            lambda: tfd.Bernoulli(probs=0.5, validate_args=True).log_prob(number),
            lambda: tfd.Dirichlet([number, 1.0], validate_args=True).sample(),
            lambda: tfd.Multinomial(2.0, [0.0, 0.0], validate_args=True).prob([number, 3.0]),
        ):
            with self.assertRaises(tf.errors.InvalidArgumentError):
                self.evaluate(made())
        self.assertEqual(self.evaluate(tfd.Gamma(2.0, 1.0).prob(-number)), np.float32(math.exp(-1)))


class DiscreteTest(tf.test.TestCase):
    def test_bernoulli(self):
        probs = np.array([0.2, 0.7], np.float32)
        made = tfd.Bernoulli(probs=probs)
        self.assertEqual((made.dtype, tfd.Bernoulli(0.5, dtype=tf.float32).dtype),
                         (tf.int32, tf.float32))  # fmt: skip
        found = self.evaluate(
            [made.prob(1), made.prob([0, 1]), made.mean(), made.variance(), made.mode(),
             made.entropy(), made.logits, tfd.Bernoulli(logits=[200.0, -200.0]).log_prob(0)]
        )  # fmt: skip
        entropy = -probs * np.log(probs) - (1 - probs) * np.log(1 - probs)
        expected = [probs, [0.8, 0.7], probs, probs * (1 - probs), [0, 1], entropy,
                    np.log(probs / (1 - probs)), [-200.0, 0.0]]  # fmt: skip
        for one, other in zip(found, expected):
            self.assertAllClose(one, other)
        for wrong in ({}, {"logits": 1.0, "probs": 1.0}):
            with self.assertRaisesRegex(ValueError, "but not both"):
                tfd.Bernoulli(**wrong)

    def test_categorical(self):
        probs = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]], np.float32)
        made = tfd.Categorical(probs=probs)
        self.assertEqual((made.batch_shape.as_list(), made.event_shape.as_list()), ([2], []))
        found = self.evaluate(
            [made.prob(1), made.prob([[0, 2], [1, 1], [2, 0]]), made.cdf([1, 2]), made.mode(),
             made.entropy(), made.event_size, tfd.Categorical(logits=[1.0, 2.0]).prob(1)]
        )  # fmt: skip
        entropy = -(probs * np.log(probs)).sum(1)
        expected = [[0.5, 0.3], [[0.2, 0.1], [0.5, 0.3], [0.3, 0.6]], [0.2, 0.9], [1, 0], entropy,
                    3, 1 / (1 + math.exp(-1))]  # fmt: skip
        for one, other in zip(found, expected):
            self.assertAllClose(one, other)

    def test_the_gradient_of_a_chosen_class_is_that_of_policies(self):
        logits = tf.constant([[0.5, -1.0, 2.0]])
        loss = -tfd.Categorical(logits=logits).log_prob([2])
        (slope,) = tf.gradients(loss, logits)
        shares = np.exp([0.5, -1, 2]) / np.exp([0.5, -1, 2]).sum()
        self.assertAllClose(self.evaluate(slope), [shares - [0, 0, 1]])

    def test_multinomial(self):
        made = tfd.Multinomial([4.0, 2.0], probs=[0.2, 0.5, 0.3])
        self.assertEqual((made.batch_shape.as_list(), made.event_shape.as_list()), ([2], [3]))
        drawn, prob, mean, variance, covariance = self.evaluate(
            [made.sample(7, seed=1), made.prob([[1.0, 2.0, 1.0], [0.0, 1.0, 1.0]]), made.mean(),
             made.variance(), made.covariance()]
        )  # fmt: skip
        self.assertAllClose(prob, [12 * 0.2 * 0.25 * 0.3, 2 * 0.5 * 0.3])
        self.assertAllEqual(drawn.sum(-1), [[4, 2]] * 7)
        p = np.array([0.2, 0.5, 0.3])
        self.assertAllClose(mean, [4 * p, 2 * p])
        self.assertAllClose(variance, [4 * p * (1 - p), 2 * p * (1 - p)])
        self.assertAllClose(covariance[1], 2 * (np.diag(p) - np.outer(p, p)))

    def test_dirichlet(self):
        alpha = np.array([[2.0, 3.0, 1.5], [4.0, 2.0, 2.0]], np.float32)
        made = tfd.Dirichlet(alpha)
        x = [0.2, 0.5, 0.3]
        log_prob, mean, variance, covariance, mode, undefined = self.evaluate(
            [made.log_prob(x), made.mean(), made.variance(), made.covariance(), made.mode(),
             tfd.Dirichlet([0.5, 2.0]).mode()]
        )  # fmt: skip
        norm = lgamma(alpha).sum(1) - lgamma(alpha.sum(1))
        self.assertAllClose(log_prob, ((alpha - 1) * np.log(x)).sum(1) - norm)
        share = alpha / alpha.sum(1, keepdims=True)
        total = alpha.sum(1)[:, None] + 1
        self.assertAllClose(mean, share)
        self.assertAllClose(variance, share * (1 - share) / total)
        outer = np.diag(share[0]) - np.outer(share[0], share[0])
        self.assertAllClose(covariance[0], outer / total[0])
        self.assertAllClose(mode, (alpha - 1) / (alpha.sum(1, keepdims=True) - 3))
        self.assertTrue(np.all(np.isnan(undefined)))
        # With two classes it is a beta distribution.
        pair = [tfd.Dirichlet([2.0, 3.5]), tfd.Beta(2.0, 3.5)]
        values = [pair[0].log_prob([0.3, 0.7]), pair[1].log_prob(0.3)]
        one, other, first, second = self.evaluate([*values, *(each.entropy() for each in pair)])
        self.assertAllClose([one, first], [other, second])

    def test_dirichlet_multinomial(self):
        made = tfd.DirichletMultinomial(3.0, [1.0, 2.0])
        counts = np.array([[k, 3 - k] for k in range(4)], np.float32)
        prob, mean, covariance, drawn = self.evaluate(
            [made.prob(counts), made.mean(), made.covariance(), made.sample(20000, seed=3)]
        )
        self.assertAllClose(prob.sum(), 1.0)
        self.assertAllClose(mean, prob @ counts)
        centred = counts - mean
        expected = (prob[:, None] * centred).T @ centred
        self.assertAllClose(covariance, expected)
        self.assertAllClose(np.cov(drawn.T, bias=True), expected, atol=0.05)


class SamplesTest(tf.test.TestCase):
    def test_samples_have_the_mean_and_deviation(self):
        count = 40000
        for made in (
            tfd.Normal([1.0, -2.0], 2.0), tfd.Laplace([1.0, -2.0], 0.7),
            tfd.Uniform([0.0, 2.0], 5.0),
            tfd.Gamma([2.0, 0.7], 3.0), tfd.Exponential([2.0, 0.5]), tfd.Beta([2.0, 0.5], 3.0),
            tfd.StudentT(7.0, [1.0, -2.0], 2.0), tfd.Bernoulli(probs=[0.2, 0.7]),
            tfd.Dirichlet([2.0, 3.0]), tfd.Multinomial(3.0, [0.5, -0.5]),
            tf.contrib.distributions.MultivariateNormalDiag([1.0, 2.0], [0.5, 2.0]),
        ):  # fmt: skip
            sample = made.sample(count, seed=7)
            self.assertEqual(sample.shape.as_list(), [count, 2])
            found, mean, deviation = self.evaluate([sample, made.mean(), made.stddev()])
            with self.subTest(type(made).__name__):
                self.assertAllClose(found.mean(0), mean, atol=0.04)
                self.assertAllClose(found.std(0), deviation, rtol=0.04)
        shares = self.evaluate(tfd.Categorical(probs=[0.2, 0.5, 0.3]).sample(count, seed=1))
        self.assertAllClose(np.bincount(shares) / count, [0.2, 0.5, 0.3], atol=0.01)

    def test_shapes_of_samples(self):
        made = tfd.Normal(tf.zeros([3, 1]), tf.ones([2]))
        self.assertEqual((made.batch_shape.as_list(), made.event_shape.as_list()), ([3, 2], []))
        self.assertEqual(made.sample().shape.as_list(), [3, 2])
        self.assertEqual(made.sample([4, 5]).shape.as_list(), [4, 5, 3, 2])
        size = tf.placeholder_with_default([2, 2], [None])
        loc = tf.placeholder_with_default(tf.zeros([3]), [None])
        free = tfd.Normal(loc, 1.0)
        found, batch, event, scalar = self.evaluate(
            [free.sample(size), free.batch_shape_tensor(), free.event_shape_tensor(),
             free.is_scalar_event()]
        )  # fmt: skip
        self.assertEqual((found.shape, batch.tolist(), event.tolist()), ((2, 2, 3), [3], []))
        self.assertTrue(scalar)
        with self.assertRaisesRegex(ValueError, "neither scalar nor vector"):
            made.sample([[1]])

    def test_a_seed_makes_samples_repeatable(self):
        made = tfd.Beta(2.0, 3.0)
        first, second = self.evaluate([made.sample(5, seed=4), made.sample(5, seed=4)])
        self.assertAllEqual(first, second)

    def test_samples_have_gradients_where_they_are_functions_of_the_parameters(self):
        loc, scale = tf.constant(1.0), tf.constant(2.0)
        sample = tfd.Normal(loc, scale).sample(5, seed=1)
        slopes = tf.gradients(sample, [loc, scale])
        drawn, (by_loc, by_scale) = self.evaluate([sample, slopes])
        self.assertAllClose([by_loc, by_scale], [5.0, ((drawn - 1) / 2).sum()])
        alpha = tf.constant(3.0)
        mean = tf.reduce_mean(tfd.Gamma(alpha, 1.0).sample(20000, seed=1))
        self.assertAllClose(self.evaluate(tf.gradients(mean, alpha)), [1.0], atol=0.05)
        probs = tf.constant(0.5)
        made = tfd.Bernoulli(probs=probs)
        self.assertIs(made.reparameterization_type, tfd.NOT_REPARAMETERIZED)
        self.assertEqual(tf.gradients(made.sample(), probs), [None])


class DivergenceTest(tf.test.TestCase):
    def check(self, first, second, samples=100000):
        drawn = first.sample(samples, seed=5)
        ratio = tf.reduce_mean(first.log_prob(drawn) - second.log_prob(drawn), 0)
        found, method, estimate, itself, crossed, entropy = self.evaluate(
            [tfd.kl_divergence(first, second), first.kl_divergence(second), ratio,
             first.kl_divergence(first.copy()), first.cross_entropy(second), first.entropy()]
        )  # fmt: skip
        self.assertAllEqual(found, method)
        self.assertAllClose(found, estimate, rtol=0.05, atol=0.02)
        self.assertAllClose(itself, np.zeros_like(itself), atol=1e-5)
        self.assertAllClose(crossed, entropy + found, rtol=1e-4)

    def test_divergences_are_means_over_samples(self):
        diagonal = tf.contrib.distributions.MultivariateNormalDiag
        self.check(tfd.Normal([0.0, 1.0], 1.0), tfd.Normal(1.0, 2.0))
        self.check(tfd.Bernoulli(probs=[0.2, 0.7]), tfd.Bernoulli(probs=0.4))
        self.check(tfd.Categorical([0.0, 1.0, 2.0]), tfd.Categorical([1.0, 1.0, 0.0]))
        self.check(tfd.Gamma([2.0, 3.0], 1.5), tfd.Gamma(2.5, 1.0))
        self.check(tfd.Exponential(2.0), tfd.Gamma(1.5, 1.0))
        self.check(tfd.Beta([2.0, 3.0], 1.5), tfd.Beta(2.5, 1.0))
        self.check(tfd.Dirichlet([2.0, 3.0, 1.5]), tfd.Dirichlet([2.0, 2.0, 2.0]))
        self.check(diagonal([0.0, 1.0], [1.0, 0.5]), diagonal([0.5, 0.0], [2.0, 1.0]))

    def test_classes_without_a_divergence_and_ones_that_get_one(self):
        class Mine(tfd.Normal):
            pass

        with self.assertRaisesRegex(NotImplementedError, "No KL.*Normal.*Beta"):
            tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Beta(1.0, 1.0))

        @tfd.RegisterKL(Mine, tfd.Normal)
        def divergence(first, second, name=None):
            return tf.constant(7.0)

        found = tfd.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0))
        self.assertEqual(self.evaluate(found), 7)
        with self.assertRaisesRegex(ValueError, "already been registered"):
            tfd.RegisterKL(Mine, tfd.Normal)(divergence)


class DistributionTest(tf.test.TestCase):
    def test_a_distribution_knows_its_arguments(self):
        made = tfd.Normal(1.0, scale=2.0, name="mine")
        self.assertEqual((made.name, made.dtype), ("mine/", tf.float32))
        expected = {"loc": 1.0, "scale": 2.0, "validate_args": False, "allow_nan_stats": True,
                    "name": "mine"}  # fmt: skip
        self.assertEqual(made.parameters, expected)
        other = made.copy(loc=3.0)
        self.assertAllEqual(self.evaluate([other.mean(), other.stddev()]), [3, 2])
        self.assertEqual((made.allow_nan_stats, made.validate_args), (True, False))
        self.assertIn("Normal 'mine/' batch_shape=()", repr(made))
        self.assertTrue(made.mean().op.name.startswith("mine/mean/"))
        with self.assertRaisesRegex(NotImplementedError, "mode is not implemented: Uniform"):
            tfd.Uniform().mode()

    def test_a_class_of_a_program_needs_few_functions(self):
        class Fixed(tfd.Distribution):
            def __init__(self, value):
                super().__init__(tf.float32, tfd.NOT_REPARAMETERIZED, False, True)
                self._value = value

            def _batch_shape(self):
                return tf.TensorShape([])

            def _event_shape(self):
                return tf.TensorShape([])

            def _sample_n(self, n, seed=None):
                return tf.fill([n], self._value)

            def _prob(self, value):
                return tf.cast(tf.equal(value, self._value), tf.float32)

            def _variance(self):
                return tf.constant(4.0)

        made = Fixed(2.0)
        found = self.evaluate([made.sample([2]), made.log_prob([2.0]), made.stddev()])
        self.assertAllEqual(np.concatenate([np.ravel(each) for each in found]), [2, 2, 0, 2])

    def test_normal_distributions_of_vectors(self):
        diagonal = tf.contrib.distributions.MultivariateNormalDiag
        made = diagonal([[1.0, 2.0], [0.0, 0.0]], [0.5, 2.0])
        x = np.array([0.3, 0.7], np.float32)
        loc, scale = np.array([[1, 2], [0, 0]]), np.array([0.5, 2])
        log_prob, covariance, scales, ones = self.evaluate(
            [made.log_prob(x), made.covariance(),
             diagonal([0.0, 0.0], scale_identity_multiplier=3.0).stddev(),
             diagonal([0.0, 0.0]).stddev()]
        )  # fmt: skip
        squares = (((x - loc) / scale) ** 2).sum(1)
        self.assertAllClose(log_prob, -squares / 2 - np.log(scale.prod() * 2 * np.pi))
        self.assertAllClose(covariance, np.diag(scale**2))  # without the batch of the means
        self.assertAllClose([scales, ones], [[3, 3], [1, 1]])
        self.assertEqual(made.batch_shape.as_list(), [2])


class ProgramTest(tf.test.TestCase):
    def test_an_encoder_is_trained_through_samples_and_divergences(self):
        tf.set_random_seed(1)
        rows = np.random.RandomState(0).randn(64, 4).astype(np.float32) @ np.ones([4, 4]) / 2
        given = tf.constant(rows.astype(np.float32))
        scale = tf.layers.dense(given, 2, tf.nn.softplus) + 0.1
        code = tfd.Normal(tf.layers.dense(given, 2), scale)
        decoded = tfd.Normal(tf.layers.dense(code.sample(seed=1), 4), 0.5)
        likelihood = tf.reduce_sum(decoded.log_prob(given), 1)
        divergence = tf.reduce_sum(code.kl_divergence(tfd.Normal(0.0, 1.0)), 1)
        loss = tf.reduce_mean(divergence - likelihood)
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(loss)
            for _ in range(150):
                session.run(train)
            self.assertLess(session.run(loss), before / 3)


if __name__ == "__main__":
    unittest.main()
