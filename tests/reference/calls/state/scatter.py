import numpy as np

from recorder import COMPLEX, FLOATS, INTEGERS, NUMERIC, PLAIN, REAL, array

OPS = ["Add", "Sub", "Mul", "Div", "Min", "Max"]


def matrix(dtype, rows=3, columns=2):
    return array(np.arange(1, rows * columns + 1).reshape(rows, columns), dtype)


def ints(values, dtype="int32"):
    return array(values, dtype)


def record_rows(r):
    for op in OPS:
        name = f"ResourceScatter{op}"
        for dtype in FLOATS + INTEGERS + COMPLEX:
            if dtype in COMPLEX and op in ["Min", "Max"]:
                continue
            with_halves(r, name, [matrix(dtype)], ints([2, 0, 2]),
                        array([[2, 1], [4, 2], [8, 3]], dtype))
        for indices in ["int32", "int64"]:
            r.update(name, [matrix("float32")], ints([[1], [0]], indices),
                     array([[[2, 4]], [[8, 16]]], "float32"))
        r.update(name, [matrix("float64")], ints([1, 1]), array(4, "float64"))
        r.update(name, [array([5, 6, 7], "float32")], ints(2), array(2, "float32"))
        r.update(name, [matrix("float32")], ints([]), array(np.zeros([0, 2]), "float32"))
        r.update(name, [array(np.zeros([2, 0]), "float32")], ints([1]),
                 array(np.zeros([1, 0]), "float32"))
    for dtype in PLAIN:
        r.update("ResourceScatterUpdate", [matrix(dtype)], ints([2, 0, 2], "int64"),
                 array([[2, 1], [4, 2], [8, 3]], dtype))
    r.update("ResourceScatterUpdate", [matrix("float32")], ints([2, 0]), array(7, "float32"))
    r.update("ResourceScatterUpdate", [array(["a", "b", "c"], "string")], ints([2, 0]),
             array(["x", ""], "string"))
    r.update("ResourceScatterDiv", [array([-128, -7, 7], "int8")], ints([0, 1, 2]),
             array([-1, 2, -2], "int8"), updated=[array([-128, -3, -3], "int8")])
    r.update("ResourceScatterMul", [array([100, 127], "int8")], ints([0, 1]),
             array([2, 2], "int8"), updated=[array([-56, -2], "int8")])
    r.update("ResourceScatterDiv", [array([1, -1, 0], "float32")], ints([0, 1, 2]),
             array([0, 0, 0], "float32"),
             updated=[array([float("inf"), float("-inf"), float("nan")], "float32")])


def with_halves(r, name, variables, indices, updates):
    """TensorFlow lacks some dtypes."""
    dtype = variables[0].dtype.name
    if dtype in REAL and dtype not in FLOATS:
        op = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.floor_divide,
              "Min": np.minimum, "Max": np.maximum}[name.removeprefix("ResourceScatter")]
        after = variables[0].copy()
        with np.errstate(over="ignore"):
            for i, row in zip(indices, updates):
                after[i] = op(after[i], row)
        r.update(name, variables, indices, updates, updated=[after])
    else:
        r.update(name, variables, indices, updates)


def record_row_errors(r):
    for op in OPS + ["Update"]:
        name = f"ResourceScatter{op}"
        r.update_error(name, [matrix("float32")], ints([0, 3]), matrix("float32", 2),
                       says="index 3 (number 1 of the indices) is not in [0, 3)")
        r.update_error(name, [matrix("float32")], ints([-1]), matrix("float32", 1),
                       says="index -1")
        r.update_error(name, [matrix("float32")], ints([0, 1]), matrix("float32", 1),
                       says="updates must have the shape [2,2], but have [1,2]")
        r.update_error(name, [array(1, "float32")], ints([0]), array([1], "float32"),
                       says="the variable is a scalar, which has no rows")
        r.update_error(name, [matrix("float32")], ints([0]), matrix("float64", 1),
                       says="the variable is float32")
        r.update_error(name, [array(np.zeros([0, 2]), "float32")], ints([0]),
                       matrix("float32", 1), says="is not in [0, 0)")
    for dtype in INTEGERS:
        r.update_error("ResourceScatterDiv", [matrix(dtype)], ints([0, 1]),
                       array([[1, 1], [1, 0]], dtype), says="updates must not contain 0")
    r.update_error("ResourceScatterMin", [matrix("complex64")], ints([0]), matrix("complex64", 1),
                   says="complex64", code="Unimplemented")


