import numpy as np
from recorder import FLOATS, INTEGERS, array

SEEDS = [[1, 2], [0, 0], [-5, 2**31 - 1]]


def sizes(*values, dtype="int32"):
    return array(list(values), dtype)


def record_numbers(r):
    for op in ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"]:
        tolerance = 0.0 if op == "StatelessRandomUniform" else None
        for dtype in FLOATS:
            for seed in SEEDS:
                for kind in ("int32", "int64"):
                    r.call(op, sizes(5), array(seed, kind), dtype=dtype, tolerance=tolerance)
        wide = array([2**40 + 3, -(2**62)], "int64")
        r.call(op, sizes(3, 50, dtype="int64"), wide, dtype="float32", tolerance=tolerance)
        for shape in (sizes(), sizes(0, 3)):
            r.call(op, shape, wide, dtype="float32", tolerance=tolerance)
        r.error(op, sizes(2), array([1, 2, 3], "int64"), dtype="float32", says="[2]")
        r.error(op, sizes(2), array(1, "int64"), dtype="float32", says="[2]")
        r.error(op, sizes(-2), wide, dtype="float32", says="the size -2")


def record_ints(r):
    op, seed = "StatelessRandomUniformInt", array([7, -8], "int64")
    for dtype in ["int32", "int64"]:
        info = np.iinfo(dtype)
        for low, high in [(0, 10), (-3, 4), (info.min, info.max), (5, 6)]:
            r.call(op, sizes(7), seed, array(low, dtype), array(high, dtype))
        r.error(op, sizes(2), seed, array(4, dtype), array(3, dtype), says="must be less than")
        r.error(op, sizes(2), seed, array([4], dtype), array(5, dtype), says="")


def record_multinomial(r):
    op = "StatelessMultinomial"
    logits = [[0.0, 1.0, -2.0, 0.5], [3.0, -1.0, -1.0, 2.0], [np.nan, 0.0, 50.0, -np.inf]]
    for dtype in FLOATS:
        for seed in SEEDS:
            r.call(op, array(logits, dtype), array(6, "int32"), array(seed, "int64"))
    r.call(op, array(logits, "float32"), array(3, "int32"), array([3, 4], "int32"),
           output_dtype="int32")
    for dtype in INTEGERS:  # TensorFlow has no kernels for them: as the same logits in doubles
        integers = np.array([[0, 1, 3, 2], [1, 1, 2, 0]])
        answer = r._run(op, [array(integers, "float64"), array(5, "int32"), array([3, 4], "int64")],
                        {})
        r.call(op, array(integers, dtype), array(5, "int32"), array([3, 4], "int64"),
               outputs=answer)
    seed, five = array([3, 4], "int64"), array(5, "int32")
    r.call(op, array(np.zeros((0, 3)), "float32"), five, seed)
    r.error(op, array(logits, "float32"), five, array([3], "int64"), says="[2]")
    r.error(op, array(logits, "float32"), array(-5, "int32"), seed, says="negative")
    r.error(op, array([1.0], "float32"), five, seed, says="")
    r.error(op, array(np.zeros((2, 0)), "float32"), five, seed, says="classes")


def record(r):
    record_numbers(r)
    record_ints(r)
    record_multinomial(r)
