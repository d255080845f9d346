import numpy as np
from recorder import FLOATS, REAL, array


def permuted(shape, dtype, step=7):
    """Numbers that all differ."""
    count = int(np.prod(shape))
    while count and np.gcd(step, count) != 1:
        step += 1
    values = (np.arange(count) * step) % max(1, count)
    return array((values - (0 if "u" in dtype else count // 2)).reshape(shape), dtype)


def spread(number, rank):
    return [1] + (list(number) if isinstance(number, tuple) else [number] * (rank - 2)) + [1]


def channels_first(value):
    return np.moveaxis(value, -1, 1)


def record_call(r, op, inputs, attrs, first=False, images=(), sizes=(), gradient=None):
    """The call in either layout; TensorFlow computes it with channels last, and as float32 where it
    has no kernel for the dtype."""
    wide = [v.astype("float32") if v.dtype == "float64" and "3D" in op else v for v in inputs]
    try:
        answers = [v.numpy() for v in r._run(op, wide, attrs)]
    except Exception:  # no kernel for that 16-bit float
        wide = [v.astype("float32") if v.dtype.kind in "fV" else v for v in inputs]
        answers = [v.numpy() for v in r._run(op, wide, attrs)]
    dtype = next(inputs[i].dtype for i in images)
    answers = [v.astype(dtype) if v.dtype.kind in "fV" else v for v in answers]
    if first:
        rank = inputs[images[0]].ndim
        order = [0, rank - 1, *range(1, rank - 1)]
        inputs = [channels_first(v) if i in images else v[order] if i in sizes else v
                  for i, v in enumerate(inputs)]
        attrs = {k: [v[i] for i in order] if k in ("ksize", "strides") else v
                 for k, v in attrs.items()}
        attrs["data_format"] = "NCHW" if rank == 4 else "NCDHW"
        answers = [channels_first(v) for v in answers]
    r.call(op, *inputs, outputs=answers, gradient=gradient, **attrs)
    return answers


def max_pools(r, shape, dtype, ksize, strides, padding, first=False, v2=False, all_ops=True):
    rank = len(shape)
    name = "MaxPool" if rank == 4 else "MaxPool3D"
    x = permuted(shape, dtype)
    attrs = {"ksize": spread(ksize, rank), "strides": spread(strides, rank), "padding": padding}
    y = r._run(name, [x.astype("float32")], attrs)[0].numpy().astype(x.dtype)
    extra = []
    if v2:
        extra = [np.array(attrs.pop("ksize"), "int32"), np.array(attrs.pop("strides"), "int32")]
    version = "V2" if v2 else ""
    record_call(r, name + version, [x, *extra], attrs, first, (0,), (1, 2))
    if not all_ops:
        return
    dy, dx = permuted(y.shape, dtype, 5), permuted(shape, dtype, 11)
    record_call(r, name + "Grad" + version, [x, y, dy, *extra], attrs, first, (0, 1, 2), (3, 4))
    record_call(r, name + "GradGrad" + version, [x, y, dx, *extra], attrs, first, (0, 1, 2), (3, 4))


def average_pools(r, shape, dtype, ksize, strides, padding, first=False):
    rank = len(shape)
    name = "AvgPool" if rank == 4 else "AvgPool3D"
    x = permuted(shape, dtype)
    attrs = {"ksize": spread(ksize, rank), "strides": spread(strides, rank), "padding": padding}
    record_call(r, name, [x], attrs, first, (0,))
    y_shape = r._run(name, [x.astype("float32")], attrs)[0].shape
    dy = permuted(y_shape, dtype, 5)
    record_call(r, name + "Grad", [np.array(shape, "int32"), dy], attrs, first, (1,), (0,))


def record_flat(r):
    for dtype in REAL:
        if dtype in ["uint32", "uint64"]:
            continue
        max_pools(r, (1, 3, 3, 2), dtype, 2, 1, "VALID")
    for dtype in ["uint32", "uint64"]:
        x = permuted((1, 2, 2, 1), dtype)
        attrs = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
        r.call("MaxPoolGrad", x, x[:, :1, :1], x[:, :1, :1] + x.dtype.type(3),
               outputs=[np.where(x == 3, 3, 0).astype(dtype)], **attrs)
    for first in [False, True]:
        for ksize, strides, padding in [(2, 2, "SAME"), ((3, 2), (1, 2), "SAME"), (1, 2, "SAME")]:
            max_pools(r, (2, 4, 3, 1), "float64", ksize, strides, padding, first)
        average_pools(r, (1, 3, 4, 2), "float64", (3, 2), (1, 2), "SAME", first)
        max_pools(r, (1, 3, 3, 2), "float64", 2, 1, "VALID", first, v2=True)
    max_pools(r, (1, 3, 3, 2), "float64", 5, 1, "SAME")
    for dtype in FLOATS:
        average_pools(r, (1, 3, 3, 2), dtype, 2, 1, "VALID")
    average_pools(r, (2, 5, 5, 1), "float32", (3, 2), 2, "SAME")


def record_special(r):
    pool = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    # Of equal elements the first is the greatest.
    x = array(np.ones((1, 3, 3, 1)), "float32")
    y, dy = x[:, :2, :2], permuted((1, 2, 2, 1), "float32")
    for inputs in [(x, y, dy), (x, y, permuted((1, 3, 3, 1), "float32"))]:
        r.call("MaxPoolGrad" if inputs[2] is dy else "MaxPoolGradGrad", *inputs, **pool)
    nan = float("nan")
    x = array([[[[1], [nan], [2]], [[3], [0], [4]]]], "float32")
    r.call("MaxPool", x, outputs=[array([[[[nan], [nan]]]], "float32")], **pool)
    r.call("MaxPoolGrad", x, array([[[[nan], [nan]]]], "float32"), array([[[[5], [6]]]], "float32"),
           outputs=[array([[[[0], [11], [0]], [[0], [0], [0]]]], "float32")], **pool)
    low = array(np.full((1, 2, 2, 1), -np.inf), "float32")
    r.call("MaxPool", low, outputs=[low[:, :1, :1]], **pool)
    # Over channels.
    x = permuted((1, 2, 1, 6), "float64")
    channels = dict(ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")
    y = r._run("MaxPool", [x.astype("float32")], channels)[0].numpy().astype("float64")
    r.call("MaxPool", x, outputs=[y], **channels)
    first = dict(ksize=[1, 3, 1, 1], strides=[1, 3, 1, 1], padding="VALID", data_format="NCHW")
    r.call("MaxPool", channels_first(x), outputs=[channels_first(y)], **first)
    expected = np.zeros((1, 2, 1, 6))
    for row in range(2):
        for part in range(2):
            at = 3 * part + np.argmax(x[0, row, 0, 3 * part:3 * part + 3])
            expected[0, row, 0, at] = 1 + part
    dy = array([[[[1, 2]], [[1, 2]]]], "float64")
    r.call("MaxPoolGrad", x, y, dy, outputs=[expected], **channels)
    # Nothing to pool.
    empty = np.zeros((0, 3, 3, 2), "float32")
    r.call("MaxPool", empty, outputs=[empty[:, 1:, 1:]], **pool)
    r.call("AvgPool", empty, outputs=[empty[:, 1:, 1:]], **pool)
    r.call("MaxPoolGrad", empty, empty[:, 1:, 1:], empty[:, 1:, 1:], outputs=[empty], **pool)
    shape = np.array([0, 3, 3, 2], "int32")
    r.call("AvgPoolGrad", shape, empty[:, 1:, 1:], outputs=[empty], **pool)
    narrow = np.zeros((1, 3, 3, 0), "float32")
    r.call("MaxPool", narrow, outputs=[narrow[:, 1:, 1:]], **pool)
    flat = np.zeros((1, 0, 3, 2), "float32")
    same = dict(pool, padding="SAME")
    r.call("MaxPool", flat, outputs=[flat], **same)
    r.call("AvgPool", flat, outputs=[flat], **same)
    many = np.zeros((2**40, 0, 3, 2), "float32")
    r.call("MaxPool", many, outputs=[many], **same)
    r.call("AvgPool", many, outputs=[many], **same)
    r.call("MaxPool", np.ones((1, 1, 3, 1), "float32"), outputs=[np.ones((1, 0, 2, 1), "float32")],
           **pool)


def record_argmax(r):
    for dtype in ["float32", "float64", "float16", "bfloat16", "int32", "uint8"]:
        for index in ["int32", "int64"]:
            for counts in [False, True]:
                x = permuted((2, 3, 2, 2), dtype)
                attrs = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 2, 1], padding="SAME",
                             include_batch_in_index=counts)
                y, argmax = (v.numpy() for v in r._run(
                    "MaxPoolWithArgmax", [x.astype("float32")], dict(attrs, Targmax=index)))
                r.call("MaxPoolWithArgmax", x, outputs=[y.astype(x.dtype), argmax], Targmax=index,
                       **attrs)
                dy = permuted(y.shape, dtype, 5)
                dx = r._run("MaxPoolGradWithArgmax",
                            [x.astype("float32"), dy.astype("float32"), argmax.astype("int64")],
                            attrs)[0].numpy()
                r.call("MaxPoolGradWithArgmax", x, dy, argmax, outputs=[dx.astype(x.dtype)],
                       **attrs)
                images = np.zeros(1, "int64") if counts else np.arange(2) * 12
                at = argmax.astype("int64") + images.reshape(-1, 1, 1, 1)
                r.call("MaxPoolGradGradWithArgmax", x, x, argmax, outputs=[x.reshape(-1)[at]],
                       **attrs)
    x, y = permuted((1, 2, 2, 1), "float32"), permuted((1, 1, 1, 1), "float32")
    attrs = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    for wrong in [-1, 4, 2**40]:
        at = np.full((1, 1, 1, 1), wrong, "int64")
        r.error("MaxPoolGradWithArgmax", x, y, at, says="[0, 4)", **attrs)
        r.error("MaxPoolGradGradWithArgmax", x, x, at, says="[0, 4)", **attrs)
    at = np.zeros((1, 1, 1, 2), "int64")
    r.error("MaxPoolGradWithArgmax", x, y, at, says="[1,1,1,2]", **attrs)
    r.error("MaxPoolGradWithArgmax", x, x, at[..., :1], says="[1,2,2,1]", **attrs)


def record_volumes(r):
    for dtype in FLOATS:
        max_pools(r, (1, 2, 3, 2, 1), dtype, 2, 1, "VALID")
        average_pools(r, (1, 2, 3, 2, 1), dtype, 2, 1, "VALID")
    for first in [False, True]:
        max_pools(r, (1, 3, 2, 2, 2), "float64", (2, 1, 2), 2, "SAME", first)
        average_pools(r, (1, 3, 2, 2, 2), "float64", (2, 1, 2), 2, "SAME", first)


def record_errors(r):
    x, y = permuted((1, 3, 3, 2), "float32"), permuted((1, 2, 2, 2), "float32")
    good = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    for op in ["MaxPool", "AvgPool"]:
        for wrong in [[2, 1, 1, 1], [1, 0, 1, 1], [1, 1, -1, 1], [1, 2**40, 1, 1]]:
            r.error(op, x, says="ksize", **dict(good, ksize=wrong))
            r.error(op, x, says="strides", **dict(good, strides=wrong))
        r.error(op, x, says="strides", **dict(good, strides=[1, 1]))
        r.error(op, x, says="padding", **dict(good, padding="EXPLICIT"))
        r.error(op, x, says="does not fit", **dict(good, ksize=[1, 5, 1, 1]))
        r.error(op, x[0], says="rank 4", **good)
        r.error(op, x, says="channels", **dict(good, ksize=[1, 1, 1, 2]))
    r.error("MaxPool", x, says="multiple", **dict(good, ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3]))
    r.error("MaxPool", x, says="positions", **dict(good, ksize=[1, 2, 1, 2], strides=[1, 1, 1, 2]))
    r.error("MaxPoolGrad", x, x, y, says="[1,2,2,2]", **good)
    r.error("MaxPoolGrad", x, y, x, says="[1,2,2,2]", **good)
    r.error("MaxPoolGradGrad", x, x, y, says="[1,2,2,2]", **good)
    r.error("AvgPoolGrad", np.array([1, 3, 3], "int32"), y, says="rank 4", **good)
    r.error("AvgPoolGrad", np.array([1, 3, -3, 2], "int32"), y, says="-3", **good)
    for op, inputs in [("MaxPoolV2", [x]), ("MaxPoolGradV2", [x, y, y])]:
        ones, sizes = np.ones(4, "int32"), np.array([1, 2, 2, 1], "int32")
        r.error(op, *inputs, sizes[:3], ones, padding="VALID", says="ksize")
        r.error(op, *inputs, sizes, ones * 0, padding="VALID", says="strides")
        r.error(op, *inputs, sizes, ones[:2], padding="VALID", says="strides")
        r.error(op, *inputs, sizes, ones.reshape(2, 2), padding="VALID", says="[2,2]")


def record(r):
    record_flat(r)
    record_special(r)
    record_argmax(r)
    record_volumes(r)
    record_errors(r)