def record_parts(r):
    for op, sign in [("Add", 1), ("Sub", -1)]:
        for dtype in NUMERIC:
            after = matrix(dtype)
            by = array([1, 2, 3], dtype)
            for (i, j), each in zip([(2, 0), (0, 1), (2, 0)], by):
                after[i, j] = after[i, j] + each if sign > 0 else after[i, j] - each
            r.update(f"ResourceScatterNd{op}", [matrix(dtype)], ints([[2, 0], [0, 1], [2, 0]]),
                     by, updated=[after])
    for op in ["Add", "Sub", "Update"]:
        name = f"ResourceScatterNd{op}"
        cube = array(np.arange(12).reshape(2, 3, 2), "float32")
        for indices in ["int32", "int64"]:
            r.update(name, [cube], ints([[1], [0]], indices), array(np.ones([2, 3, 2]), "float32"))
            r.update(name, [cube], ints([[[1, 2]], [[0, 1]]], indices),
                     array([[[5, 6]], [[7, 8]]], "float32"))
        r.update(name, [cube], ints(np.zeros([0, 3])), array([], "float32"))
        r.update(name, [cube], ints([1, 2, 0]), array(3, "float32"), updated=[
            cube + array(np.eye(12)[10].reshape(2, 3, 2), "float32")
            * np.float32({"Add": 3, "Sub": -3, "Update": 3 - 10}[op])])
        r.update_error(name, [cube], ints([[0, 0], [1, 3]]), array(np.ones([2, 2]), "float32"),
                       says="index 3 (number 3 of the indices) is not in [0, 3)")
        r.update_error(name, [cube], ints([[0, -1]]), array(np.ones([1, 2]), "float32"),
                       says="index -1")
        r.update_error(name, [cube], ints([[0, 0]]), array(np.ones([2, 2]), "float32"),
                       says="updates must have the shape [1,2], but have [2,2]")
        r.update_error(name, [cube], ints([[0, 0, 0, 0]]), array([1], "float32"), says="4 axes")
        r.update_error(name, [cube], ints(0), array(1, "float32"), says="scalar")
    for dtype in PLAIN:
        r.update("ResourceScatterNdUpdate", [matrix(dtype)], ints([[2, 0], [0, 1]]),
                 array([1, 0], dtype), updated=[array([[1, 0], [3, 4], [1, 6]], dtype)])
    r.update("ResourceScatterNdUpdate", [array(["a", "b"], "string")], ints([[1]]),
             array(["new"], "string"), updated=[array(["a", "new"], "string")])


def record_gathers(r):
    for dtype in PLAIN:
        r.update("ResourceGather", [matrix(dtype)], ints([2, 0, 2]), dtype=dtype,
                 updated=[matrix(dtype)], outputs=[matrix(dtype)[[2, 0, 2]]])
        r.update("ResourceGatherNd", [matrix(dtype)], ints([[2, 0], [0, 1]]), dtype=dtype,
                 updated=[matrix(dtype)], outputs=[matrix(dtype)[[2, 0], [0, 1]]])
    f = "float32"
    words = array([["a", "b"], ["c", "d"]], "string")
    cube = array(np.arange(12).reshape(2, 3, 2), f)
    r.update("ResourceGather", [words], ints([1]), dtype="string")
    r.update("ResourceGatherNd", [words], ints([[1, 0]]), dtype="string")
    for indices in ["int32", "int64"]:
        r.update("ResourceGather", [cube], ints([[1, 0], [1, 1]], indices), dtype=f)
        r.update("ResourceGather", [cube], ints([[2, 0], [1, 1]], indices), dtype=f, batch_dims=1)
        r.update("ResourceGatherNd", [cube], ints([[[1, 0]], [[1, 2]]], indices), dtype=f)
    r.update("ResourceGather", [cube], ints(1), dtype=f)
    r.update("ResourceGather", [cube], ints([1, 2]), dtype=f, batch_dims=1)
    r.update("ResourceGather", [cube], ints([[[1, 0]] * 3] * 2), dtype=f, batch_dims=2)
    r.update("ResourceGather", [cube], ints([]), dtype=f)
    r.update("ResourceGather", [array(np.zeros([2, 0]), f)], ints([1]), dtype=f)
    r.update("ResourceGatherNd", [cube], ints([1]), dtype=f)
    r.update("ResourceGatherNd", [cube], ints(np.zeros([2, 0])), dtype=f)
    r.update("ResourceGatherNd", [cube], ints(np.zeros([0, 2])), dtype=f)
    r.update_error("ResourceGather", [cube], ints([[0], [2]]), dtype=f, says="index 2 (number 1")
    r.update_error("ResourceGather", [cube], ints([-1]), dtype=f, says="index -1")
    r.update_error("ResourceGather", [cube], ints([0]), dtype=f, batch_dims=1, says="batch_dims")
    r.update_error("ResourceGather", [cube], ints([0]), dtype=f, batch_dims=3, says="batch_dims")
    r.update_error("ResourceGather", [cube], ints([0]), dtype=f, batch_dims=-1, says="batch_dims")
    r.update_error("ResourceGather", [cube], ints([0]), dtype="int32", says="float32")
    r.update_error("ResourceGather", [array(1, f)], ints([0]), dtype=f, says="scalar")
    r.update_error("ResourceGatherNd", [cube], ints([[0], [2]]), dtype=f, says="index 2 (number 1")
    r.update_error("ResourceGatherNd", [cube], ints([[0] * 4]), dtype=f, says="4 axes")
    r.update_error("ResourceGatherNd", [cube], ints(0), dtype=f, says="scalar")


