"""Distributions that are made of others."""

import math
import unittest

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions
d = np.float64
LOC, SCALE = np.array([-1.0, 2.0, 5.0]), np.array([0.5, 1.0, 0.7])
PROBS = np.array([0.2, 0.5, 0.3])
GRID = np.linspace(-12, 14, 52001)


def density(x):
    z = (x[..., None] - LOC) / SCALE
    return (PROBS * np.exp(-z * z / 2) / SCALE / math.sqrt(2 * math.pi)).sum(-1)


def integral(values):
    return np.sum((values[1:] + values[:-1]) / 2 * np.diff(GRID))


def mixtures():
    """The same mixture in each way that there is."""
    cat = tfd.Categorical(probs=PROBS)
    components = [tfd.Normal(loc, scale) for loc, scale in zip(LOC, SCALE)]
    return [
        tfd.Mixture(cat, components),
        tfd.Mixture(cat, components, use_static_graph=True),
        tfd.MixtureSameFamily(cat, tfd.Normal(LOC, SCALE)),
    ]


class MixturesTest(tf.test.TestCase):
    def test_densities_are_means_of_those_of_the_components(self):
        for made in mixtures():
            with self.subTest(made.name), self.session() as session:
                log_prob, cdf = session.run([made.log_prob(GRID), made.cdf(GRID)])
                self.assertAllClose(np.exp(log_prob), density(GRID))
                steps = (density(GRID)[1:] + density(GRID)[:-1]) / 2 * np.diff(GRID)
                self.assertAllClose(cdf[1:], np.cumsum(steps), atol=1e-6)

    def test_moments_are_those_of_the_density(self):
        mean = integral(density(GRID) * GRID)
        variance = integral(density(GRID) * (GRID - mean) ** 2)
        for made in mixtures():
            with self.subTest(made.name), self.session() as session:
                found = session.run([made.mean(), made.variance(), made.stddev()])
                self.assertAllClose(found, [mean, variance, math.sqrt(variance)])

    def test_samples_are_of_the_components_as_often_as_probable(self):
        for made in mixtures():
            with self.subTest(made.name), self.session() as session:
                drawn = session.run(made.sample([2, 20000], seed=3))
                self.assertEqual(drawn.shape, (2, 20000))
                shares = [np.mean(drawn < 0.4), np.mean((drawn > 0.4) & (drawn < 3.6))]
                expected = [integral(density(GRID) * part) for part in
                            (GRID < 0.4, (GRID > 0.4) & (GRID < 3.6))]  # fmt: skip
                self.assertAllClose(shares, expected, atol=0.015)

    def test_each_batch_member_draws_from_its_own_components(self):
        # The components of the members are far from each other.
        cat = tfd.Categorical(probs=[[0.5, 0.5], [0.1, 0.9], [1.0, 0.0]])
        for is_static in (False, True):
            loc = [[0.0, 100.0, 200.0], [50.0, 150.0, 250.0]]
            components = [tfd.Normal(each, 0.1) for each in loc]
            made = tfd.Mixture(cat, components, use_static_graph=is_static)
            with self.subTest(is_static=is_static), self.session() as session:
                drawn = session.run(made.sample(2000, seed=3))
                self.assertEqual(drawn.shape, (2000, 3))
                self.assertAllClose((drawn > [25, 125, 225]).mean(0), [0.5, 0.9, 0], atol=0.04)
                self.assertAllEqual(np.unique(np.round(drawn / 50)), [0, 1, 2, 3, 4])

    def test_events_may_be_vectors(self):
        loc = np.array([[0.0, 1.0], [4.0, 5.0]])
        components = [tfd.MultivariateNormalDiag(each, np.array([0.5, 1.0])) for each in loc]
        cat = tfd.Categorical(probs=np.array([0.4, 0.6]))
        one = tfd.Mixture(cat, components)
        other = tfd.MixtureSameFamily(cat, tfd.MultivariateNormalDiag(loc, np.array([0.5, 1.0])))
        x = np.random.RandomState(0).randn(3, 2)
        shift = np.array([2.4, 2.4])
        with self.session() as session:
            for made in (one, other):
                self.assertEqual((made.batch_shape, made.event_shape), ([], [2]))
                mean, variance, drawn = session.run([made.mean(), made.variance(), made.sample(5)])
                self.assertAllClose(mean, [2.4, 3.4])
                between = 0.4 * shift**2 + 0.6 * (4 - shift) ** 2
                self.assertAllClose(variance, between + [0.25, 1])
                self.assertEqual(drawn.shape, (5, 2))
            self.assertAllClose(*session.run([one.log_prob(x), other.log_prob(x)]))
            covariance = session.run(other.covariance())
            self.assertAllClose(covariance, between[0] * np.ones([2, 2]) + np.diag([0.25, 1]))

    def test_entropies_have_a_lower_bound(self):
        made = mixtures()[0]
        prob = density(GRID)
        with self.session() as session:
            found = session.run(made.entropy_lower_bound())
        expected = (PROBS * (np.log(SCALE) + 0.5 * math.log(2 * math.pi * math.e))).sum()
        self.assertAllClose(found, expected)
        self.assertLess(found, -integral(prob * np.log(prob + 1e-300)))

    def test_components_that_do_not_fit_are_errors(self):
        cat, normal = tfd.Categorical(probs=[0.5, 0.5]), tfd.Normal(0.0, 1.0)
        for error, arguments in (
            (TypeError, (normal, [normal, normal])),
            (ValueError, (cat, [])),
            (ValueError, (cat, [normal])),
            (TypeError, (cat, [normal, 1.0])),
            (TypeError, (cat, [normal, tfd.Normal(d(0), d(1))])),
            (ValueError, (cat, [normal, tfd.MultivariateNormalDiag([0.0])])),
        ):
            with self.subTest(str(arguments)), self.assertRaises(error):
                tfd.Mixture(*arguments)
        for mixture, components in (
            (cat, tfd.Normal([0.0, 1.0, 2.0], 1.0)),
            (normal, tfd.Normal([0.0, 1.0], 1.0)),
            (tfd.Categorical(probs=[[0.5, 0.5]] * 3), tfd.Normal([[0.0, 1.0]] * 2, 1.0)),
        ):
            with self.subTest(str(mixture)), self.assertRaises(ValueError):
                tfd.MixtureSameFamily(mixture, components)


