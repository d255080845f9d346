import numpy as np

from recorder import COMPLEX, array

TOLERANCE = {"complex64": 1e-5, "complex128": 1e-12}


def suffix(axes):
    return "" if axes == 1 else f"{axes}D"


def signal(shape, dtype="float32", seed=1):
    random = np.random.RandomState(seed)
    values = random.uniform(-1, 1, shape)
    if dtype in COMPLEX:
        values = values + 1j * random.uniform(-1, 1, shape)
    return array(values, dtype)


def i32(values):
    return np.array(values, dtype="int32")


def record_complex(r):
    for dtype in COMPLEX:
        near = {"tolerance": TOLERANCE[dtype]}
        for prefix in ["", "I"]:
            # 67, 127 and 134 have a large prime factor.
            for length in [1, 2, 3, 4, 5, 7, 8, 12, 49, 61, 67, 127, 134]:
                r.call(prefix + "FFT", signal((length,), dtype), **near)
            for shape in [(2, 0), (0, 3), (2, 3, 4)]:
                r.call(prefix + "FFT", signal(shape, dtype), **near)
            for shape in [(1, 1), (3, 4), (2, 2, 5), (0, 2, 2), (2, 0, 3)]:
                r.call(prefix + "FFT2D", signal(shape, dtype), **near)
            for shape in [(1, 1, 1), (2, 3, 4), (2, 2, 1, 3), (2, 2, 2, 2, 2), (0, 1, 1, 1)]:
                r.call(prefix + "FFT3D", signal(shape, dtype), **near)
    r.call("FFT", array([np.nan, 1], "complex64"))
    for prefix in ["", "I"]:
        for axes in [1, 2, 3]:
            r.error(prefix + "FFT" + suffix(axes), signal((2,) * (axes - 1), "complex64"),
                    says=f"at least rank {axes}")


def record_real(r):
    near = {"tolerance": 1e-5}
    for length in [1, 2, 3, 4, 7, 8, 67]:
        r.call("RFFT", signal((length,)), i32([length]), **near)
        r.call("IRFFT", signal((length // 2 + 1,), "complex64"), i32([length]), **near)
    # Of longer inputs the first elements.
    r.call("RFFT", signal((2, 7)), i32([4]), **near)
    r.call("IRFFT", signal((2, 7), "complex64"), i32([5]), **near)
    r.call("RFFT2D", signal((3, 4)), i32([3, 4]), **near)
    r.call("RFFT2D", signal((2, 3, 7)), i32([2, 5]), **near)
    r.call("IRFFT2D", signal((3, 3), "complex64"), i32([3, 4]), **near)
    r.call("IRFFT2D", signal((2, 4, 4), "complex64"), i32([3, 3]), **near)
    r.call("RFFT3D", signal((2, 3, 4)), i32([2, 3, 4]), **near)
    r.call("RFFT3D", signal((2, 2, 3, 4)), i32([2, 1, 3]), **near)
    r.call("IRFFT3D", signal((2, 3, 3), "complex64"), i32([2, 3, 5]), **near)
    r.call("IRFFT3D", signal((2, 2, 3, 4), "complex64"), i32([1, 2, 4]), **near)
    r.call("RFFT", signal((0, 3)), i32([3]))
    r.call("RFFT", signal((2, 3)), i32([0]), outputs=[np.zeros((2, 0), "complex64")])
    r.call("IRFFT", signal((2, 3), "complex64"), i32([0]), outputs=[np.zeros((2, 0), "float32")])
    r.call("RFFT2D", signal((2, 3)), i32([0, 2]), outputs=[np.zeros((0, 2), "complex64")])


def record_errors(r):
    for axes in [1, 2, 3]:
        for op, dtype in [("RFFT", "float32"), ("IRFFT", "complex64")]:
            name, x = op + suffix(axes), signal((2,) * axes, dtype)
            r.error(name, x, i32([1] * (axes + 1)), says="must have the shape")
            r.error(name, x, i32(2), says="must have the shape")
            r.error(name, x, i32([-1] * axes), says="must not be negative")
            r.error(name, x[0], i32([1] * axes), says=f"at least rank {axes}")
    # Lengths that the input has not are found where the op runs: graphs do not look for them.
    for op, dtype, length in [("RFFT", "float32", 3), ("IRFFT", "complex64", 4),
                              ("RFFT", "float32", 2**26)]:
        r.error(op, signal((2,), dtype), i32([length]), says="needs at least")
    r.error("IRFFT", signal((2,), "complex64"), i32([2**31 - 1]), says="transforms of more than",
            code="Unimplemented")


def record(r):
    record_complex(r)
    record_real(r)
    record_errors(r)
