"""Mixtures of Gaussian distributions, against NumPy, and elements of products."""

import unittest

import numpy as np

import troupe as tf
from troupe._src.factorization.masked_products import masked_matmul

factorization = tf.contrib.factorization
LEAST = 1e-3


def log_densities(data, alphas, means, covs):
    """The logarithms of the weighted densities, [n, classes]."""
    found = []
    for alpha, mean, cov in zip(alphas, means, covs):
        shifted = cov + LEAST * np.eye(len(mean))
        differences = data - mean
        squares = np.einsum("ni,ij,nj->n", differences, np.linalg.inv(shifted), differences)
        sizes = len(mean) * np.log(2 * np.pi) + np.linalg.slogdet(shifted)[1]
        found.append(np.log(alpha) - 0.5 * (squares + sizes))
    return np.stack(found, 1)


def improved(data, alphas, means, covs, is_diagonal=False):
    """Weights, means and covariances after one step."""
    densities = np.exp(log_densities(data, alphas, means, covs))
    weights = densities / densities.sum(1, keepdims=True)
    counts = weights.sum(0)
    means = weights.T @ data / counts[:, None]
    covs = np.einsum("nk,ni,nj->kij", weights, data, data) / counts[:, None, None]
    covs += LEAST * np.eye(data.shape[1]) - means[:, :, None] * means[:, None]
    if is_diagonal:
        covs = covs * np.eye(data.shape[1])
    return counts / len(data), means, covs


class MixturesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        random = np.random.RandomState(6)
        self.data = np.concatenate(
            [random.normal([2, 2, 0], [0.6, 0.9, 1], (80, 3)), random.normal(-1, 0.5, (60, 3))]
        ).astype(np.float32)
        self.means = np.array([[1.0, 1, 0], [-2, 0, 0]])

    def check(self, shards, covariance_type):
        is_diagonal = covariance_type == "diag"
        tool = factorization.GmmAlgorithm(
            [tf.constant(each) for each in shards], 2, self.means,
            covariance_type=covariance_type,
        )  # fmt: skip
        cov = np.cov(shards[0].T)
        cov = (cov * np.eye(3) if is_diagonal else cov) + LEAST * np.eye(3)
        state = (np.full(2, 0.5), self.means, np.stack([cov] * 2))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertFalse(session.run(tool.is_initialized()))
            session.run(tool.init_ops())
            self.assertTrue(session.run(tool.is_initialized()))
            for _ in range(3):
                session.run(tool.training_ops())
                state = improved(self.data, *state, is_diagonal)
            found = session.run([tool.alphas(), tool.clusters(), tool.covariances()])
            numbers, scores = session.run([tool.assignments(), tool.scores()])
            total = session.run(tool.log_likelihood_op())
        np.testing.assert_allclose(found[0], state[0], rtol=1e-4)
        np.testing.assert_allclose(found[1][:, 0], state[1], rtol=1e-3, atol=1e-4)
        covs = state[2][:, range(3), range(3)] if is_diagonal else state[2]
        np.testing.assert_allclose(found[2], covs, rtol=1e-3, atol=1e-4)
        logs = log_densities(self.data, *state)
        densities = np.log(np.exp(logs).sum(1))
        np.testing.assert_allclose(scores[:, 0], densities, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(total, np.log(np.exp(densities).sum()), rtol=1e-4)
        np.testing.assert_array_equal(np.concatenate(numbers), logs.argmax(1))

    def test_steps_expect_and_maximize(self):
        self.check([self.data], "full")

    def test_covariances_may_be_diagonal(self):
        self.check([self.data], "diag")

    def test_examples_may_be_in_several_tensors(self):
        self.check([self.data[:90], self.data[90:]], "full")

    def test_only_what_is_asked_for_changes(self):
        for params in ("w", "m", "c"):
            tf.reset_default_graph()
            tool = factorization.GmmAlgorithm([tf.constant(self.data)], 2, self.means, params)
            variables = [tool.alphas(), tool.clusters(), tool.covariances()]
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run(tool.init_ops())
                before = session.run(variables)
                session.run(tool.training_ops())
                after = session.run(variables)
            changed = [not np.array_equal(a, b) for a, b in zip(before, after)]
            self.assertEqual(changed, [name == params for name in "wmc"])

    def test_random_examples_are_the_first_means(self):
        _, _, assignments, train, init, is_ready = factorization.gmm(
            tf.constant(self.data), "random", 2, random_seed=3
        )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(init)
            name = factorization.GmmAlgorithm.CLUSTERS_VARIABLE
            means = next(v for v in tf.global_variables() if v.op.name == name)
            for mean in session.run(means)[:, 0]:
                self.assertIn(mean.tolist(), self.data.tolist())
            for _ in range(30):
                session.run(train)
            before = session.run(means)
            session.run(init)  # has no effect any more
            np.testing.assert_array_equal(session.run(means), before)
            numbers = session.run(assignments)[0][0]
            self.assertTrue(session.run(is_ready))
        is_first = np.arange(140) < 80
        share = np.mean((numbers == numbers[0]) == is_first)
        self.assertGreater(max(share, 1 - share), 0.95)

    def test_there_are_two_types_of_covariances(self):
        with self.assertRaises(ValueError):
            factorization.GmmAlgorithm([tf.constant(self.data)], 2, covariance_type="tied")


class MaskedProductsTest(unittest.TestCase):
    def test_elements_are_those_of_the_product(self):
        random = np.random.RandomState(2)
        a, b = random.rand(4, 3), random.rand(3, 5)
        places = np.array([[0, 4], [3, 0], [1, 1], [0, 4]])
        wanted = (a @ b)[places[:, 0], places[:, 1]]
        for turns_a in (False, True):
            for turns_b in (False, True):
                found = masked_matmul(
                    a.T if turns_a else a, b.T if turns_b else b, places, turns_a, turns_b
                )
                with tf.Session() as session:
                    np.testing.assert_allclose(session.run(found), wanted)


if __name__ == "__main__":
    unittest.main()
