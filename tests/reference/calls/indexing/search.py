import numpy as np

from recorder import INTEGERS, PLAIN, REAL, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def wheres(r):
    for dtype in PLAIN:
        x = array([[0, 1, 0], [1, 1, 0]], dtype)
        r.call("Where", x, outputs=[ints(np.argwhere(x), "int64")], known_shape=False)
    for shape in [[0], [2, 0], [], [1, 2, 2, 1]]:
        x = array(np.ones(shape), "bool")
        r.call("Where", x, outputs=[ints(np.argwhere(x), "int64")], known_shape=False)
    r.call("Where", array(False, "bool"), outputs=[ints(np.zeros([0, 0]), "int64")],
           known_shape=False)
    special = array([-0.0, float("nan"), float("inf"), 2e-38], "float32")
    r.call("Where", special, outputs=[ints([[1], [2], [3]], "int64")], known_shape=False)
    r.call("Where", array([0, 1j, 1, -0.0], "complex64"), outputs=[ints([[1], [2]], "int64")],
           known_shape=False)
    r.error("Where", array(["a"], "string"), says="T")


def uniques(r):
    def unique(x, *more, **options):
        for op in ["Unique", "UniqueWithCounts"]:
            r.call(op + ("V2" if more else ""), x, *more, known_shape=False, **options)

    for dtype in REAL:
        x = array([3, 1, 3, 2, 1, 3], dtype)
        y, idx, count = array([3, 1, 2], dtype), ints([0, 1, 0, 2, 1, 0]), ints([3, 2, 1])
        r.call("Unique", x, outputs=[y, idx], known_shape=False)
        r.call("UniqueWithCounts", x, outputs=[y, idx, count], known_shape=False)
    for dtype in ["complex64", "complex128"]:
        r.call("Unique", array([1j, 1, 1j, -1j], dtype), known_shape=False,
               outputs=[array([1j, 1, -1j], dtype), ints([0, 1, 0, 2])])
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        edge = np.array([info.max, info.min, info.max - 1, info.max], dtype)
        r.call("Unique", edge, known_shape=False,
               outputs=[edge[:3], ints([0, 1, 2, 0])])
    unique(array(["b", "", "b", "a"], "string"), out_idx="int64")
    unique(array([True, False, True], "bool"))
    unique(ints([]))
    unique(ints(np.arange(100) % 37 * 64))
    unique(array([0.0, -0.0, float("inf"), float("inf")], "float32"))
    for op in ["Unique", "UniqueV2"]:
        axis = [] if op == "Unique" else [ints([], "int64")]
        r.call(op, array([float("nan"), float("nan")], "float32"), *axis, known_shape=False,
               outputs=[array([float("nan")] * 2, "float32"), ints([0, 1])])
    unique(ints([5, 7, 5]), ints([], "int64"))
    x = ints([[1, 0, 1, 1], [2, 2, 2, 2], [1, 0, 1, 1]])
    for axis in [0, 1, -1, -2]:
        unique(x, ints([axis]))
        unique(x.astype("float64"), ints([axis], "int64"), out_idx="int64")
    unique(array([[["a", "b"], ["a", "b"]], [["c", ""], ["c", ""]]], "string"), ints([1]))
    r.call("UniqueV2", ints(np.zeros([0, 3])), ints([1]), known_shape=False,
           outputs=[ints(np.zeros([0, 1])), ints([0, 0, 0])])
    r.error("Unique", x, says="")
    r.error("UniqueV2", x, ints([]), says="")
    r.error("UniqueV2", x, ints([2]), says="axis 2")
    r.error("UniqueV2", x, ints([0, 1]), says="'axis' must")
    r.error("UniqueV2", x, ints(0), says="")


def bounds(r):
    for op in ["LowerBound", "UpperBound"]:
        for dtype in REAL:
            side = "left" if op == "LowerBound" else "right"
            rows, values = array([[1, 3, 3, 7], [0, 2, 4, 5]], dtype), array([[3, 9, 0]] * 2, dtype)
            pairs = zip(rows.astype("float64"), values.astype("float64"))
            places = [np.searchsorted(row, value, side) for row, value in pairs]
            r.call(op, rows, values, outputs=[ints(places)])
        x = array([[1, 2]], "float32")
        r.call(op, x, array([[1.5, float("inf"), float("-inf")]], "float32"), out_type="int64")
        r.call(op, array(np.zeros([2, 0]), "float32"), array([[1], [2]], "float32"),
               outputs=[ints([[0], [0]])])
        r.call(op, x, array(np.zeros([1, 0]), "float32"), outputs=[ints(np.zeros([1, 0]))])
        r.error(op, x, array([[1], [2]], "float32"), says="rows")
        r.error(op, x, array([1], "float32"), says="")


def record(r):
    wheres(r)
    uniques(r)
    bounds(r)
