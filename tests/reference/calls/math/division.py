import numpy as np
from recorder import COMPLEX, FLOATS, INTEGERS, SIGNED, UNSIGNED, array

INF, NAN = float("inf"), float("nan")
DIVISIONS = ["FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"]


def exact(op, x, y):
    """What a division of finite numbers other than 0 is by definition."""
    quotient = np.floor(x / y) if op.startswith("Floor") else np.trunc(x / y)
    return quotient if op.endswith("Div") else x - quotient * y


def record_divisions(r):
    x = [7, -7, 7, -7, 6, -6, 0, 127]
    y = [2, 2, -2, -2, 3, 3, -5, 10]
    for op in DIVISIONS:
        gradient = [] if op.endswith("Div") else None
        for dtype in SIGNED:
            values = array(x, "float64"), array(y, "float64")
            r.call(op, array(x, dtype), array(y, dtype), outputs=[array(exact(op, *values), dtype)])
        for dtype in UNSIGNED:
            values = np.abs(array(x, "float64")), np.abs(array(y, "float64"))
            r.call(op, *[array(v, dtype) for v in values],
                   outputs=[array(exact(op, *values), dtype)])
        for dtype in FLOATS:
            fractions = array([7.5, -7.5, 7.5, -7.5, 0.3], dtype), array([2, 2, -2, -2, 0.7], dtype)
            outputs = [array(exact(op, *[v.astype("float64") for v in fractions]), dtype)]
            r.call(op, *fractions, outputs=outputs, gradient=gradient)
        r.call(op, array([[7.3], [-2.2]], "float64"), array([2.0, -0.9, 5.0], "float64"),
               outputs=[exact(op, np.array([[7.3], [-2.2]]), np.array([2.0, -0.9, 5.0]))],
               gradient=gradient)
        r.call(op, array(7.3, "float64"), array([2.0, -0.9], "float64"),
               outputs=[exact(op, 7.3, np.array([2.0, -0.9]))], gradient=gradient)
        r.call(op, array([], "float32"), array([1.0], "float32"), outputs=[array([], "float32")])
        r.call(op, array([], "int32"), array(1, "int32"), outputs=[array([], "int32")])
        for dtype in INTEGERS:
            r.error(op, array([1], dtype), array([0], dtype), says="division by zero")
        r.error(op, array([1, 2], "int32"), array([1, 2, 3], "int32"), says="[2]")
        r.error(op, array([1j], "complex64"), array([1j], "complex64"), says="T")
    record_extremes(r)


def record_extremes(r):
    for dtype in SIGNED:
        least = np.iinfo(dtype).min
        x, y = array([least, least, least + 1], dtype), array([-1, 1, -1], dtype)
        for op in DIVISIONS:
            quotients = [least, least, -(least + 1)]
            r.call(op, x, y, outputs=[array(quotients if op.endswith("Div") else [0] * 3, dtype)])
    for dtype in UNSIGNED:
        most = np.iinfo(dtype).max
        r.call("FloorDiv", np.array([most, most], dtype), np.array([2, most], dtype),
               outputs=[array([most // 2, 1], dtype)])
        r.call("FloorMod", np.array([most, most], dtype), np.array([2, most], dtype),
               outputs=[array([1, 0], dtype)])
    x = array([1.0, -1.0, 0.0, 5.0, -5.0, INF, NAN, 1.0], "float64")
    y = array([0.0, 0.0, 0.0, INF, -INF, 2.0, 1.0, NAN], "float64")
    for op in ["FloorDiv", "FloorMod", "Mod", "TruncateMod"]:
        r.call(op, x, y, gradient=[])
    r.call("TruncateDiv", x, y, gradient=[],
           outputs=[array([INF, -INF, NAN, 0, 0, INF, NAN, NAN], "float64")])


def record_no_nan(r):
    for op in ["DivNoNan", "MulNoNan"]:
        for dtype in FLOATS:
            r.call(op, array([0.5, -2.0, 3.0], dtype), array([2.0, 1.5, -0.7], dtype))
        r.call(op, array([0.5, -2.0, 3.0], "float64"), array([[2.0], [1.5]], "float64"))
        r.call(op, array(0.5, "float64"), array([[2.0], [1.5]], "float64"))
        for dtype in ["float32", "float64"]:
            r.call(op, array([1.0, NAN, INF, 0.0, NAN, 1.0, 1.0], dtype),
                   array([0.0, 0.0, -0.0, 0.0, 1.0, INF, NAN], dtype), gradient=[])
        r.call(op, array([], "float32"), array(0.0, "float32"))
        for dtype in COMPLEX:
            r.call(op, array([1j, 0.5 + 1j, -2.0], dtype), array([0j, 2.0 - 1j, 1.5j], dtype))
        r.error(op, array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"), says="[2]")
        r.error(op, array([1], "int32"), array([1], "int32"), says="T")
    r.call("DivNoNan", array([2.0, 3.0], "float64"), array([0.0, 0.5], "float64"), gradient=[0])


def record_inverses(r):
    for dtype in FLOATS:
        r.call("Inv", array([0.5, -2.0, 3.0, 4.5], dtype))
        r.call("Inv", array([0.0, -0.0, INF, NAN], dtype), gradient=[])
        for op in ["InvGrad", "ReciprocalGrad"]:
            r.call(op, array([0.5, -2.0, 3.0], dtype), array([1.5, 0.3, -0.7], dtype))
    for dtype in COMPLEX:
        r.call("Inv", array([1j, 2.0 - 1j], dtype))
        for op in ["InvGrad", "ReciprocalGrad"]:
            r.call(op, array([1j, 2.0 - 1j], dtype), array([0.5 + 1j, 3.0], dtype))
    for dtype in INTEGERS:
        signed = dtype in SIGNED
        r.call("Inv", array([1, 2, -1 if signed else 100], dtype),
               outputs=[array([1, 0, -1 if signed else 0], dtype)])
        r.error("Inv", array([0], dtype), says="division by zero")
    r.call("Inv", array([], "float32"))
    r.call("Inv", array(0.7, "float64"))
    for op in ["InvGrad", "ReciprocalGrad"]:
        r.call(op, array([], "float32"), array([], "float32"))
        r.call(op, array(0.7, "float64"), array(0.2, "float64"))
        r.error(op, array([1.0], "float32"), array([1.0, 2.0], "float32"), says="[2]")
        r.error(op, array([1], "int32"), array([1], "int32"), says="T")


def record_singular_gradients(r):
    """Where no gradient has arrived, an infinite derivative does not count."""
    for op, y in [("SqrtGrad", 0.0), ("RsqrtGrad", INF), ("InvGrad", INF), ("ReciprocalGrad", INF)]:
        for dtype in FLOATS:
            r.call(op, array([y, y, y], dtype), array([0.0, -0.0, 1.0], dtype), gradient=[])
        for dtype in COMPLEX:
            r.call(op, array([y], dtype), array([0.0], dtype), gradient=[])


def record(r):
    record_divisions(r)
    record_no_nan(r)
    record_inverses(r)
    record_singular_gradients(r)
