import numpy as np

from recorder import COMPLEX, NUMERIC, PLAIN, array

INDICES = [[0, 0], [0, 2], [1, 1]]
SHAPE = [2, 3]
VALUES = [1, 2, 3]


def call(r, op, *inputs, otherwise, **attrs):
    """Asks TensorFlow, or where it has no kernel takes NumPy's answer."""
    try:
        r.call(op, *inputs, **attrs)
    except LookupError:
        r.call(op, *inputs, outputs=otherwise, **attrs)


def longs(values):
    return array(values, "int64")


def places(count, rank):
    return longs(np.zeros([count, rank]))


def counting(shape, dtype):
    """1, 2, 3, ... in that shape."""
    return array(np.arange(1, np.prod(shape) + 1).reshape(shape), dtype)


def dense_of(indices, shape, values, dtype, default=0):
    dense = array(np.full(shape, default), dtype)
    for index, value in zip(indices, array(values, dtype)):
        dense[tuple(index)] = value
    return dense


def record_forms(r):
    r.call("SparseReshape", longs(INDICES), longs(SHAPE), longs([3, -1]))
    r.call("SparseReshape", longs(INDICES), longs(SHAPE), longs([6]))
    r.call("SparseReshape", longs([[0, 1, 1], [1, 0, 2]]), longs([2, 2, 3]), longs([4, 1, -1, 3]))
    r.call("SparseReshape", places(0, 2), longs([0, 3]), longs([-1, 3]))
    r.call("SparseReshape", longs([[2**40, 3]]), longs([2**41, 4]), longs([-1, 2**42]))
    r.call("SparseReshape", places(1, 0), longs([]), longs([1, 1]), outputs=[
        longs([[0, 0]]), longs([1, 1])])
    for shape, says in [([4, -1], "whole number"), ([4], "number of elements"), ([-1, -1], "one"),
                        ([-2, 3], "negative"), ([0, -1], "whole number")]:
        r.error("SparseReshape", longs(INDICES), longs(SHAPE), longs(shape), says=says)
    r.error("SparseReshape", longs([[0, 3]]), longs(SHAPE), longs([6]), says="[0,3]")
    r.error("SparseReshape", longs([[-1, 0]]), longs(SHAPE), longs([6]), says="[-1,0]")
    r.error("SparseReshape", longs([[0, 0]]), longs([2, -3]), longs([6]), says="-3")
    r.error("SparseReshape", longs([[0]]), longs(SHAPE), longs([6]), says="rank 2")
    r.error("SparseReshape", longs([0, 0]), longs(SHAPE), longs([6]), says="rank 2")
    r.error("SparseReshape", longs([[0, 0]]), longs(SHAPE), longs([[6]]), says="rank 1")
    r.error("SparseReshape", longs([[0, 0]]), longs([2**40, 2**40]), longs([-1]), says="2^63")
    mixed, order = [[1, 1], [0, 2], [1, 0], [0, 0], [0, 2]], [3, 1, 4, 2, 0]
    for dtype in PLAIN:
        values = array([1, 0, 1, 1, 0], dtype)
        call(r, "SparseReorder", longs(mixed), values, longs(SHAPE),
             otherwise=[longs(mixed)[order], values[order]])
    r.call("SparseReorder", longs([[1], [0]]), array(["a", "b"], "string"), longs([2]))
    r.call("SparseReorder", longs([[2], [0], [1]]), array([5, 6, 7], "float64"), longs([3]))
    r.call("SparseReorder", places(0, 2), array([], "float32"), longs(SHAPE))
    values = array(VALUES, "float32")
    r.error("SparseReorder", longs([[0, 0], [2, 0], [0, 1]]), values, longs(SHAPE), says="[2,0]")
    r.error("SparseReorder", longs(INDICES), values[:2], longs(SHAPE), says="2 values")
    r.error("SparseReorder", longs(INDICES), counting([3, 1], "float32"), longs(SHAPE),
            says="rank 1")


