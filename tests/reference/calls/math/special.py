import numpy as np
from recorder import COMPLEX, FLOATS, array

INF, NAN = float("inf"), float("nan")


def record_bessel_functions(r):
    points = [-20.5, -8, -2.3, -0.4, 0.1, 0.8, 1.7, 7.9, 8.1, 300]
    for op in ["BesselI0e", "BesselI1e"]:
        for dtype in FLOATS:
            r.call(op, array(points, dtype))
        r.call(op, array([0.0, 1e-300, -1e-9], "float64"), gradient=[])  # e^-|x| has a kink
        r.call(op, array([NAN, 1e30, -1e30], "float64"), gradient=[])
        r.call(op, array([], "float32"))
        r.error(op, array([1], "int32"), says="T")


def record_functions_of_one(r):
    points = [-2.3, -1.5, -0.7, -0.2, 0.3, 0.8, 1.0, 1.7, 2.6, 4.4]
    for op in ["Expm1", "Log1p", "Erf", "Erfc", "Lgamma", "Digamma"]:
        for dtype in FLOATS:
            own = [abs(x) for x in points] if op == "Log1p" else points
            r.call(op, array(own, dtype), tolerance=1e-5 if dtype == "float32" else None)
        r.call(op, array([NAN, INF] + [0.5] * 17 + [NAN], "float32"))
        # TensorFlow 2 says NaN for the error function of an infinite number.
        exact = {"Erf": [array([NAN, 1, 1, 2e-300 / np.sqrt(np.pi)], "float64")]}
        r.call(op, array([NAN, INF, 1e300, 1e-300], "float64"), gradient=[], outputs=exact.get(op))
        r.call(op, array([], "float32"))
        r.call(op, array([[], []], "float64"))
        r.call(op, array(0.7, "float64"))
        r.error(op, array([1], "int32"), says="T")
    for op in ["Expm1", "Log1p", "Erf", "Erfc"]:
        slope = 2 / np.sqrt(np.pi)
        exact = {"Erf": [array([-1, -0.0, 0, 1e-30 * slope, -1e-10 * slope], "float64")]}
        r.call(op, array([-INF, -0.0, 0.0, 1e-30, -1e-10], "float64"), gradient=[],
               outputs=exact.get(op))
        r.call(op, array([-INF, -0.0, 0.0, 1e-30, -1e-10], "float32"))
    r.call("Log1p", array([-1.0, -1.5], "float32"))
    r.call("Lgamma", array([-1.0, 0.0, -0.5, 1e30], "float64"), gradient=[])
    r.call("Digamma", array([-1.0, -1e5 - 0.5, -INF], "float64"), gradient=[],
           outputs=[array([NAN, np.log(100001.5) - 1 / 200003, NAN], "float64")],
           tolerance=1e-11)
    values = [0.3 + 0.4j, -0.2 - 1e-9j, 1e-12 + 1e-12j, 2.5 - 3.1j, -1.5 + 0.5j, 0j]
    for dtype in COMPLEX:
        z = np.array(values, "complex128")
        small = np.abs(z) < 1e-6
        r.call("Expm1", array(values, dtype),
               outputs=[array(np.where(small, z + z * z / 2, np.exp(z) - 1), dtype)])
        r.call("Log1p", array(values, dtype),
               outputs=[array(np.where(small, z - z * z / 2, np.log(1 + z)), dtype)])
    r.call("Log1p", array([1e30 + 1e30j], "complex64"),
           outputs=[array([np.log(2) / 2 + 30 * np.log(10) + 0.25j * np.pi], "complex64")])
    r.error("Erf", array([1j], "complex64"), says="T")


