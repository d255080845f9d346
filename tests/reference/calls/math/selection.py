import ml_dtypes
import numpy as np
from recorder import FLOATS, INTEGERS, NUMERIC, PLAIN, REAL, SIGNED, array

INF, NAN = float("inf"), float("nan")


def flags(values):
    return array(values, "bool")


def record_select(r):
    for dtype in PLAIN + ["string"]:
        values = ["a", "b", "c", "d"] if dtype == "string" else [1, 0, 1, 1]
        others = ["e", "f", "g", "h"] if dtype == "string" else [0, 1, 0, 0]
        r.call("SelectV2", flags([True, False, False, True]), array(values, dtype),
               array(others, dtype))
    x = array([[1.5, 2.0, -3.0], [4.0, 5.5, 6.0]], "float64")
    y = array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], "float64")
    row, column, one = flags([True, False, True]), flags([[True], [False]]), flags(True)
    each = flags([[True, False, False], [False, True, False]])
    for condition in [row, column, one, flags(False), each, flags([[[True]], [[False]]])]:
        r.call("SelectV2", condition, x, y)
        r.call("SelectV2", condition, x, y[:1])
        r.call("SelectV2", condition, x[:, :1], y)
        r.call("SelectV2", condition, x[0], array(7.5, "float64"))
        r.call("SelectV2", condition, array(7.5, "float64"), y[:, :1])
    r.call("SelectV2", one, array(1, "int32"), array(2, "int32"))
    r.call("SelectV2", flags([]), array([], "float32"), array(1.0, "float32"))
    r.call("SelectV2", flags([[True], [False]]), array(np.zeros([2, 0]), "float32"),
           array(1.0, "float32"))
    r.call("SelectV2", flags([True, False]), array([NAN, 1], "float64"), array([2, NAN], "float64"),
           gradient=[])
    r.error("SelectV2", flags([True, False]), array([1, 2, 3], "int32"), array(1, "int32"),
            says="[2]")
    r.error("SelectV2", flags(True), array([1, 2, 3], "int32"), array([1, 2], "int32"), says="[3]")
    r.error("SelectV2", array([1], "int32"), array([1], "int32"), array([1], "int32"),
            says="condition")


def record_clip(r):
    for dtype in REAL:
        low = -2 if dtype in FLOATS + SIGNED else 2
        r.call("ClipByValue", array([0, 1, 2, 3, 7, 100], dtype), array(low, dtype),
               array(5, dtype), outputs=[array(np.clip([0, 1, 2, 3, 7, 100], low, 5), dtype)],
               gradient=[])
    x = array([[-3.5, -0.2, 0.4], [0.9, 1.7, 2.6]], "float64")
    low, high = array(np.full([2, 3], -0.5), "float64"), array(np.full([2, 3], 1.5), "float64")
    for lows in [low, low[0, 0]]:
        for highs in [high, high[0, 0]]:
            r.call("ClipByValue", x, np.asarray(lows), np.asarray(highs))
    r.call("ClipByValue", array([1.0, 5.0, 9.0], "float64"), array(6.0, "float64"),
           array(4.0, "float64"), gradient=[])
    r.call("ClipByValue", array([NAN, INF, -INF, 0.0], "float32"), array(-1.0, "float32"),
           array(1.0, "float32"))
    r.call("ClipByValue", array([], "float32"), array(0.0, "float32"), array(1.0, "float32"))
    r.call("ClipByValue", array([], "float32"), array([], "float32"), array([], "float32"))
    r.call("ClipByValue", array(3.0, "float64"), array(0.0, "float64"), array(1.0, "float64"))
    r.error("ClipByValue", array([1.0, 2.0], "float32"), array([0.0], "float32"),
            array(1.0, "float32"), says="bound 1")
    r.error("ClipByValue", array([1.0, 2.0], "float32"), array(0.0, "float32"),
            array([[1.0, 1.0]], "float32"), says="bound 2")
    r.error("ClipByValue", array(1.0, "float32"), array([0.0], "float32"),
            array(1.0, "float32"), says="bound 1")
    r.error("ClipByValue", array([1j], "complex64"), array(0j, "complex64"),
            array(1j, "complex64"), says="T")


