import numpy as np

from recorder import COMPLEX, PLAIN, array


def ints(values, dtype="int32"):
    return array(values, dtype)


def numbers(shape, dtype="float64"):
    return array(np.arange(np.prod(shape)).reshape(shape) / 4, dtype)


def transposes(r):
    r.call("ConjugateTranspose", numbers([2, 3, 4]), ints([2, 0, 1]))
    r.call("ConjugateTranspose", numbers([2, 3]), ints([1, 0], "int64"))
    r.call("ConjugateTranspose", array(1.5, "float64"), ints([]))
    r.call("ConjugateTranspose", numbers([0, 3], "float32"), ints([1, 0]))
    for dtype in COMPLEX:
        r.call("ConjugateTranspose", array([[1 + 2j, 3 - 1j, 0], [2j, -4j, 1]], dtype),
               ints([1, 0]))
        r.call("ConjugateTranspose", array(1 + 2j, dtype), ints([]))
        r.call("ConjugateTranspose", array(np.zeros([0, 2]), dtype), ints([1, 0]))
    r.call("ConjugateTranspose", array([["a", "b"]], "string"), ints([1, 0]),
           outputs=[array([["a"], ["b"]], "string")])
    for dtype in PLAIN:
        r.call("ConjugateTranspose", array([[0, 1], [1, 1], [0, 0]], dtype), ints([1, 0]),
               gradient=[])
    r.error("ConjugateTranspose", numbers([2, 3], "float32"), ints([0, 0]), says="")
    r.error("ConjugateTranspose", numbers([2, 3], "float32"), ints([0, 2]), says="")
    r.error("ConjugateTranspose", numbers([2, 3], "complex64"), ints([0]), says="")


def reverses(r):
    x = numbers([2, 3, 4])
    for number in range(8):
        axes = [axis for axis in range(3) if number >> axis & 1]
        dims = array([axis in axes for axis in range(3)], "bool")
        r.call("Reverse", x, dims, outputs=[np.flip(x, axes)])
    r.call("Reverse", array(1.5, "float64"), array([], "bool"), outputs=[array(1.5, "float64")])
    r.call("Reverse", numbers([2, 0], "float32"), array([True, True], "bool"),
           outputs=[numbers([2, 0], "float32")])
    r.call("Reverse", array(["a", "b", "c"], "string"), array([True], "bool"),
           outputs=[array(["c", "b", "a"], "string")])
    for dtype in PLAIN:
        r.call("Reverse", array([0, 1, 1], dtype), array([True], "bool"), gradient=[],
               outputs=[array([1, 1, 0], dtype)])
    r.error("Reverse", x, array([True], "bool"), says="for each axis of [2,3,4]")
    r.error("Reverse", x, array(True, "bool"), says="for each axis of [2,3,4]")
    r.call("GuaranteeConst", x, outputs=[x])


def record(r):
    transposes(r)
    reverses(r)
