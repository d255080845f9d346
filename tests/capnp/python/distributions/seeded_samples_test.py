"""Samples of distributions have TensorFlow 1.15's numbers for a seed."""

import unittest

import troupe as tf

T, D = tf.distributions, tf.contrib.distributions


class SeededSamplesTest(tf.test.TestCase):
    def test_second_draws_have_the_seeds_that_tensorflow_makes_of_the_first(self):
        tf.set_random_seed(11)
        coin = T.Categorical(probs=[0.3, 0.7])
        for distribution, expected in (
            (T.Beta(2.0, 3.0), [0.7424, 0.5857]),
            (T.StudentT(4.0, 0.0, 1.0), [3.2316, -2.5132]),
            (T.DirichletMultinomial(5.0, [1.0, 2.0, 3.0]), [2, 2, 1, 1, 3, 1]),
            (D.NegativeBinomial(3.0, probs=0.4), [3, 4]),
            (D.Mixture(coin, [T.Normal(0.0, 1.0), T.Normal(2.0, 0.5)]), [-1.8563, 1.1167]),
            (
                D.WishartCholesky(4.0, [[1.0, 0.0], [0.5, 2.0]]),
                [10.3473, 5.351, 5.351, 8.6165, 2.5993, 3.9109, 3.9109, 7.0777],
            ),
            (D.PoissonLogNormalQuadratureCompound(0.5, 0.3, quadrature_size=5), [3, 7]),
        ):
            with self.subTest(distribution.name), tf.Session() as session:
                drawn = session.run(distribution.sample(2, seed=5))
                self.assertAllClose(drawn.ravel(), expected, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
