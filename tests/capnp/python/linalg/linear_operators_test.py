"""Linear operators: what they compute, against the matrices that they stand for."""

import unittest

import numpy as np

import troupe as tf

linalg = tf.linalg
RANDOM = np.random.RandomState(0)


def numbers(shape, dtype):
    found = RANDOM.uniform(0.5, 1.5, shape)
    if np.dtype(dtype).kind == "c":
        found = found + 1j * RANDOM.uniform(-1, 1, shape)
    return found.astype(dtype)


def operators(dtype):
    """Operators with the matrices that they stand for."""
    square = numbers([2, 3, 3], dtype) + 2 * np.eye(3)
    positive = square @ np.conj(np.swapaxes(square, -1, -2))
    lower, diagonal = numbers([3, 3], dtype), numbers([2, 3], dtype)
    factor = numbers([2], dtype)
    full = linalg.LinearOperatorFullMatrix(square)
    triangle = linalg.LinearOperatorLowerTriangular(lower)
    certain = linalg.LinearOperatorFullMatrix(
        positive, is_self_adjoint=True, is_positive_definite=True
    )
    diagonals = np.zeros([2, 3, 3], dtype)
    diagonals[:, range(3), range(3)] = diagonal
    multiple = linalg.LinearOperatorScaledIdentity(3, factor)
    u, v, d = numbers([3, 2], dtype), numbers([3, 2], dtype), numbers([2, 2], dtype)
    update = (u * d[:, None, :]) @ np.conj(v.T)
    base = linalg.LinearOperatorDiag(np.abs(diagonal).astype(dtype), is_self_adjoint=True,
                                     is_positive_definite=True)  # fmt: skip
    bases = np.abs(diagonals).astype(dtype)
    return [
        (linalg.LinearOperatorLowRankUpdate(full, u, d, v), square + update),
        (linalg.LinearOperatorLowRankUpdate(base, u), bases + u @ np.conj(u.T)),
        (full, square),
        (certain, positive),
        (triangle, np.tril(lower)),
        (linalg.LinearOperatorDiag(diagonal), diagonals),
        (linalg.LinearOperatorDiag(diagonal[0]), diagonals[0]),
        (linalg.LinearOperatorIdentity(3, dtype=dtype), np.eye(3, dtype=dtype)),
        (linalg.LinearOperatorIdentity(3, [2], dtype), np.tile(np.eye(3, dtype=dtype), [2, 1, 1])),
        (multiple, factor[:, None, None] * np.eye(3)),
        (full.adjoint(), np.conj(np.swapaxes(square, -1, -2))),
        (full.inverse(), np.linalg.inv(square)),
        (certain.cholesky(), np.linalg.cholesky(positive)),
        (full.matmul(triangle), square @ np.tril(lower)),
        (triangle.matmul(full, adjoint=True, adjoint_arg=True),
         np.conj(np.tril(lower)).T @ np.conj(np.swapaxes(square, -1, -2))),
        (triangle.solve(full), np.linalg.solve(np.tril(lower)[None], square)),
    ]  # fmt: skip


class Rotation(linalg.LinearOperator):
    """A quarter of a turn, of which only the products are known."""

    def __init__(self):
        super().__init__(tf.float64, is_non_singular=True)

    def _shape(self):
        return tf.TensorShape([2, 2])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        sign = -1.0 if adjoint else 1.0
        return tf.stack([-sign * x[..., 1, :], sign * x[..., 0, :]], -2)


class LowRankUpdateTest(tf.test.TestCase):
    def test_sizes_that_do_not_fit_are_errors(self):
        base = linalg.LinearOperatorIdentity(3)
        update = linalg.LinearOperatorLowRankUpdate
        for u, d, v in (
            (np.ones([4, 2]), None, None),
            (np.ones([3, 2]), np.ones([3]), None),
            (np.ones([3, 2]), None, np.ones([3, 1])),
        ):
            with self.subTest(u=u.shape), self.assertRaises(ValueError):
                make = [None if each is None else np.float32(each) for each in (u, d, v)]
                update(base, *make)

    def test_what_is_known_of_the_parts_is_known_of_the_sum(self):
        base = linalg.LinearOperatorIdentity(3)
        u = tf.ones([3, 1])
        plain = linalg.LinearOperatorLowRankUpdate(base, u)
        self.assertTrue(plain.is_positive_definite and plain.is_self_adjoint)
        other = linalg.LinearOperatorLowRankUpdate(base, u, [-1.0])
        self.assertEqual([other.is_positive_definite, other.is_self_adjoint], [None, True])


