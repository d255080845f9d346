import numpy as np
import tensorflow as tf
from recorder import FLOATS, array

INF, NAN = float("inf"), float("nan")
OPS = ["QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3"]
V2, V3 = OPS[1:]


def numbers(dtype, least=-4.0, greatest=3.0, shape=(20,)):
    values = np.random.RandomState(3).uniform(least, greatest, shape)
    return array(values, dtype)


def of_v2(x, limits, attrs):
    wide = "float64" if x.dtype == np.float64 else "float32"
    low, high = (np.array(limit, wide) for limit in limits)
    out = tf.raw_ops.QuantizeAndDequantizeV2(
        input=x.astype(wide), input_min=low, input_max=high, **attrs)
    return out.numpy().astype(x.dtype)


def call(r, op, x, low=None, high=None, bits=None, **attrs):
    """One of the three ops, of which the first has the range in its attributes, and the last gets
    the number of bits as an input."""
    if low is not None:
        attrs["range_given"] = True
    elif op == V3:
        attrs["range_given"] = False
    limits = [np.array(0 if v is None else v, x.dtype) for v in (low, high)]
    given = {} if bits is None else dict(num_bits=bits)
    if op == V2:
        r.call(op, x, *limits, gradient=[], **given, **attrs)
    elif op == V3:  # of scalars TensorFlow 2 asks for an axis
        outputs = [of_v2(x, limits, attrs)] if x.ndim == 0 else None
        r.call(op, x, *limits, array(bits or 8, "int32"), outputs=outputs, gradient=[], **attrs)
    else:  # which TensorFlow 2 has not
        out = of_v2(x, limits, {**given, **attrs})
        if low is not None:
            attrs.update(input_min=float(low), input_max=float(high))
        r.call(op, x, outputs=[out], gradient=[], **given, **attrs)


def ranges(r):
    for op in OPS:
        for dtype in FLOATS:
            call(r, op, numbers(dtype))
            call(r, op, numbers(dtype), low=-2.0, high=1.5)
        for bits in [2, 4, 8, 16, 61]:
            for signed in [True, False]:
                call(r, op, numbers("float64"), bits=bits, signed_input=signed)
                call(r, op, numbers("float32"), -1.5, 2.0, bits, signed_input=signed)
        call(r, op, numbers("float32"), bits=62, signed_input=False)
        for low, high in [(0, 0), (-1, -1), (2, 2), (0, 3), (-3, 0), (-1e-30, 1e30), (1, 2)]:
            call(r, op, numbers("float32"), float(low), float(high))
        for least, greatest in [(1, 5), (-5, -1), (0, 0)]:
            call(r, op, numbers("float32", least, greatest))
        for shape in [[], [0], [2, 0], [2, 3, 2]]:
            call(r, op, numbers("float64", shape=shape))
            call(r, op, numbers("float32", shape=shape), -1.0, 2.0)
    call(r, V2, numbers("float32"), bits=1, signed_input=False)
    for op in [V2, V3]:
        for bits in [3, 8]:
            call(r, op, numbers("float32"), bits=bits, narrow_range=True)
            call(r, op, numbers("float64"), -1.5, 2.0, bits, narrow_range=True)


def rounding(r):
    halves = array([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 127, 126.5, -128, -127.5],
                   "float32")
    for mode in ["HALF_TO_EVEN", "HALF_UP"]:
        for dtype in ["float32", "float64"]:
            call(r, V2, halves.astype(dtype), -128.0, 127.0, round_mode=mode)
            call(r, V2, halves.astype(dtype), round_mode=mode)
    special = array([NAN, INF, -INF, -7, 7, 0.01, -0.02, 3.2], "float32")
    for op in OPS:
        call(r, op, special, -1.0, 1.0)
        call(r, op, special)
        for values in [[1, NAN, 2], [NAN, 1, 2], [INF, 1, -2], [NAN, NAN]]:
            call(r, op, array(values, "float32"))
            call(r, op, array(values, "float64"))
    for dtype in ["float32", "float64"]:
        zero = array(0, dtype)
        r.call(V2, numbers(dtype), array(-INF, dtype), array(INF, dtype), range_given=True,
               gradient=[])
        for low, high in [(1, 0), (NAN, 0), (0, NAN)]:
            r.error(V2, numbers(dtype), array(low, dtype), array(high, dtype), range_given=True,
                    says="Invalid range: input_min")
            r.error(V3, numbers(dtype), array(low, dtype), array(high, dtype), array(8, "int32"),
                    says="Invalid range: input_min")
        r.error(V2, numbers(dtype), array([0], dtype), zero, says="[1]")
        r.error(V2, numbers(dtype), zero, array([0], dtype), says="[1]")
        r.error(V3, numbers(dtype), zero, zero, array([8], "int32"), says="[1]")


def errors(r):
    x, zero = numbers("float32"), array(0, "float32")
    wrong = "num_bits is out of range"
    for bits, signed in [(0, True), (-1, True), (62, True), (0, False), (63, False)]:
        r.error(OPS[0], x, num_bits=bits, signed_input=signed, says=wrong)
        r.error(V2, x, zero, zero, num_bits=bits, signed_input=signed, says=wrong)
        r.error(V3, x, zero, zero, array(bits, "int32"), signed_input=signed, says=wrong)
    r.error(OPS[0], x, range_given=True, input_min=1.0, input_max=0.5, says="Invalid range")
    r.error(V2, x, zero, zero, round_mode="HALF_DOWN", says="round_mode")
    r.error(V2, x.astype("int32"), array(0, "int32"), array(0, "int32"), says="T")


def record(r):
    ranges(r)
    rounding(r)
    errors(r)
