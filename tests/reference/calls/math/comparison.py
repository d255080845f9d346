import numpy as np
from recorder import PLAIN, REAL, array

INF, NAN = float("inf"), float("nan")


def record(r):
    for op in ["Equal", "NotEqual"]:
        for dtype in PLAIN:
            r.call(op, array([[1, 0, 1], [0, 0, 1]], dtype), array([1, 0, 0], dtype), gradient=[])
        x, y = array(["a", "b\0", "", "long " * 9], "string"), array(["a", "b", "", "x"], "string")
        r.call(op, x, y)
        r.call(op, x[:, None], y)
        r.call(op, x, array("a", "string"))
        r.call(op, array("a", "string"), x)
        r.call(op, x[:0], array("a", "string"))
        r.call(op, array([1 + 2j, 1 - 2j, 3], "complex64"), array(1 + 2j, "complex64"))
        r.call(op, np.array([NAN, INF, 0.0]), np.array([NAN, INF, -0.0]), gradient=[])
        r.error(op, x, y[:3], says="")
        for fits in [(2, 3), (2, 1), (3,), (), (4,), (2, 2), (0,)]:
            r.call(op, np.zeros((2, 3)), np.zeros(fits), incompatible_shape_error=False,
                   gradient=[])
        r.call(op, x, y[:3], incompatible_shape_error=False)
    for op in ["Less", "LessEqual", "Greater", "GreaterEqual"]:
        for dtype in REAL:
            r.call(op, array([[1, 2, 3], [0, 5, 2]], dtype), array([1, 3, 2], dtype), gradient=[])
        r.call(op, np.array([NAN, INF, 0.0]), np.array([NAN, INF, -0.0]), gradient=[])
        r.error(op, np.zeros(2), np.zeros(3), says="")