def record_slices(r):
    unknown = dict(known_shape=False)
    for dtype in PLAIN:
        values = array([1, 0, 1], dtype)
        call(r, "SparseSlice", longs(INDICES), values, longs(SHAPE), longs([0, 1]), longs([2, 5]),
             otherwise=[longs([[0, 1], [1, 0]]), values[1:], longs([2, 2])], **unknown)
    doubles = array(VALUES, "float64")
    for start, size in [([0, 0], [2, 3]), ([0, 0], [1, 2]), ([1, 0], [1, 1]), ([0, 5], [1, 1]),
                        ([1, 0], [1, 0]), ([0, 1], [2**63 - 1, 2])]:
        r.call("SparseSlice", longs(INDICES), doubles, longs(SHAPE), longs(start), longs(size),
               **unknown)
    r.call("SparseSlice", places(0, 1), array([], "string"), longs([4]), longs([1]), longs([2]),
           **unknown)
    for start, size, says in [([-1, 0], [1, 1], "-1"), ([0, 0], [-1, 1], "-1"),
                              ([0], [1], "2 elements"), ([[0, 0]], [[1, 1]], "[1,2]")]:
        r.error("SparseSlice", longs(INDICES), doubles, longs(SHAPE), longs(start), longs(size),
                says=says)
    for dtype in NUMERIC:
        r.call("SparseSliceGrad", array([5, 6], dtype), longs(INDICES), longs([0, 1]),
               longs([[0, 1], [1, 0]]), outputs=[array([0, 5, 6], dtype)])
    r.call("SparseSliceGrad", array([5, 6], "float32"), longs(INDICES), longs([0, 1]),
           longs([[0, 1], [1, 0]]))
    r.call("SparseSliceGrad", array([], "float32"), longs(INDICES), longs([0, 1]), places(0, 2),
           outputs=[array([0, 0, 0], "float32")])
    for gradients, start, sliced, says in [
        ([5], [0, 1], [[0, 0]], "not one of its input"),
        ([5], [0, 1], [[0, 1], [1, 0]], "fit"),
        ([5, 6], [0], [[0, 1], [1, 0]], "fit"),
        ([5], [0, -2**63], [[0, 1]], "not one of its input"),
    ]:
        r.error("SparseSliceGrad", array(gradients, "float32"), longs(INDICES), longs(start),
                longs(sliced), says=says)


def record_concat(r):
    others, shape = [[0, 1], [1, 0]], [2, 2]
    for dtype in PLAIN:
        first, second = array([1, 0, 1], dtype), array([1, 1], dtype)
        call(r, "SparseConcat", [longs(INDICES), longs(others)], [first, second],
             [longs(SHAPE), longs(shape)], concat_dim=1,
             otherwise=[longs([[0, 0], [0, 2], [0, 4], [1, 1], [1, 3]]),
                        array([1, 0, 1, 1, 1], dtype), longs([2, 5])])
    x = array(VALUES, "float64")
    for axis in [0, -2, -1]:
        r.call("SparseConcat", [longs(INDICES)] * 3, [x, x, x], [longs(SHAPE)] * 3,
               concat_dim=axis)
    r.call("SparseConcat", [longs([[0]]), places(0, 1)], [array(["a"], "string"),
           array([], "string")], [longs([1]), longs([4])], concat_dim=0)
    r.call("SparseConcat", [longs([[1], [0]]), longs([[0]])], [x[:2], x[2:]],
           [longs([2]), longs([1])], concat_dim=0)
    both, x2 = [longs(INDICES)] * 2, [x, x]
    r.error("SparseConcat", both, x2, [longs(SHAPE), longs([3, 3])], concat_dim=1, says="[3,3]")
    r.error("SparseConcat", both, x2, [longs(SHAPE)] * 2, concat_dim=2, says="[-2, 2)")
    r.error("SparseConcat", [longs(INDICES), longs([[0]])], [x, x[:1]], [longs(SHAPE), longs([2])],
            concat_dim=0, says="rank 2 and 1")
    r.error("SparseConcat", both, x2, [longs(SHAPE), longs([2, 2])], concat_dim=1, says="[0,2]")
    r.error("SparseConcat", both, x2, [longs(SHAPE), longs([2**63 - 1, 3])], concat_dim=0,
            says="2^63")
    r.error("SparseConcat", [longs(INDICES)], [x], [longs(SHAPE)], concat_dim=0, says="N")


