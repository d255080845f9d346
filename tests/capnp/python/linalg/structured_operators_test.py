"""Linear operators of blocks, products, spectra and reflections, against their matrices."""

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


def transposed(matrix):
    return np.conj(np.swapaxes(matrix, -1, -2))


def kronecker(left, right):
    found = np.einsum("...ij,...kl->...ikjl", left, right)
    rows, columns = left.shape[-2] * right.shape[-2], left.shape[-1] * right.shape[-1]
    return found.reshape([*found.shape[:-4], rows, columns])


def blocks(*matrices):
    batch = np.broadcast_shapes(*(each.shape[:-2] for each in matrices))
    rows = sum(each.shape[-1] for each in matrices)
    found, at = np.zeros([*batch, rows, rows], matrices[0].dtype), 0
    for each in matrices:
        end = at + each.shape[-1]
        found[..., at:end, at:end] = each
        at = end
    return found


def circulant(spectrum, axes):
    """The matrix, column by column: what the Fourier transforms do to the unit vectors."""
    sizes, last = spectrum.shape[-axes:], tuple(range(-axes, 0))
    rows = int(np.prod(sizes))
    units = np.eye(rows).reshape([rows, *[1] * (spectrum.ndim - axes), *sizes])
    columns = np.fft.ifftn(np.fft.fftn(units, axes=last) * spectrum, axes=last)
    batch = spectrum.shape[:-axes]
    return np.moveaxis(columns.reshape([rows, *batch, rows]), 0, -1)


def toeplitz(col, row):
    n = col.shape[-1]
    found = np.zeros([*np.broadcast_shapes(col.shape, row.shape), n], col.dtype)
    for i in range(n):
        for j in range(n):
            found[..., i, j] = row[..., j - i] if j >= i else col[..., i - j]
    return found


def operators(dtype, given):
    """Operators with their matrices; `given` makes tensors of arrays."""
    full = lambda matrix, **hints: linalg.LinearOperatorFullMatrix(  # noqa: E731
        given(matrix), is_square=True, **hints
    )
    two, three = numbers([2, 2], dtype), numbers([4, 1, 3, 3], dtype) + 2 * np.eye(3)
    three = three.astype(dtype)
    diagonal = numbers([2, 2], dtype)
    col, row = numbers([2, 4], dtype), numbers([4], dtype)
    col[:, 0], row[0] = 5, 5
    axis = numbers([2, 3], dtype)
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    found = [
        (
            linalg.LinearOperatorBlockDiag(
                [full(two), full(three), linalg.LinearOperatorDiag(given(diagonal))]
            ),
            blocks(two, three, diagonal[..., None] * np.eye(2, dtype=dtype)),
        ),
        (linalg.LinearOperatorBlockDiag([full(two)]), two),
        (
            linalg.LinearOperatorKronecker(
                [full(two), full(three), linalg.LinearOperatorDiag(given(diagonal))]
            ),
            kronecker(kronecker(two, three), diagonal[..., None] * np.eye(2, dtype=dtype)),
        ),
        (linalg.LinearOperatorToeplitz(given(col), given(row)), toeplitz(col, row)),
        (
            linalg.LinearOperatorHouseholder(given(axis)),
            np.eye(3) - 2 * unit[..., :, None] * np.conj(unit[..., None, :]),
        ),
    ]
    kinds = (
        linalg.LinearOperatorCirculant, linalg.LinearOperatorCirculant2D,
        linalg.LinearOperatorCirculant3D,
    )  # fmt: skip
    for axes, kind in enumerate(kinds, 1):
        spectrum = numbers([2, 3, 2, 2][: axes + 1], np.complex128)
        if np.dtype(dtype).kind != "c":
            kernel = numbers(spectrum.shape, np.float64) + 3 * np.eye(1, spectrum.size).reshape(
                spectrum.shape
            )
            spectrum = np.fft.fftn(kernel, axes=tuple(range(-axes, 0)))
        matrix = circulant(spectrum, axes)
        matrix = matrix if np.dtype(dtype).kind == "c" else matrix.real
        found.append((kind(given(spectrum), dtype), matrix))
    return found


