"""Mixtures of affine maps between two of them."""

import unittest

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions
SIZE = 3


def operators():
    return [
        tf.linalg.LinearOperatorScaledIdentity(SIZE, np.float32(1.1), is_positive_definite=True),
        tf.linalg.LinearOperatorDiag(np.float32([2.5, 3, 3.5]), is_positive_definite=True),
    ]


def mixture(**arguments):
    given = {"mix_loc": [[0.0], [1.0]], "temperature": [1.0], "scale": operators()}
    given["distribution"] = tfd.Normal(0.0, 1.0)
    given["loc"] = [None, np.float32([2.0, 2.0, 2.0])]
    return tfd.VectorDiffeomixture(**{**given, **arguments})


class GridsTest(tf.test.TestCase):
    def test_the_quadrature_of_gauss_and_hermite(self):
        scheme = tfd.quadrature_scheme_softmaxnormal_gauss_hermite
        with self.session() as session:
            grid, probs = session.run(scheme(np.float32([[0.3], [1.0]]), np.float32([1.2]), 4))
        places, weights = np.polynomial.hermite.hermgauss(4)
        logits = np.array([[0.3], [1.0]]) + np.sqrt(2) * 1.2 * places
        first = 1 / (1 + np.exp(-logits))
        self.assertAllClose(grid, np.stack([first, 1 - first], 1), rtol=1e-5)
        self.assertAllClose(probs, weights / weights.sum(), rtol=1e-5)

    def test_the_middles_of_quantiles_are_those_of_tensorflow(self):
        scheme = tfd.quadrature_scheme_softmaxnormal_quantiles
        with self.session() as session:
            grid, probs = session.run(scheme(np.float32([0.3]), np.float32([1.2]), 4))
        self.assertAllClose(grid[0], [0.3715717, 0.5102179, 0.6340073, 0.7526217], rtol=1e-5)
        self.assertAllClose(grid.sum(0), np.ones(4))
        self.assertAllClose(probs, np.full(4, 0.25))

    def test_more_than_two_components_are_an_error(self):
        for scheme in (
            tfd.quadrature_scheme_softmaxnormal_gauss_hermite,
            tfd.quadrature_scheme_softmaxnormal_quantiles,
        ):
            with self.assertRaisesRegex(NotImplementedError, "bimixtures"):
                scheme(np.float32([0, 1]), np.float32([1, 1]), 3)
            with self.assertRaisesRegex(ValueError, "vector"):
                scheme(np.float32([0]), np.float32(1), 3)


class MixtureTest(tf.test.TestCase):
    def test_densities_are_those_of_tensorflow(self):
        value = tf.reshape(tf.range(6.0) / 2 - 1, [2, SIZE])
        with self.session() as session:
            found = session.run(mixture(quadrature_size=5).log_prob(value))
        self.assertAllClose(found, [-5.736332, -4.422169], rtol=1e-5)

    def test_moments_are_those_of_samples(self):
        distribution = mixture()
        with self.session() as session:
            samples, mean, variance, covariance = session.run([
                distribution.sample(20000, seed=3), distribution.mean(), distribution.variance(),
                distribution.covariance(),
            ])  # fmt: skip
        self.assertEqual(samples.shape, (20000, 2, SIZE))
        self.assertAllClose(samples.mean(0), mean, atol=0.1)
        self.assertAllClose(samples.var(0), variance, rtol=0.1)
        for k in range(2):
            self.assertAllClose(np.cov(samples[:, k].T), covariance[k], atol=0.3)

    def test_triangles_may_be_mixed_with_identities(self):
        lower = np.float32([[1, 0, 0], [0.5, 2, 0], [0.1, 0.2, 1.5]])
        distribution = mixture(scale=[
            tf.linalg.LinearOperatorLowerTriangular(lower, is_positive_definite=True),
            tf.linalg.LinearOperatorIdentity(SIZE, dtype=tf.float32),
        ])  # fmt: skip
        with self.session() as session:
            grid, dense = session.run(
                [distribution.grid, distribution.interpolated_affine[0].scale.to_dense()]
            )
        weights = grid[..., 0][..., None, None]
        self.assertAllClose(dense, weights[:, 0] * lower + weights[:, 1] * np.eye(SIZE))

    def test_what_does_not_fit_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "num_component"):
            mixture(scale=operators()[:1])
        with self.assertRaisesRegex(ValueError, "same-length"):
            mixture(loc=[None])
        with self.assertRaisesRegex(NotImplementedError, "bimixtures"):
            mixture(scale=operators() + operators()[:1], loc=None)
        with self.assertRaisesRegex(TypeError, "dtype mismatch"):
            mixture(scale=[operators()[0], tf.linalg.LinearOperatorDiag(np.ones(SIZE))])
        with self.assertRaisesRegex(ValueError, "is_positive_definite"):
            scale = [operators()[0], tf.linalg.LinearOperatorDiag(-np.ones(SIZE, np.float32))]
            mixture(scale=scale, validate_args=True)


if __name__ == "__main__":
    unittest.main()
