import numpy as np
from calls.linalg.decompositions import TOLERANCE, definite, matrices
from recorder import COMPLEX, PLAIN, array


def call(r, op, *inputs, **more):
    """TensorFlow has no kernels of these any more, but of the ops that took their place."""
    attrs = {name: value for name, value in more.items() if name != "tolerance"}
    answer = r._run(op.removeprefix("Batch"), inputs, attrs)
    r.call(op, *inputs, outputs=[each.numpy() for each in answer], **more)


def record(r):
    for dtype in ["float32", "float64"]:
        near = {"tolerance": TOLERANCE[dtype]}
        a, d, b = (matrices((2, 3, 3), dtype), definite((2, 3, 3), dtype),
                   matrices((2, 3, 2), dtype, 2))
        call(r, "BatchCholesky", d, **near)
        call(r, "BatchCholeskyGrad", np.tril(a), matrices((2, 3, 3), dtype, 3), **near)
        call(r, "BatchMatrixSolveLs", b, b, np.float64(0.5), **near)
        for adjoint in [False, True]:
            call(r, "BatchMatrixInverse", a, adjoint=adjoint, **near)
            call(r, "BatchMatrixSolve", a, b, adjoint=adjoint, **near)
            call(r, "BatchMatrixTriangularSolve", a, b, adjoint=adjoint, lower=False, **near)
        e = array(np.linalg.eigvalsh(d.astype("float64")), dtype)
        r.call("BatchSelfAdjointEigV2", d, compute_v=False,
               outputs=[e, array(np.zeros(0), dtype)], **near)
        # Of a diagonal matrix, so that the signs of the eigenvectors are sure.
        swapped = array(np.diag([3, 1]), dtype)
        table = array([[1, 3], [0, 1], [1, 0]], dtype)
        r.call("SelfAdjointEig", swapped, outputs=[table])
        r.call("BatchSelfAdjointEig", np.stack([swapped] * 2), outputs=[np.stack([table] * 2)])
    for dtype in ["float32", "float64"] + COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        a = matrices((2, 3, 3), dtype)
        r.call("BatchMatrixDeterminant", a, outputs=[array(np.linalg.det(a), dtype)], **near)
        s = np.linalg.svd(a.astype("complex128"), compute_uv=False)
        none = array(np.zeros(0), dtype)
        r.call("BatchSvd", a, compute_uv=False, outputs=[array(s, dtype), none, none], **near)
    for dtype in PLAIN:
        a = array(np.arange(12).reshape(2, 2, 3) % 5, dtype)
        diagonal = a[:, 0, :2]
        band, of, matrix, put = a.copy(), a[:, [0, 1], [0, 1]], np.zeros_like(a[:, :, :2]), a.copy()
        band[:, 1, 0] = band[:, 0, 2] = 0
        matrix[:, [0, 1], [0, 1]] = put[:, [0, 1], [0, 1]] = diagonal
        zero, one = array(0, "int64"), array(1, "int64")
        r.call("BatchMatrixBandPart", a, zero, one, outputs=[band])
        r.call("BatchMatrixDiagPart", a, outputs=[of])
        r.call("BatchMatrixDiag", diagonal, outputs=[matrix])
        r.call("BatchMatrixSetDiag", a, diagonal, outputs=[put])
    r.call("SelfAdjointEig", np.zeros((0, 0)), outputs=[np.zeros((1, 0))])
    r.error("SelfAdjointEig", np.ones((2, 3)), says="must be square matrices")
    r.error("SelfAdjointEig", np.full((2, 2), np.nan), says="no eigenvalues")
    r.error("BatchCholesky", -np.eye(2), says="not positive definite")