class LinearOperatorsTest(tf.test.TestCase):
    def check(self, operator, matrix):
        matrix = matrix.astype(operator.dtype.as_numpy_dtype)
        x, vector = numbers([2, 3, 4], matrix.dtype), numbers([2, 3], matrix.dtype)
        across, conjugate = np.swapaxes(x, -1, -2).conj(), np.swapaxes(matrix, -1, -2).conj()
        whole = np.broadcast_to(matrix, [2, 3, 3])
        _, logarithm = np.linalg.slogdet(matrix)
        expected = {
            operator.to_dense(): matrix,
            operator.matmul(x): matrix @ x,
            operator.matmul(x, adjoint=True): conjugate @ x,
            operator.matmul(across, adjoint_arg=True): matrix @ x,
            operator.matvec(vector): (matrix @ vector[..., None])[..., 0],
            operator.matvec(vector, adjoint=True): (conjugate @ vector[..., None])[..., 0],
            operator.solve(x): np.linalg.solve(whole, x),
            operator.solve(x, adjoint=True): np.linalg.solve(np.swapaxes(whole, -1, -2).conj(), x),
            operator.solve(across, adjoint_arg=True): np.linalg.solve(whole, x),
            operator.solvevec(vector): np.linalg.solve(whole, vector[..., None])[..., 0],
            operator.determinant(): np.linalg.det(matrix),
            operator.log_abs_determinant(): logarithm,
            operator.diag_part(): np.diagonal(matrix, axis1=-2, axis2=-1),
            operator.trace(): np.trace(matrix, axis1=-2, axis2=-1),
            operator.add_to_tensor(whole): matrix + whole,
            operator.shape_tensor(): matrix.shape,
            operator.batch_shape_tensor(): matrix.shape[:-2],
            operator.tensor_rank_tensor(): matrix.ndim,
            operator.domain_dimension_tensor(): 3,
            operator.range_dimension_tensor(): 3,
        }
        with self.session() as session:
            found = session.run(list(expected))
        for tensor, value, wanted in zip(expected, found, expected.values()):
            self.assertAllClose(value, wanted, msg=f"{operator.name} {tensor.name}")
        self.assertEqual(operator.shape, matrix.shape)
        self.assertEqual(operator.batch_shape, matrix.shape[:-2])
        self.assertEqual((operator.is_square, operator.tensor_rank), (True, matrix.ndim))

    def test_they_compute_what_their_matrices_do(self):
        for dtype in (np.float64, np.complex128):
            for operator, matrix in operators(dtype):
                with self.subTest(operator.name, dtype=dtype):
                    self.check(operator, matrix)

    def test_products_are_enough_for_an_operator_of_a_program(self):
        turn = Rotation()
        with self.session() as session:
            self.assertAllClose(session.run(turn.to_dense()), [[0, -1], [1, 0]])
            self.assertAllClose(session.run(turn.solvevec(np.array([0.0, 1.0]))), [1, 0])
            self.assertAllClose(session.run(turn.H.matvec(np.array([0.0, 1.0]))), [1, 0])
            self.assertAllClose(session.run(turn.determinant()), 1)
        for method in (linalg.LinearOperator(tf.float32).to_dense, turn.assert_positive_definite):
            with self.assertRaises(NotImplementedError):
                method()

    def test_zeros_have_any_shape(self):
        options = {"batch_shape": [4], "dtype": tf.float64, "is_square": False}
        zeros = linalg.LinearOperatorZeros(2, 3, is_self_adjoint=False, **options)
        with self.assertRaisesRegex(ValueError, "always square"):
            linalg.LinearOperatorZeros(2, 3, **options)
        self.assertEqual(zeros.shape, [4, 2, 3])
        with self.session() as session:
            self.assertAllEqual(session.run(zeros.to_dense()), np.zeros([4, 2, 3]))
            self.assertAllEqual(session.run(zeros.matmul(np.ones([3, 5]))), np.zeros([4, 2, 5]))
        with self.assertRaisesRegex(NotImplementedError, "expected to be singular"):
            zeros.solve(np.ones([2, 1]))
        with self.assertRaisesRegex(NotImplementedError, "not be square"):
            zeros.determinant()

    def test_shapes_may_be_unknown(self):
        matrix = tf.placeholder(tf.float32)
        operator = linalg.LinearOperatorLowerTriangular(matrix)
        rows = tf.placeholder(tf.int32, [])
        identity = linalg.LinearOperatorIdentity(rows)
        self.assertIsNone(operator.shape.rank)
        self.assertEqual(identity.shape.as_list(), [None, None])
        with self.session() as session:
            feeds = {matrix: np.ones([2, 3, 3]), rows: 2}
            self.assertAllEqual(session.run(operator.shape_tensor(), feeds), [2, 3, 3])
            self.assertAllEqual(session.run(operator.determinant(), feeds), [1, 1])
            self.assertAllEqual(session.run(identity.to_dense(), feeds), np.eye(2))

    def test_a_diagonal_of_unknown_shape_is_added(self):
        diagonal = tf.placeholder(tf.float32)
        operator = linalg.LinearOperatorDiag(diagonal)
        total = operator.add_to_tensor(tf.placeholder_with_default(np.ones([2, 2], "f"), None))
        with self.session() as session:
            self.assertAllEqual(session.run(total, {diagonal: [1, 2]}), [[2, 1], [1, 3]])
            whole = session.run(total, {diagonal: [[1, 2], [3, 4]]})
            self.assertAllEqual(whole, [[[2, 1], [1, 3]], [[4, 1], [1, 5]]])

    def test_an_empty_batch_is_none(self):
        identity, zeros = linalg.LinearOperatorIdentity, linalg.LinearOperatorZeros
        for operator in (identity(2, []), zeros(2, 2, [])):
            self.assertEqual(operator.shape, [2, 2])
            self.assertAllEqual(self.evaluate(operator.shape_tensor()), [2, 2])
        self.assertIsNone(linalg.LinearOperator(None).dtype)

    def test_hints_are_checked(self):
        full, diagonal = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag
        one = np.ones([2, 2], np.float32)
        self.assertIs(full(one, is_positive_definite=True).is_non_singular, True)
        self.assertIs(diagonal(one).is_self_adjoint, True)
        self.assertIs(linalg.LinearOperatorIdentity(2).inverse().is_positive_definite, True)
        for make, text in (
            (lambda: full(one, is_non_singular=False, is_positive_definite=True), "non-singular"),
            (lambda: full(one, is_square=False, is_non_singular=True), "always square"),
            (lambda: full(one, is_square=False, is_self_adjoint=True), "always square"),
            (lambda: full(one[0]), "at least 2 dimensions"),
            (lambda: diagonal(one, is_self_adjoint=False), "always self adjoint"),
            (lambda: diagonal(one, is_square=False), "Only square"),
            (lambda: linalg.LinearOperatorLowerTriangular(one, is_square=False), "Only square"),
            (lambda: linalg.LinearOperatorIdentity(2, is_square=False), "always square"),
            (lambda: linalg.LinearOperatorIdentity(-2), "non-negative"),
            (lambda: linalg.LinearOperatorIdentity(2, batch_shape=3), "1-D"),
            (lambda: linalg.LinearOperatorZeros(2, is_non_singular=True), "always singular"),
            (lambda: linalg.LinearOperatorZeros(2).inverse(), "represents a singular"),
            (lambda: full(one).cholesky(), "Not a positive definite self adjoint"),
            (lambda: linalg.LinearOperatorComposition([]), "non-empty"),
            (lambda: full(one).matmul(np.ones([3, 1], np.float32)), "not compatible"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                make()
        for wrong in (lambda: full([[1, 2]]), lambda: linalg.LinearOperatorIdentity(2.5)):
            with self.assertRaises(TypeError):
                wrong()

    def test_assertions_fail_in_steps(self):
        full, diagonal = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag
        good = np.array([[2.0, 1.0], [1.0, 2.0]])
        hints = {"is_self_adjoint": True}
        with self.session() as session:
            for operator in (full(good, **hints), diagonal([1.0, 2.0])):
                session.run(operator.assert_non_singular())
                session.run(operator.assert_positive_definite())
                session.run(operator.assert_self_adjoint())
            indefinite = np.array([[1.0, 2.0], [2.0, 1.0]])
            for failing in (
                lambda: full(np.ones([2, 2])).assert_non_singular(),
                lambda: full(indefinite, **hints).assert_positive_definite(),
                lambda: full(np.array([[1.0, 2.0], [0.0, 1.0]])).assert_self_adjoint(),
                lambda: diagonal([0.0, 1.0]).assert_non_singular(),
                lambda: diagonal([-1.0, 1.0]).assert_positive_definite(),
                lambda: diagonal(np.array([1j, 1.0])).assert_self_adjoint(),
                lambda: linalg.LinearOperatorLowerTriangular(
                    np.array([[0.0, 2.0], [0.0, 1.0]])
                ).assert_non_singular(),
            ):
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(failing())


if __name__ == "__main__":
    unittest.main()
