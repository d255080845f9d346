"""The normal distribution far from its mean, and its quantiles."""

import math
import statistics

import numpy as np

import troupe as tf

tfd = tf.distributions


def log_cdf(x):
    """By the complementary error function, and far below by a continued fraction."""
    if x > -5:
        return math.log(math.erfc(-x / math.sqrt(2)) / 2)
    rest = 0.0
    for k in range(400, 0, -1):
        rest = k / (-x + rest)
    return -x * x / 2 - math.log(2 * math.pi) / 2 - math.log(-x + rest)


class TailsTest(tf.test.TestCase):
    def test_logarithms_of_probabilities_are_exact_far_below(self):
        # Beyond the first three the probability itself is 0 in float32, and then in float64.
        points = [-3.0, -9.9, -10.1, -15.0, -19.9, -20.1, -37.0, -39.0, -100.0, -1e4]
        expected = [log_cdf(x) for x in points]
        for dtype, rtol in ((np.float32, 2e-6), (np.float64, 1e-9)):
            made = tfd.Normal(dtype(2.0), dtype(3.0))
            value = tf.constant(np.array(points, dtype) * 3 + 2)
            with self.subTest(dtype.__name__), self.session() as session:
                below, above = session.run(
                    [made.log_cdf(value), made.log_survival_function(4.0 - value)]
                )
                self.assertAllClose(below, expected, rtol=rtol)
                self.assertAllClose(above, expected, rtol=rtol)

    def test_logarithms_of_probabilities_near_1_are_not_0(self):
        points = [4.0, 5.1, 6.0, 8.1, 12.0]
        expected = [-math.erfc(x / math.sqrt(2)) / 2 for x in points]
        made = tfd.Normal(np.float64(0), np.float64(1))
        with self.session() as session:
            # log1p(y) is y - y^2 / 2.
            exact = [y - y * y / 2 for y in expected]
            self.assertAllClose(session.run(made.log_cdf(points)), exact, rtol=1e-9, atol=0)

    def test_gradients_of_logarithms_are_finite(self):
        for dtype in (np.float32, np.float64):
            x = tf.constant(np.array([-1e4, -30, -20, -10, -1, 0, 4, 9, 40], dtype))
            (gradient,) = tf.gradients(tfd.Normal(dtype(0), dtype(1)).log_cdf(x), x)
            with self.subTest(dtype.__name__), self.session() as session:
                found, points = session.run([gradient, x])
                # density / probability
                expected = [math.exp(-p * p / 2 - log_cdf(p)) / math.sqrt(2 * math.pi)
                            for p in points.astype(np.float64)[1:]]  # fmt: skip
                self.assertAllClose(found[1:], expected, rtol=1e-5, atol=1e-30)
                self.assertAllClose(found[0], 1e4, rtol=1e-4)


class QuantileTest(tf.test.TestCase):
    def test_quantiles_are_those_of_the_distribution(self):
        p = np.array(
            [1e-300, 1e-30, 1e-10, 1e-5, 0.01, 0.074, 0.076, 0.3, 0.5, 0.8, 0.93, 0.999999]
        )
        reference = statistics.NormalDist(1.5, 2.0)
        made = tfd.Normal(np.float64(1.5), np.float64(2.0))
        with self.session() as session:
            found, back = session.run([made.quantile(p), made.log_cdf(made.quantile(p))])
            self.assertAllClose(found, [reference.inv_cdf(each) for each in p], rtol=1e-12)
            self.assertAllClose(back, np.log(p), rtol=1e-9, atol=1e-14)

    def test_quantiles_in_float32(self):
        p = np.float32([1e-30, 1e-4, 0.2, 0.5, 0.7, 0.9999])
        reference = statistics.NormalDist()
        with self.session() as session:
            found = session.run(tfd.Normal(0.0, [[1.0], [2.0]]).quantile(p))
        expected = [reference.inv_cdf(float(each)) for each in p]
        self.assertAllClose(found, [expected, np.multiply(expected, 2)], rtol=2e-5, atol=1e-6)

    def test_quantiles_at_and_beyond_the_ends(self):
        with self.session() as session:
            found = session.run(tfd.Normal(0.0, 1.0).quantile([0.0, 1.0, -0.1, 1.5, np.nan]))
        self.assertAllEqual(found[:2], [-np.inf, np.inf])
        self.assertTrue(np.isnan(found[2:]).all())
        ends = tf.constant([0.0, 1.0])
        (gradient,) = tf.gradients(tfd.Normal(0.0, 1.0).quantile(ends), ends)
        with self.session() as session:
            self.assertFalse(np.isnan(session.run(gradient)).any())

    def test_the_gradient_of_a_quantile_is_the_inverse_of_the_density(self):
        p = tf.constant(np.array([1e-20, 0.001, 0.4, 0.5, 0.99]))
        made = tfd.Normal(np.float64(0), np.float64(2))
        quantile = made.quantile(p)
        (gradient,) = tf.gradients(quantile, p)
        with self.session() as session:
            found, density = session.run([gradient, made.prob(quantile)])
        self.assertAllClose(found, 1 / density, rtol=1e-8)

class ParametersTest(tf.test.TestCase):
    def test_parameters_have_the_shape_of_samples(self):
        self.assertEqual(tfd.Normal.param_static_shapes([2, 3]), {"loc": [2, 3], "scale": [2, 3]})
        sizes = tf.placeholder_with_default([4], [1])
        shapes = tfd.StudentT.param_shapes(sizes)
        self.assertEqual(sorted(shapes), ["df", "loc", "scale"])
        with self.session() as session:
            self.assertAllEqual(session.run(shapes["df"]), [4])
        with self.assertRaises(ValueError):
            tfd.Normal.param_static_shapes(tf.TensorShape([None]))
        with self.assertRaises(NotImplementedError):
            tfd.Categorical.param_shapes([1])

    def test_counts_may_have_the_axis_of_the_classes(self):
        weights = np.array([[1.0, 2, 3], [2, 2, 2]])
        column = tfd.DirichletMultinomial([[4.0], [5.0]], weights).covariance()
        batch = tfd.DirichletMultinomial([4.0, 5.0], weights).covariance()
        self.assertEqual(column.shape, [2, 3, 3])
        with self.session() as session:
            self.assertAllClose(*session.run([column, batch]))


if __name__ == "__main__":
    tf.test.main()
