"""Distributions of integers and one-hot vectors, compared with sums of their probabilities."""

import math
import unittest

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions
lgamma = np.vectorize(math.lgamma)
N = np.arange(400.0)


def made_of_counts():
    """Distributions, with their probabilities of 0, 1, 2 and so on."""
    poisson = np.exp(N * np.log(3.5) - 3.5 - lgamma(N + 1))
    binomial = np.array([math.comb(9, int(k)) * 0.35**k * 0.65 ** (9 - k) for k in N[:10]])
    negative = np.exp(
        lgamma(N + 2.5) - lgamma(N + 1) - math.lgamma(2.5) + 2.5 * np.log(0.55) + N * np.log(0.45)
    )
    one = np.float64
    return [
        (tfd.Poisson(one(3.5)), poisson),
        (tfd.Poisson(log_rate=one(math.log(3.5))), poisson),
        (tfd.Binomial(one(9), probs=one(0.35)), binomial),
        (tfd.Binomial(one(9), logits=one(math.log(0.35 / 0.65))), binomial),
        (tfd.NegativeBinomial(one(2.5), probs=one(0.45)), negative),
        (tfd.Geometric(probs=one(0.25)), 0.25 * 0.75**N),
        (tfd.Geometric(logits=one(math.log(1 / 3))), 0.25 * 0.75**N),
    ]


class CountsTest(tf.test.TestCase):
    def test_probabilities_are_those_of_the_formulas(self):
        for made, probs in made_of_counts():
            counts = N[: len(probs)]
            with self.subTest(made.name), self.session() as session:
                found = session.run([made.prob(counts), made.log_prob(counts[:5])])
                self.assertAllClose(found[0], probs, rtol=1e-9, atol=1e-12)
                self.assertAllClose(found[1], np.log(probs[:5]), rtol=1e-9)

    def test_distribution_functions_are_the_sums_of_probabilities(self):
        for made, probs in made_of_counts():
            counts = N[: len(probs)]
            with self.subTest(made.name), self.session() as session:
                self.assertAllClose(session.run(made.cdf(counts)), np.cumsum(probs), rtol=1e-7)

    def test_moments_and_modes_are_those_of_the_probabilities(self):
        for made, probs in made_of_counts():
            counts = N[: len(probs)]
            mean = (probs * counts).sum()
            variance = (probs * (counts - mean) ** 2).sum()
            with self.subTest(made.name), self.session() as session:
                found = session.run([made.mean(), made.variance(), made.stddev(), made.mode()])
                expected = [mean, variance, math.sqrt(variance), np.argmax(probs)]
                self.assertAllClose(found, expected, rtol=1e-7)

    def test_samples_have_those_moments(self):
        for made, _ in made_of_counts():
            if isinstance(made, tfd.Binomial):
                continue
            with self.subTest(made.name), self.session() as session:
                drawn, mean, stddev = session.run(
                    [made.sample(20000, seed=3), made.mean(), made.stddev()]
                )
                self.assertAllEqual(drawn, np.floor(drawn))
                self.assertAllClose(drawn.mean(), mean, atol=5 * stddev / math.sqrt(20000))
                self.assertAllClose(drawn.std(), stddev, rtol=0.06)

    def test_binomial_distributions_have_no_samples(self):
        with self.assertRaisesRegex(NotImplementedError, "sample_n"):
            tfd.Binomial(3.0, probs=0.5).sample()

    def test_parameters_broadcast(self):
        for make in (tfd.Binomial, tfd.NegativeBinomial):
            made = make([[4.0], [5.0]], probs=[0.2, 0.5, 0.8])
            self.assertEqual(made.batch_shape, [2, 3])
            with self.session() as session:
                found = session.run([made.log_prob(2.0), made.cdf(2.0), made.batch_shape_tensor()])
            self.assertEqual([np.shape(each) for each in found], [(2, 3), (2, 3), (2,)])

    def test_the_geometric_entropy_is_that_of_the_probabilities(self):
        probs = 0.25 * 0.75**N
        with self.session() as session:
            found = session.run(tfd.Geometric(probs=np.float64(0.25)).entropy())
        self.assertAllClose(found, -(probs * np.log(probs)).sum())

    def test_values_that_are_no_counts_fail_where_they_are_checked(self):
        for make in (
            lambda: tfd.Poisson(2.0, validate_args=True),
            lambda: tfd.Binomial(3.0, probs=0.5, validate_args=True),
            lambda: tfd.NegativeBinomial(3.0, probs=0.5, validate_args=True),
            lambda: tfd.Geometric(probs=0.5, validate_args=True),
        ):
            value = tf.placeholder_with_default([1.0], [1])
            found = make().log_prob(value)
            for wrong in (-1.0, 0.5):
                with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(found, {value: [wrong]})

    def test_more_successes_than_attempts_fail_where_they_are_checked(self):
        value = tf.placeholder_with_default(4.0, [])
        found = tfd.Binomial(3.0, probs=0.5, validate_args=True).log_prob(value)
        with self.session() as session, self.assertRaisesOpError("less than or equal to n"):
            session.run(found)

    def test_rates_that_are_not_positive_fail_where_they_are_checked(self):
        rate = tf.placeholder_with_default(0.0, [])
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(tfd.Poisson(rate, validate_args=True).mean())

    def test_rates_are_given_once_and_as_floats(self):
        for options in ({}, {"rate": 1.0, "log_rate": 0.0}):
            with self.assertRaisesRegex(ValueError, "exactly one"):
                tfd.Poisson(**options)
        for options in ({"rate": 1}, {"log_rate": 1}):
            with self.assertRaisesRegex(TypeError, "float"):
                tfd.Poisson(**options)


