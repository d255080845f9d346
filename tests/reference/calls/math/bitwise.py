import numpy as np
from recorder import INTEGERS, SIGNED, array


def pack(r, x, threshold):
    bits = np.packbits(np.greater(x, threshold), axis=-1)
    r.call("CompareAndBitpack", x, threshold, outputs=[bits], gradient=[])


def record(r):
    for dtype in INTEGERS:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        x = [least, most, 0, 1, 5, -7 if dtype in SIGNED else 100]
        y = [most, most, 3, 1, 6, 12]
        for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"]:
            r.call(op, np.array(x, dtype), np.array(y, dtype))
        for op in ["Invert", "PopulationCount"]:
            r.call(op, np.array(x, dtype))
        bits = np.iinfo(dtype).bits
        shifts = [0, 1, 2, 3, bits - 1, bits - 2]
        for op in ["LeftShift", "RightShift"]:
            r.call(op, np.array(x, dtype), np.array(shifts, dtype))
            wide = [bits, most, -1, least] if dtype in SIGNED else [bits, most, bits - 1, 0]
            near = np.clip(np.array(wide, dtype), 0, bits - 1).astype(dtype)
            value = np.array([3] * 4, dtype)
            shift = np.left_shift if op == "LeftShift" else np.right_shift
            r.call(op, value, np.array(wide, dtype), outputs=[shift(value, near)])
    for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"]:
        r.call(op, array([[1], [6]], "int32"), array([3, 5, 2], "int32"))
        r.call(op, array(6, "int32"), array([3, 5, 2], "int32"))
        r.call(op, array([], "int32"), array([3], "int32"))
        r.error(op, array([1, 2], "int32"), array([1, 2, 3], "int32"), says="[2]")
        r.error(op, array([1.0], "float32"), array([1.0], "float32"), says="T")
    for op in ["Invert", "PopulationCount"]:
        r.call(op, array([], "int32"))
        r.call(op, array(6, "int32"))
        r.error(op, array([1.0], "float32"), says="T")
    r.call("LogicalOr", array([False, False, True, True], "bool"),
           array([False, True, False, True], "bool"))
    r.call("LogicalOr", array([[False], [True]], "bool"), array([False, True, False], "bool"))
    r.call("LogicalOr", array(True, "bool"), array([], "bool"))
    r.error("LogicalOr", array([True, True], "bool"), array([True] * 3, "bool"), says="[2]")
    for dtype in ["bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64"]:
        x = array([[1, 0, 3, 3, 0, 0, 1, 5], [0] * 7 + [1]], dtype)
        pack(r, x, array(0, dtype))
        if dtype != "bool":
            pack(r, x.reshape(16), array(2, dtype))
    nan = np.array([float("nan"), float("inf"), 1, 2, 3, 4, 5, 6])
    pack(r, nan, np.float64(2.5))
    pack(r, np.zeros((3, 0), "float32"), np.float32(0))
    r.error("CompareAndBitpack", np.zeros(7, "float32"), np.float32(0), says="multiple of 8")
    r.error("CompareAndBitpack", np.float32(1), np.float32(0), says="multiple of 8")
    r.error("CompareAndBitpack", np.zeros(8, "float32"), np.zeros(1, "float32"), says="")
