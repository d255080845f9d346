"""Distributions of vectors and matrices, compared with formulas in NumPy and with samples."""

import math
import unittest

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions
d = np.float64
LOWER = np.array([[1.5, 0.0], [0.4, 0.8]])
LOC = np.array([1.0, -2.0])


def log_normal(x, loc, covariance):
    """The logarithm of the density of a normal distribution."""
    shift = x - loc
    squares = (shift * np.linalg.solve(covariance, shift[..., None])[..., 0]).sum(-1)
    return -0.5 * (squares + np.linalg.slogdet(2 * np.pi * covariance)[1])


def scales():
    """Normal distributions around LOC, with the matrices of their scales."""
    u, p = np.array([[0.5], [1.0]]), np.array([0.7])
    return [
        (tfd.MultivariateNormalTriL(LOC, LOWER), LOWER),
        (tfd.MultivariateNormalTriL(LOC), np.eye(2)),
        (tfd.MultivariateNormalFullCovariance(LOC, LOWER @ LOWER.T), LOWER),
        (tfd.MultivariateNormalFullCovariance(LOC), np.eye(2)),
        (tfd.MultivariateNormalDiagPlusLowRank(LOC, np.array([1.0, 2.0]), None, u, p),
         np.diag([1.0, 2.0]) + 0.7 * u @ u.T),
        (tfd.MultivariateNormalDiagPlusLowRank(LOC, None, d(0.5), u), 0.5 * np.eye(2) + u @ u.T),
        (tfd.MultivariateNormalDiag(LOC, np.array([1.0, -2.0])), np.diag([1.0, -2.0])),
        (tfd.MultivariateNormalDiag(LOC, np.array([1.0, 2.0]), 0.5), np.diag([1.5, 2.5])),
        (tfd.MultivariateNormalDiag(LOC, None, d(0.5)), 0.5 * np.eye(2)),
    ]  # fmt: skip


