import numpy as np
import tensorflow as tf
from recorder import COMPLEX, FLOATS, INTEGERS, NUMERIC, REAL, SIGNED, array


def record_positions(r, op):
    axis = array(1, "int32")
    for dtype in REAL:
        x = array([[3, 1, 2], [5, 7, 7], [4, 4, 9]], dtype)
        best = np.argmax if op == "ArgMax" else np.argmin
        outputs = [best(x.astype("float64"), 1)] if dtype == "float16" else None
        r.call(op, x, axis, outputs=outputs)
    x = array([[[1, -2], [0, 5]], [[3, 5], [-7, 5]]], "float32")
    for number in [0, 1, 2, -1, -3]:
        r.call(op, x, array(number, "int64"), output_type=tf.int32)
    r.call(op, array([np.nan, 2, np.nan, 1, 2], "float32"), array(0, "int32"), outputs=[
        array(1 if op == "ArgMax" else 3, "int64")])
    r.call(op, array([np.nan, np.nan], "float64"), array(0, "int32"))
    r.call(op, array([np.inf, -np.inf, np.inf, -np.inf], "float64"), array(0, "int32"))
    r.call(op, np.zeros((0, 3), "float32"), axis)
    for dtype in INTEGERS:
        ends = [np.iinfo(dtype).max, np.iinfo(dtype).min]
        r.call(op, np.array(ends * 2, dtype), array(0, "int32"))
    r.error(op, np.zeros((3, 0), "float32"), axis, says="empty")
    r.error(op, array([1, 2], "float32"), axis, says="")
    r.error(op, array([1, 2], "float32"), array(-2, "int32"), says="")
    r.error(op, array([1, 2], "float32"), array([0, 0], "int32"), says="")


def norm_of(x, axes, **options):
    squares = np.abs(x.astype("complex128" if x.dtype.kind == "c" else "float64")) ** 2
    return [np.sqrt(squares.sum(tuple(axes), **options)).astype(x.dtype)]


def record_norm(r):
    op = "EuclideanNorm"
    for dtype in NUMERIC:
        x = array([[3, 4, 0], [2, 3, 6]], dtype)
        r.call(op, x, array([1], "int32"), outputs=norm_of(x, [1]), gradient=[])
    for dtype in FLOATS + SIGNED:
        x = array([[-3, 4], [-6, 8]], dtype)
        r.call(op, x, array([0, 1], "int64"), outputs=norm_of(x, [0, 1]), gradient=[])
    for dtype in COMPLEX:
        x = array([[3 + 4j, -1j], [2 - 3j, 1]], dtype)
        r.call(op, x, array([0], "int32"), outputs=norm_of(x, [0]))
    x = (np.arange(12.0).reshape(2, 3, 2) - 4.5) / 2
    for axes in [[0], [1], [2], [-1], [0, 1], [1, 2], [0, 2], [0, 1, 2]]:
        r.call(op, x, array(axes, "int32"), outputs=norm_of(x, axes))
        r.call(op, x, array(axes, "int64"), keep_dims=True,
               outputs=norm_of(x, axes, keepdims=True))
    x = np.linspace(-1, 1, 8)
    r.call(op, x, array(0, "int32"), outputs=norm_of(x, [0]))
    r.call(op, x, array([], "int32"), outputs=[np.abs(x)])
    r.call(op, x[:1], array([0], "int32"), outputs=[np.abs(x[0])])
    r.call(op, array(-2.5, "float64"), array([], "int32"), outputs=[array(2.5, "float64")])
    for each in [np.zeros((2, 0)), np.zeros((0, 2)), np.array([[np.nan, 1]])]:
        each = each.astype("float32")
        r.call(op, each, array([1], "int32"), outputs=norm_of(each, [1]))
    r.call(op, array([-np.inf, 1], "float64"), array([0], "int32"), gradient=[],
           outputs=[array(np.inf, "float64")])
    for dtype in INTEGERS:  # as much as the dtype has
        most = np.iinfo(dtype).max
        r.call(op, np.array([most, most], dtype), array([0], "int32"),
               outputs=[np.array(most, dtype)])
    large = (np.arange(40, dtype="float32") - 20).reshape(2, 20)
    r.call(op, large, array([1], "int32"), outputs=norm_of(large, [1]))
    r.error(op, x, array([1], "int32"), says="")
    r.call(op, x, array([0, 0], "int32"), outputs=norm_of(x, [0]), gradient=[])


def record(r):
    record_positions(r, "ArgMax")
    record_positions(r, "ArgMin")
    record_norm(r)
