import numpy as np

from recorder import COMPLEX, array

FLOATS = ["float32", "float64"]
TOLERANCE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-10, "complex128": 1e-10}


def matrices(shape, dtype, seed=1):
    """Far from singular."""
    random = np.random.RandomState(seed)
    values = random.uniform(-1, 1, shape)
    if dtype in COMPLEX:
        values = values + 1j * random.uniform(-1, 1, shape)
    for i in range(min(shape[-2:])):
        values[..., i, i] += 2 + i
    return array(values, dtype)


def definite(shape, dtype, seed=1):
    a = matrices(shape, dtype, seed).astype("complex128" if dtype in COMPLEX else "float64")
    return array(a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(shape[-1]), dtype)


def record_squares(r):
    for dtype in FLOATS + COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        for shape in [(3, 3), (2, 2, 2), (1, 1), (0, 0), (0, 2, 2), (2, 0, 0)]:
            a, d = matrices(shape, dtype), definite(shape, dtype)
            # It reads one half of a symmetric matrix, both halves of which have a derivative.
            is_simple = shape == (1, 1) and dtype == "float64"
            r.call("Cholesky", d, gradient=[0] if is_simple else [], **near)
            for adjoint in [False, True]:
                r.call("MatrixInverse", a, adjoint=adjoint, **near)
                rhs = matrices(shape[:-1] + (2,), dtype, 2)
                r.call("MatrixSolve", a, rhs, adjoint=adjoint, **near)
                for lower in [False, True]:
                    r.call("MatrixTriangularSolve", a, rhs, lower=lower, adjoint=adjoint, **near)
            r.call("LogMatrixDeterminant", a, **near)
            r.call("MatrixDeterminant", a, outputs=[array(np.linalg.det(a), dtype)], **near)
            if dtype in FLOATS:
                lower = np.tril(a)
                r.call("CholeskyGrad", lower, matrices(shape, dtype, 3), **near)
    swapped = np.array([[0, 2.0], [3, 0]])
    r.call("MatrixDeterminant", swapped, outputs=[np.float64(-6)])
    r.call("LogMatrixDeterminant", -swapped)
    r.call("MatrixInverse", swapped)
    r.call("MatrixDeterminant", np.zeros((2, 2)), outputs=[np.float64(0)], gradient=[])
    r.call("LogMatrixDeterminant", np.zeros((2, 2)), gradient=[])
    nan = np.full((2, 2), np.nan)
    r.call("MatrixDeterminant", nan, outputs=[np.float64("nan")], gradient=[])
    r.call("MatrixInverse", nan, outputs=[nan], gradient=[])
    r.call("MatrixSolve", matrices((3, 3), "float64"), np.zeros((3, 0)), gradient=[])


def record_least_squares(r):
    none = np.float64(0)
    for dtype in FLOATS + COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        for shape in [(3, 2), (2, 3), (3, 3), (2, 3, 2), (1, 3)]:
            a, rhs = matrices(shape, dtype), matrices(shape[:-1] + (2,), dtype, 2)
            for l2 in [0.0, 0.5]:
                r.call("MatrixSolveLs", a, rhs, np.float64(l2), gradient=[0, 1]
                       if dtype == "float64" else [], **near)
            r.call("MatrixSolveLs", a, rhs, none, fast=False, gradient=[], **near)
    ones = np.ones((3, 2))
    r.call("MatrixSolveLs", ones, ones, np.float64(1), gradient=[], tolerance=1e-10)
    r.call("MatrixSolveLs", ones, ones, none, fast=False, gradient=[], tolerance=1e-10)
    r.call("MatrixSolveLs", np.zeros((0, 3)), np.zeros((0, 2)), none, outputs=[np.zeros((3, 2))],
           gradient=[])
    r.call("MatrixSolveLs", np.zeros((3, 0)), np.zeros((3, 2)), none, outputs=[np.zeros((0, 2))],
           gradient=[])
    r.error("MatrixSolveLs", ones, ones, none, says="has not full rank")
    r.error("MatrixSolveLs", ones, ones, np.float64(-1), says="must not be negative")
    r.error("MatrixSolveLs", ones, ones, np.float64("nan"), says="must not be negative")
    r.error("MatrixSolveLs", ones, ones, np.zeros(1), says="input 2 must")
    r.error("MatrixSolveLs", ones, ones[:2], none, says="same batches and rows")