class NormalVectorsTest(tf.test.TestCase):
    def test_densities_are_those_of_the_covariances(self):
        x = np.random.RandomState(0).randn(4, 3, 2)
        for made, scale in scales():
            with self.subTest(made.name), self.session() as session:
                found, prob = session.run([made.log_prob(x), made.prob(x)])
                expected = log_normal(x, LOC, scale @ scale.T)
                self.assertAllClose(found, expected)
                self.assertAllClose(prob, np.exp(expected))

    def test_statistics_are_those_of_the_covariances(self):
        for made, scale in scales():
            covariance = scale @ scale.T
            names = ("mean", "mode", "covariance", "variance", "stddev", "entropy")
            with self.subTest(made.name), self.session() as session:
                found = session.run([getattr(made, name)() for name in names])
                variance = np.diag(covariance)
                entropy = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * covariance)[1]
                expected = [LOC, LOC, covariance, variance, np.sqrt(variance), entropy]
                for value, wanted in zip(found, expected):
                    self.assertAllClose(value, wanted)

    def test_samples_have_the_covariance(self):
        for made, scale in scales():
            with self.subTest(made.name), self.session() as session:
                drawn = session.run(made.sample([10, 4000], seed=3))
                self.assertEqual(drawn.shape, (10, 4000, 2))
                rows = drawn.reshape([-1, 2])
                self.assertAllClose(rows.mean(0), LOC, atol=0.06)
                self.assertAllClose(np.cov(rows.T), scale @ scale.T, atol=0.15)

    def test_divergences_are_those_of_the_covariances(self):
        for made, scale in scales():
            for other, other_scale in scales()[::4]:
                a, b = scale @ scale.T, other_scale @ other_scale.T
                shift = np.array([0.5, -0.25])
                moved = other.copy(loc=LOC + shift)
                expected = 0.5 * (
                    np.trace(np.linalg.solve(b, a)) + shift @ np.linalg.solve(b, shift) - 2
                    + np.linalg.slogdet(b)[1] - np.linalg.slogdet(a)[1]
                )  # fmt: skip
                with self.subTest(a=made.name, b=other.name), self.session() as session:
                    found, crossed = session.run(
                        [tfd.kl_divergence(made, moved), made.cross_entropy(moved)]
                    )
                    self.assertAllClose(found, expected)
                    entropy = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * a)[1]
                    self.assertAllClose(crossed, expected + entropy)

    def test_batches_of_means_and_scales_broadcast(self):
        lower = np.array([LOWER, 2 * LOWER, 3 * LOWER])
        loc = np.array([[[0.0, 1.0]], [[2.0, 3.0]]])
        made = tfd.MultivariateNormalTriL(loc, lower)
        self.assertEqual((made.batch_shape, made.event_shape), ([2, 3], [2]))
        drawn = made.sample([5, 4], seed=1)
        self.assertEqual(drawn.shape, [5, 4, 2, 3, 2])
        with self.session() as session:
            x, found, entropy = session.run([drawn, made.log_prob(drawn), made.entropy()])
        expected = log_normal(x, loc, lower @ np.swapaxes(lower, -1, -2))
        self.assertAllClose(found, expected)
        self.assertEqual(entropy.shape, (2, 3))

    def test_shapes_may_be_unknown(self):
        loc, lower = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
        made = tfd.MultivariateNormalTriL(loc, lower)
        drawn = made.sample(6, seed=1)
        with self.session() as session:
            x, found, batch, event = session.run(
                [drawn, made.log_prob(drawn), made.batch_shape_tensor(), made.event_shape_tensor()],
                {loc: [LOC] * 3, lower: LOWER},
            )
        self.assertAllClose(found, log_normal(x, LOC, LOWER @ LOWER.T))
        self.assertEqual((batch.tolist(), event.tolist(), x.shape), ([3], [2], (6, 3, 2)))

    def test_a_singular_scale_fails_where_it_is_checked(self):
        diagonal = tf.placeholder_with_default([1.0, 0.0], [2])
        for made in (
            tfd.MultivariateNormalDiag([0.0, 0.0], diagonal, validate_args=True),
            tfd.MultivariateNormalTriL([0.0, 0.0], tf.diag(diagonal), validate_args=True),
        ):
            with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(made.sample())

    def test_an_asymmetric_covariance_fails_where_it_is_checked(self):
        matrix = tf.placeholder_with_default([[1.0, 0.5], [0.0, 1.0]], [2, 2])
        made = tfd.MultivariateNormalFullCovariance(None, matrix, validate_args=True)
        with self.session() as session, self.assertRaisesOpError("not symmetric"):
            session.run(made.sample())

    def test_sizes_that_do_not_fit_are_errors(self):
        with self.assertRaisesRegex(ValueError, "could not be broadcast"):
            tfd.MultivariateNormalTriL([1.0, 2.0, 3.0], np.eye(2, dtype=np.float32))
        for make in (
            tfd.MultivariateNormalTriL, tfd.MultivariateNormalDiag, tfd.VectorLaplaceDiag,
            tfd.MultivariateNormalDiagPlusLowRank, tfd.VectorSinhArcsinhDiag,
        ):  # fmt: skip
            with self.subTest(make.__name__), self.assertRaises(ValueError):
                make()


