import numpy as np
from recorder import INTEGERS, SIGNED, array


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
