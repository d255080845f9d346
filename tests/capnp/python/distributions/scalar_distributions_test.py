"""Distributions of real numbers, compared with integrals of their densities and with samples."""

import math
import unittest

import numpy as np

import troupe as tf
import troupe.as_tensorflow
from tensorflow.contrib.distributions.python.ops.gumbel import Gumbel

tfd = tf.contrib.distributions
d = np.float64


def integral(values, grid):
    return np.sum((values[1:] + values[:-1]) / 2 * np.diff(grid))


def made_with_grids():
    """Distributions, with points that are dense enough for integrals."""
    whole = np.linspace(-60, 60, 240001)
    above = np.linspace(1e-9, 80, 400001)
    inside = np.linspace(1e-7, 1 - 1e-7, 400001)
    return [
        (tfd.Logistic(d(1.5), d(1.2)), whole),
        (Gumbel(d(0.5), d(1.3)), whole),
        (tfd.HalfNormal(d(2.0)), np.concatenate([[-1.0, -1e-12], above])),
        (tfd.InverseGamma(d(7.0), d(4.0)), above),
        (tfd.Chi2(d(5.0)), above),
        (tfd.Chi2WithAbsDf(d(-5.7)), above),
        (tfd.Kumaraswamy(d(2.5), d(1.5)), inside),
    ]


class DensityTest(tf.test.TestCase):
    def test_statistics_are_those_of_the_density(self):
        for made, grid in made_with_grids():
            with self.subTest(made.name), self.session() as session:
                prob, log_prob = session.run([made.prob(grid), made.log_prob(grid)])
                mean = integral(prob * grid, grid)
                variance = integral(prob * (grid - mean) ** 2, grid)
                entropy = -integral(prob * np.where(prob > 0, log_prob, 0), grid)
                found = session.run([made.mean(), made.variance(), made.stddev(), made.entropy()])
                self.assertAllClose(integral(prob, grid), 1.0, rtol=1e-4)
                expected = [mean, variance, math.sqrt(variance), entropy]
                self.assertAllClose(found, expected, rtol=2e-3, atol=1e-3)

    def test_modes_have_the_highest_density(self):
        for made, grid in made_with_grids():
            with self.subTest(made.name), self.session() as session:
                prob, mode = session.run([made.prob(grid), made.mode()])
                self.assertAllClose(grid[np.argmax(prob)], mode, atol=1e-3)

    def test_distribution_functions_are_integrals_of_the_density(self):
        for made, grid in made_with_grids():
            with self.subTest(made.name), self.session() as session:
                names = ("prob", "cdf", "log_cdf", "survival_function", "log_survival_function")
                prob, cdf, *others = session.run([getattr(made, name)(grid) for name in names])
                steps = (prob[1:] + prob[:-1]) / 2 * np.diff(grid)
                self.assertAllClose(cdf[1:], np.cumsum(steps), atol=1e-4)
                self.assertAllClose(np.exp(others[0]), cdf, atol=1e-9)
                self.assertAllClose(others[1], 1 - cdf, atol=1e-9)
                self.assertAllClose(np.exp(others[2]), 1 - cdf, atol=1e-9)

    def test_samples_have_the_moments(self):
        for made, _ in made_with_grids():
            with self.subTest(made.name), self.session() as session:
                drawn, mean, stddev = session.run(
                    [made.sample(40000, seed=5), made.mean(), made.stddev()]
                )
                self.assertAllClose(drawn.mean(), mean, atol=5 * stddev / 200)
                self.assertAllClose(drawn.std(), stddev, rtol=0.05)

    def test_quantiles_are_the_inverse_of_the_distribution_function(self):
        p = np.array([0.01, 0.3, 0.5, 0.77, 0.99])
        for made in (
            tfd.Cauchy(d(1.0), d(2.0)), tfd.HalfNormal(d(2.0)), tfd.Kumaraswamy(d(2.5), d(1.5)),
            tfd.SinhArcsinh(d(1.0), d(2.0), d(0.3), d(1.4)),
        ):  # fmt: skip
            with self.subTest(made.name), self.session() as session:
                self.assertAllClose(session.run(made.cdf(made.quantile(p))), p, rtol=1e-9)

    def test_samples_of_many_parameters_have_their_shape(self):
        for make in (tfd.Cauchy, tfd.Logistic, tfd.InverseGamma, tfd.Kumaraswamy, tfd.SinhArcsinh):
            made = make([[1.0], [2.0]], [3.0, 4.0, 5.0])
            drawn = made.sample([4, 5])
            self.assertEqual((made.batch_shape, drawn.shape), ([2, 3], [4, 5, 2, 3]))
            with self.session() as session:
                self.assertEqual(session.run(drawn).shape, (4, 5, 2, 3))


