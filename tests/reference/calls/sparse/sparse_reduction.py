import numpy as np
from recorder import NUMERIC, REAL, array

INDICES = array([[0, 0, 1], [0, 2, 0], [1, 0, 1], [1, 2, 0], [1, 2, 1]], "int64")
SHAPE = array([2, 3, 2], "int64")
VALUES = [3, 2, 5, 1, 4]


def folded(op, values, axes, keep_dims):
    """By NumPy: the result as the sparse or dense tensors of the op."""
    groups = {}
    for index, value in zip(INDICES.tolist(), values):
        kept = [0 if axis in axes else place for axis, place in enumerate(index)]
        groups.setdefault(tuple(kept), []).append(value)
    fold = max if "Max" in op else sum
    axes_left = [axis for axis in range(3) if keep_dims or axis not in axes]
    keys = sorted(groups)
    results = array([fold(groups[key]) for key in keys], values.dtype)
    sizes = [1 if axis in axes else int(SHAPE[axis]) for axis in axes_left]
    indices = array([[key[axis] for axis in axes_left] for key in keys], "int64")
    if op.endswith("Sparse"):
        return [indices.reshape(len(keys), len(axes_left)), results, array(sizes, "int64")]
    dense = np.zeros(sizes, values.dtype)
    for index, value in zip(indices.tolist(), results):
        dense[tuple(index)] = value
    return [dense]


def record_op(r, op):
    known = {"known_shape": not op.endswith("Sparse")}
    for dtype in REAL if "Max" in op else NUMERIC:
        x = array(VALUES, dtype)
        r.call(op, INDICES, x, SHAPE, array([1], "int32"), **known,
               outputs=folded(op, x, [1], False))
    x = array([-3.5, 2, -5, 1, -4], "float32")
    for axes in [[0], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2], []]:
        for keep_dims in [False, True]:
            r.call(op, INDICES, x, SHAPE, array(axes, "int32"), keep_dims=keep_dims, **known,
                   outputs=folded(op, x, axes, keep_dims))
    r.call(op, INDICES, x, SHAPE, array([-1], "int32"), **known)
    r.call(op, INDICES, x, SHAPE, array(0, "int32"), **known)
    none = np.zeros((0, 3), "int64")
    r.error(op, INDICES, x, SHAPE, array([3], "int32"), says="")
    r.error(op, INDICES, x, array([2, 2, 2], "int64"), array([0], "int32"), says="does not lie")
    r.error(op, INDICES, x[:2], SHAPE, array([0], "int32"), says="")
    r.error(op, INDICES[:, :2], x, SHAPE, array([0], "int32"), says="")
    r.call(op, none, x[:0], SHAPE, array([1], "int32"), **known, outputs=[
        np.zeros((0, 2), "int64"), x[:0], array([2, 2], "int64")
    ] if op.endswith("Sparse") else [np.zeros((2, 2), "float32")])


def record(r):
    for op in ["SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSumSparse"]:
        record_op(r, op)
