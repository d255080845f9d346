import numpy as np
from recorder import COMPLEX, FLOATS, array

INF, NAN = float("inf"), float("nan")
WHOLE = [-2.7, -1.2, -0.4, 0.3, 1.0, 1.9, 3.3]
UNIT = [-0.9, -0.6, -0.2, 0.1, 0.5, 0.8, 0.95]
DOMAINS = {
    "Sin": WHOLE, "Cos": WHOLE, "Tan": WHOLE, "Asin": UNIT, "Acos": UNIT, "Atan": WHOLE,
    "Sinh": WHOLE, "Cosh": WHOLE, "Asinh": WHOLE, "Acosh": [1.1, 1.7, 2.0, 3.5, 10.0, 100.0],
    "Atanh": UNIT,
}
# Without the cuts, where the sign of a zero decides.
COMPLEX_POINTS = [0.3 + 0.4j, -1.2 + 0.7j, 2.1 - 0.3j, -0.5 - 1.9j, 0.1 + 2.5j]


def record(r):
    for op, domain in DOMAINS.items():
        for dtype in FLOATS:
            r.call(op, array(domain, dtype))
        r.call(op, array([domain[:3], domain[3:6]], "float64"))
        r.call(op, array(domain[2], "float64"))
        extremes = [0.0, -0.0, 1.0, -1.0, 1e-30, 1e30, -1e30, 2.0, INF, -INF, NAN]
        for dtype in ["float32", "float64"]:
            r.call(op, array(extremes, dtype), gradient=[])
        r.call(op, array([], "float32"))
        r.call(op, array(np.zeros([2, 0]), "float64"))
        exact = getattr(np, {"As": "arcs", "Ac": "arcc", "At": "arct"}.get(op[:2], op[:2].lower())
                        + op[2:])
        for dtype in COMPLEX:
            r.call(op, array(COMPLEX_POINTS, dtype), tolerance=4e-6 if dtype == "complex64" else
                   None, outputs=[array(exact(np.array(COMPLEX_POINTS)), dtype)])
        r.error(op, array([1], "int32"), says="T")
    for dtype in FLOATS:
        r.call("Atan2", array([1.0, -1.0, 2.0, -0.5, 0.3], dtype),
               array([0.5, 0.7, -1.5, -2.0, 0.1], dtype))
    r.call("Atan2", array([[1.0], [-2.0]], "float64"), array([0.5, -0.7, 1.5], "float64"))
    r.call("Atan2", array(1.0, "float64"), array([0.5, -0.7], "float64"))
    zeros = [0.0, -0.0, 0.0, -0.0, INF, INF, -INF, 1.0, NAN]
    r.call("Atan2", array(zeros, "float32"),
           array([1.0, 1.0, -1.0, -1.0, INF, -INF, 1.0, 0.0, 1.0], "float32"))
    r.call("Atan2", array([], "float32"), array([[1.0]], "float32"))
    r.error("Atan2", array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"), says="[2]")
    r.error("Atan2", array([1j], "complex64"), array([1j], "complex64"), says="T")
