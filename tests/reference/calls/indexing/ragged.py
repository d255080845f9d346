import numpy as np
from recorder import PLAIN, array

OUTER, INNER = [0, 2, 2, 3], [0, 1, 3, 6]
ROWS = {"known_shape": False}


def six(dtype):
    return array(["a", "b", "", "d", "e", "f"] if dtype == "string" else [1, 0, 1, 1, 0, 1], dtype)


def record_ranges(r):
    for splits in ["int32", "int64"]:
        for dtype in ["float32", "float64", "int32", "int64"]:
            starts, limits = array([0, 5, 8, 3], dtype), array([3, 5, 2, -4], dtype)
            r.call("RaggedRange", starts, limits, array([1, 1, 2, -2], dtype), Tsplits=splits,
                   **ROWS)
            r.call("RaggedRange", array(0, dtype), limits, array(1, dtype), Tsplits=splits, **ROWS)
            r.call("RaggedRange", array(1, dtype), array(9, dtype), array(3, dtype),
                   Tsplits=splits, **ROWS)
    r.call("RaggedRange", array([], "int32"), array([], "int32"), array(1, "int32"), **ROWS)
    r.call("RaggedRange", np.array([0.0, 1]), np.array([0.35, 2.05]), np.float64(0.1), **ROWS)
    most = 2**63 - 1
    r.call("RaggedRange", array(most - 3, "int64"), array(most, "int64"), array(2, "int64"), **ROWS,
           outputs=[array([0, 2], "int64"), array([most - 3, most - 1], "int64")])
    one, two = array(1, "int32"), array([1, 2], "int32")
    r.error("RaggedRange", two, two, array(0, "int32"), says="must not be 0")
    r.error("RaggedRange", two, array([1, 2, 3], "int32"), one, says="")
    r.error("RaggedRange", array([[1]], "int32"), one, one, says="scalar or vector")
    r.error("RaggedRange", array(-2**63, "int64"), array(most, "int64"), array(1, "int64"),
            says="too many numbers")
    r.error("RaggedRange", np.float64(0), np.float64("inf"), np.float64(1), says="too many numbers")
    r.error("RaggedRange", array(0, "int64"), array(2**31, "int64"), array(1, "int64"),
            Tsplits="int32", says="too many numbers")


def gather(r, call, splits, values, indices, rank, index="int64", **more):
    call("RaggedGather", [array(each, index) for each in splits], values, indices,
         PARAMS_RAGGED_RANK=len(splits), OUTPUT_RAGGED_RANK=rank, **more)


def record_gathers(r):
    two = [OUTER, INNER]
    for dtype in PLAIN + ["string"]:
        gather(r, r.call, two, six(dtype), array([2, 0, 0, 1], "int32"), 2,
               gradient=[], **ROWS)
    x = np.arange(12.0).reshape(6, 2)
    for index in ["int32", "int64"]:
        gather(r, r.call, [[0, 2, 2, 6]], x, array([2, 1, 2], index), 1, index, **ROWS)
        gather(r, r.call, two, x, array([[1, 0], [2, 2]], index), 3, index, **ROWS)
    gather(r, r.call, two, x, array(0, "int32"), 1, **ROWS)
    gather(r, r.call, [[0, 2, 2, 6]], x, array(2, "int32"), 0, **ROWS)
    gather(r, r.call, two, x, array([], "int32"), 2, **ROWS)
    gather(r, r.call, two, x, np.zeros((2, 0), "int32"), 3, **ROWS)
    none = [[0, 0], [0]]
    gather(r, r.call, none, x[:0], array([0, 0], "int32"), 2, **ROWS)
    for index in [3, -1]:
        gather(r, r.error, two, x, array([index], "int32"), 2, says="does not lie in [0, 3)")
    gather(r, r.error, [[0, 2, 7]], x, array([0], "int32"), 1, says="must lie in [2, 6]")
    gather(r, r.error, [[0, 3, 2]], x, array([0], "int32"), 1, says="must lie in [3, 6]")
    gather(r, r.error, [[0, 4], INNER], x, array([0], "int32"), 2, says="must lie in [0, 3]")
    gather(r, r.error, [[]], x, array([0], "int32"), 1, says="at least one element")
    gather(r, r.error, [[0, 6]], x, array([0], "int32"), 2, says="")
    gather(r, r.error, [[0, 1]], np.float64(1), array([0], "int32"), 1, says="at least rank 1")


def to_sparse(r, call, splits, values, index="int64", **more):
    call("RaggedTensorToSparse", [array(each, index) for each in splits], values,
         RAGGED_RANK=len(splits), **more)