def record_closeness(r, x, y, closeness, expected):
    r.call("ApproximateEqual", x, y, outputs=[flags(expected)], gradient=[])
    # An argument of that name is one of the recorder.
    r.calls[-1]["attrs"] = {"tolerance": closeness}


def record_tests(r):
    for op in ["IsNan", "IsInf", "IsFinite"]:
        for dtype in FLOATS:
            r.call(op, array([0.0, -0.0, 1.5, INF, -INF, NAN, -NAN, 60000.0], dtype), gradient=[])
        r.call(op, array([], "float32"))
        r.call(op, array(NAN, "float64"), gradient=[])
        r.error(op, array([1], "int32"), says="T")
    for dtype in REAL:
        record_closeness(r, array([1, 2, 5, 100], dtype), array([1, 3, 2, 102], dtype), 2.0,
                         [True, True, False, True])
        r.call("ApproximateEqual", array([1, 2, 5], dtype), array([1, 3, 2], dtype),
               outputs=[flags([True, False, False])], gradient=[])
    for dtype in INTEGERS:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        record_closeness(r, np.array([least, most, most], dtype),
                         np.array([most, least, most - 1], dtype), 1.5, [False, False, True])
    record_closeness(r, array([0, 5], "int8"), array([127, 5], "int8"), 1e30, [True, True])
    record_closeness(r, array([3.0, 4.0], "float64"), array([3.0, 5.0], "float64"), 0.0,
                     [True, False])
    record_closeness(r, array([3.0], "float64"), array([3.0], "float64"), "nan", [False])
    r.call("ApproximateEqual", array([1.0, 1.0, NAN, INF], "float64"),
           array([1.000001, 1.0001, NAN, INF], "float64"), gradient=[])
    r.call("ApproximateEqual", array([], "float32"), array([], "float32"))
    r.error("ApproximateEqual", array([1.0, 2.0], "float32"), array([1.0], "float32"), says="[1]")
    r.error("ApproximateEqual", array([1j], "complex64"), array([1j], "complex64"), says="T")


def record_buckets(r):
    for dtype in ["int32", "int64", "float32", "float64"]:
        r.call("Bucketize", array([[-5, 0], [1, 10], [150, 10000]], dtype),
               boundaries=[0.0, 10.0, 100.0], gradient=[])
        r.call("Bucketize", array([3, 4], dtype), boundaries=[], gradient=[])
        r.call("Bucketize", array([], dtype), boundaries=[1.0], gradient=[])
    r.call("Bucketize", array(3.0, "float64"), boundaries=[1.0, 1.0, 3.0, 3.0, 4.0],
           gradient=[])
    r.call("Bucketize", array([-INF, INF, 0.5], "float32"), boundaries=[0.0, 1.0])
    r.call("Bucketize", array([2**31 - 1, -2**31], "int32"), boundaries=[-3e9, 0.0])
    r.error("Bucketize", array([1.0], "float32"), boundaries=[1.0, 0.0], says="ascending")
    r.error("Bucketize", array([1.0], "float32"), boundaries=[1e30, 1e29, 5.0], says="number 1")
    r.error("Bucketize", array([1], "int8"), boundaries=[1.0], says="T")