class StructuredOperatorsTest(tf.test.TestCase):
    def check(self, operator, matrix):
        n, batch = matrix.shape[-1], matrix.shape[:-2]
        for shape in ([*batch, n, 3], [n, 3]):
            x = numbers(shape, operator.dtype.as_numpy_dtype)
            whole = np.broadcast_to(matrix, [*batch, n, n])
            columns = np.broadcast_to(x, [*batch, n, 3])
            expected = [
                (operator.matmul(x), matrix @ x),
                (operator.matmul(x, adjoint=True), transposed(matrix) @ x),
                (operator.matmul(transposed(x), adjoint_arg=True), matrix @ x),
                (operator.matvec(x[..., 0]), (matrix @ x)[..., 0]),
                (operator.solve(x), np.linalg.solve(whole, columns)),
                (operator.solve(x, adjoint=True), np.linalg.solve(transposed(whole), columns)),
                (operator.solve(transposed(x), adjoint_arg=True), np.linalg.solve(whole, columns)),
            ]
            self.compare(operator, expected)
        expected = [
            (operator.to_dense(), matrix),
            (operator.determinant(), np.linalg.det(matrix)),
            (operator.log_abs_determinant(), np.linalg.slogdet(matrix)[1]),
            (operator.diag_part(), np.diagonal(matrix, axis1=-2, axis2=-1)),
            (operator.trace(), np.trace(matrix, axis1=-2, axis2=-1)),
            (operator.shape_tensor(), matrix.shape),
            (operator.adjoint().to_dense(), transposed(matrix)),
            (operator.inverse().to_dense(), np.linalg.inv(matrix)),
        ]
        self.compare(operator, expected)

    def compare(self, operator, expected):
        with self.session() as session:
            found = session.run([tensor for tensor, _ in expected])
        for (tensor, wanted), value in zip(expected, found):
            self.assertAllClose(value, wanted, 1e-9, 1e-9, msg=f"{operator.name} {tensor.name}")

    def test_they_compute_what_their_matrices_do(self):
        for dtype in (np.float64, np.complex128):
            for operator, matrix in operators(dtype, tf.constant):
                with self.subTest(operator.name, dtype=dtype):
                    self.assertEqual(operator.shape, matrix.shape)
                    self.assertEqual(operator.to_dense().shape, matrix.shape)
                    self.check(operator, matrix)

    def test_shapes_may_be_known_to_a_step_alone(self):
        def unknown(array):
            return tf.placeholder_with_default(array, None)

        for operator, matrix in operators(np.complex128, unknown):
            with self.subTest(operator.name):
                self.assertIsNone(operator.shape.rank)
                self.check(operator, matrix)

    def test_a_kronecker_product_has_factors_that_are_not_square(self):
        left, right = numbers([2, 3], np.float64), numbers([2, 5, 4], np.float64)
        full = linalg.LinearOperatorFullMatrix
        operator = linalg.LinearOperatorKronecker([full(left), full(right)])
        matrix = kronecker(left, right)
        x, y = numbers([12, 2], np.float64), numbers([10, 2], np.float64)
        self.assertEqual(operator.shape, [2, 10, 12])
        self.compare(operator, [
            (operator.to_dense(), matrix), (operator.matmul(x), matrix @ x),
            (operator.matmul(y, adjoint=True), transposed(matrix) @ y),
            (operator.adjoint().to_dense(), transposed(matrix)),
            (operator.diag_part(), np.diagonal(matrix, axis1=-2, axis2=-1)),
        ])  # fmt: skip
        for assertion in (operator.assert_non_singular, operator.assert_self_adjoint):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be square"):
                assertion()

    def test_factors_of_positive_definite_ones_have_their_structure(self):
        root = numbers([2, 2, 2], np.float64)
        positive = root @ transposed(root) + np.eye(2)
        hints = {"is_self_adjoint": True, "is_positive_definite": True}
        one = linalg.LinearOperatorFullMatrix(positive[0], **hints)
        other = linalg.LinearOperatorFullMatrix(positive[1], **hints)
        for kind, matrix in (
            (linalg.LinearOperatorBlockDiag, blocks(*positive)),
            (linalg.LinearOperatorKronecker, kronecker(*positive)),
        ):
            operator = kind([one, other])
            self.assertTrue(operator.is_positive_definite and operator.is_self_adjoint)
            lower = operator.cholesky()
            self.assertIsInstance(lower, kind)
            self.assertIsInstance(lower.operators[0], linalg.LinearOperatorLowerTriangular)
            self.compare(lower, [(lower.to_dense(), np.linalg.cholesky(matrix))])

    def test_a_positive_product_of_negative_factors_has_a_triangle_of_its_own(self):
        negative = linalg.LinearOperatorFullMatrix(-np.eye(2), is_self_adjoint=True)
        operator = linalg.LinearOperatorKronecker([negative, negative], is_positive_definite=True)
        lower = operator.cholesky()
        self.compare(lower, [(lower.to_dense(), np.eye(4))])

    def test_a_circulant_operator_has_the_dtype_of_its_arguments(self):
        spectrum = [6.0, 4.0, 2.0, 4.0]
        operator = linalg.LinearOperatorCirculant(spectrum, tf.float32)
        self.assertIs(operator.is_self_adjoint, True)
        with self.session() as session:
            session.run([operator.assert_hermitian_spectrum(), operator.assert_positive_definite()])
            self.assertAllClose(session.run(operator.convolution_kernel()), [4, 1, 0, 1])
            self.assertAllClose(session.run(operator.to_dense())[0], [4, 1, 0, 1])
            skew = linalg.LinearOperatorCirculant([1j, 1, 0])
            for failing in (
                skew.assert_hermitian_spectrum, skew.assert_non_singular,
                skew.assert_self_adjoint, skew.assert_positive_definite,
            ):  # fmt: skip
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(failing())

    def test_wrong_parts_and_hints_are_errors(self):
        full, identity = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorIdentity(2)
        flat = full(np.ones([2, 3], np.float32))
        for make, text in (
            (lambda: linalg.LinearOperatorBlockDiag([]), "non-empty"),
            (lambda: linalg.LinearOperatorKronecker([]), "non-empty"),
            (lambda: linalg.LinearOperatorBlockDiag([identity, flat]), "square matrices"),
            (lambda: linalg.LinearOperatorBlockDiag([identity], is_non_singular=False), "always"),
            (lambda: linalg.LinearOperatorKronecker([identity], is_self_adjoint=False), "always"),
            (lambda: linalg.LinearOperatorCirculant(1.0), "at least 1 dim"),
            (lambda: linalg.LinearOperatorCirculant2D([1.0]), "at least 2 dim"),
            (lambda: linalg.LinearOperatorCirculant([1.0], is_square=False), "always square"),
            (lambda: linalg.LinearOperatorCirculant([1.0], is_self_adjoint=False), "real spectrum"),
            (lambda: linalg.LinearOperatorHouseholder([1.0], is_positive_definite=True), "non-pos"),
            (lambda: linalg.LinearOperatorHouseholder([1.0], is_self_adjoint=False), "always self"),
            (lambda: linalg.LinearOperatorHouseholder(1.0), "at least 1 dim"),
            (lambda: linalg.LinearOperatorToeplitz([1.0], [1.0, 2.0]), "mismatched"),
            (lambda: linalg.LinearOperatorToeplitz([1.0], [1.0], is_square=False), "Only square"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                make()
        double = linalg.LinearOperatorIdentity(2, dtype=tf.float64)
        for kind in (linalg.LinearOperatorBlockDiag, linalg.LinearOperatorKronecker):
            with self.assertRaisesRegex(TypeError, "same dtype"):
                kind([identity, double])
        mirror = linalg.LinearOperatorHouseholder([1.0, 0.0])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "non-positive definite"):
            mirror.assert_positive_definite()


if __name__ == "__main__":
    unittest.main()
