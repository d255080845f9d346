import numpy as np
from recorder import array

INF, NAN = float("inf"), float("nan")
PARTS = {"complex64": "float32", "complex128": "float64"}


def record(r):
    values = [1 + 2j, -3.5 + 0.5j, -1j, 2, -2, 0, 3 - 4j]
    for op in ["Real", "Imag", "Angle", "ComplexAbs"]:
        for dtype, part in PARTS.items():
            r.call(op, array(values, dtype), Tout=array([], part).dtype.name)
        r.call(op, array([[1 + 2j], [3j]], "complex128"), Tout="float64")
        r.call(op, array(1 + 2j, "complex64"))
        r.call(op, array([], "complex64"))
        r.error(op, array([1j], "complex128"), says="Tout")
        r.error(op, array([1j], "complex64"), Tout="float64", says="Tout")
        r.error(op, array([1.0], "float32"), says="T")
    special = array([complex(INF, 1), complex(-INF, 0), complex(0, INF), complex(NAN, 1),
                     complex(-1, -0.0), 1e30 + 1e30j], "complex64")
    for op in ["Real", "Imag", "Angle"]:
        r.call(op, special)
    r.call("ComplexAbs", special,
           outputs=[array([INF, INF, INF, NAN, 1, 2**0.5 * 1e30], "float32")])
    for dtype, part in PARTS.items():
        r.call("Complex", array([1, -2.5, INF, NAN], part), array([0.5, 3, 2, 1], part),
               Tout=dtype, gradient=[])
    r.call("Complex", array([[1.0], [2.0]], "float64"), array([0.5, 3, -1], "float64"),
           Tout="complex128", gradient=[])
    r.call("Complex", array(1.0, "float32"), array([0.5, 3], "float32"))
    r.call("Complex", array([], "float32"), array(0.5, "float32"))
    r.call("Complex", array(np.zeros([2, 0]), "float32"), array([[1.0], [2.0]], "float32"))
    r.error("Complex", array([1.0, 2.0], "float32"), array([1.0, 2.0, 3.0], "float32"), says="[2]")
    r.error("Complex", array([1.0], "float64"), array([1.0], "float64"), says="Tout")
    r.error("Complex", array([1.0], "float32"), array([1.0], "float32"), Tout="complex128",
            says="Tout")
    r.error("Complex", array([1], "int32"), array([1], "int32"), says="T")
