import numpy as np
from calls.linalg.decompositions import TOLERANCE
from recorder import COMPLEX, array


def values(shape, dtype, seed):
    random = np.random.RandomState(seed)
    found = random.uniform(-1, 1, shape)
    if dtype in COMPLEX:
        found = found + 1j * random.uniform(-1, 1, shape)
    return array(found, dtype)


def record(r):
    for dtype in ["float32", "float64"] + COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        for batches, size, columns in [((), 4, 3), ((2,), 3, 1), ((2, 1), 1, 2), ((), 2, 2)]:
            rhs = values((*batches, size, columns), dtype, 1)
            rows = [values((*batches, 1, size), dtype, seed) for seed in (2, 3, 4)]
            r.call("TridiagonalMatMul", *rows, rhs)
            diagonals = np.concatenate(rows, -2)
            diagonals[..., 1, :] += 3
            for pivoting in [True, False]:
                r.call("TridiagonalSolve", diagonals, rhs, partial_pivoting=pivoting, **near)
    # Rows must be exchanged, one after the other.
    diagonals = np.array([[1, 2, 3, 9.0], [0, 0.5, 0.1, 2], [9, 4, 5, 6]])
    r.call("TridiagonalSolve", diagonals, np.arange(8.0).reshape(4, 2), tolerance=1e-10)
    two = np.array([[1.0, 9], [0, 1], [9, 1]])
    r.call("TridiagonalSolve", two, np.ones((2, 1)), outputs=[np.array([[0.0], [1]])], gradient=[])
    r.call("TridiagonalSolve", np.zeros((0, 3, 2)), np.zeros((0, 2, 1)),
           outputs=[np.zeros((0, 2, 1))], gradient=[])
    r.error("TridiagonalSolve", two, np.ones((2, 1)), partial_pivoting=False,
            says="partial_pivoting=true")
    r.error("TridiagonalSolve", np.zeros((3, 1)), np.ones((1, 1)), says="not invertible")
    r.error("TridiagonalSolve", np.ones((3, 2)), np.ones((2, 1)), says="not invertible")
    r.error("TridiagonalSolve", np.ones((2, 2)), np.ones((2, 1)), says="as 3 rows")
    r.error("TridiagonalSolve", np.ones((3, 2)), np.ones((3, 1)), says="as 3 rows")
    r.error("TridiagonalSolve", np.ones((2, 3, 2)), np.ones((2, 1)), says="")
    r.error("TridiagonalSolve", np.ones(3), np.ones((3, 1)), says="rank 2")
    row = np.ones((1, 2))
    r.error("TridiagonalMatMul", row, row, row[:, :1], np.ones((2, 1)), says="input 2")
    r.error("TridiagonalMatMul", row, row.T, row, np.ones((2, 1)), says="input 1")
    r.error("TridiagonalMatMul", row, row, row, np.ones(2), says="rank 2")