def record_rows(r):
    unknown = dict(known_shape=False)
    given, filled = [[2, 1], [0, 1], [2, 0]], [[0, 1], [1, 0], [2, 1], [2, 0], [3, 0]]
    for dtype in PLAIN:
        one, zero = array(1, dtype), array(0, dtype)
        call(r, "SparseFillEmptyRows", longs(given), array([0, 0, 1], dtype), longs([4, 3]), one,
             otherwise=[longs(filled), np.array([zero, one, zero, one, one]),
                        array([False, True, False, True], "bool"), longs([2, 0, 3])], **unknown)
    x, nine = array(VALUES, "float64"), array(9, "float64")
    r.call("SparseFillEmptyRows", longs(given), x, longs([5, 2]), nine, **unknown)
    r.call("SparseFillEmptyRows", longs([[0], [1], [2]]), x, longs([3]), nine, **unknown)
    r.call("SparseFillEmptyRows", places(0, 2), array([], "string"), longs([2, 5]),
           array("none", "string"), **unknown)
    r.call("SparseFillEmptyRows", places(0, 2), array([], "float32"), longs([0, 5]),
           array(1, "float32"), outputs=[places(0, 2), array([], "float32"), array([], "bool"),
                                         longs([])], **unknown)
    r.error("SparseFillEmptyRows", longs(given), x, longs([2, 3]), nine, says="[2,1]")
    r.error("SparseFillEmptyRows", longs(given), x, longs([4, 3]), array([9], "float64"),
            says="rank 0")
    r.error("SparseFillEmptyRows", longs(given), x[:1], longs([4, 3]), nine, says="1 values")
    r.error("SparseFillEmptyRows", places(1, 0), x[:1], longs([]), nine, says="rows")
    r.error("SparseFillEmptyRows", places(0, 1), x[:0], longs([2**62]), nine, says="")
    for dtype in NUMERIC:
        r.call("SparseFillEmptyRowsGrad", longs([2, 0, 3]), array([1, 2, 3, 4, 5], dtype),
               outputs=[array([3, 1, 4], dtype), array(7, dtype)])
    r.call("SparseFillEmptyRowsGrad", longs([2, 0, 3]), array([1, 2, 3, 4, 5], "float32"))
    r.call("SparseFillEmptyRowsGrad", longs([]), array([], "float32"))
    r.error("SparseFillEmptyRowsGrad", longs([2]), array([1, 2], "float32"), says="is 2")
    r.error("SparseFillEmptyRowsGrad", longs([-1]), array([1, 2], "float32"), says="is -1")
    r.error("SparseFillEmptyRowsGrad", longs([[0]]), array([1, 2], "float32"), says="[1,1]")


def record_to_dense(r):
    for dtype in PLAIN:
        values = array([1, 0, 1], dtype)
        call(r, "SparseToDense", array(INDICES, "int32"), array(SHAPE, "int32"), values,
             array(1, dtype), otherwise=[dense_of(INDICES, SHAPE, values, dtype, 1)])
    x, default = array(VALUES, "float64"), array(-1, "float64")
    r.call("SparseToDense", longs(INDICES), longs(SHAPE), x, default)
    r.call("SparseToDense", longs([1, 2, 4]), longs([6]), x, default)
    r.call("SparseToDense", longs([1, 2, 4]), longs([6]), array(5, "float64"), default)
    r.call("SparseToDense", longs(3), longs([5]), array(5, "float64"), default)
    r.call("SparseToDense", longs(INDICES), longs(SHAPE), array(5, "float64"), default)
    r.call("SparseToDense", array([[0, 1], [2, 0]], "int32"), array([3, 2], "int32"),
           array(["a", "b"], "string"), array("", "string"))
    r.call("SparseToDense", places(0, 2), longs(SHAPE), array([], "float64"), default)
    r.call("SparseToDense", places(0, 2), longs([0, 3]), array([], "float64"), default)
    r.call("SparseToDense", longs([[2], [0], [2]]), longs([3]), x, default,
           validate_indices=False, outputs=[array([2, -1, 3], "float64")], gradient=[])
    r.call("SparseToDense", longs([[2], [0], [1]]), longs([4]), x, default,
           validate_indices=False)
    r.error("SparseToDense", longs([[2], [0]]), longs([3]), x[:2], default, says="out of order")
    r.error("SparseToDense", longs([2, 2]), longs([3]), x[:2], default, says="repeated")
    for checked in [False, True]:
        for index in [3, -1]:
            r.error("SparseToDense", longs([index]), longs([3]), x[:1], default,
                    validate_indices=checked, says=f"[{index}]")
    r.error("SparseToDense", longs([[0, 1]]), longs([3]), x[:1], default, says="rank 1")
    r.error("SparseToDense", longs([[[0]]]), longs([3]), x[:1], default, says="rank 2")
    r.error("SparseToDense", longs([0]), longs([3]), counting([1, 1], "float64"), default,
            says="[1,1]")
    r.error("SparseToDense", longs([0]), longs([3]), x[:1], array([0], "float64"), says="rank 0")
    r.error("SparseToDense", longs([0]), longs([-3]), x[:1], default, says="-3")
    r.error("SparseToDense", longs([[0, 0]]), longs([2**40, 2**40]), x[:1], default, says="2^48")


