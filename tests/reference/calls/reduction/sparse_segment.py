import numpy as np
from recorder import FLOATS, REAL, array

OPS = ["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"]
X = [[0.5, 2.5], [3.25, 1.5], [-1, 2], [0.75, 4]]


def record_values(r, op, count):
    """`count`: nothing, or the number of segments."""
    more = [] if count is None else [array(count, "int32")]
    indices, ids = array([3, 0, 0, 2], "int32"), array([0, 0, 2, 2], "int32")
    for dtype in REAL if "Sum" in op else FLOATS:
        x = array([[1, 2], [3, 5], [5, 6], [7, 8]], dtype)
        if dtype in ["uint32", "uint64"]:
            y = r._run(op, [x.astype("int64"), indices, ids] + more, {})[0].numpy()
            r.call(op, x, indices, ids, *more, outputs=[y.astype(dtype)], known_shape=False)
        else:
            r.call(op, x, indices, ids, *more, known_shape=False, gradient=[])
    x = array(X, "float64")
    r.call(op, x, array([0, 1, 2, 3, 1], "int64"), array([0, 0, 1, 3, 3], "int32"),
           *[array(4, "int64") for _ in more], known_shape=False)
    r.call(op, x, array([2, 2], "int32"), array([1, 1], "int32"), *more, known_shape=False)
    r.call(op, x[:, 0], indices, ids, *more, known_shape=False)
    r.call(op, np.arange(12.0).reshape(2, 2, 3) / 4, array([1, 0], "int32"),
           array([0, 1], "int32"), *more, known_shape=False)
    r.call(op, array([[np.nan, np.inf], [1, -np.inf]], "float32"), array([0, 1], "int32"),
           array([0, 0], "int32"), *more, known_shape=False)
    none = array([], "int32")
    r.call(op, x, none, none, *more, known_shape=False)
    r.call(op, np.zeros((3, 0), "float32"), indices[1:], ids[1:], *more, known_shape=False)


def record_errors(r, op, count):
    more = [] if count is None else [array(count, "int32")]
    x = array(X, "float32")

    def error(indices, ids, says, data=x):
        r.error(op, data, array(indices, "int32"), array(ids, "int32"), *more, says=says)

    error([0, 1], [1, 0], "must not decrease")
    error([0, 1], [-1, 0], "segment id -1 at position 0")
    error([0, 4], [0, 0], "index 4 at position 1 is not in [0, 4)")
    error([0, -1], [0, 0], "index -1 at position 1")
    error([0, 1], [0], "one length")
    error([[0, 1]], [[0, 1]], "")
    error([0], [0], "", data=array(1, "float32"))
    if more:
        error([0, 1], [0, 5], "segment id 5 at position 1 is not in [0, 5)")
        r.error(op, x, array([0], "int32"), array([0], "int32"), array(-1, "int32"),
                says="negative")
        r.error(op, x, array([0], "int32"), array([0], "int32"), array([1, 2], "int32"), says="")


def record_gradient(r, op):
    indices, ids, rows = array([3, 0, 0], "int32"), array([0, 0, 1], "int32"), array(5, "int32")
    for dtype in FLOATS:
        r.call(op, array([[1, 2], [3, 5]], dtype), indices, ids, rows)
    dy = array(X, "float64")
    r.call(op, dy, array([1, 1, 0, 2], "int64"), array([0, 3, 3, 3], "int32"), rows)
    r.call(op, dy[:, 1], indices, ids, rows)
    r.call(op, dy, array([], "int32"), array([], "int32"), rows)
    r.call(op, dy, array([], "int32"), array([], "int32"), array(0, "int32"))
    r.error(op, dy, array([5], "int32"), array([0], "int32"), rows, says="index 5")
    r.error(op, dy, array([-1], "int32"), array([0], "int32"), rows, says="index -1")
    r.error(op, dy, array([0], "int32"), array([4], "int32"), rows, says="segment id 4")
    r.error(op, dy, array([0], "int32"), array([-2], "int32"), rows, says="segment id -2")
    r.error(op, dy, array([0], "int32"), array([0], "int32"), array(-3, "int32"), says="negative")
    r.error(op, dy, array([0, 1], "int32"), array([0], "int32"), rows, says="one length")
    r.error(op, array(1, "float64"), array([0], "int32"), array([0], "int32"), rows, says="")


def record(r):
    for op in OPS:
        record_values(r, op, None)
        record_errors(r, op, None)
        record_values(r, op + "WithNumSegments", 5)
        record_errors(r, op + "WithNumSegments", 5)
    for op in OPS[1:]:
        record_gradient(r, op + "Grad")
