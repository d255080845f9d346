import numpy as np
from recorder import array

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "string"]
OPERATIONS = ["a-b", "b-a", "intersection", "union"]
A = [[1, 2, 2, 5], [3, 3, 3, 3], [7, 8, 9, 1]]
B = [[2, 6, 5], [3, 3, 4], [1, 2, 3]]
# [3, 4] with rows of 2, 0 and 3 values.
INDICES = array([[0, 0], [0, 3], [2, 0], [2, 1], [2, 2]], "int64")
SHAPE = array([3, 4], "int64")


def values_of(numbers, dtype):
    if dtype == "string":
        return array(np.array(numbers).astype(str).tolist(), dtype)
    return array(numbers, dtype)


def record_dense(r):
    op = "DenseToDenseSetOperation"
    for dtype in DTYPES:
        for operation in OPERATIONS:
            r.call(op, values_of(A, dtype), values_of(B, dtype), set_operation=operation,
                   known_shape=False)
    a, b = array(A, "int32"), array(B, "int32")
    r.call(op, a.reshape(3, 2, 2), b.repeat(2, 1).reshape(3, 2, 3), set_operation="union",
           known_shape=False, validate_indices=False)
    r.call(op, a[:0], b[:0], set_operation="union", known_shape=False, outputs=[
        np.zeros((0, 2), "int64"), np.zeros(0, "int32"), array([0, 0], "int64")])
    r.call(op, a[:, :0], b, set_operation="a-b", known_shape=False, outputs=[
        np.zeros((0, 2), "int64"), np.zeros(0, "int32"), array([3, 0], "int64")])
    r.error(op, a, b[:2], set_operation="union", says="")
    r.error(op, a[0], b[0], set_operation="union", says="at least 2 axes")
    r.error(op, a, b.reshape(3, 1, 3), set_operation="union", says="")
    r.error(op, a, b, set_operation="sum", says="intersection or union")


def record_sparse(r):
    for dtype in DTYPES:
        values = values_of([2, 1, 9, 9, 4], dtype)
        for operation in OPERATIONS:
            r.call("DenseToSparseSetOperation", values_of(A, dtype), INDICES, values, SHAPE,
                   set_operation=operation, known_shape=False)
            r.call("SparseToSparseSetOperation", INDICES, values, SHAPE,
                   array([[0, 0], [1, 0], [2, 1]], "int64"), values_of([2, 3, 5], dtype), SHAPE,
                   set_operation=operation, known_shape=False)
        r.call("SetSize", INDICES, values, SHAPE)
    values = array([2, 1, 9, 9, 4], "int64")
    swapped = INDICES[[1, 0, 2, 3, 4]]
    r.call("SetSize", swapped, values, SHAPE, validate_indices=False)
    r.call("SetSize", array([[1, 0, 2], [1, 1, 0]], "int64"), array([5, 5], "int32"),
           array([2, 2, 3], "int64"))
    r.call("SetSize", np.zeros((0, 2), "int64"), array([], "int32"), SHAPE)
    r.error("SetSize", swapped, values, SHAPE, says="out of order")
    r.error("SetSize", INDICES[[0, 0, 2, 3, 4]], values, SHAPE, says="out of order")
    r.error("SetSize", INDICES, values, array([2, 4], "int64"), says="does not lie")
    r.error("SetSize", INDICES, values[:3], SHAPE, says="")
    r.error("SetSize", INDICES[:, :1], values, SHAPE[:1], says="at least 2 axes")
    a = array(A, "int64")
    union = {"set_operation": "union"}
    r.error("DenseToSparseSetOperation", a, swapped, values, SHAPE, **union, says="out of order")
    r.error("DenseToSparseSetOperation", a, INDICES, values, array([4, 4], "int64"), **union,
            says="agree in all axes but the last")
    r.error("SparseToSparseSetOperation", INDICES, values, SHAPE, INDICES, values,
            array([5, 4], "int64"), **union, says="agree in all axes")


def record(r):
    record_dense(r)
    record_sparse(r)