class OtherVectorsTest(tf.test.TestCase):
    def test_laplace_vectors_have_independent_elements(self):
        made = tfd.VectorLaplaceDiag(LOC, np.array([1.0, 2.0]))
        each = tfd.Laplace(LOC, np.array([1.0, 2.0]))
        self.check(made, each)

    def test_exponential_vectors_have_independent_elements(self):
        made = tfd.VectorExponentialDiag(LOC, np.array([1.0, 2.0]))
        x = LOC + np.array([[0.5, 3.0], [1.0, 0.1]])
        with self.session() as session:
            found, mean, mode, variance, entropy, drawn = session.run(
                [made.log_prob(x), made.mean(), made.mode(), made.variance(), made.entropy(),
                 made.sample(40000, seed=2)]
            )  # fmt: skip
        self.assertAllClose(found, -((x - LOC) / [1, 2]).sum(-1) - math.log(2))
        self.assertAllClose([mean, mode, variance], [LOC + [1, 2], LOC, [1, 4]])
        self.assertAllClose(entropy, 2 + math.log(2))
        self.assertTrue((drawn >= LOC).all())
        self.assertAllClose(drawn.mean(0), LOC + [1, 2], atol=0.05)

    def test_skewed_vectors_have_independent_elements(self):
        scale = np.array([1.0, 2.0])
        made = tfd.VectorSinhArcsinhDiag(LOC, scale, skewness=d(0.4), tailweight=d(1.2))
        each = tfd.SinhArcsinh(LOC, np.array([1.0, 2.0]), d(0.4), d(1.2))
        x = np.array([[0.5, 3.0], [1.0, 0.1]])
        with self.session() as session:
            found, expected, drawn, quantile = session.run(
                [made.log_prob(x), each.log_prob(x), made.sample(40000, seed=2),
                 each.quantile(d(0.8))]
            )  # fmt: skip
        self.assertAllClose(found, expected.sum(-1))
        self.assertAllClose((drawn < quantile).mean(0), [0.8, 0.8], atol=0.015)
        for name in ("mean", "entropy", "covariance", "variance", "stddev", "mode"):
            with self.subTest(name), self.assertRaises(NotImplementedError):
                getattr(made, name)()

    def check(self, made, each):
        x = np.array([[0.5, 3.0], [1.0, 0.1]])
        names = ("mean", "variance", "stddev")
        with self.session() as session:
            found, expected = session.run([made.log_prob(x), each.log_prob(x)])
            self.assertAllClose(found, expected.sum(-1))
            for name in names:
                self.assertAllClose(*session.run([getattr(y, name)() for y in (made, each)]))
            entropy, entropies = session.run([made.entropy(), each.entropy()])
            self.assertAllClose(entropy, entropies.sum())
            drawn, mean, stddev = session.run([made.sample(40000, seed=2), each.mean(),
                                               each.stddev()])  # fmt: skip
            self.assertAllClose(drawn.mean(0), mean, atol=0.06)
            self.assertAllClose(drawn.std(0), stddev, rtol=0.05)
            covariance = session.run(made.covariance())
            self.assertAllClose(covariance, np.diag(stddev**2))


class RelaxedOneHotTest(tf.test.TestCase):
    def test_the_density_is_that_of_the_formula(self):
        p, t = np.array([0.2, 0.3, 0.5]), 0.7
        y = np.array([[0.1, 0.3, 0.6], [0.8, 0.15, 0.05]])
        made = tfd.RelaxedOneHotCategorical(d(t), probs=p)
        of_logarithms = tfd.ExpRelaxedOneHotCategorical(d(t), probs=p)
        with self.session() as session:
            found, other = session.run([made.prob(y), of_logarithms.prob(np.log(y))])
        weights = p * y**-t
        expected = 2 * t**2 * (weights / weights.sum(-1, keepdims=True) / y).prod(-1)
        self.assertAllClose(found, expected)
        self.assertAllClose(other, expected * y.prod(-1))

    def test_two_classes_have_all_the_probability(self):
        y = np.linspace(1e-5, 1 - 1e-5, 100001)
        made = tfd.RelaxedOneHotCategorical(d(0.9), probs=[d(0.3), d(0.7)])
        with self.session() as session:
            prob = session.run(made.prob(np.stack([y, 1 - y], -1)))
        self.assertAllClose(((prob[1:] + prob[:-1]) / 2 * np.diff(y)).sum(), 1.0, rtol=1e-3)

    def test_samples_are_vectors_of_classes_as_frequent_as_probable(self):
        probs = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], np.float32)
        made = tfd.RelaxedOneHotCategorical([0.5, 1.0], probs=probs)
        self.assertEqual((made.batch_shape, made.event_shape), ([2], [3]))
        with self.session() as session:
            drawn = session.run(made.sample(20000, seed=1))
        self.assertAllClose(drawn.sum(-1), np.ones([20000, 2]), atol=1e-5)
        found = [np.bincount(drawn[:, i].argmax(-1), minlength=3) / 20000 for i in range(2)]
        self.assertAllClose(found, probs, atol=0.02)

    def test_samples_have_gradients(self):
        logits = tf.constant([0.3, -1.0, 0.1])
        drawn = tfd.RelaxedOneHotCategorical(0.5, logits=logits).sample(seed=1)
        (gradient,) = tf.gradients(drawn[0], logits)
        with self.session() as session:
            self.assertGreater(session.run(gradient)[0], 0)

    def test_values_that_are_no_logarithms_of_probabilities_fail_where_they_are_checked(self):
        made = tfd.ExpRelaxedOneHotCategorical(0.5, probs=[0.5, 0.5], validate_args=True)
        value = tf.placeholder_with_default([0.0, 0.0], [2])
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(made.log_prob(value))


