import numpy as np
from recorder import FLOATS, NUMERIC, array


def record_log_sum_exp(r):
    op, zero = "CumulativeLogsumexp", array(0, "int32")
    for dtype in ["float16", "float32", "float64"]:
        x = array([[1, 2, 3], [3, -1, 2]], dtype)
        r.call(op, x, array(1, "int32"), gradient=[])
        if dtype != "float16":
            r.call(op, x, zero, exclusive=True, gradient=[])
    x = np.arange(1, 13).reshape(2, 3, 2) * 0.25
    for axis in [-1, 0, 1]:
        for exclusive in [False, True]:
            for reverse in [False, True]:
                # What is exclusive begins with a number too large to take differences of.
                r.call(op, x, array(axis, "int64"), exclusive=exclusive, reverse=reverse,
                       gradient=[] if exclusive else None)
    inf = float("inf")
    r.call(op, np.array([1000.0, 1001, -1000, 3]), zero, gradient=[])
    r.call(op, np.array([-inf, -inf, 1.0, inf, 2.0]), zero, gradient=[],
           outputs=[np.array([np.finfo("float64").min] * 2 + [1.0, inf, inf])])
    r.call(op, np.array([1.0, float("nan"), 2.0]), zero, gradient=[],
           outputs=[np.array([1.0, float("nan"), float("nan")])])
    r.call(op, np.zeros((2, 0)), zero, gradient=[])
    r.error(op, x, array(3, "int32"), says="3")


def record(r):
    for op in ["Cumsum", "Cumprod"]:
        for dtype in NUMERIC:
            for exclusive in [False, True]:
                x = array([[1, 2, 3], [3, 1, 2]], dtype)
                r.call(op, x, array(1, "int32"), exclusive=exclusive, reverse=False, gradient=[])
        x = array(np.arange(1, 13).reshape(2, 3, 2) * 0.25, "float64")
        for axis in [-3, -1, 0, 1, 2]:
            for exclusive in [False, True]:
                for reverse in [False, True]:
                    r.call(op, x, array(axis, "int64"), exclusive=exclusive, reverse=reverse)
        for dtype in ["int8", "uint8", "int32", "int64"]:  # wraps around
            wide = np.iinfo(dtype).max
            fold = np.cumsum if op == "Cumsum" else np.cumprod
            x = array([wide, wide, 3], dtype)
            r.call(op, x, array(0, "int32"), outputs=[fold(x, dtype=dtype)])
        for dtype in FLOATS:
            special = array([1, float("inf"), float("-inf"), float("nan"), 2], dtype)
            r.call(op, special, array(0, "int32"), reverse=True, exclusive=False, gradient=[])
        for shape in [(0,), (2, 0), (0, 3)]:
            r.call(op, np.zeros(shape, "float32"), array(0, "int32"))
        # More lines side by side than are scanned at once.
        x = array(np.arange(2 * 2 * 70).reshape(2, 2, 70) % 5, "int32")
        r.call(op, x, array(1, "int32"), reverse=True, exclusive=True)
        r.error(op, x, array(3, "int32"), says="3")
        r.error(op, x, array(-4, "int32"), says="-4")
        r.error(op, array(1, "float32"), array(0, "int32"), says="0")
        r.error(op, x, array([0], "int32"), says="")
        r.error(op, array([True], "bool"), array(0, "int32"), says="T")
    # Zeros have products, but, as in TensorFlow, no derivatives of them.
    r.call("Cumprod", array([2, 0, 3], "float64"), array(0, "int32"), gradient=[])
    record_log_sum_exp(r)
