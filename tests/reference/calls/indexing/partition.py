import numpy as np

from recorder import INTEGERS, PLAIN, REAL, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def numbers(shape, dtype="float64"):
    return array(np.arange(np.prod(shape)).reshape(shape) / 4, dtype)


def partitions(r):
    def part(data, chosen, count, **options):
        chosen = ints(chosen)
        flat = data.reshape((-1,) + data.shape[chosen.ndim:])
        r.call("DynamicPartition", data, chosen, num_partitions=count,
               outputs=[flat[chosen.reshape(-1) == i] for i in range(count)], **options)

    part(numbers([4]), [1, 0, 1, 1], 2)
    part(numbers([3, 2]), [2, 0, 2], 3)
    part(numbers([2, 2, 3]), [[0, 1], [1, 0]], 2)
    part(numbers([3, 2]), [0, 0, 0], 1)
    part(numbers([2, 3]), [[3, 0, 3], [1, 1, 0]], 4)
    part(array([7.5], "float64").reshape([1, 1]), [1], 2)
    part(array(["a", "", "bc"], "string"), [1, 0, 1], 2)
    r.call("DynamicPartition", numbers([0, 3], "float32"), ints([]), num_partitions=2,
           outputs=[numbers([0, 3], "float32")] * 2)
    r.call("DynamicPartition", array(2.5, "float64"), ints(1), num_partitions=2,
           outputs=[array([], "float64"), array([2.5], "float64")])
    r.call("DynamicPartition", numbers([2, 0], "float32"), ints([0, 1]), num_partitions=2,
           outputs=[numbers([1, 0], "float32")] * 2)
    for dtype in PLAIN:
        part(array([0, 1, 1], dtype), [1, 0, 1], 2, gradient=[])
    x = numbers([2, 3], "float32")
    r.error("DynamicPartition", x, ints([0, 2]), num_partitions=2, says="2 (number 1")
    r.error("DynamicPartition", x, ints([0, -1]), num_partitions=2, says="-1 (number 1")
    r.error("DynamicPartition", x, ints([0, 1, 0]), num_partitions=2, says="must begin with")
    r.error("DynamicPartition", array(1, "float32"), ints([0]), num_partitions=1,
            says="must begin with")
    r.error("DynamicPartition", x, ints([0, 1]), num_partitions=0, says="num_partitions")


def stitches(r):
    def stitch(op, indices, data, **options):
        r.call(op, [ints(each) for each in indices], data, N=len(data), **options)

    for op in ["DynamicStitch", "ParallelDynamicStitch"]:
        stitch(op, [[2, 0], [1]], [numbers([2]), array([9], "float64")])
        stitch(op, [1, [[0, 3], [2, 4]]], [numbers([2]), numbers([2, 2, 2])])
        stitch(op, [[0, 1]], [numbers([2, 3])])
        stitch(op, [0], [array(1.5, "float64")])
        stitch(op, [[], [0]], [numbers([0, 2]), numbers([1, 2])])
        stitch(op, [[], []], [numbers([0]), numbers([0])], gradient=[])
        stitch(op, [[1], [0]], [numbers([1, 0], "float32"), numbers([1, 0], "float32")],
               outputs=[numbers([2, 0], "float32")])
        stitch(op, [[1], [0, 2]], [array(["a"], "string"), array(["", "bc"], "string")])
        stitch(op, [[3], [1]], [array([5], "float32"), array([6], "float32")],
               outputs=[array([0, 6, 0, 5], "float32")])  # TensorFlow leaves what is in memory
        for dtype in PLAIN:
            stitch(op, [[1], [0, 2]], [array([1], dtype), array([0, 1], dtype)], gradient=[],
                   outputs=[array([0, 1, 1], dtype)])
        one = array([1], "float32")
        r.error(op, [ints([0]), ints([-1])], [one, one], N=2, says="-1 (number 0 of indices 1)")
        r.error(op, [ints([0, 1])], [one], N=1, says="must begin with")
        r.error(op, [ints([0]), ints([1])], [one, numbers([1, 2], "float32")], N=2,
                says="data 1")
    stitch("DynamicStitch", [[0, 1, 0], [1]], [numbers([3], "float32"), array([8], "float32")])


