import numpy as np
from recorder import FLOATS, REAL, array


def numbers(shape, dtype, step, size):
    """Numbers that all differ, and whose sums with the filter's do."""
    count = int(np.prod(shape))
    values = (np.arange(count) * step) % max(1, count) * size
    return array(values.reshape(shape), dtype)


def all_ops(r, shape, filter_shape, dtype, strides=1, rates=1, padding="SAME"):
    attrs = dict(strides=[1, strides, strides, 1], rates=[1, rates, rates, 1], padding=padding)
    unit = 1 if np.dtype(dtype if dtype != "bfloat16" else "float32").kind in "iu" else 0.25
    x, w = numbers(shape, dtype, 7, 4 * unit), numbers(filter_shape, dtype, 5, unit)
    wide = [x.astype("float32"), w.astype("float32")]
    y = r._run("Dilation2D", wide, attrs)[0].numpy()
    r.call("Dilation2D", x, w, outputs=[y.astype(x.dtype)], **attrs)
    dy = numbers(y.shape, dtype, 3, unit)
    for op in ["Dilation2DBackpropInput", "Dilation2DBackpropFilter"]:
        dx = r._run(op, [*wide, dy.astype("float32")], attrs)[0].numpy()
        r.call(op, x, w, dy, outputs=[dx.astype(x.dtype)], **attrs)


def record(r):
    for dtype in REAL:
        all_ops(r, (1, 3, 2, 1), (2, 2, 1), dtype)
    for dtype in FLOATS:
        all_ops(r, (2, 3, 3, 1), (2, 2, 1), dtype, padding="VALID")
    all_ops(r, (1, 3, 4, 2), (2, 2, 2), "float64", strides=2)
    all_ops(r, (1, 5, 4, 1), (2, 2, 1), "float64", rates=2)
    all_ops(r, (1, 5, 4, 1), (2, 1, 1), "float64", rates=3, strides=2, padding="VALID")
    ones = dict(strides=[1] * 4, rates=[1] * 4, padding="SAME")
    for shape in [(0, 2, 2, 1), (1, 0, 2, 1)]:
        empty, w = np.zeros(shape, "float32"), np.ones((2, 2, 1), "float32")
        r.call("Dilation2D", empty, w, outputs=[empty], **ones)
        r.call("Dilation2DBackpropInput", empty, w, empty, outputs=[empty], **ones)
        r.call("Dilation2DBackpropFilter", empty, w, empty, outputs=[w * 0], **ones)
    # All elements of a window are padding; NaN is never the greatest.
    x, w = array([[[[3]]]], "float64"), array([[[0.5]], [[0.25]]], "float64")
    apart = dict(ones, rates=[1, 2, 1, 1])
    lowest = np.finfo("float64").min
    r.call("Dilation2D", x, w, outputs=[x * 0 + lowest], gradient=[], **apart)
    r.call("Dilation2DBackpropInput", x, w, x, outputs=[x * 0], **apart)
    nan = array([[[[float("nan")], [1]]]], "float32")
    r.call("Dilation2D", nan, array([[[0], [0]]], "float32"),
           outputs=[array([[[[1], [1]]]], "float32")], **ones)
    x, w = numbers((1, 3, 3, 2), "float32", 7, 1), numbers((2, 2, 2), "float32", 5, 1)
    r.error("Dilation2D", x[0], w, says="rank 4", **ones)
    r.error("Dilation2D", x, w[0], says="rank 3", **ones)
    r.error("Dilation2D", x, w[..., :1], says="channels", **ones)
    r.error("Dilation2D", x, w[:0], says="must not be empty", **ones)
    r.error("Dilation2D", x, w, says="rates", **dict(ones, rates=[1, 0, 1, 1]))
    r.error("Dilation2D", x, w, says="strides", **dict(ones, strides=[1, -2, 1, 1]))
    r.error("Dilation2D", x, w, says="channels", **dict(ones, rates=[1, 1, 1, 2]))
    r.error("Dilation2D", x, w, says="padding", **dict(ones, padding="EXPLICIT"))
    for op in ["Dilation2DBackpropInput", "Dilation2DBackpropFilter"]:
        r.error(op, x, w, x[:, :2], says="[1,3,3,2]", **ones)
        r.error(op, x, w, x[0], says="[1,3,3,2]", **ones)
