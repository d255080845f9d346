"""Functions of matrices, against NumPy's; checks of ranks."""

import unittest

import numpy as np

import troupe as tf

SQUARE = np.array([[[4, 1, 0], [1, 3, 1], [0, 1, 2]], [[2, 0, 1], [0, 5, 1], [1, 1, 3]]], float)
RIGHT = np.arange(12, dtype=float).reshape(2, 3, 2) - 4
TALL = np.array([[1, 2], [3, -1], [0, 1], [2, 2]], float)


class Linalg(unittest.TestCase):
    def expect(self, tensor, wanted):
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(tensor), wanted, rtol=1e-9, atol=1e-9)

    def test_systems_are_solved(self):
        solved = np.linalg.solve(SQUARE, RIGHT)
        self.expect(tf.linalg.solve(SQUARE, RIGHT), solved)
        self.expect(tf.linalg.cholesky_solve(tf.linalg.cholesky(SQUARE), RIGHT), solved)
        self.expect(tf.linalg.inv(SQUARE), np.linalg.inv(SQUARE))
        wanted = np.linalg.lstsq(TALL, np.ones((4, 1)), rcond=None)[0]
        self.expect(tf.linalg.lstsq(TALL, np.ones((4, 1))), wanted)

    def test_tensors_through_their_norms(self):
        for order, axis in (("euclidean", None), (1, 0), (3.0, -1), ("fro", [0, 1])):
            unit, norms = tf.linalg.normalize(TALL, order, axis)
            self.expect(unit * norms, TALL)
            self.expect(tf.norm(unit, order, axis, keepdims=True), np.ones(norms.shape.as_list()))

    def test_pseudo_inverses(self):
        wide, flat = TALL.T, np.outer([1.0, 2.0, 0.0], [3.0, -1.0])
        for matrices in (TALL, wide, SQUARE, flat, np.zeros((2, 3))):
            fed = tf.placeholder_with_default(matrices, None)
            for tensor in (matrices, fed):
                found = tf.linalg.pinv(tensor, validate_args=True)
                self.expect(found, np.linalg.pinv(matrices))
        self.assertEqual(tf.linalg.pinv(tf.zeros([5, 4, 3])).shape.as_list(), [5, 3, 4])
        diagonal = np.stack([np.diag([4.0, 1.0, 0.5]), np.diag([1.0, 2.0, 8.0])])
        wanted = np.stack([np.diag([0.25, 0, 0]), np.diag([0, 0.5, 0.125])])
        self.expect(tf.linalg.pinv(diagonal, rcond=[0.25, 0.2]), wanted)

    def test_ranks(self):
        ranks = np.stack([np.diag([1.0, 0, 2]), np.outer([1.0, 2, 3], [1.0, 0, 2]), np.eye(3)])
        fed = tf.placeholder_with_default(ranks, None)
        self.expect(tf.linalg.matrix_rank(fed, validate_args=True), [2, 1, 3])
        self.expect(tf.linalg.matrix_rank(ranks[:, :2].astype(np.float32)), [1, 1, 2])
        values = np.diag([0.1, 0.2, 0.3])
        found = tf.linalg.matrix_rank(values, tol=[[0.09], [0.19], [0.29], [0.31]])
        self.expect(found, [3, 2, 1, 0])
        self.assertEqual(found.dtype, tf.int32)
        with self.assertRaisesRegex(ValueError, "matrix_rank takes at least two axes"):
            tf.linalg.matrix_rank([1.0])

    def test_the_gradient_of_a_pseudo_inverse(self):
        x = tf.constant(TALL)
        weights = np.arange(8.0).reshape(2, 4)
        (gradient,) = tf.gradients(tf.reduce_sum(tf.linalg.pinv(x) * weights), x)
        wanted, step = np.zeros_like(TALL), 1e-6
        for place in np.ndindex(TALL.shape):
            moved = np.zeros_like(TALL)
            moved[place] = step
            high, low = ((np.linalg.pinv(TALL + m) * weights).sum() for m in (moved, -moved))
            wanted[place] = (high - low) / (2 * step)
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(gradient), wanted, rtol=1e-5, atol=1e-7)

    def test_matrices_without_a_pseudo_inverse_are_refused(self):
        with self.assertRaisesRegex(TypeError, "floating point numbers, but got int32"):
            tf.linalg.pinv(tf.ones([2, 2], tf.int32))
        with self.assertRaisesRegex(ValueError, "at least two axes"):
            tf.linalg.pinv(tf.ones([2]))
        fed = tf.placeholder(tf.float64)
        with tf.Session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(tf.linalg.pinv(fed, validate_args=True), {fed: [1.0]})

    def test_determinants_and_eigenvalues(self):
        self.expect(tf.linalg.det(SQUARE), np.linalg.det(SQUARE))
        self.expect(tf.linalg.logdet(SQUARE), np.log(np.linalg.det(SQUARE)))
        self.expect(tf.linalg.slogdet(SQUARE)[1], np.log(np.linalg.det(SQUARE)))
        self.expect(tf.linalg.eigvalsh(SQUARE), np.linalg.eigvalsh(SQUARE))
        values, vectors = tf.linalg.eigh(SQUARE)
        self.expect(tf.matmul(vectors * values[:, None, :], vectors, adjoint_b=True), SQUARE)

    def test_sums_of_products_by_labels(self):
        many = np.arange(24, dtype=float).reshape(2, 3, 4)
        cases = [
            ("ij,jk->ik", TALL, RIGHT[0, :2]),
            ("bij,bjk->bki", SQUARE, RIGHT),
            ("bij,bjk", SQUARE, RIGHT),
            ("...ij,...jk->...ik", SQUARE, RIGHT),
            ("i,j->ij", TALL[:, 0], TALL[:, 1]),
            ("bij->b", SQUARE),
            ("ba", TALL),
            ("bij,bjk,bkl->bil", SQUARE, RIGHT, many[:, :2]),
            ("ai,bj,ij,ab->", TALL[:, :2], TALL[:, :2], TALL[:2], TALL @ TALL.T),
            ("...a,...b,ab->...", many, many[..., :3], many[0].T),
        ]
        for equation, *operands in cases:
            with self.subTest(equation):
                self.expect(tf.einsum(equation, *operands), np.einsum(equation, *operands))
        self.assertEqual(tf.linalg.einsum("ij,jk->ik", TALL, TALL.T).shape, [4, 4])
        for equation, message in [
            ("ij,jk->ik", "Got 1 arguments for equation 'ij,jk->ik', expecting 2"),
            ("i1->i", "Indices have incorrect format: i1->i"),
            ("ij->ik", "Unknown subscripts in output: 'k' of ij->ik"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                tf.einsum(equation, TALL)
        with self.assertRaisesRegex(TypeError, "invalid keyword arguments .*: order"):
            tf.einsum("ij->ji", TALL, order=1)

    def test_products_and_diagonals(self):
        self.expect(tf.linalg.trace(SQUARE), np.trace(SQUARE, axis1=1, axis2=2))
        self.expect(tf.trace(SQUARE[0]), 9.0)
        self.expect(tf.linalg.matvec(TALL, [1.0, 2.0]), TALL @ [1.0, 2.0])
        self.expect(tf.linalg.adjoint(TALL), TALL.T)


    def test_matrices_of_a_batch_are_multiplied(self):
        mixed = SQUARE + 1j * SQUARE[::-1]
        self.expect(tf.matmul(SQUARE, RIGHT), SQUARE @ RIGHT)
        self.expect(tf.matmul(mixed, mixed, transpose_a=True), mixed.swapaxes(1, 2) @ mixed)
        self.expect(
            tf.matmul(mixed, mixed, adjoint_b=True), mixed @ mixed.conj().swapaxes(1, 2)
        )


class Ranks(unittest.TestCase):
    def test_a_known_rank_is_checked_at_once(self):
        x = tf.zeros([2, 3])
        self.assertEqual(tf.assert_rank(x, 2).type, "NoOp")
        for check in (
            lambda: tf.assert_rank(x, 1),
            lambda: tf.assert_rank_at_least(x, 3),
            lambda: tf.assert_rank_in(x, (0, 1)),
        ):
            self.assertRaisesRegex(ValueError, "rank", check)

    def test_an_unknown_rank_is_checked_in_the_step(self):
        x = tf.placeholder(tf.float32)
        checks = tf.assert_rank(x, 1), tf.assert_rank_at_least(x, 1), tf.assert_rank_in(x, (1, 2))
        with tf.Session() as session:
            session.run(checks, {x: [1.0]})
            for check in checks:
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(check, {x: 1.0})


if __name__ == "__main__":
    unittest.main()
