import numpy as np

from recorder import PLAIN, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def numbers(shape, dtype="float64"):
    return array(np.arange(np.prod(shape)).reshape(shape) / 4, dtype)


def both(r, axis, parts, **options):
    r.call("Concat", ints(axis), parts, **options)
    r.call("ConcatV2", parts, ints(axis, "int64"), **options)


def concats(r):
    both(r, 0, [numbers([2]), numbers([3])])
    both(r, 1, [numbers([2, 1]), numbers([2, 3]), numbers([2, 2])])
    both(r, -1, [numbers([2, 1, 2]), numbers([2, 1, 1])])
    both(r, -3, [numbers([2, 1, 2]), numbers([1, 1, 2])])
    both(r, 0, [numbers([0, 2]), numbers([2, 2])])
    both(r, 1, [numbers([0, 2], "float32"), numbers([0, 3], "float32")])
    both(r, 0, [array(["a", "bc"], "string"), array([""], "string")])
    for dtype in PLAIN:
        both(r, 0, [array([0, 1], dtype), array([1], dtype)], gradient=[])
    one, pair = numbers([1], "float32"), numbers([1, 2], "float32")
    for wrong, axis, says in [([one, pair], 0, ""), ([pair, numbers([2, 1], "float32")], 0, ""),
                              ([one, one], 1, "axis 1"), ([one, one], -2, "axis -2"),
                              ([array(1, "float32")] * 2, 0, "")]:
        r.error("Concat", ints(axis), wrong, says=says)
        r.error("ConcatV2", wrong, ints(axis), says=says)
    r.error("Concat", ints([0, 0]), [one, one], says="")
    r.error("Concat", ints(0), [one], says="N")


def offsets(r):
    def offset(axis, shapes):
        r.call("ConcatOffset", ints(axis), [ints(shape) for shape in shapes])

    offset(1, [[2, 2, 7], [2, 3, 7], [2, 9, 7]])
    offset(-1, [[2, 2], [2, 5]])
    offset(0, [[0], [0], [4], [1]])
    offset(2, [[1, 1, 2**31 - 1], [1, 1, 5]])

    def refuse(axis, shapes, says):
        r.error("ConcatOffset", ints(axis), [ints(shape) for shape in shapes], says=says)

    refuse(0, [[1, 2], [1, 3]], "shape 1, [1,3], must agree with [1,2] but for axis 0")
    refuse(2, [[1, 2], [1, 2]], "axis 2")
    refuse(0, [[1, 2], [1]], "")
    refuse(0, [[1], [-1]], "-1")
    refuse(0, [1, 1], "vector")
    refuse([0, 0], [[1], [1]], "")
    refuse(0, [[2**31 - 1], [5], [5]], "does not fit in an int32")


def record(r):
    concats(r)
    offsets(r)