def lists(r):
    for dtype in ["int32", "int64"]:
        r.call("InvertPermutation", ints([3, 4, 0, 2, 1], dtype))
        r.call("InvertPermutation", ints([], dtype))
        r.error("InvertPermutation", ints([0, 2], dtype), says="2 is not in [0, 2)")
        r.error("InvertPermutation", ints([0, -1], dtype), says="-1 is not in [0, 2)")
        r.error("InvertPermutation", ints([1, 1, 0], dtype), says="1 is twice")
        r.error("InvertPermutation", ints([[0]], dtype), says="")
    for dtype in REAL:
        r.call("ListDiff", array([1, 2, 3, 2, 5], dtype), array([2, 4, 1], dtype),
               known_shape=False)
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        edge = np.array([info.min, info.max, info.max - 1], dtype)
        r.call("ListDiff", edge, edge[1:2], known_shape=False)
    for dtype in ["complex64", "complex128"]:
        r.call("ListDiff", array([1 + 2j, 2, 1 - 2j], dtype), array([1 + 2j], dtype),
               outputs=[array([2, 1 - 2j], dtype), ints([1, 2])], known_shape=False)
    r.call("ListDiff", array([True, False, True], "bool"), array([True], "bool"),
           outputs=[array([False], "bool"), ints([1])], known_shape=False)
    special = array([-0.0, float("nan"), float("inf"), 1.5], "float32")
    r.call("ListDiff", special, array([0.0, float("nan"), float("inf")], "float32"),
           known_shape=False)
    r.call("ListDiff", array(["a", "b", "", "a"], "string"), array(["b"], "string"),
           out_idx="int64", outputs=[array(["a", "", "a"], "string"), ints([0, 2, 3], "int64")],
           known_shape=False)
    r.call("ListDiff", ints([]), ints([1]), known_shape=False)
    r.call("ListDiff", ints([1, 1]), ints([]), known_shape=False)
    r.error("ListDiff", ints([[1]]), ints([1]), says="")
    r.error("ListDiff", ints([1]), ints(1), says="")


def rolls(r):
    x = numbers([2, 3, 2])
    for shift, axis in [(1, 0), (-1, 1), (5, -1), (0, 2), ([1, 2], [0, 1]), ([1, -1, 4], [2, 1, 1]),
                        ([], []), ([-7, 3, 2], [0, 1, -1]), ([2**31 - 1, -(2**31)], [1, 1])]:
        r.call("Roll", x, ints(shift), ints(axis))
    big = [2**63 - 1, -(2**63), 2**63 - 1]
    moved = np.roll(x, sum(value % 3 for value in big), 1)
    r.call("Roll", x, ints(big, "int64"), ints([1, 1, 1], "int64"), outputs=[moved],
           gradient=[])  # the opposite of the least shift is no int64
    many = [1] * 11
    r.call("Roll", x, ints(many), ints([1] * 11, "int64"), outputs=[np.roll(x, 11, 1)])
    r.call("Roll", numbers([2, 0], "float32"), ints([1, 1]), ints([0, 1]),
           outputs=[numbers([2, 0], "float32")])
    r.call("Roll", array(["a", "b", "c"], "string"), ints(1), ints(0),
           outputs=[array(["c", "a", "b"], "string")])
    for dtype in PLAIN:
        r.call("Roll", array([0, 1, 1, 0], dtype), ints([1], "int64"), ints([0]), gradient=[],
               outputs=[array([0, 0, 1, 1], dtype)])
    r.error("Roll", array(1, "float32"), ints(1), ints(0), says="a scalar cannot be rolled")
    r.error("Roll", x, ints(1), ints(3), says="axis 3")
    r.error("Roll", x, ints(1), ints(-4), says="axis -4")
    r.error("Roll", x, ints([1, 2]), ints([0]), says="must have one shape")
    r.error("Roll", x, ints([[1]]), ints([[0]]), says="scalars or vectors")


def lin_spaces(r):
    for start, stop, count in [(0, 1, 5), (3, -3, 4), (2, 2, 3), (5, 7, 1), (-1, 1, 2)]:
        for dtype in ["float32", "float64"]:
            r.call("LinSpace", array(start, dtype), array(stop, dtype), ints(count))
        r.call("LinSpace", array(start, "bfloat16"), array(stop, "bfloat16"), ints(count, "int64"),
               outputs=[array(np.linspace(start, stop, count), "bfloat16")])
    r.call("LinSpace", array(0, "float32"), array(float("inf"), "float32"), ints(3),
           outputs=[array([0, float("inf"), float("inf")], "float32")])
    one = array(1, "float32")
    r.error("LinSpace", one, one, ints(0), says="'num' must be positive, but is 0")
    r.error("LinSpace", one, one, ints(-5), says="'num' must be positive, but is -5")
    r.error("LinSpace", array([1], "float32"), one, ints(2), says="")
    r.error("LinSpace", one, one, ints(2**60, "int64"), says="")


def record(r):
    partitions(r)
    stitches(r)
    lists(r)
    rolls(r)
    lin_spaces(r)