def record_to_sparse(r):
    two = [OUTER, INNER]
    for dtype in PLAIN + ["string"]:
        to_sparse(r, r.call, two, six(dtype))
    x = np.arange(12.0).reshape(6, 2)
    for index in ["int32", "int64"]:
        to_sparse(r, r.call, two, x, index)
        to_sparse(r, r.call, [[0, 0, 4, 6, 6]], x.reshape(6, 2, 1), index)
    to_sparse(r, r.call, [[0, 0]], x[:0])
    to_sparse(r, r.call, [[0, 2]], np.zeros((2, 0)))
    to_sparse(r, r.error, [[0, 4]], x, says="the last split must be")
    to_sparse(r, r.error, [[0, 2], [0, 1, 3, 6]], x, says="the last split must be")
    to_sparse(r, r.error, [[1, 6]], x, says="the first split must be 0")
    to_sparse(r, r.error, [[0, 7]], x, says="must lie in [0, 6]")
    to_sparse(r, r.error, [[0, 1]], np.float64(1), says="at least rank 1")


def to_tensor(r, call, shape, values, default, partitions, index="int64", **more):
    call("RaggedTensorToTensor", array(shape, "int64"), values, default,
         [array(tensor, index) for _, tensor in partitions],
         num_row_partition_tensors=len(partitions), Tindex=index,
         row_partition_types=[name for name, _ in partitions], **more)


def splits(*levels):
    return [("ROW_SPLITS", level) for level in levels]


def rowids(rows, *levels):
    return [("FIRST_DIM_SIZE", rows)] + [("VALUE_ROWIDS", level) for level in levels]


def record_to_tensor(r):
    for dtype in PLAIN + ["string"]:
        values = six(dtype)
        default = values[3]
        to_tensor(r, r.call, -1, values, array(default, dtype), splits(OUTER, INNER), **ROWS)
    x, nine = array([1, 2, 3, 4, 5, 6], "float32"), array(9, "float32")
    wide = array(np.arange(12).reshape(6, 2), "float32")
    for index in ["int32", "int64"]:
        for shape in [-1, [-1, -1], [4, 3], [2, -1], [-1, 2], [2, 1], [0, 5], [5, 0]]:
            known = {"known_shape": -1 not in np.reshape(shape, -1)}
            to_tensor(r, r.call, shape, x, nine, splits([0, 2, 2, 5, 6]), index, **known)
            to_tensor(r, r.call, shape, x, nine, rowids(5, [0, 0, 2, 2, 2, 4]), index, **known)
    for default in [nine, array([7, 8], "float32"), array([7], "float32")]:
        for shape in [-1, [3, 1, 4, 2], [-1, -1, -1, -1], [2, 3, 1, 2]]:
            to_tensor(r, r.call, shape, wide, default, splits(OUTER, INNER), **ROWS)
    to_tensor(r, r.call, -1, x, nine, rowids(4, [0, 0, 3], [0, 1, 1, 2, 2, 2]), **ROWS)
    to_tensor(r, r.call, -1, x, nine, rowids(4, [0, 0, 3]) + splits(INNER), **ROWS)
    to_tensor(r, r.call, -1, x[:0], nine, splits([0, 0, 0]), **ROWS)
    to_tensor(r, r.call, -1, x[:0], nine, rowids(0, []), **ROWS)


def record_wrong_tensors(r):
    x, nine = array([1, 2, 3, 4, 5, 6], "float32"), array(9, "float32")

    def wrong(says, shape, values, default, partitions):
        to_tensor(r, r.error, shape, values, default, partitions, says=says)

    one = splits([0, 2, 6])
    wrong("does not fit", [2], x, nine, one)
    wrong("", [2, 3, 3], np.float32(x.reshape(3, 2)), nine, splits([0, 3]))
    wrong("a scalar 'shape' must be -1", 3, x, nine, one)
    wrong("scalar or vector", [[2, 3]], x, nine, one)
    wrong("'ROW_LIMITS'", -1, x, nine, [("ROW_LIMITS", [2, 6])])
    wrong("must not be empty", -1, x, nine, [])
    wrong("VALUE_ROWIDS cannot be the first", -1, x, nine, [("VALUE_ROWIDS", [0])])
    wrong("followed by VALUE_ROWIDS", -1, x, nine, [("FIRST_DIM_SIZE", 2)])
    wrong("must be the first", -1, x, nine, one + [("FIRST_DIM_SIZE", 2)])
    wrong("have 5 values", -1, x, nine, splits([0, 5]))
    wrong("have 3 values", -1, x, nine, rowids(2, [0, 1, 1]))
    wrong("lie in [0, 2)", -1, x, nine, rowids(2, [0, 0, 0, 0, 1, 2]))
    wrong("lie in [0, 2)", -1, x, nine, rowids(2, [-1, 0, 0, 0, 1, 1]))
    wrong("in order", -1, x, nine, rowids(2, [0, 0, 1, 0, 1, 1]))
    wrong("only 1 rows", -1, x, nine, splits([0, 1], [0, 2, 6]))
    wrong("must lie in [4,", -1, x, nine, splits([0, 4, 3]))
    wrong("at least rank 1", -1, nine, nine, one)
    wrong("default value", -1, x, array([9], "float32"), one)
    wrong("", -1, x, nine, [("ROW_SPLITS", 6)])
    wrong("-2 rows", -1, x, nine, rowids(-2, [0]))


def record(r):
    record_ranges(r)
    record_gathers(r)
    record_to_sparse(r)
    record_to_tensor(r)
    record_wrong_tensors(r)