def record_factorizations(r):
    for dtype in FLOATS + COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        for shape in [(3, 2), (2, 3), (3, 3), (2, 3, 2), (1, 1)]:
            a = matrices(shape, dtype)
            differentiable = dtype == "float64" and shape[-2] >= shape[-1]
            for full in [False, True]:
                is_square = not full or shape[-2] == shape[-1]
                # Both are by Householder's reflections, so signs agree too.
                r.call("Qr", a, full_matrices=full,
                       gradient=[0] if differentiable and is_square else [], **near)
            values = np.linalg.svd(a.astype("complex128"), compute_uv=False)
            r.call("Svd", a, compute_uv=False, outputs=[
                array(values, dtype), array(np.zeros(0), dtype), array(np.zeros(0), dtype)], **near)
            if shape[-1] == shape[-2]:
                d = definite(shape, dtype)
                e = np.linalg.eigvalsh(d.astype("complex128"))
                r.call("SelfAdjointEigV2", d, compute_v=False, outputs=[
                    array(e, dtype), array(np.zeros(0), dtype)], **near)
    e = np.eye(3)
    zero = np.zeros
    r.call("Qr", zero((3, 0)), gradient=[])
    r.call("Qr", zero((3, 0)), full_matrices=True, gradient=[])
    r.call("Qr", zero((0, 3)), outputs=[zero((0, 0)), zero((0, 3))], gradient=[])
    r.call("Svd", zero((3, 0)), outputs=[zero(0), zero((3, 0)), zero((0, 0))], gradient=[])
    r.call("Svd", zero((0, 3)), full_matrices=True, outputs=[zero(0), zero((0, 0)), e],
           gradient=[])
    r.call("Svd", zero((0, 3, 2)), outputs=[zero((0, 2)), zero((0, 3, 2)), zero((0, 2, 2))],
           gradient=[])
    nan = np.full((2, 2), np.nan)
    r.call("Svd", nan, outputs=[nan[0], nan, nan], gradient=[])
    r.call("SelfAdjointEigV2", zero((0, 0)), outputs=[zero(0), zero((0, 0))], gradient=[])
    # The upper half is not read.
    r.call("SelfAdjointEigV2", np.array([[2, 9.0], [1, 2]]), compute_v=False,
           outputs=[np.array([1.0, 3]), zero(0)])
    r.call("Cholesky", np.array([[4, 9.0], [2, 5]]), gradient=[])


def record_lu(r):
    for dtype in FLOATS + COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        for shape in [(3, 3), (2, 2, 2), (1, 1), (0, 0), (0, 2, 2), (2, 0, 0)]:
            for index in ["int32", "int64"]:
                r.call("Lu", matrices(shape, dtype)[..., ::-1, :], output_idx_type=index, **near)
    # The largest of each column comes first: rows 2, 0, 1.
    r.call("Lu", np.array([[2, 4.0, 1], [1, 1, 1], [4, 2, 2]]))
    r.error("Lu", np.zeros((2, 2)), says="not invertible")
    r.error("Lu", np.ones((2, 3)), says="must be square matrices, but is [2,3]")
    r.error("Lu", np.ones(3), says="at least rank 2, but is [3]")


def record_errors(r):
    wide, vector, singular = np.ones((2, 3)), np.ones(3), np.ones((2, 2))
    for op in ["Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant",
               "SelfAdjointEigV2"]:
        r.error(op, wide, says="must be square matrices, but is [2,3]")
        r.error(op, vector, says="at least rank 2, but is [3]")
    for op in ["Qr", "Svd"]:
        r.error(op, vector, says="at least rank 2, but is [3]")
    for op in ["MatrixSolve", "MatrixTriangularSolve"]:
        r.error(op, wide, wide, says="must be square matrices")
        r.error(op, singular, vector, says="at least rank 2")
        r.error(op, np.eye(2), np.ones((3, 1)), says="same batches and rows")
        r.error(op, np.eye(2), np.ones((3, 2, 1)), says="same batches and rows")
        r.error(op, np.zeros((2, 2)), np.ones((2, 1)), says="not invertible")
    r.error("MatrixSolve", singular, np.ones((2, 1)), says="not invertible")
    r.error("MatrixInverse", np.stack([np.eye(2), singular]), says="not invertible")
    r.error("Cholesky", -np.eye(2), says="not positive definite")
    r.error("Cholesky", np.array([[1, 2.0], [2, 1]]), says="not positive definite")
    r.error("CholeskyGrad", singular, np.ones((3, 3)), says="[2,2] and [3,3]")
    r.error("CholeskyGrad", wide, wide, says="must be square matrices")
    r.error("SelfAdjointEigV2", np.full((2, 2), np.nan), says="no eigenvalues")


def record(r):
    record_squares(r)
    record_least_squares(r)
    record_factorizations(r)
    record_lu(r)
    record_errors(r)