def record_gamma(r):
    a = [0.3, 1.0, 2.5, 10.0, 50.0, 0.01, 3.0]
    x = [0.2, 1.0, 4.5, 8.0, 60.0, 2.0, 0.001]
    for op in ["Igamma", "Igammac"]:
        for dtype in FLOATS:
            r.call(op, array(a, dtype), array(x, dtype), tolerance=4e-5 if dtype == "float32" else
                   1e-11 if dtype == "float64" else None)
        r.call(op, array([[0.5], [2.0]], "float64"), array([0.7, 1.5, 3.0], "float64"))
        r.call(op, array(2.0, "float64"), array([0.7, 1.5], "float64"))
        r.call(op, array([1.0, 0.0, -1.0, 1.0, NAN, 1.0], "float64"),
               array([-1.0, 1.0, 1.0, INF, 1.0, NAN], "float64"), gradient=[])
        r.call(op, array([], "float32"), array([], "float32"))
        r.call(op, array([[1.0], [2.0]], "float32"), array([[]], "float32"))
        r.error(op, array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"), says="[2]")
        r.error(op, array([1], "int32"), array([1], "int32"), says="T")
    for dtype in ["float32", "float64"]:
        r.call("IgammaGradA", array(a, dtype), array(x, dtype),
               tolerance=1e-4 if dtype == "float32" else 1e-11)
    r.call("IgammaGradA", array([[0.5], [2.0]], "float64"), array([0.0, 1.5], "float64"))
    r.call("IgammaGradA", array([-1.0, NAN], "float64"), array([1.0, 1.0], "float64"))
    r.call("IgammaGradA", array([1.0], "float16"), array([1.0], "float16"),
           outputs=[array([-0.4318], "float16")])


def record_beta(r):
    a, b = [0.5, 1.5, 3.0, 10.0, 0.2, 40.0], [1.5, 0.5, 2.0, 20.0, 0.3, 30.0]
    x = [0.2, 0.6, 0.5, 0.3, 0.9, 0.55]
    for dtype in ["float32", "float64"]:
        tolerance = 4e-5 if dtype == "float32" else 1e-11
        r.call("Betainc", array(a, dtype), array(b, dtype), array(x, dtype), tolerance=tolerance,
               gradient=[2] if dtype == "float64" else None)
        r.call("Betainc", array(2.0, dtype), array(b, dtype), array(0.4, dtype),
               tolerance=tolerance, gradient=[2] if dtype == "float64" else None)
    r.call("Betainc", array(2.0, "float64"), array(3.0, "float64"),
           array([[0.1], [0.7]], "float64"), gradient=[2])
    r.call("Betainc", array(2.0, "float64"), array(3.0, "float64"), array(0.25, "float64"),
           gradient=[2])
    r.call("Betainc", array([0.0, -1.0, 1.0, 1.0, 1.0, 1.0, NAN, 2.0], "float64"),
           array([1.0, 1.0, 0.0, 2.0, 2.0, 2.0, 1.0, 2.0], "float64"),
           array([0.5, 0.5, 0.5, 0.0, 1.0, 1.5, 0.5, NAN], "float64"), gradient=[])
    # A loop of other implementations does not end for these floats.
    r.call("Betainc", array([4e10], "float32"), array([1e10], "float32"), array([0.8], "float32"),
           outputs=[array([0.5], "float32")], tolerance=0.51)
    r.call("Betainc", array([2.0], "float16"), array([2.0], "float16"), array([0.5], "float16"),
           outputs=[array([0.5], "float16")])
    r.call("Betainc", array([], "float32"), array(2.0, "float32"), array([], "float32"))
    r.error("Betainc", array([1.0, 2.0], "float32"), array([1.0], "float32"),
            array(0.5, "float32"), says="[2]")
    r.error("Betainc", array([1.0, 2.0], "float32"), array(1.0, "float32"),
            array([[0.5, 0.5]], "float32"), says="[1,2]")


def record_zeta(r):
    x, q = [1.5, 2.0, 3.0, 4.5, 11.0], [0.7, 1.0, 2.5, 13.0, 0.4]
    for dtype in ["float32", "float64"]:
        r.call("Zeta", array(x, dtype), array(q, dtype), gradient=[1] if dtype == "float64" else
               None, tolerance=1e-5 if dtype == "float32" else None)
        r.call("Polygamma", array([0, 1, 2, 3, 5], dtype), array([0.7, 1.0, 2.5, 13.0, 1.9], dtype),
               gradient=[1] if dtype == "float64" else None,
               tolerance=1e-5 if dtype == "float32" else 1e-11)
    r.call("Zeta", array([[2.0], [3.0]], "float64"), array([0.5, 1.5, 8.0], "float64"),
           gradient=[1])
    r.call("Zeta", array(2.0, "float64"), array([0.5, 1.5], "float64"), gradient=[1])
    r.call("Polygamma", array(1.0, "float64"), array([[0.5, -1.3, -0.2]], "float64"), gradient=[1])
    # Sums of 1 / (q + k)^x whose first terms have negative bases.
    r.call("Zeta", array([2.0, 3.0, 2.0, 3.0], "float64"),
           array([-1.25, -1.25, -7.6, -7.6], "float64"), gradient=[1], tolerance=1e-11)
    # pi^2 / sin(pi q)^2 is the sum over all whole k, of which these q leave almost nothing out.
    r.call("Zeta", array([2.0, 2.0], "float64"), array([-4e15 - 0.5, -1e14 - 0.25], "float64"),
           outputs=[array([np.pi**2, 2 * np.pi**2], "float64")], gradient=[])
    r.call("Zeta", array([1.0, 0.5, 2.0, 3.0, 2.5, NAN, 2.0, 2.0, 2.0], "float64"),
           array([1.0, 1.0, -1.0, -1.0, -0.5, 1.0, NAN, INF, -INF], "float64"), gradient=[],
           outputs=[array([INF, NAN, INF, NAN, NAN, NAN, NAN, 0, INF], "float64")])
    r.call("Polygamma", array([-1.0, 0.5, NAN, 1.0, INF], "float64"),
           array([1.0, 1.0, 1.0, NAN, -2.5], "float64"), gradient=[],
           outputs=[array([NAN] * 5, "float64")])
    for op in ["Zeta", "Polygamma"]:
        r.call(op, array([], "float32"), array([2.0], "float32"))
        r.error(op, array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"), says="[2]")
        r.error(op, array([1], "int32"), array([1], "int32"), says="T")
    for dtype in ["float16", "bfloat16"]:
        r.call("Zeta", array([2.0], dtype), array([1.0], dtype),
               outputs=[array([np.pi**2 / 6], dtype)])
        r.call("Polygamma", array([1.0], dtype), array([1.0], dtype),
               outputs=[array([np.pi**2 / 6], dtype)])


def record_products(r):
    for op in ["Xdivy", "Xlogy"]:
        for dtype in FLOATS:
            r.call(op, array([0.0, 0.5, -2.0, 3.0], dtype), array([0.5, 2.0, 1.5, 0.7], dtype),
                   gradient=[1] if dtype == "float64" else None)
        r.call(op, array([0.3, 0.5, -2.0], "float64"), array([[0.5], [2.0]], "float64"))
        r.call(op, array(0.3, "float64"), array([[0.5], [2.0]], "float64"))
        r.call(op, array([0.0, 0.0, 0.0, 1.0, NAN, 1.0], "float64"),
               array([0.0, NAN, INF, 0.0, 1.0, NAN], "float64"), gradient=[])
        r.call(op, array([], "float32"), array(1.0, "float32"))
        for dtype in COMPLEX:
            r.call(op, array([0j, 0.5 + 1j, -2.0], dtype), array([0j, 2.0 - 1j, 1.5j], dtype))
        r.error(op, array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"), says="[2]")
        r.error(op, array([1], "int32"), array([1], "int32"), says="T")


def record(r):
    record_functions_of_one(r)
    record_bessel_functions(r)
    record_gamma(r)
    record_beta(r)
    record_zeta(r)
    record_products(r)
