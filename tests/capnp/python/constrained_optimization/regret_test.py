"""Constrained optimizers take TensorFlow's steps."""

import importlib.util
import unittest

import numpy as np

import troupe as tf

co = tf.contrib.constrained_optimization


class Problem(co.ConstrainedMinimizationProblem):
    """Small w, of which the first is at least 1, and the sum at most -1."""

    def __init__(self, has_proxies=False):
        self.w = tf.get_variable("w", initializer=[0.5, -0.4, 0.2])
        self.runs = tf.get_variable("runs", initializer=0.0, trainable=False)
        self.has_proxies = has_proxies

    @property
    def objective(self):
        return tf.reduce_sum(tf.square(self.w))

    @property
    def constraints(self):
        first = tf.cast(self.w[0] < 1, tf.float32) if self.has_proxies else 1 - self.w[0]
        return tf.stack([first, tf.reduce_sum(self.w) + 1])

    @property
    def proxy_constraints(self):
        if not self.has_proxies:
            return None
        return tf.stack([1 - self.w[0], tf.reduce_sum(self.w) + 1])

    @property
    def pre_train_ops(self):
        return [self.runs.assign_add(1.0)]


def descent(rate):
    return tf.train.GradientDescentOptimizer(rate)


# Whether there are proxies, the optimizer, and what TensorFlow 1.15 gives after three steps: the
# parameters, and the state.
EXPECTED = [
    (
        False,
        lambda: co.AdditiveExternalRegretOptimizer(descent(0.1), descent(0.5)),
        [0.152, -0.3838, -0.0766],
        [0.91, 1.781],
    ),
    (
        True,
        lambda: co.AdditiveExternalRegretOptimizer(descent(0.1), descent(0.5)),
        [0.217, -0.3838, -0.0766],
        [1.5, 1.7935],
    ),
    (
        False,
        lambda: co.AdditiveExternalRegretOptimizer(descent(0.1), descent(2.0), 1.5),
        [-0.014, -0.4748, -0.1676],
        [0.088, 1.412],
    ),
    (
        True,
        lambda: co.AdditiveExternalRegretOptimizer(descent(0.1), descent(2.0), 1.5),
        [0.1, -0.4178, -0.1106],
        [0.288, 1.212],
    ),
    (
        False,
        lambda: co.AdditiveSwapRegretOptimizer(descent(0.1), descent(0.5)),
        [0.23813, -0.297, 0.059755],
        [0.25255, 1, 0.80993, 0.024884, 0, 0.01505, 0.72256, 0, 0.17501],
    ),
    (
        True,
        lambda: co.AdditiveSwapRegretOptimizer(descent(0.1), descent(0.5)),
        [0.27746, -0.28628, 0.075846],
        [0.13469, 0.9214, 0.82792, 0.29127, 0.029128, 0.063616, 0.57403, 0.049469, 0.10846],
    ),
    (
        False,
        lambda: co.MultiplicativeSwapRegretOptimizer(descent(0.1), descent(2.0), 0.01, 0.5),
        [0.3162, -0.38738, 0.050514],
        [-2.4972, -0.83123, -1.5086, -2.2436, -1.6469, -1.7202, -0.20873, -0.98929, -0.51125],
    ),
    (
        True,
        lambda: co.MultiplicativeSwapRegretOptimizer(descent(0.1), descent(2.0), 0.01, 0.5),
        [0.3489, -0.37825, 0.064035],
        [-2.6706, -1.1802, -1.5065, -1.1704, -1.2113, -1.1344, -0.47715, -0.92896, -0.78371],
    ),
]


class RegretTest(tf.test.TestCase):
    def test_steps_are_those_of_tensorflow(self):
        for has_proxies, make, parameters, state in EXPECTED:
            w, found, _ = self.trained(make(), has_proxies)
            self.assertAllClose(w, parameters, rtol=1e-4)
            self.assertAllClose(found.ravel(), state, rtol=1e-3, atol=1e-6)

    def trained(self, optimizer, has_proxies=False, steps=3, **arguments):
        with tf.Graph().as_default(), tf.Session() as session:
            problem = Problem(has_proxies)
            step = tf.train.get_or_create_global_step()
            train = optimizer.minimize(problem, global_step=step, **arguments)
            [state] = [v for v in tf.global_variables() if "regret_optimizer_state" in v.op.name]
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(train)
            return session.run([problem.w, state, problem.runs])

    def test_long_trainings_satisfy_the_constraints(self):
        for optimizer in (
            co.AdditiveExternalRegretOptimizer(descent(0.1)),
            co.AdditiveSwapRegretOptimizer(descent(0.1)),
        ):
            w, _, _ = self.trained(optimizer, steps=300)
            self.assertAllClose(w, [1, -1, -1], atol=0.1)

    def test_the_first_steps_may_ignore_the_constraints_and_what_comes_before_runs(self):
        optimizer = co.AdditiveExternalRegretOptimizer(descent(0.1), descent(1.0))
        w, state, runs = self.trained(optimizer, steps=2, unconstrained_steps=2)
        self.assertAllClose(w, [0.32, -0.256, 0.128])
        self.assertAllEqual(state, [0, 0])
        self.assertEqual(runs, 2)
        _, state, runs = self.trained(optimizer, steps=3, unconstrained_steps=2)
        self.assertAllClose(state, [0.68, 1.192])
        self.assertEqual(runs, 3)

    def test_what_is_wrong_is_an_error(self):
        problem = Problem()
        with self.assertRaisesRegex(ValueError, "global_step"):
            co.AdditiveExternalRegretOptimizer(descent(0.1)).minimize(problem, 3)
        with self.assertRaisesRegex(ValueError, "strictly positive"):
            co.AdditiveExternalRegretOptimizer(descent(0.1), None, -1.0)
        with self.assertRaisesRegex(ValueError, "range"):
            co.MultiplicativeSwapRegretOptimizer(descent(0.1), None, 0.5, 0.1)
        with self.assertRaises(TypeError):
            co.ConstrainedMinimizationProblem()


class CandidatesTest(tf.test.TestCase):
    objectives = np.array([1, 2, 2, 1, 3, 0.0])
    constraints = np.array([[0, 1, 1, -1, -2, 3], [1, 0, 0, -1, -1, 2.0]])

    def test_the_best_index_has_the_best_worst_rank(self):
        self.assertEqual(co.find_best_candidate_index(self.objectives, self.constraints), 3)
        ranked = co.find_best_candidate_index(
            [3.0, 1, 2], [[0, 2, 1], [0, 0, 0.0]], rank_objectives=True
        )
        self.assertEqual(ranked, 2)
        with self.assertRaisesRegex(ValueError, "shape"):
            co.find_best_candidate_index(self.objectives, self.constraints[:, :4])

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "SciPy is not installed")
    def test_the_best_distribution_violates_constraints_least(self):
        found = co.find_best_candidate_distribution(self.objectives, self.constraints)
        self.assertAllClose(found.sum(), 1)
        self.assertTrue((self.constraints @ found < 1e-6).all())
        found = co.find_best_candidate_distribution([0, 1.0], [[2, 1.0]], epsilon=1e-6)
        self.assertAllClose(found, [0, 1], atol=1e-4)


if __name__ == "__main__":
    unittest.main()
