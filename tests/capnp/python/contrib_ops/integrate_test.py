"""Solutions of differential equations, and solvers of linear ones."""

import unittest

import numpy as np

import troupe as tf
from troupe.contrib import integrate
from troupe.contrib.solvers.python.ops import lanczos, least_squares, linear_equations, util


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


class IntegrateTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_steps_adapt_to_their_errors(self):
        times = [0.0, 1.0, 2.5, 3.0]
        found = run(
            integrate.odeint(lambda y, t: -y * tf.cast(t, y.dtype), tf.constant([1.0, 2.0]), times)
        )
        want = np.exp(-(np.array(times) ** 2) / 2)[:, None] * [1, 2]
        np.testing.assert_allclose(found, want, rtol=1e-4)

    def test_complex_values_turn(self):
        turn = tf.complex(tf.constant(0.0, tf.float64), tf.constant(1.0, tf.float64))
        values, info = integrate.odeint(
            lambda y, t: y * turn, tf.constant(1, tf.complex128), [0.0, 0.5, 2.0],
            full_output=True,
        )  # fmt: skip
        found, info = run([values, info])
        np.testing.assert_allclose(found, np.exp(1j * np.array([0, 0.5, 2])), rtol=1e-6)
        self.assertEqual(6 * len(info["integrate_points"]) + 1, info["num_func_evals"])

    def test_fixed_steps_give_the_numbers_of_tensorflow(self):
        wanted = {"rk4": [1, 1.1302183, 2.5243807], "midpoint": [1, 1.1237019, 2.295928]}
        for method, want in wanted.items():
            found = integrate.odeint_fixed(
                lambda y, t: y * tf.cast(tf.sin(t), y.dtype), 1.0, [0.0, 0.5, 1.5], method=method
            )
            np.testing.assert_allclose(run(found), want, rtol=1e-5)

    def test_solutions_have_gradients(self):
        rate = tf.constant(0.5, tf.float64)
        values = integrate.odeint_fixed(
            lambda y, t: -rate * y, tf.constant(2.0, tf.float64), [0.0, 1.0, 2.0], dt=[0.1, 0.1]
        )
        (found,) = run(tf.gradients(values[-1], [rate]))
        np.testing.assert_allclose(found, -2 * 2 * np.exp(-1), rtol=1e-5)

    def test_what_does_not_fit_is_an_error(self):
        def slope(y, t):
            return y

        for error, arguments, options in (
            (ValueError, (1.0, [0.0, 1.0]), {"method": "x"}),
            (ValueError, (1.0, [0.0, 1.0]), {"options": {}}),
            (TypeError, (1, [0.0, 1.0]), {}),
        ):
            with self.assertRaises(error):
                integrate.odeint(slope, *arguments, **options)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            run(integrate.odeint(slope, 1.0, [1.0, 0.0]))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "max_num_steps"):
            few = {"max_num_steps": 2}
            run(integrate.odeint(slope, 1.0, [0.0, 10.0], method="dopri5", options=few))


class SolversTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        random = np.random.RandomState(1)
        self.matrix, self.rhs = random.randn(8, 5), random.randn(8)

    def test_the_nearest_solution_is_found(self):
        operator = util.create_operator(tf.constant(self.matrix))
        found = run(least_squares.cgls(operator, self.rhs, 1e-10))
        want = np.linalg.lstsq(self.matrix, self.rhs, rcond=None)[0]
        np.testing.assert_allclose(found.x, want, rtol=1e-6)

    def test_a_preconditioner_does_not_change_the_solution(self):
        square = self.matrix.T @ self.matrix + np.eye(5)
        inverse = util.create_operator(tf.constant(np.diag(1 / np.diag(square))))
        for preconditioner in (None, inverse):
            found = linear_equations.conjugate_gradient(
                util.create_operator(tf.constant(square)), tf.constant(self.rhs[:5]),
                preconditioner, tol=1e-9,
            )  # fmt: skip
            np.testing.assert_allclose(
                run(found).x, np.linalg.solve(square, self.rhs[:5]), rtol=1e-6
            )

    def test_a_matrix_becomes_bidiagonal(self):
        matrix = tf.constant(self.matrix)
        found = lanczos.lanczos_bidiag(util.create_operator(matrix), 4)
        product = lanczos.bidiag_matmul(found.u, found.alpha, found.beta)
        want, product, u = run([tf.matmul(matrix, found.v), product, found.u])
        np.testing.assert_allclose(product, want, atol=1e-10)
        np.testing.assert_allclose(u.T @ u, np.eye(5), atol=1e-10)


if __name__ == "__main__":
    unittest.main()