class DeterministicTest(tf.test.TestCase):
    def test_a_number_has_all_the_probability(self):
        made = tfd.Deterministic([0.0, 2.0], atol=0.1, rtol=0.1)
        with self.session() as session:
            prob, cdf, drawn, entropy = session.run(
                [made.prob([[0.05, 2.25], [-0.2, 1.6]]), made.cdf([-0.2, 1.75]),
                 made.sample(3), made.entropy()]
            )  # fmt: skip
        self.assertAllEqual(prob, [[1, 1], [0, 0]])
        self.assertAllEqual(cdf, [0, 1])
        self.assertAllEqual(drawn, [[0, 2]] * 3)
        self.assertAllEqual(entropy, [0, 0])

    def test_a_vector_has_all_the_probability(self):
        made = tfd.VectorDeterministic([[0.0, 1.0], [2.0, 3.0]])
        self.assertEqual((made.batch_shape, made.event_shape), ([2], [2]))
        with self.session() as session:
            prob, other, drawn = session.run(
                [made.prob([0.0, 1.0]), made.prob([0.0, 3.0]), made.sample([2])]
            )
        self.assertAllEqual(prob, [1, 0])
        self.assertAllEqual(other, [0, 0])  # one element of each is the same
        self.assertEqual(drawn.shape, (2, 2, 2))

    def test_negative_tolerances_fail_where_they_are_checked(self):
        with self.session() as session, self.assertRaisesOpError("non-negative"):
            low = tf.placeholder_with_default(-1.0, [])
            session.run(tfd.Deterministic(0.0, atol=low, validate_args=True).prob(0.0))

    def test_a_vector_of_another_length_fails_where_it_is_checked(self):
        made = tfd.VectorDeterministic([1.0, 1.0], validate_args=True)
        value = tf.placeholder_with_default([1.0], [None])
        with self.session() as session, self.assertRaisesOpError("not defined in the same space"):
            session.run(made.prob(value))


class OneHotTest(tf.test.TestCase):
    def test_probabilities_are_those_of_the_classes(self):
        probs = np.array([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6]], np.float32)
        made = tfd.OneHotCategorical(probs=probs)
        with self.session() as session:
            found, mode, covariance = session.run(
                [made.prob(np.eye(3, dtype=np.int32)[:, None]), made.mode(), made.covariance()]
            )
        self.assertAllClose(found, probs.T)
        self.assertAllEqual(mode, [[0, 0, 1]] * 2)
        expected = [np.diag(p) - np.outer(p, p) for p in probs]
        self.assertAllClose(covariance, expected)

    def test_samples_are_one_hot_and_as_frequent_as_probable(self):
        probs = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], np.float32)
        with self.session() as session:
            drawn = session.run(tfd.OneHotCategorical(probs=probs).sample(20000, seed=1))
        self.assertEqual((drawn.dtype, drawn.shape), (np.int32, (20000, 2, 3)))
        self.assertAllEqual(drawn.sum(-1), np.ones([20000, 2]))
        self.assertAllClose(drawn.mean(0), probs, atol=0.02)

    def test_entropies_and_divergences_are_sums(self):
        p, q = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.4, 0.2])
        a, b = tfd.OneHotCategorical(probs=p), tfd.OneHotCategorical(logits=np.log(q) + 3)
        with self.session() as session:
            entropy, divergence = session.run([a.entropy(), tfd.kl_divergence(a, b)])
        self.assertAllClose(entropy, -(p * np.log(p)).sum())
        self.assertAllClose(divergence, (p * np.log(p / q)).sum())

    def test_vectors_that_are_not_one_hot_fail_where_they_are_checked(self):
        made = tfd.OneHotCategorical(probs=[0.5, 0.5], validate_args=True)
        value = tf.placeholder_with_default([0, 1], [2])
        found = made.log_prob(value)
        with self.session() as session:
            self.assertAllClose(session.run(found), math.log(0.5))
            for wrong in ([1, 1], [0, 0], [2, -1]):
                with self.assertRaisesOpError("one-hot"):
                    session.run(found, {value: wrong})
            halves = tf.placeholder_with_default([0.5, 0.5], [2])
            with self.assertRaisesOpError("one-hot"):
                session.run(made.log_prob(halves))


if __name__ == "__main__":
    unittest.main()