class IndependentTest(tf.test.TestCase):
    def test_batch_axes_become_axes_of_an_event(self):
        loc = np.arange(6.0).reshape([2, 3])
        normal = tfd.Normal(loc, d(2.0))
        x = np.ones([4, 2, 3])
        for count, batch, event in ((None, [2], [3]), (0, [2, 3], []), (2, [], [2, 3])):
            made = tfd.Independent(normal, count)
            axes = tuple(-1 - i for i in range(len(event)))
            with self.subTest(count=count), self.session() as session:
                self.assertEqual((made.batch_shape, made.event_shape), (batch, event))
                values = session.run(
                    [made.log_prob(x), normal.log_prob(x), made.entropy(), normal.entropy(),
                     made.batch_shape_tensor(), made.event_shape_tensor(), made.mean()]
                )  # fmt: skip
                self.assertAllClose(values[0], values[1].sum(axes))
                self.assertAllClose(values[2], values[3].sum(axes))
                self.assertEqual((values[4].tolist(), values[5].tolist()), (batch, event))
                self.assertAllClose(values[6], loc)
                self.assertEqual(session.run(made.sample(7)).shape, (7, 2, 3))

    def test_divergences_are_sums(self):
        a, b = tfd.Normal([[0.0, 1.0], [2.0, 3.0]], 1.0), tfd.Normal([1.0, 1.0], 2.0)
        whole = tfd.Normal(tf.ones([2, 2]), 2.0)
        with self.session() as session:
            found, expected = session.run(
                [tfd.kl_divergence(tfd.Independent(a, 1), tfd.Independent(whole, 1)),
                 tfd.kl_divergence(a, b)]
            )  # fmt: skip
        self.assertAllClose(found, expected.sum(-1))

    def test_more_axes_than_there_are_are_an_error(self):
        with self.assertRaisesRegex(ValueError, "cannot exceed"):
            tfd.Independent(tfd.Normal([0.0], 1.0), 2)