class Chi2Test(tf.test.TestCase):
    def test_it_is_the_distribution_of_sums_of_squares(self):
        squares = (np.random.RandomState(0).randn(100000, 5) ** 2).sum(-1)
        points = np.array([2.0, 4.0, 8.0])
        expected = [(squares < point).mean() for point in points]
        with self.session() as session:
            made = [tfd.Chi2(d(5)), tfd.Chi2WithAbsDf(d(-5.7))]
            found = session.run([each.cdf(points) for each in made])
        self.assertAllClose(found, [expected] * 2, atol=0.01)


class CauchyTest(tf.test.TestCase):
    def test_the_density_and_its_integral_are_those_of_the_formula(self):
        x = np.linspace(-30, 30, 11)
        made = tfd.Cauchy(d(1.0), d(2.0))
        with self.session() as session:
            found = session.run(
                [made.prob(x), made.cdf(x), made.log_cdf(x), made.entropy(), made.mode()]
            )
        z = (x - 1) / 2
        cdf = np.arctan(z) / np.pi + 0.5
        self.assertAllClose(found[0], 1 / (2 * np.pi * (1 + z * z)))
        self.assertAllClose(found[1], cdf)
        self.assertAllClose(found[2], np.log(cdf))
        self.assertAllClose(found[3:], [math.log(8 * math.pi), 1.0])

    def test_half_of_the_samples_are_within_the_scale(self):
        with self.session() as session:
            drawn = session.run(tfd.Cauchy(1.0, 2.0).sample(40000, seed=1))
        self.assertAllClose(np.mean(np.abs(drawn - 1) < 2), 0.5, atol=0.015)

    def test_there_is_no_mean(self):
        with self.session() as session:
            found = session.run([tfd.Cauchy([1.0, 2.0], 1.0).mean(), tfd.Cauchy(0.0, 1.0).stddev()])
        self.assertAllEqual(np.isnan(found[0]), [True, True])
        self.assertTrue(np.isnan(found[1]))
        with self.assertRaisesRegex(ValueError, "undefined"):
            tfd.Cauchy(0.0, 1.0, allow_nan_stats=False).mean()


class UndefinedTest(tf.test.TestCase):
    def test_moments_that_do_not_exist_are_nan_or_errors(self):
        made = tfd.InverseGamma([0.5, 1.5, 3.0], 2.0)
        with self.session() as session:
            mean, variance = session.run([made.mean(), made.variance()])
        self.assertAllClose(mean[1:], [4.0, 1.0])
        self.assertTrue(np.isnan([mean[0], *variance[:2]]).all())
        self.assertAllClose(variance[2], 1.0)
        strict = tfd.InverseGamma(tf.placeholder_with_default(1.5, []), 2.0, allow_nan_stats=False)
        with self.session() as session, self.assertRaisesOpError("variance undefined"):
            session.run(strict.variance())

    def test_values_outside_fail_where_they_are_checked(self):
        value = tf.placeholder_with_default(-0.5, [])
        for made in (
            tfd.InverseGamma(3.0, 2.0, validate_args=True),
            tfd.Kumaraswamy(3.0, 2.0, validate_args=True),
            tfd.RelaxedBernoulli(0.5, probs=0.3, validate_args=True),
        ):
            with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(made.log_prob(value))


class SoftplusTest(tf.test.TestCase):
    def test_the_softplus_is_the_parameter(self):
        a, b = 0.3, -1.2
        p, q = (float(np.log1p(np.exp(each))) for each in (a, b))
        pairs = [
            (tfd.BetaWithSoftplusConcentration(a, b), tfd.Beta(p, q)),
            (tfd.GammaWithSoftplusConcentrationRate(a, b), tfd.Gamma(p, q)),
            (tfd.InverseGammaWithSoftplusConcentrationRate(a, b), tfd.InverseGamma(p, q)),
            (tfd.ExponentialWithSoftplusRate(a), tfd.Exponential(p)),
            (tfd.LaplaceWithSoftplusScale(a, b), tfd.Laplace(a, q)),
            (tfd.NormalWithSoftplusScale(a, b), tfd.Normal(a, q)),
            (tfd.StudentTWithAbsDfSoftplusScale(-3.6, a, b), tfd.StudentT(3.0, a, q)),
        ]
        for made, plain in pairs:
            with self.subTest(made.name), self.session() as session:
                self.assertAllClose(*session.run([made.log_prob(0.7), plain.log_prob(0.7)]))
                self.assertIsInstance(made, type(plain))
                again = made.copy(name="again")
                self.assertAllClose(*session.run([made.log_prob(0.7), again.log_prob(0.7)]))


