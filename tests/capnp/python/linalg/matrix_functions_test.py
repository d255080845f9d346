"""The gradient of the exponential of matrices, and singular values of complex ones."""

import numpy as np

import troupe as tf


class ExponentialTest(tf.test.TestCase):
    def differences(self, x, dtype=np.float64):
        """How the sum of weighed elements changes with each element, by central differences."""
        weights = np.arange(1.0, 1 + x.size).reshape(x.shape)
        given = tf.placeholder(dtype, x.shape)
        total = tf.reduce_sum(tf.linalg.expm(given) * weights.astype(dtype))
        (gradient,) = tf.gradients(total, given)
        expected = np.zeros_like(x)
        with self.session() as session:
            for at in np.ndindex(*x.shape):
                step = np.zeros_like(x)
                step[at] = 1e-5
                above, below = session.run(total, {given: x + step}), session.run(
                    total, {given: x - step}
                )
                expected[at] = (above - below) / 2e-5
            return session.run(gradient, {given: x}), expected

    def test_it_is_that_of_differences(self):
        for shape in ([2, 2], [3, 2, 2], [1, 2, 4, 4], [1, 1]):
            x = np.random.RandomState(5).uniform(-1, 1, shape)
            found, expected = self.differences(x)
            self.assertAllClose(found, expected, rtol=1e-6, atol=1e-6)

    def test_large_matrices_are_scaled(self):
        found, expected = self.differences(np.array([[6.0, -4.0], [3.0, 5.0]]))
        self.assertAllClose(found, expected, rtol=1e-6)

    def test_of_complex_numbers_it_is_conjugated(self):
        x = np.array([[1 + 2j, 0.5], [-1j, 2 - 1j]])
        given = tf.constant(x)
        (found,) = tf.gradients(tf.real(tf.linalg.expm(given))[0, 1], given)
        with self.session() as session:
            found, base = session.run([found, tf.linalg.expm(given)])
            for direction in (1, 1j):
                for at in np.ndindex(2, 2):
                    step = np.zeros_like(x)
                    step[at] = 1e-6 * direction
                    moved = session.run(tf.linalg.expm(x + step))
                    slope = (moved - base)[0, 1].real / 1e-6
                    expected = found[at].real if direction == 1 else found[at].imag
                    self.assertAllClose(expected, slope, rtol=1e-4, atol=1e-4)

    def test_it_has_a_gradient_and_a_known_shape(self):
        given = tf.constant([[0.3]], tf.float64)
        (first,) = tf.gradients(tf.linalg.expm(given), given)
        (second,) = tf.gradients(first, given)
        self.assertEqual(first.shape, [1, 1])
        with self.session() as session:
            self.assertAllClose(session.run([first, second]), [[[np.exp(0.3)]]] * 2)

    def test_batches_without_matrices_have_one(self):
        for shape in ([0, 2, 2], [2, 0, 0]):
            given = tf.placeholder(tf.float32, [None, None, None])
            (found,) = tf.gradients(tf.linalg.expm(given), given)
            with self.session() as session:
                self.assertEqual(session.run(found, {given: np.zeros(shape)}).shape, tuple(shape))


class SingularValuesTest(tf.test.TestCase):
    def setUp(self):
        random = np.random.RandomState(3)
        self.x = random.rand(2, 3, 4) + 1j * random.rand(2, 3, 4)
        self.values = np.linalg.svd(self.x, compute_uv=False)

    def test_they_are_real(self):
        for dtype, real in ((tf.complex64, tf.float32), (tf.complex128, tf.float64)):
            given = tf.constant(self.x, dtype)
            alone, (with_vectors, _, _) = tf.svd(given, compute_uv=False), tf.svd(given)
            for found in (alone, with_vectors):
                self.assertEqual(found.dtype, real)
                with self.session():
                    self.assertAllClose(found.eval(), self.values, rtol=1e-5)

    def test_the_largest_is_the_norm_2_of_a_matrix(self):
        for axis in ((-2, -1), (-1, -2)):
            found = tf.norm(tf.constant(self.x), 2, axis)
            normalized, _ = tf.linalg.normalize(tf.constant(self.x), 2, axis)
            with self.session():
                self.assertAllClose(found.eval(), self.values[:, 0])
                self.assertAllClose(normalized.eval(), self.x / self.values[:, :1, None])

    def test_the_norm_2_needs_no_known_rank(self):
        given = tf.placeholder(tf.float64)
        x = np.random.RandomState(4).rand(2, 3, 4, 5)
        with self.session() as session:
            for axis in ((-2, -1), (1, 0), (0, -1), (2, 1)):
                for keeps in (False, True):
                    found = tf.norm(given, 2, axis, keepdims=keeps)
                    wanted = np.linalg.norm(x, 2, axis, keepdims=keeps)
                    self.assertAllClose(session.run(found, {given: x}), wanted)

    def test_they_have_gradients(self):
        given = tf.constant(self.x[0])
        values = tf.svd(given, compute_uv=False)
        error = tf.test.compute_gradient_error
        with self.session():
            self.assertLess(error(given, [3, 4], values, [3], self.x[0]), 1e-5)


class TridiagonalTest(tf.test.TestCase):
    def test_one_row_has_one_diagonal(self):
        product = tf.linalg.tridiagonal_matmul([[2.0]], [[3.0, 4.0]], diagonals_format="matrix")
        with self.session():
            self.assertAllEqual(product.eval(), [[6, 8]])


if __name__ == "__main__":
    tf.test.main()
