import numpy as np

from recorder import PLAIN, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def numbers(shape, dtype="float64"):
    return array(np.arange(np.prod(shape)).reshape(shape) / 4, dtype)


def first_axis(r):
    x = numbers([4, 3])
    for indices in [[2, 0, 2], 1, [[3, 1], [0, 0]], [[[2]]]]:
        r.call("Gather", x, ints(indices))
        r.call("GatherV2", x, ints(indices, "int64"), ints(0))
    r.call("Gather", x, ints([]), validate_indices=False)
    r.call("Gather", numbers([2, 0], "float64"), ints([1, 1, 0]))
    r.call("Gather", numbers([0, 2], "float64"), ints([]))
    r.call("Gather", array(["a", "b"], "string"), ints([1, 0, 1]))
    for dtype in PLAIN:
        r.call("Gather", array([0, 1, 1], dtype), ints([2, 0]), gradient=[])
    r.error("Gather", x, ints([0, 4]), says="index 4 (number 1")
    r.error("Gather", x, ints([-1]), says="index -1 (number 0")
    r.error("Gather", array(1, "float32"), ints([0]), says="")


def any_axis(r):
    x = numbers([2, 3, 4])
    for axis in [0, 1, 2, -1, -2, -3]:
        r.call("GatherV2", x, ints([1, 0, 1]), ints(axis, "int64"))
        r.call("GatherV2", x, ints([[0], [1]]), ints(axis))
        r.call("GatherV2", x, ints(1), ints(axis))
    r.call("GatherV2", numbers([2, 0, 3], "float64"), ints([1, 2]), ints(2))
    r.call("GatherV2", x, ints([]), ints(1))
    r.call("GatherV2", numbers([2] * 8, "float32"), ints([1]), ints(5))
    r.error("GatherV2", x, ints([0]), ints(3), says="axis 3")
    r.error("GatherV2", x, ints([0]), ints(-4), says="axis -4")
    r.error("GatherV2", x, ints([3]), ints(1), says="index 3 (number 0")
    r.error("GatherV2", x, ints([0]), ints([0, 1]), says="")
    r.error("GatherV2", x, ints(np.zeros([1] * 7)), ints(1), says="dimensions")


def batches(r):
    x = numbers([2, 3, 4])
    r.call("GatherV2", x, ints([[2, 0], [1, 1]]), ints(1), batch_dims=1)
    r.call("GatherV2", x, ints([[3, 0], [1, 1]]), ints(2), batch_dims=1)
    r.call("GatherV2", x, ints([[3, 0], [1, 1]]), ints(-1, "int64"), batch_dims=-1)
    r.call("GatherV2", x, ints([1, 2]), ints(1), batch_dims=1)
    r.call("GatherV2", x, ints([[3, 0, 1], [2, 2, 2]]), ints(2), batch_dims=2)
    r.call("GatherV2", x, ints([[[3], [0], [1]], [[2], [2], [2]]], "int64"), ints(2), batch_dims=2)
    r.call("GatherV2", x, ints([[[0, 1]], [[1, 2]]]), ints(1), batch_dims=1)
    r.call("GatherV2", x, ints([1, 0]), ints(0), batch_dims=-1)
    r.call("GatherV2", numbers([0, 3], "float32"), ints(np.zeros([0, 2])), ints(1), batch_dims=1,
           outputs=[numbers([0, 2], "float32")])
    r.call("GatherV2", numbers([2, 3, 0], "float32"), ints([[1], [2]]), ints(1), batch_dims=1)
    r.call("GatherV2", array([["a", "b"], ["c", "d"]], "string"), ints([[1, 1], [0, 1]]), ints(1),
           batch_dims=1)
    for dtype in PLAIN:
        r.call("GatherV2", array([[0, 1], [1, 0]], dtype), ints([[1], [0]]), ints(1), batch_dims=1,
               gradient=[])
    r.error("GatherV2", x, ints([[0], [0]]), ints(0), batch_dims=1, says="'batch_dims' is 1")
    r.error("GatherV2", x, ints([0, 0]), ints(2), batch_dims=2, says="'batch_dims' is 2")
    r.error("GatherV2", x, ints([0, 0]), ints(2), batch_dims=-2, says="'batch_dims' is -2")
    r.error("GatherV2", x, ints([[0], [0], [0]]), ints(1), batch_dims=1,
            says="must agree in the first 1 dim")
    r.error("GatherV2", x, ints([[3], [0]]), ints(1), batch_dims=1, says="index 3 (number 0")


def record(r):
    first_axis(r)
    any_axis(r)
    batches(r)