class BatchReshapeTest(tf.test.TestCase):
    def test_everything_has_the_new_shape(self):
        normal = tfd.Normal(np.arange(6.0), d(2.0))
        for shape in ([2, 3], [2, -1], tf.placeholder_with_default([2, 3], [2])):
            made = tfd.BatchReshape(normal, shape)
            x = np.random.RandomState(0).randn(4, 2, 3)
            names = ("prob", "log_prob", "cdf", "log_cdf", "survival_function")
            with self.session() as session:
                found = session.run([getattr(made, name)(x) for name in names])
                flat = x.reshape([4, 6])
                expected = session.run([getattr(normal, name)(flat) for name in names])
                for value, other in zip(found, expected):
                    self.assertAllClose(value, other.reshape([4, 2, 3]))
                statistics = ("mean", "mode", "variance", "stddev", "entropy")
                for name in statistics:
                    value, other = session.run([getattr(y, name)() for y in (made, normal)])
                    self.assertAllClose(value, np.broadcast_to(other, [6]).reshape([2, 3]))
                self.assertEqual(session.run(made.sample(5)).shape, (5, 2, 3))
                self.assertAllEqual(session.run(made.batch_shape_tensor()), [2, 3])

    def test_covariances_have_the_new_shape(self):
        base = tfd.MultivariateNormalDiag([[0.0, 0.0]] * 4, np.float32([[1, 2]] * 4))
        made = tfd.BatchReshape(base, [2, 2])
        with self.session() as session:
            self.assertAllClose(session.run(made.covariance())[1, 1], np.diag([1, 4]))

    def test_shapes_that_do_not_fit_are_errors(self):
        normal = tfd.Normal(np.arange(6.0), d(2.0))
        for shape in ([2, 2], [[2, 3]], [2, -3], [-2, -3]):
            with self.subTest(shape=shape), self.assertRaises(ValueError):
                tfd.BatchReshape(normal, shape)
        with self.assertRaisesRegex(NotImplementedError, "Broadcasting"):
            tfd.BatchReshape(normal, [2, 3]).log_prob(d(0))
        dynamic = tf.placeholder_with_default([4, 2], [2])
        made = tfd.BatchReshape(normal, dynamic, validate_args=True)
        with self.session() as session, self.assertRaisesOpError("sizes do not match"):
            session.run(made.mean())


class QuantizedTest(tf.test.TestCase):
    def test_integers_have_the_probability_of_what_is_rounded_to_them(self):
        normal = tfd.Normal(d(0.3), d(2.0))
        made = tfd.QuantizedDistribution(normal, low=d(-2), high=d(3))
        k = np.arange(-3.0, 5.0)
        with self.session() as session:
            prob, log_prob, cdf, log_cdf, rest, drawn, below = session.run(
                [made.prob(k), made.log_prob(k), made.cdf(k), made.log_cdf(k),
                 made.survival_function(k), made.sample(20000, seed=1), normal.cdf(k)]
            )  # fmt: skip
        expected = np.array([0, below[1], *np.diff(below)[1:5], 1 - below[5], 0])
        self.assertAllClose(prob, expected)
        self.assertAllClose(np.exp(log_prob), expected)
        self.assertAllClose(cdf, np.cumsum(expected))
        self.assertAllClose(np.exp(log_cdf), cdf)
        self.assertAllClose(rest, 1 - cdf)
        shares = [np.mean(drawn == each) for each in k]
        self.assertAllClose(shares, expected, atol=0.015)

    def test_probabilities_far_above_are_exact(self):
        made = tfd.QuantizedDistribution(tfd.Normal(d(0), d(1)))
        with self.session() as session:
            found = session.run([made.log_prob(d(12)), made.log_prob(d(-11))])
        expected = math.log(math.erfc(11 / math.sqrt(2)) / 2 - math.erfc(12 / math.sqrt(2)) / 2)
        self.assertAllClose(found, [expected] * 2, rtol=1e-6)

    def test_ends_and_values_that_are_no_integers_fail_where_they_are_checked(self):
        normal = tfd.Normal(0.0, 1.0)
        half = tf.placeholder_with_default(0.5, [])
        wrong = [
            tfd.QuantizedDistribution(normal, low=half, validate_args=True).sample(),
            tfd.QuantizedDistribution(normal, validate_args=True).prob(half),
            tfd.QuantizedDistribution(normal, half * 4, half * 2, validate_args=True).sample(),
        ]
        for each in wrong:
            with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(each)


