import numpy as np
from recorder import COMPLEX, NUMERIC, REAL, array

SORTED = ["SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"]
UNSORTED = ["UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin",
            "UnsortedSegmentMax"]


def record_sorted(r, op):
    ids = array([0, 0, 1, 3], "int32")
    for dtype in REAL if op[-3:] in ["Min", "Max"] else NUMERIC:
        if op == "SegmentMean" and dtype in COMPLEX:
            continue
        x = array([[1, 2], [3, 5], [5, 6], [7, 8]], dtype)
        if dtype in ["uint32", "uint64"]:
            y = r._run(op, [x.astype("int64"), ids], {})[0].numpy()
            r.call(op, x, ids, outputs=[y.astype(dtype)], known_shape=False)
        else:
            r.call(op, x, ids, gradient=[], known_shape=False)
    differentiable = None if op != "SegmentProd" else []
    x = array([[0.5, 2.5], [3.25, 1.5], [-1, 2], [0.75, 4]], "float64")
    for each in [[0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0]]:
        r.call(op, x, array(each, "int64"), known_shape=False, gradient=differentiable)
    r.call(op, x[:, 0], array([1, 1, 3, 3], "int32"), known_shape=False, gradient=[])
    r.call(op, np.zeros((0, 2), "float32"), array([], "int32"), known_shape=False)
    r.error(op, x, array([0, 1], "int32"), says="each row")
    r.error(op, x, array([[0, 1, 2, 3]], "int32"), says="")
    r.error(op, x, array([0, 1, 0, 2], "int32"), says="must not decrease")
    r.error(op, x, array([-1, 0, 0, 2], "int32"), says="segment id -1")
    most = np.iinfo("int64").max
    r.error(op, x, array([0, 0, 0, most], "int64"), says="too large")


def record_unsorted(r, op):
    ids, count = array([2, 0, -1, 2], "int32"), array(4, "int32")
    for dtype in REAL if op[-3:] in ["Min", "Max"] else NUMERIC:
        x = array([[1, 2], [3, 5], [5, 6], [7, 8]], dtype)
        if dtype in ["uint32", "uint64"] and op[-3:] in ["Sum", "rod"]:
            y = r._run(op, [x.astype("int64"), ids, count], {})[0].numpy()
            r.call(op, x, ids, count, outputs=[y.astype(dtype)])
        elif dtype in ["uint32", "uint64"]:
            info = np.iinfo(dtype)
            y = np.full((4, 2), info.min if op[-3:] == "Max" else info.max, dtype)
            y[0], y[2] = x[1], x[3] if op[-3:] == "Max" else x[0]
            r.call(op, x, ids, count, outputs=[y])
        else:
            r.call(op, x, ids, count, gradient=[])
    x = array([[0.5, 2.5], [3.25, 1.5], [-1, 2], [0.75, 4]], "float64")
    for each in [[1, 0, 1, 0], [-1, 1, -3, 0]]:
        r.call(op, x, array(each, "int64"), array(2, "int64"))
    r.call(op, x, array([[0, 1], [1, 0], [1, -1], [1, 1]], "int32"), array(2, "int32"))
    r.call(op, x, array(1, "int32"), array(2, "int32"), gradient=[])
    r.call(op, np.zeros((0, 2), "float32"), array([], "int32"), array(2, "int32"))
    r.call(op, x, array([-1] * 4, "int32"), array(0, "int32"), gradient=[])
    r.error(op, x, array([0, 1, 0, 2], "int32"), array(2, "int32"), says="segment id 2")
    r.error(op, x, array([0, 1, 0, 1], "int32"), array(-2, "int32"), says="negative")
    r.error(op, x, array([0, 1, 0], "int32"), array(2, "int32"), says="")


def record(r):
    for op in SORTED:
        record_sorted(r, op)
    for op in UNSORTED:
        record_unsorted(r, op)
    x = array([2, 0, 3, 0, 0, 5], "float64")  # one zero, two, none
    r.call("UnsortedSegmentProd", x, array([0, 0, 1, 1, 1, 2], "int32"), array(3, "int32"))
