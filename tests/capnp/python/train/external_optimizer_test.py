"""Optimizers outside of the graph: one of Python, and that of SciPy, which a module stands for."""

import sys
import types
import unittest
from unittest import mock

import numpy as np

import troupe as tf

opt = tf.contrib.opt


class Descent(opt.ExternalOptimizerInterface):
    """Gradient descent within bounds, of Python."""

    def _minimize(self, *, initial_val, loss_grad_func, packed_bounds, step_callback,
                  optimizer_kwargs, **others):  # fmt: skip
        x = initial_val
        self.others = others
        for _ in range(optimizer_kwargs["steps"]):
            _, gradient = loss_grad_func(x)
            x = x - 0.25 * gradient
            if packed_bounds is not None:
                x = np.clip(x, *np.transpose(packed_bounds))
            step_callback(x)
        return x


class ExternalTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.a = tf.get_variable("a", initializer=[[4.0, 2.0]])
        self.b = tf.get_variable("b", initializer=3.0)
        self.target = tf.placeholder(tf.float32, [])
        self.loss = tf.reduce_sum(tf.square(self.a - 1.0)) + tf.square(self.b - self.target)

    def minimized(self, made, **options):
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            made.minimize(session, {self.target: 5.0}, **options)
            return session.run([self.a, self.b])

    def test_variables_are_set_to_what_the_algorithm_finds(self):
        losses, steps = [], []
        a, b = self.minimized(
            Descent(self.loss, steps=30), fetches=[self.loss], loss_callback=losses.append,
            step_callback=lambda vector: steps.append(len(vector)),
        )  # fmt: skip
        self.assertAllClose(a, [[1.0, 1.0]], atol=1e-5)
        self.assertAllClose(b, 5.0, atol=1e-5)
        self.assertAllClose(losses[0], 14.0)
        self.assertEqual(steps, [3] * 30)

    def test_bounds_are_for_each_element(self):
        bounds = {self.a: ([2.0, -np.inf], np.inf)}
        a, b = self.minimized(Descent(self.loss, var_to_bounds=bounds, steps=30))
        self.assertAllClose(a, [[2.0, 1.0]], atol=1e-5)
        self.assertAllClose(b, 5.0, atol=1e-5)

    def test_only_the_variables_of_the_list_change(self):
        a, b = self.minimized(Descent(self.loss, [self.a], steps=30))
        self.assertAllClose(b, 3.0)
        self.assertAllClose(a, [[1.0, 1.0]], atol=1e-5)

    def test_constraints_are_functions_of_the_vector(self):
        made = Descent(self.loss, equalities=[self.b - 1.0], inequalities=[self.a[0, 1]], steps=0)
        self.minimized(made)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            made.minimize(session)
            x = np.float32([7, 8, 9])
            for name, wanted in (
                ("equality_funcs", 8.0), ("equality_grad_funcs", [0, 0, 1]),
                ("inequality_funcs", 8.0), ("inequality_grad_funcs", [0, 1, 0]),
            ):  # fmt: skip
                (function,) = made.others[name]
                self.assertAllClose(function(x)[0], wanted)

    def test_a_failure_leaves_the_variables_as_they_were(self):
        steps = []

        def fail(vector):
            steps.append(vector)
            if len(steps) == 2:
                raise ArithmeticError(str(vector))

        made = Descent(self.loss, steps=3)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            with self.assertRaises(ArithmeticError):
                made.minimize(session, {self.target: 5.0}, step_callback=fail)
            self.assertAllClose(session.run(self.a), [[4.0, 2.0]])

    def test_what_is_tried_is_seen_by_the_steps_of_the_algorithm_alone(self):
        made = Descent(self.loss, steps=3)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            seen = []
            made.minimize(
                session, {self.target: 5.0},
                step_callback=lambda _: seen.append(session.run(self.b)),
            )  # fmt: skip
            self.assertEqual(seen, [3.0] * 3)
            self.assertAllClose(session.run(self.b), 4.75)

    def test_without_a_session_or_an_algorithm_there_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "session"):
            Descent(self.loss, steps=1).minimize()
        with self.assertRaisesRegex(NotImplementedError, "_minimize"):
            self.minimized(opt.ExternalOptimizerInterface(self.loss))

    def test_scipy_is_asked_for_only_when_it_is_used(self):
        made = opt.ScipyOptimizerInterface(self.loss)
        with mock.patch.dict(sys.modules, {"scipy": None, "scipy.optimize": None}):
            with self.assertRaisesRegex(ImportError, "pip install scipy"):
                self.minimized(made)

    def test_scipy_is_given_the_loss_and_the_constraints(self):
        given = {}

        def minimize(function, start, **arguments):
            given.update(arguments)
            loss, gradient = function(start)
            self.assertEqual((start.dtype, gradient.dtype), (np.float64, np.float64))
            self.assertAllClose(loss, 14.0)
            return mock.MagicMock(**{"__getitem__.side_effect": {"x": start - 0.5 * gradient}.get})

        scipy = types.ModuleType("scipy")
        scipy.optimize = types.ModuleType("scipy.optimize")
        scipy.optimize.minimize = minimize
        made = opt.ScipyOptimizerInterface(
            self.loss, equalities=[self.b], method="SLSQP", options={"maxiter": 3}
        )
        with mock.patch.dict(sys.modules, {"scipy": scipy, "scipy.optimize": scipy.optimize}):
            a, b = self.minimized(made)
            with self.assertRaisesRegex(ValueError, "var_to_bounds"):
                self.minimized(opt.ScipyOptimizerInterface(self.loss, bounds=[]))
        self.assertAllClose(a, [[1.0, 1.0]])
        self.assertAllClose(b, 5.0)
        self.assertEqual((given["method"], given["jac"]), ("SLSQP", True))
        self.assertEqual((given["options"], given["bounds"]), ({"maxiter": 3}, None))
        self.assertEqual([each["type"] for each in given["constraints"]], ["eq"])


if __name__ == "__main__":
    unittest.main()