def assign(r, x, begin, end, strides, value, says=None, dtype="int32", **masks):
    call = r.update if says is None else lambda *a, **k: r.update_error(*a, says=says, **k)
    call("ResourceStridedSliceAssign", [x], ints(begin, dtype), ints(end, dtype),
         ints(strides, dtype), value, **masks)


def record_strided_assign(r):
    def cube(dtype="float32"):
        return array(np.arange(24).reshape(2, 3, 4) % 2 if dtype == "bool"
                     else np.arange(24).reshape(2, 3, 4), dtype)

    def values(*shape):
        return array(100 + np.arange(np.prod(shape)).reshape(shape), "float32")

    for dtype in PLAIN:
        after = cube(dtype)
        after[1:, 0:3:2] = 1
        r.update("ResourceStridedSliceAssign", [cube(dtype)], ints([1, 0]), ints([2, 3]),
                 ints([1, 2]), array(np.ones([1, 2, 4]), dtype), updated=[after])
    r.update("ResourceStridedSliceAssign", [array(["a", "b", "c"], "string")], ints([0]),
             ints([3]), ints([2]), array(["x", "y"], "string"),
             updated=[array(["x", "b", "y"], "string")])
    assign(r, cube(), [0, 0, 0], [2, 3, 4], [1, 1, 1], values(2, 3, 4), dtype="int64")
    assign(r, cube(), [1, 2, 3], [0, -4, 0], [-1, -2, -3], values(1, 2, 1))
    assign(r, cube(), [1, 0, 1], [2, 0, 3], [1, 1, 1], values(3, 2), begin_mask=2, end_mask=2,
           shrink_axis_mask=1)
    assign(r, cube(), [0, 1], [0, 3], [1, 1], values(2, 3, 2), ellipsis_mask=1)
    assign(r, cube(), [0, 0, 2], [0, 2, 3], [1, 1, 1], values(1, 2, 3), new_axis_mask=1,
           ellipsis_mask=0, shrink_axis_mask=4, end_mask=0,
           says="cannot be broadcast")
    assign(r, cube(), [0, 0, 2], [0, 2, 3], [1, 1, 1], values(1, 2, 4), new_axis_mask=1,
           shrink_axis_mask=4)
    assign(r, cube(), [0], [2], [1], values())
    assign(r, cube(), [0, 1], [2, 3], [1, 1], values(2, 1))
    assign(r, cube(), [0, 1], [2, 3], [1, 1], values(2, 1, 4))
    assign(r, cube(), [5], [9], [1], values())
    assign(r, cube(), [1, 1, 1], [2, 2, 2], [1, 1, 1], values(), shrink_axis_mask=7)
    assign(r, cube(), [0], [2], [1], values(3), says="cannot be broadcast")
    assign(r, cube(), [0], [2], [0], values(), says="stride")
    assign(r, cube(), [2], [3], [1], values(), shrink_axis_mask=1, says="index 2")
    assign(r, cube(), [0] * 4, [1] * 4, [1] * 4, values(), says="entries")
    assign(r, cube(), [0, 0], [1], [1], values(), says="one length")
    assign(r, cube(), [0], [2], [1], array(1, "float64"), says="the variable is float32")


def record_others(r):
    for out_type in ["int32", "int64"]:
        r.update("VariableShape", [matrix("float32")], out_type=out_type)
    r.update("VariableShape", [array(1, "int8")])
    r.update("VariableShape", [array(np.zeros([0, 2]), "string")])
    for dtype in ["int32", "int64"]:
        r.update("ResourceCountUpTo", [array(3, dtype)], limit=4, T=dtype)
        r.update_error("ResourceCountUpTo", [array(4, dtype)], limit=4, T=dtype,
                       says="Reached limit of 4", code="OutOfRange")
    r.update_error("ResourceCountUpTo", [array(2**31 - 1, "int32")], limit=2**40, T="int32",
                   says="Reached limit", code="OutOfRange")
    r.update_error("ResourceCountUpTo", [array([1], "int32")], limit=4, T="int32", says="[1]")
    r.update("VarIsInitializedOp", [array(1, "int8")])


def record(r):
    record_rows(r)
    record_row_errors(r)
    record_parts(r)
    record_gathers(r)
    record_strided_assign(r)
    record_others(r)
