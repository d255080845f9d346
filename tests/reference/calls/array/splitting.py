import numpy as np

from recorder import PLAIN, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def split(r, axis, x, count, **options):
    """TensorFlow's Python names the axis otherwise than the op does, so NumPy answers."""
    r.call("Split", ints(axis), x, num_split=count, outputs=np.split(x, count, axis), **options)


def split_v(r, x, sizes, axis, dtype="int32", **options):
    parts = [size if size >= 0 else x.shape[axis] - sum(sizes) - 1 for size in sizes]
    r.call("SplitV", x, ints(sizes, dtype), ints(axis), num_split=len(sizes),
           outputs=np.split(x, np.cumsum(parts)[:-1], axis), **options)


def splits(r):
    x = array(np.arange(24).reshape(2, 6, 2) / 8, "float64")
    split(r, 1, x, 3)
    split(r, -1, x, 2)
    split(r, 0, x, 1)
    split(r, 0, array(np.zeros([0, 3]), "float32"), 2)
    split(r, 1, array([["a", "bc"]], "string"), 2)
    split_v(r, x, [1, 3, 2], 1)
    split_v(r, x, [4, -1, 0], -2, "int64")
    split_v(r, x, [-1], 0)
    split_v(r, array([1, 2, 3], "float32"), [0, 3], 0)
    for dtype in PLAIN:
        split(r, 0, array([0, 1, 1, 0], dtype), 2, gradient=[])
        split_v(r, array([0, 1, 1, 0], dtype), [1, -1], 0, gradient=[])


def others(r):
    r.call("UnravelIndex", ints([22, 41, 37]), ints([7, 6]))
    r.call("UnravelIndex", ints(1621, "int64"), ints([6, 7, 8, 9], "int64"))
    r.call("UnravelIndex", ints([]), ints([3, 4]), outputs=[ints(np.zeros([2, 0]))])
    r.call("UnravelIndex", ints(0), ints([]))
    parts = [array([1, 2], "float64"), array(True, "bool"), array([["a"]], "string"),
             array(np.zeros([0, 2]), "float32")]
    r.call("IdentityN", parts, T=["float64", "bool", "string", "float32"], outputs=parts)
    shapes = [array(np.zeros(shape), "float32") for shape in ([2, 3], [], [0])]
    r.call("ShapeN", shapes)
    r.call("ShapeN", shapes, out_type="int64",
           outputs=[ints(shape, "int64") for shape in ([2, 3], [], [0])])


def errors(r):
    x = array([1, 2], "float32")
    r.error("Split", ints(0), x, num_split=3, says="cannot be split into 3 equal parts")
    r.error("Split", ints(1), x, num_split=2, says="axis 1")
    r.error("Split", ints(0), array(1, "float32"), num_split=1, says="")
    r.error("Split", ints([0]), x, num_split=2, says="")
    r.error("SplitV", x, ints([-1, -1]), ints(0), num_split=2, says="only one size")
    r.error("SplitV", x, ints([-1, 3]), ints(0), num_split=2, says="of")
    r.error("SplitV", x, ints([1, 2]), ints(0), num_split=2, says="parts of 3 in all")
    r.error("SplitV", x, ints([4, -2]), ints(0), num_split=2, says="a part cannot have the size")
    r.error("SplitV", x, ints([2]), ints(0), num_split=2, says="must have the shape [2]")
    r.error("SplitV", x, ints([1, 1]), ints(-2), num_split=2, says="axis -2")
    r.error("UnravelIndex", ints(42), ints([7, 6]), says="index 42 is not in [0, 42)")
    # TensorFlow counts a negative index backward within the last axis.
    r.error("UnravelIndex", ints(-1), ints([7, 6]), says="index -1")
    r.error("UnravelIndex", ints(1), ints([7, 0]), says="dims must be positive")
    r.error("UnravelIndex", ints(1), ints([65536, 65536]), says="too many elements")
    r.error("UnravelIndex", ints([[1]]), ints([7]), says="")


def record(r):
    splits(r)
    others(r)
    errors(r)