def record_products(r):
    a = dense_of(INDICES, SHAPE, VALUES, "float64")
    for dtype in NUMERIC:
        b = counting([3, 2], dtype)
        wide = b.astype("complex128" if dtype in COMPLEX else "float64")
        call(r, "SparseTensorDenseMatMul", longs(INDICES), array(VALUES, dtype), longs(SHAPE), b,
             otherwise=[(a @ wide).astype(b.dtype)])
    for dtype in ["float64", "complex128"]:
        turn = (1 + 0.5j) if dtype == "complex128" else 1
        values = array(np.array([1.5, -2, 3]) * turn, dtype)
        for adjoint_a in [False, True]:
            for adjoint_b in [False, True]:
                shape = [2 if adjoint_a else 3, 2]
                b = array(np.arange(1, 1 + np.prod(shape)).reshape(shape) * np.conj(turn), dtype)
                b = array(b.T if adjoint_b else b, dtype)
                r.call("SparseTensorDenseMatMul", longs(INDICES), values, longs(SHAPE), b,
                       adjoint_a=adjoint_a, adjoint_b=adjoint_b)
    x = array(VALUES, "float64")
    repeated = [[1, 2], [0, 0], [1, 2]]
    r.call("SparseTensorDenseMatMul", array(repeated, "int32"), x, longs(SHAPE),
           counting([3, 3], "float64"))
    r.call("SparseTensorDenseMatMul", places(0, 2), x[:0], longs(SHAPE),
           counting([3, 2], "float64"))
    r.call("SparseTensorDenseMatMul", places(0, 2), x[:0], longs([2, 0]),
           counting([0, 2], "float64"))
    r.call("SparseTensorDenseMatMul", longs(INDICES), x, longs(SHAPE), counting([3, 0], "float64"))
    nan = array([[float("nan"), 1], [float("inf"), 1], [1, 1]], "float32")
    r.call("SparseTensorDenseMatMul", longs([[0, 2], [1, 1]]), array([1, 0], "float32"),
           longs(SHAPE), nan)
    for b, says in [([2, 2], "cannot be multiplied"), ([3], "rank 2")]:
        r.error("SparseTensorDenseMatMul", longs(INDICES), x, longs(SHAPE), counting(b, "float64"),
                says=says)
    r.error("SparseTensorDenseMatMul", longs([[0, 3]]), x[:1], longs(SHAPE),
            counting([3, 2], "float64"), says="[0,3]")
    r.error("SparseTensorDenseMatMul", longs([[-1, 0]]), x[:1], longs(SHAPE),
            counting([3, 2], "float64"), says="[-1,0]")
    r.error("SparseTensorDenseMatMul", longs([[0, 0, 0]]), x[:1], longs([1, 1, 1]),
            counting([1, 1], "float64"), says="sparse matrix")


def record_sums(r):
    for dtype in NUMERIC:
        b = counting(SHAPE, dtype)
        call(r, "SparseTensorDenseAdd", longs(INDICES), array(VALUES, dtype), longs(SHAPE), b,
             otherwise=[b + dense_of(INDICES, SHAPE, VALUES, dtype)])
        values = array(VALUES, dtype)
        for axes in [[1], [0, -1]]:
            dense = dense_of(INDICES, SHAPE, VALUES, "float64").sum(tuple(axes))
            call(r, "SparseReduceSum", longs(INDICES), values, longs(SHAPE), array(axes, "int32"),
                 otherwise=[array(dense, dtype)])
    x = array(VALUES, "float64")
    r.call("SparseTensorDenseAdd", array([[1], [1], [0]], "int32"), x, array([2], "int32"),
           array([1, 2], "float64"))
    r.call("SparseTensorDenseAdd", places(0, 2), x[:0], longs([2, 0]), array([[], []], "float64"))
    r.error("SparseTensorDenseAdd", longs(INDICES), x, longs(SHAPE), counting([3, 2], "float64"),
            says="[3,2]")
    r.error("SparseTensorDenseAdd", longs([[0, 3]]), x[:1], longs(SHAPE),
            counting(SHAPE, "float64"),
            says="[0,3]")
    cube, shape = [[0, 1, 1], [1, 0, 2], [1, 1, 2]], [2, 2, 3]
    for axes in [[], [0], [1, -1], [-3, 2], [0, 0, -3], [0, 1, 2]]:
        for keep_dims in [False, True]:
            r.call("SparseReduceSum", longs(cube), x, longs(shape), array(axes, "int32"),
                   keep_dims=keep_dims)
    r.call("SparseReduceSum", places(0, 2), x[:0], longs([2, 0]), array([1], "int32"))
    r.call("SparseReduceSum", longs([[2**50, 1]]), x[:1], longs([2**60, 2]), array([0], "int32"),
           outputs=[array([0, 1], "float64")])
    for axes, says in [([2], "2"), ([-3], "-3"), ([[0]], "[1,1]")]:
        r.error("SparseReduceSum", longs(INDICES), x, longs(SHAPE), array(axes, "int32"), says=says)
    r.error("SparseReduceSum", longs([[0, 3]]), x[:1], longs(SHAPE), array([0], "int32"),
            says="[0,3]")
    r.error("SparseReduceSum", longs([[0, 0]]), x[:1], longs([2**60, 2]), array([1], "int32"),
            says="2^48")