class SinhArcsinhTest(tf.test.TestCase):
    def test_the_density_is_that_of_the_transformed_normal_distribution(self):
        loc, scale, skew, tail = 0.5, 1.5, 0.4, 1.3
        made = tfd.SinhArcsinh(d(loc), d(scale), d(skew), d(tail))
        factor = 2 * scale / math.sinh(math.asinh(2) * tail)
        z = np.linspace(-4, 4, 80001)
        y = loc + factor * np.sinh((np.arcsinh(z) + skew) * tail)
        normal = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        with self.session() as session:
            prob, log_prob = session.run([made.prob(y), made.log_prob(y)])
        self.assertAllClose(prob[1:-1], normal[1:-1] / np.gradient(y, z)[1:-1], rtol=1e-5)
        self.assertAllClose(log_prob, np.log(prob))

    def test_without_skewness_it_is_normal(self):
        made, normal = tfd.SinhArcsinh(d(1.0), d(2.0)), tfd.Normal(d(1.0), d(2.0))
        x = np.linspace(-5, 5, 11)
        with self.session() as session:
            found = session.run([each.log_prob(x) for each in (made, normal)])
            self.assertAllClose(*found)
            self.assertAllClose(*session.run([each.cdf(x) for each in (made, normal)]))

    def test_values_far_away_have_finite_logarithms(self):
        made = tfd.SinhArcsinh(0.0, 1.0, 0.5, 2.0)
        with self.session() as session:
            found = session.run(made.log_prob(np.float32([-1e25, 1e25])))
        self.assertTrue(np.isfinite(found).all())

    def test_samples_are_of_the_distribution_that_is_given(self):
        made = tfd.SinhArcsinh(1.0, 2.0, distribution=tfd.Uniform(0.0, 1.0))
        with self.session() as session:
            drawn = session.run(made.sample(1000, seed=1))
        self.assertTrue((drawn >= 1).all() and (drawn <= 3).all() and drawn.std() > 0.3)
        with self.assertRaisesRegex(ValueError, "must be scalar"):
            tfd.SinhArcsinh(0.0, 1.0, distribution=tfd.Normal([0.0, 1.0], 1.0))


class RelaxedBernoulliTest(tf.test.TestCase):
    def test_the_density_is_that_of_the_formula(self):
        t, p = 0.7, 0.3
        y = np.linspace(1e-6, 1 - 1e-6, 200001)
        made = tfd.RelaxedBernoulli(d(t), probs=d(p))
        with self.session() as session:
            prob, cdf = session.run([made.prob(y), made.cdf(y)])
        a, b = p / (1 - p) * y**-t, (1 - y) ** -t
        expected = t * a / y * b / (1 - y) / (a + b) ** 2
        self.assertAllClose(prob, expected, rtol=1e-9)
        steps = (prob[1:] + prob[:-1]) / 2 * np.diff(y)
        self.assertAllClose(cdf[1:] - cdf[0], np.cumsum(steps), atol=1e-3)

    def test_cold_samples_are_nearly_0_or_1_as_often_as_probable(self):
        made = tfd.RelaxedBernoulli(0.01, probs=0.3)
        with self.session() as session:
            drawn = session.run(made.sample(20000, seed=2))
        self.assertAllClose(np.mean(drawn > 0.5), 0.3, atol=0.02)
        self.assertLess(np.mean((drawn > 0.01) & (drawn < 0.99)), 0.05)

    def test_samples_have_gradients(self):
        logits = tf.constant([0.3, -1.0])
        (gradient,) = tf.gradients(tfd.RelaxedBernoulli(0.5, logits=logits).sample(seed=1), logits)
        with self.session() as session:
            self.assertTrue((session.run(gradient) > 0).all())


if __name__ == "__main__":
    unittest.main()
