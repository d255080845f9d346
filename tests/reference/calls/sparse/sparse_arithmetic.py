import numpy as np
from recorder import COMPLEX, NUMERIC, REAL, SIGNED, array

SHAPE = array([2, 3], "int64")
A = array([[0, 0], [0, 2], [1, 1]], "int64")
B = array([[0, 0], [0, 1], [1, 1], [1, 2]], "int64")
NONE = np.zeros((0, 2), "int64")
REAL_PARTS = {"complex64": "float32", "complex128": "float64"}
SUM = {"known_shape": False}


def record_sums(r):
    for dtype in ["float32", "float64"] + SIGNED + COMPLEX:
        a, b = array([1, -2, 3], dtype), array([4, 5, -3, 7], dtype)
        for least in [0, 1, 6]:
            least_sum = array(least, REAL_PARTS.get(dtype, dtype))
            r.call("SparseAdd", A, a, SHAPE, B, b, SHAPE, least_sum,
                   gradient=[1, 4] if dtype == "float64" else [], **SUM)
        r.call("SparseAddGrad", array([1, 2, 3, 4], dtype), A, B,
               array([[0, 0], [0, 1], [0, 2], [1, 2]], "int64"), **SUM)
    a, zero = array([1, 2, 3], "float32"), array(0, "float32")
    r.call("SparseAdd", A, a, SHAPE, NONE, a[:0], SHAPE, zero, **SUM)
    r.call("SparseAdd", NONE, a[:0], SHAPE, NONE, a[:0], SHAPE, zero, **SUM)
    least = array([-2**63], "int64")
    place = array([[0]], "int64")
    r.call("SparseAdd", place, least, array([1], "int64"), place, array([0], "int64"),
           array([1], "int64"), array(2**63 - 1, "int64"),
           outputs=[place, least, array([1], "int64")], **SUM)
    r.error("SparseAdd", A, a, SHAPE, A, a, array([3, 3], "int64"), zero, says="one shape")
    r.error("SparseAdd", A, a, SHAPE, A, a[:2], SHAPE, zero, says="do not fit 2 values")
    r.error("SparseAdd", A, a, SHAPE, A, a, SHAPE, array([0], "float32"), says="")
    r.error("SparseAdd", A, a, array([1, 3], "int64"), A, a, array([1, 3], "int64"), zero,
            says="does not lie in the shape")
    r.error("SparseAddGrad", a, A, A[:, :1], A, says="do not fit each other")
    r.error("SparseAddGrad", a, A, A, A[:2], says="do not fit each other")


def record_extremes(r):
    for op in ["SparseSparseMaximum", "SparseSparseMinimum"]:
        for dtype in REAL:
            sign = 1 if dtype.startswith("u") else -1
            a, b = array([1, sign * 2, 3], dtype), array([4, sign * 5, 3, 7], dtype)
            r.call(op, A, a, SHAPE, B, b, SHAPE, **SUM)
        r.call(op, NONE, a[:0], SHAPE, A, a, SHAPE, **SUM)
        r.error(op, A, a, SHAPE, A, a, array([3, 3], "int64"), says="one shape")


def record_with_dense(r):
    for op in ["SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"]:
        for dtype in NUMERIC:
            values, dense = array([6, 7, 8], dtype), array([[1, 2, 3], [4, 5, 6]], dtype)
            known = {}
            if dtype in COMPLEX:
                found = {"Add": np.add, "Mul": np.multiply, "Div": np.divide}[op[-3:]]
                values = values + array(1j, dtype)
                known["outputs"] = [found(values, dense[A[:, 0], A[:, 1]])]
            r.call(op, A, values, SHAPE, dense, **known)
        values = np.array([1.5, -2, 4])
        for dense in [[[1.0, 2, 3]], [[1.0], [2]], [1.0, -2, 3], [[4.0]], [2.0], 3.0]:
            r.call(op, A, values, SHAPE, np.array(dense))
        r.call(op, NONE, values[:0], SHAPE, np.ones((2, 3)))
        for shape in [(3,), (2, 1, 1), (3, 3), (2,), (0,)]:
            wrong = shape != (3,)
            if wrong:
                r.error(op, A, values, SHAPE, np.ones(shape), says="cannot be broadcast")
        r.error(op, A, values, array([1, 3], "int64"), np.ones(3), says="does not lie in the shape")
    r.error("SparseDenseCwiseDiv", A, array([1, 2, 3], "int32"), SHAPE, array([1, 0, 0], "int32"),
            says="integer division by zero")
    least = array([-2**31], "int32")
    r.call("SparseDenseCwiseDiv", array([[0]], "int64"), least, array([1], "int64"),
           array([-1], "int32"), outputs=[least])


def record_softmax(r):
    places = array([[0, 0], [0, 2], [1, 1], [1, 2], [2, 0]], "int64")
    shape = array([4, 3], "int64")
    for dtype in ["float32", "float64"]:
        r.call("SparseSoftmax", places, array([1, 2.5, -1, 3, 7], dtype), shape)
        r.call("SparseSoftmax", places, array([1000, 1001, -1e4, 0, 1e30], dtype), shape,
               gradient=[])
    deep = array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 0]], "int64")
    r.call("SparseSoftmax", deep, np.array([1.0, 2, 3, 4]), array([2, 2, 2], "int64"))
    r.call("SparseSoftmax", NONE, np.zeros(0), SHAPE)
    # Entries in any order: those of a row may lie apart.
    r.call("SparseSoftmax", places[[1, 2, 0]], np.log([3.0, 5, 1]), shape,
           outputs=[np.array([0.75, 1, 0.25])], gradient=[])
    r.error("SparseSoftmax", array([[0]], "int64"), np.ones(1), array([1], "int64"),
            says="at least rank 2")


def record(r):
    record_sums(r)
    record_extremes(r)
    record_with_dense(r)
    record_softmax(r)