def record_edit_distance(r):
    guess, guess_shape = [[0, 0], [0, 1], [2, 0]], [3, 2]
    truth, truth_shape = [[0, 0], [1, 0], [1, 1]], [4, 2]
    for dtype in PLAIN:
        a, b = array([1, 0, 1], dtype), array([1, 0, 1], dtype)
        call(r, "EditDistance", longs(guess), a, longs(guess_shape), longs(truth), b,
             longs(truth_shape), otherwise=[array([1, 1, float("inf"), 0], "float32")])
    for normalize in [False, True]:
        for a, b in [("kitten", "sitting"), ("", "abc"), ("abc", ""), ("", ""), ("abc", "abc"),
                     ("abcdef", "badcfe")]:
            words = [longs([[0, i] for i in range(len(w))]).reshape(-1, 2) for w in (a, b)]
            letters = [array(list(w), "string") for w in (a, b)]
            r.call("EditDistance", words[0], letters[0], longs([1, 8]), words[1], letters[1],
                   longs([1, 8]), normalize=normalize)
    r.call("EditDistance", longs([[0, 1, 0], [1, 0, 1]]), longs([4, 5]), longs([2, 2, 2]),
           longs([[0, 0, 0], [1, 0, 0], [1, 0, 3]]), longs([4, 6, 5]), longs([2, 2, 4]),
           normalize=False)
    x = array([1], "float32")
    r.error("EditDistance", longs([[0]]), x, longs([1]), longs([[0, 0]]), x, longs([1, 1]),
            says="[1")
    r.error("EditDistance", longs([[1]]), x, longs([1]), longs([[0]]), x, longs([1]), says="[1]")
    r.error("EditDistance", places(1, 0), x, longs([]), places(1, 0), x, longs([]), says="rank")
    r.error("EditDistance", longs([[0]]), x[:0], longs([1]), longs([[0]]), x, longs([1]),
            says="0 values")


def record_split(r):
    known = {"known_shape": False}
    indices = longs([[0, 0], [0, 3], [1, 1], [1, 4], [2, 2]])
    for dtype in PLAIN + ["string"]:
        values = array(["a", "b", "", "d", "e"] if dtype == "string" else [1, 0, 1, 1, 0], dtype)
        r.call("SparseSplit", longs(1), indices, values, longs([3, 5]), num_split=2, outputs=[
            longs([[0, 0], [1, 1], [2, 2]]), longs([[0, 0], [1, 1]]),
            values[[0, 2, 4]], values[[1, 3]], longs([3, 3]), longs([3, 2])], **known)
    values = array([1, 2, 3, 4, 5], "float32")
    for axis, parts in [(0, 1), (0, 2), (0, 3), (1, 5), (1, 3), (-1, 2), (-2, 3)]:
        r.call("SparseSplit", longs(axis), indices, values, longs([3, 5]), num_split=parts, **known)
    r.call("SparseSplit", longs(0), indices[:0], values[:0], longs([3, 5]), num_split=2, **known)
    r.error("SparseSplit", longs(0), indices, values, longs([3, 5]), num_split=4, says="4 parts")
    r.error("SparseSplit", longs(2), indices, values, longs([3, 5]), num_split=2, says="axis")
    r.error("SparseSplit", longs(-3), indices, values, longs([3, 5]), num_split=2, says="axis")
    r.error("SparseSplit", longs([0]), indices, values, longs([3, 5]), num_split=2, says="")
    r.error("SparseSplit", longs(0), indices, values[:3], longs([3, 5]), num_split=2, says="fit")
    r.error("SparseSplit", longs(0), indices, values, longs([3, 5]), num_split=0, says="num_split")


def record(r):
    record_forms(r)
    record_slices(r)
    record_split(r)
    record_concat(r)
    record_rows(r)
    record_to_dense(r)
    record_products(r)
    record_sums(r)
    record_edit_distance(r)