class PoissonLogNormalTest(tf.test.TestCase):
    def test_probabilities_are_means_over_the_grid(self):
        made = tfd.PoissonLogNormalQuadratureCompound(
            np.array([0.0, 0.5]), d(0.4), 5,
            quadrature_fn=tfd.quadrature_scheme_lognormal_gauss_hermite,
        )  # fmt: skip
        self.assertEqual(made.batch_shape, [2])
        k = np.arange(60.0)[:, None]
        with self.session() as session:
            rates, weights, prob, mean, variance, drawn = session.run(
                [made.distribution.rate, made.mixture_distribution.probs, made.prob(k),
                 made.mean(), made.variance(), made.sample(20000, seed=1)]
            )  # fmt: skip
        logs = k[..., None] * np.log(rates) - rates - np.vectorize(math.lgamma)(k + 1)[..., None]
        expected = (np.exp(logs) * weights).sum(-1)
        self.assertAllClose(prob, expected)
        self.assertAllClose(mean, (k * expected).sum(0))
        self.assertAllClose(variance, ((k - mean) ** 2 * expected).sum(0))
        self.assertAllClose(drawn.mean(0), mean, atol=0.06)
        self.assertAllClose(drawn.var(0), variance, rtol=0.08)

    def test_a_grid_of_hermite_has_the_moments_of_the_normal_distribution(self):
        grid, probs = tfd.quadrature_scheme_lognormal_gauss_hermite(
            tf.constant(d(0.3)), tf.constant(d(1.5)), 6
        )
        with self.session() as session:
            x, p = session.run([grid, probs])
        moments = [p.sum(), (p * x).sum(), (p * (x - 0.3) ** 2).sum(), (p * (x - 0.3) ** 4).sum()]
        self.assertAllClose(moments, [1, 0.3, 1.5**2, 3 * 1.5**4])

    def test_a_grid_of_quantiles_is_between_them(self):
        grid, probs = tfd.quadrature_scheme_lognormal_quantiles(
            tf.constant(d(0.3)), tf.constant(d(1.5)), 3
        )
        normal = tfd.Normal(d(0.3), d(1.5))
        with self.session() as session:
            x, p, q = session.run([grid, probs, normal.quantile(np.arange(1, 5) / 5)])
        self.assertAllClose(x, (np.exp(q[1:]) + np.exp(q[:-1])) / 2)
        self.assertAllClose(p, [1 / 3] * 3)


class ConjugatesTest(tf.test.TestCase):
    def test_observations_change_the_mean_as_bayes_says(self):
        prior, scale = tfd.Normal(d(1.0), d(2.0)), 0.7
        seen = np.array([0.5, 1.5, 2.0])
        posterior = tfd.normal_conjugates_known_scale_posterior(prior, d(scale), seen.sum(), 3)
        following = tfd.normal_conjugates_known_scale_predictive(prior, d(scale), seen.sum(), 3)
        grid = np.linspace(-12, 14, 52001)
        likelihood = np.exp(-(((seen[:, None] - grid) / scale) ** 2).sum(0) / 2)
        with self.session() as session:
            before, after, scales = session.run(
                [prior.prob(grid), posterior.prob(grid), [posterior.scale, following.scale]]
            )
        weights = before * likelihood
        self.assertAllClose(after, weights / integral(weights), atol=1e-6)
        self.assertAllClose(scales[1] ** 2, scales[0] ** 2 + scale**2)

    def test_another_prior_is_an_error(self):
        with self.assertRaises(TypeError):
            tfd.normal_conjugates_known_scale_posterior(tfd.Cauchy(0.0, 1.0), 1.0, np.float32(1), 1)
        with self.assertRaises(TypeError):
            tfd.normal_conjugates_known_scale_posterior(tfd.Normal(0.0, 1.0), 1.0, d(1), 1)


if __name__ == "__main__":
    unittest.main()