def record_vectors(r):
    for dtype in ["float32", "float64"]:
        r.call("NextAfter", array([1.0, 1.0, 0.0, -1.0, 5.0], dtype),
               array([2.0, 0.0, 1.0, -INF, 5.0], dtype))
        tiny = [NAN, 1.0, INF, -INF, 0.0, 1e-30]
        r.call("NextAfter", array(tiny, dtype), array([1.0, NAN, 0.0, 0.0, -0.0, 0.0], dtype),
               gradient=[])
    r.call("NextAfter", array([[1.0], [2.0]], "float64"), array([0.5, 3.0], "float64"))
    r.call("NextAfter", array([], "float32"), array(1.0, "float32"))
    r.error("NextAfter", array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"),
            says="[2]")
    for dtype in REAL:
        r.call("Cross", array([[3, 4, 5], [9, 8, 7]], dtype), array([[2, 1, 1], [1, 1, 1]], dtype))
    r.call("Cross", array([1.5, -2.0, 0.3], "float64"), array([0.2, 0.9, -1.1], "float64"))
    r.call("Cross", array(np.arange(12).reshape(2, 2, 3) / 7, "float64"),
           array(np.cos(np.arange(12)).reshape(2, 2, 3), "float64"))
    r.call("Cross", array(np.zeros([0, 3]), "float32"), array(np.zeros([0, 3]), "float32"))
    r.error("Cross", array([1.0, 2.0], "float32"), array([1.0, 2.0], "float32"), says="last dim")
    r.error("Cross", array(1.0, "float32"), array(1.0, "float32"), says="last dimension")
    r.error("Cross", array([1.0, 2.0, 3.0], "float32"), array([[1.0, 2.0, 3.0]], "float32"),
            says="[1,3]")


def bytes_as(dtype, values, shape):
    numpy_dtype = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    return np.frombuffer(bytes(values), numpy_dtype).reshape(shape)


def record_bitcasts(r):
    data = [0, 0, 128, 63, 0, 0, 32, 64, 0, 60, 0, 64, 10, 20, 30, 64]
    for source in NUMERIC:
        x = bytes_as(source, data, [-1])
        whole = np.frombuffer(bytes(data), "uint8")
        size = x.dtype.itemsize
        y = whole.reshape([16 // size, size] if size > 1 else [16])
        r.call("Bitcast", x, type="uint8", outputs=[y])
        r.call("Bitcast", y, type=source, outputs=[x])
    r.call("Bitcast", array([1.5, -2.0], "float32"), type="int32")
    r.call("Bitcast", array([[1, 2], [3, 4]], "int64"), type="int32")
    r.call("Bitcast", array([[1, 2], [3, 4]], "int32"), type="uint64")
    r.call("Bitcast", array(1.5, "float32"), type="uint16")
    r.call("Bitcast", array([1, 2], "int32"), type="int64")
    r.call("Bitcast", array([1, 2], "int32"), type="int32")
    r.call("Bitcast", array([], "float64"), type="int8")
    r.call("Bitcast", array(np.zeros([0, 8]), "uint8"), type="float64")
    r.error("Bitcast", array([1, 2, 3], "int32"), type="int64", says="size 2")
    r.error("Bitcast", array(1, "int32"), type="int64", says="size 2")
    r.error("Bitcast", array(np.zeros([1] * 8), "int32"), type="int8", says="9")
    r.error("Bitcast", array([True], "bool"), type="int8", says="T")
    r.error("Bitcast", array([1], "int32"), type="string", says="type")


def record_sums(r):
    for dtype in NUMERIC:
        inputs = [array([1, 2], dtype), array([3, 4], dtype), array([5, 6], dtype)]
        r.call("AccumulateNV2", inputs, shape=[2], outputs=[array([9, 12], dtype)])
    x = array([[0.5, 1.5], [2.5, -1.0]], "float64")
    r.call("AccumulateNV2", [x, 2 * x], shape=[2, 2], outputs=[3 * x])
    r.call("AccumulateNV2", [x], shape=[2, 2], outputs=[x])
    r.call("AccumulateNV2", [array(1.5, "float64")] * 2, shape=[], outputs=[array(3, "float64")])
    r.call("AccumulateNV2", [array([], "float32")] * 2, shape=[0], outputs=[array([], "float32")])
    r.error("AccumulateNV2", [x, x], shape=[2, 3], says="[2,3]")
    r.error("AccumulateNV2", [x, x[0]], shape=[2, 2], says="[2]")


def record(r):
    record_select(r)
    record_clip(r)
    record_tests(r)
    record_buckets(r)
    record_vectors(r)
    record_bitcasts(r)
    record_sums(r)
