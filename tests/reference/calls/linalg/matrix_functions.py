import numpy as np
import tensorflow as tf
from calls.linalg.decompositions import TOLERANCE, definite, matrices
from recorder import COMPLEX, array

DTYPES = ["float32", "float64"] + COMPLEX
ZEROS = np.zeros((2, 2))


def diagonal(values, dtype="complex128"):
    return np.diag(array(values, dtype))


def exponential(matrices):
    """TensorFlow has no kernel of the op any more."""
    return tf.linalg.expm(matrices).numpy() if matrices.size else matrices


def record(r):
    for dtype in DTYPES:
        near = {"tolerance": TOLERANCE[dtype]}
        for shape in [(1, 1), (2, 2), (2, 3, 3), (0, 0), (0, 2, 2), (2, 0, 0)]:
            d, small = definite(shape, dtype), matrices(shape, dtype, 3) / array(4, dtype)
            r.call("MatrixSquareRoot", d, **near)
            r.call("MatrixExponential", small, outputs=[exponential(small)], **near)
            if dtype in COMPLEX:
                r.call("MatrixLogarithm", d, **near)
                r.call("MatrixLogarithm", matrices(shape, dtype), **near)
    # A rotation: of 2 radians, 1, and a generator with that exponential.
    for angle in [0.5, 2.0]:
        c, s = np.cos(angle), np.sin(angle)
        turn, half = np.array([[c, -s], [s, c]]), np.array([
            [np.cos(angle / 2), -np.sin(angle / 2)], [np.sin(angle / 2), np.cos(angle / 2)]])
        generator = np.array([[0, -angle], [angle, 0]])
        r.call("MatrixSquareRoot", turn, outputs=[half])
        r.call("MatrixExponential", generator, outputs=[turn])
        r.call("MatrixLogarithm", array(turn, "complex128"),
               outputs=[array(generator, "complex128")])
    r.call("MatrixExponential", ZEROS, outputs=[np.eye(2)])
    r.call("MatrixExponential", diagonal([1, 20, -30], "float64"),
           outputs=[diagonal(np.exp([1, 20, -30]), "float64")])
    r.call("MatrixExponential", np.array([[0, 1.0], [0, 0]]),
           outputs=[np.array([[1, 1.0], [0, 1]])])
    r.call("MatrixLogarithm", diagonal([1, 2, 1e-100]), tolerance=1e-9)
    r.call("MatrixLogarithm", diagonal([-1, 2]), outputs=[diagonal([1j * np.pi, np.log(2)])])
    jordan = np.array([[4, 1, 0], [0, 4, 1], [0, 0, 4]])
    r.call("MatrixSquareRoot", jordan.astype("float64"), gradient=[])
    r.call("MatrixLogarithm", jordan.astype("complex128"), tolerance=1e-10)
    nan = np.full((2, 2), np.nan)
    for op in ["MatrixSquareRoot", "MatrixExponential"]:
        r.call(op, nan, outputs=[nan], gradient=[])
    r.call("MatrixLogarithm", nan.astype("complex128"), outputs=[nan.astype("complex128")])
    for op in ["MatrixSquareRoot", "MatrixExponential", "MatrixLogarithm"]:
        r.error(op, np.ones((2, 3), "complex128"), says="must be square matrices")
        r.error(op, np.ones(3, "complex128"), says="at least rank 2")
    for singular in [ZEROS, np.array([[0, 1], [0, 0]])]:
        r.error("MatrixLogarithm", singular.astype("complex128"), says="no logarithm")