class WishartTest(tf.test.TestCase):
    scale = LOWER @ LOWER.T

    def test_the_density_is_that_of_the_formula(self):
        df, x = 3.5, np.array([[[2.0, 0.3], [0.3, 1.0]], [[5.0, -1.0], [-1.0, 2.0]]])
        made = [tfd.WishartFull(d(df), self.scale), tfd.WishartCholesky(d(df), LOWER)]
        log_gamma = math.log(math.pi) / 2 + math.lgamma(df / 2) + math.lgamma(df / 2 - 0.5)
        trace = np.trace(np.linalg.solve(self.scale, x), axis1=-2, axis2=-1)
        expected = (
            (df - 3) / 2 * np.linalg.slogdet(x)[1] - trace / 2 - df * math.log(2)
            - df / 2 * np.linalg.slogdet(self.scale)[1] - log_gamma
        )  # fmt: skip
        factors = tfd.WishartCholesky(d(df), LOWER, cholesky_input_output_matrices=True)
        with self.session() as session:
            for each in made:
                self.assertAllClose(session.run(each.log_prob(x)), expected)
            self.assertAllClose(session.run(factors.log_prob(np.linalg.cholesky(x))), expected)

    def test_with_one_row_it_is_a_gamma_distribution(self):
        made, gamma = tfd.WishartFull(d(3.0), [[d(2.0)]]), tfd.Gamma(d(1.5), d(0.25))
        x = np.array([0.5, 1.0, 7.0])
        with self.session() as session:
            for one, other in (
                (made.log_prob(x[:, None, None]), gamma.log_prob(x)),
                (made.entropy(), gamma.entropy()), (made.mean(), gamma.mean()),
                (made.variance(), gamma.variance()), (made.mode(), gamma.mode()),
                (made.stddev(), gamma.stddev()),
            ):  # fmt: skip
                found, expected = session.run([one, other])
                self.assertAllClose(np.squeeze(found), expected)

    def test_samples_have_the_moments(self):
        made = tfd.WishartCholesky(d(4.0), [LOWER, 2 * LOWER])
        self.assertEqual((made.batch_shape, made.event_shape), ([2], [2, 2]))
        with self.session() as session:
            drawn, mean, variance, log_det = session.run(
                [made.sample(20000, seed=4), made.mean(), made.variance(), made.mean_log_det()]
            )
        self.assertAllClose(mean, 4 * np.array([self.scale, 4 * self.scale]))
        self.assertAllClose(drawn.mean(0), mean, rtol=0.05)
        self.assertAllClose(drawn.var(0), variance, rtol=0.1)
        self.assertAllClose(np.linalg.slogdet(drawn)[1].mean(0), log_det, atol=0.03)

    def test_entropies_are_the_means_over_samples(self):
        made = tfd.WishartFull(d(4.5), self.scale)
        drawn = made.sample(20000, seed=4)
        with self.session() as session:
            found, logs = session.run([made.entropy(), made.log_prob(drawn)])
        self.assertAllClose(found, -logs.mean(), atol=0.05)

    def test_fewer_degrees_of_freedom_than_rows_are_errors(self):
        with self.assertRaisesRegex(ValueError, "cannot be less"):
            tfd.WishartFull(d(1.5), self.scale)
        df = tf.placeholder_with_default(d(1.5), [])
        with self.session() as session, self.assertRaisesOpError("cannot be less"):
            session.run(tfd.WishartFull(df, self.scale, validate_args=True).mean())


if __name__ == "__main__":
    unittest.main()
