import itertools

import numpy as np
import tensorflow as tf
from recorder import FLOATS, array

KINDS = {
    "Conv2D": ["Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"],
    "Depthwise": ["DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
                  "DepthwiseConv2dNativeBackpropFilter"],
    "Conv3D": ["Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"],
}


def varied(shape, seed=0):
    """Short numbers, so that files are small."""
    count = int(np.prod(shape))
    return (((np.arange(count) * 7 + 3 + seed) * 11 % 23 - 11) / 8.0).reshape(shape)


class Sizes:
    """The places of windows over images with channels last."""

    def __init__(self, x_shape, w_shape, strides, dilations, padding, explicit):
        rank = len(x_shape) - 2
        self.kernel = w_shape[:rank]
        self.strides, self.dilations = strides[1:-1], dilations[1:-1]
        self.pads, self.out = [], []
        for i in range(rank):
            size, span = x_shape[1 + i], (self.kernel[i] - 1) * self.dilations[i] + 1
            pads = (0, 0)
            if padding == "SAME":
                out = -(-size // self.strides[i])
                missing = max(0, (out - 1) * self.strides[i] + span - size)
                pads = (missing // 2, missing - missing // 2)
            elif padding == "EXPLICIT":
                pads = tuple(explicit[2 + 2 * i:4 + 2 * i])
            self.pads.append(pads)
            self.out.append((size + sum(pads) - span) // self.strides[i] + 1)

    def slices(self, tap):
        return (slice(None),) + tuple(
            slice(k * d, k * d + (n - 1) * s + 1, s)
            for k, d, n, s in zip(tap, self.dilations, self.out, self.strides))


def convolve(which, x, w, y, sizes, groups):
    """One of three passes: 0 from x and w, 1 from w and y, 2 from x and y."""
    padded = np.pad(x.astype("float64"), [(0, 0)] + sizes.pads + [(0, 0)])
    inputs = x.shape[-1] // groups
    outputs = int(np.prod(w.shape[len(sizes.kernel):])) // inputs // groups
    result_w = np.zeros(sizes.kernel + (inputs, groups, outputs))
    factors = w.astype("float64").reshape(result_w.shape)
    y = np.zeros((x.shape[0], *sizes.out, groups, outputs)) if which == 0 else (
        y.astype("float64").reshape((x.shape[0], *sizes.out, groups, outputs)))
    if which == 1:
        padded = np.zeros_like(padded)
    for tap in itertools.product(*(range(k) for k in sizes.kernel)):
        at = sizes.slices(tap)
        part = padded[at].reshape(y.shape[:-1] + (inputs,))
        if which == 0:
            y += np.einsum("...gi,igo->...go", part, factors[tap])
        elif which == 1:
            padded[at] += np.einsum("...go,igo->...gi", y, factors[tap]).reshape(padded[at].shape)
        else:
            result_w[tap] += np.einsum("pgi,pgo->igo", part.reshape(-1, *part.shape[-2:]),
                                       y.reshape(-1, *y.shape[-2:]))
    if which == 0:
        return y.reshape(y.shape[:-2] + (groups * outputs,))
    if which == 2:
        return result_w.reshape(w.shape)
    inner = tuple(slice(p[0], p[0] + n) for p, n in zip(sizes.pads, x.shape[1:-1]))
    return padded[(slice(None), *inner)]


def channels_first(value):
    return np.moveaxis(value, -1, 1)


def passes(r, kind, x_shape, w_shape, dtype="float32", strides=1, dilations=1, padding="SAME",
           explicit=None, first=False, which=(0, 1, 2), gradient=None, cudnn=None):
    """Records all three passes of a convolution, with shapes of channels last."""
    rank = len(x_shape)
    spread = lambda n: [1] + (list(n) if isinstance(n, tuple) else [n] * (rank - 2)) + [1]
    strides, dilations = spread(strides), spread(dilations)
    sizes = Sizes(x_shape, w_shape, strides, dilations, padding, explicit)
    groups = x_shape[-1] if kind == "Depthwise" else max(1, x_shape[-1] // max(1, w_shape[-2]))
    x, w = array(varied(x_shape), dtype), array(varied(w_shape, 5), dtype)
    y_shape = (x_shape[0], *sizes.out,
               w_shape[-1] * w_shape[-2] if kind == "Depthwise" else w_shape[-1])
    y = array(varied(y_shape, 9), dtype)
    for i in which:
        has_products = x.size and w.size and y.size
        expected = array(convolve(i, x, w, y, sizes, groups) if has_products
                         else np.zeros([y_shape, x_shape, w_shape][i]), dtype)
        attrs = dict(strides=strides, padding=padding, use_cudnn_on_gpu=cudnn)
        if dilations != [1] * rank:
            attrs["dilations"] = dilations
        given = [x, w, y]
        if first:
            given = [channels_first(x), w, channels_first(y)]
            expected = channels_first(expected) if i < 2 else expected
            attrs["data_format"] = "NCHW" if rank == 4 else "NCDHW"
            order = [0, rank - 1, *range(1, rank - 1)]
            attrs["strides"] = [attrs["strides"][k] for k in order]
            if "dilations" in attrs:
                attrs["dilations"] = [attrs["dilations"][k] for k in order]
        if explicit:
            first_paddings = explicit[:2] + [0, 0] + explicit[2:-2]
            attrs["explicit_paddings"] = first_paddings if first else explicit
        inputs = given[:2] if i == 0 else given
        if i > 0:
            inputs[i - 1] = np.array(given[i - 1].shape, "int32")
        # TensorFlow's depthwise kernels for the CPU ignore dilations.
        if has_products and not (kind == "Depthwise" and "dilations" in attrs):
            check(KINDS[kind][i], inputs, expected, r, attrs)
        r.call(KINDS[kind][i], *inputs, outputs=[expected], gradient=gradient, **attrs)


def check(op, inputs, expected, r, attrs):
    """TensorFlow, where it has a kernel for that, must say the same."""
    try:
        answer = r._run(op, inputs, {k: v for k, v in attrs.items() if v is not None})[0].numpy()
    except (tf.errors.OpError, LookupError):
        return
    tolerance = {"float16": 2e-2, "bfloat16": 0.2}.get(str(answer.dtype), 1e-5)
    np.testing.assert_allclose(answer.astype("float64"), expected.astype("float64"),
                               rtol=tolerance, atol=tolerance)


def record_flat(r):
    for dtype in FLOATS:
        for padding in ["SAME", "VALID"]:
            passes(r, "Conv2D", (1, 3, 4, 2), (2, 2, 2, 2), dtype, padding=padding)
    passes(r, "Conv2D", (2, 5, 4, 1), (3, 2, 1, 2), strides=(2, 1))
    passes(r, "Conv2D", (1, 6, 7, 1), (2, 3, 1, 1), strides=(3, 2), padding="VALID")
    passes(r, "Conv2D", (1, 4, 5, 1), (1, 1, 1, 2), strides=3)  # steps over inputs
    passes(r, "Conv2D", (1, 5, 4, 1), (2, 2, 1, 1), "float64", dilations=(2, 3))
    passes(r, "Conv2D", (1, 5, 4, 1), (2, 2, 1, 1), "float64", dilations=2, strides=2,
           padding="VALID", cudnn=False)
    paddings = [0, 0, 2, 1, 0, 3, 0, 0]
    passes(r, "Conv2D", (1, 3, 2, 2), (2, 2, 2, 1), "float64", padding="EXPLICIT",
           explicit=paddings)
    passes(r, "Conv2D", (1, 3, 2, 2), (2, 2, 2, 1), padding="EXPLICIT", explicit=paddings,
           strides=2, first=True)
    for dtype in ["float32", "float64", "bfloat16"]:
        passes(r, "Conv2D", (2, 3, 2, 2), (2, 2, 2, 1), dtype, first=True)
    passes(r, "Conv2D", (1, 3, 2, 4), (2, 2, 2, 2), "float64", padding="VALID")  # two groups
    passes(r, "Conv2D", (1, 3, 2, 4), (2, 2, 2, 2), first=True)
    passes(r, "Conv2D", (0, 3, 2, 2), (2, 2, 2, 1))
    passes(r, "Conv2D", (1, 3, 2, 0), (2, 2, 0, 2), padding="VALID")
    passes(r, "Conv2D", (1, 3, 2, 2), (2, 2, 2, 0))
    passes(r, "Conv2D", (1, 2, 2, 2), (3, 1, 2, 1), padding="VALID")  # no window
    passes(r, "Conv2D", (1, 0, 2, 1), (2, 1, 1, 1), padding="EXPLICIT",
           explicit=[0, 0, 2, 2, 0, 0, 0, 0])
    # Large enough for blocks of channels and more than one part.
    for first in [False, True]:
        passes(r, "Conv2D", (2, 5, 5, 8), (3, 3, 8, 8), first=first, strides=2)


def record_others(r):
    for dtype in FLOATS:
        passes(r, "Depthwise", (1, 3, 3, 2), (2, 2, 2, 1), dtype, padding="VALID")
    passes(r, "Depthwise", (2, 4, 3, 3), (2, 3, 3, 2), strides=2)
    passes(r, "Depthwise", (1, 3, 2, 3), (2, 1, 3, 2), "float64", first=True)
    passes(r, "Depthwise", (1, 5, 4, 1), (2, 2, 1, 2), "float64", dilations=2)
    passes(r, "Depthwise", (1, 3, 3, 0), (2, 2, 0, 2))
    passes(r, "Depthwise", (1, 6, 6, 16), (3, 3, 16, 1), which=(0,))
    for dtype in FLOATS:
        passes(r, "Conv3D", (1, 2, 3, 2, 1), (2, 2, 1, 1, 2), dtype)
    passes(r, "Conv3D", (1, 4, 3, 5, 1), (2, 2, 3, 1, 1), strides=(2, 1, 2), padding="VALID")
    passes(r, "Conv3D", (1, 2, 3, 2, 2), (2, 2, 1, 2, 1), "float64", first=True)
    passes(r, "Conv3D", (1, 4, 1, 3, 1), (2, 1, 2, 1, 1), "float64", dilations=2)
    passes(r, "Conv3D", (0, 2, 2, 2, 1), (2, 2, 1, 1, 1))
    passes(r, "Conv3D", (1, 4, 4, 4, 4), (3, 3, 3, 4, 4), which=(0,), strides=2)
    y = array(varied((1, 2, 2, 2, 1)), "float64")
    w = array([[[[[0.5]]]]], "float64")
    r.call("Conv3DBackpropInputV2", np.array([1, 2, 2, 2, 1], "int64"), w, y, strides=[1] * 5,
           padding="SAME")


def record_errors(r):
    x, w = array(varied((1, 3, 4, 2)), "float32"), array(varied((2, 2, 2, 2)), "float32")
    y = array(varied((1, 3, 4, 2)), "float32")
    ones = [1, 1, 1, 1]
    for wrong in [[1, 1], [], [2, 1, 1, 1], [1, 0, 1, 1], [1, -1, 1, 1], [1, 1, 2**40, 1]]:
        r.error("Conv2D", x, w, strides=wrong, padding="SAME", says="strides")
        r.error("Conv2D", x, w, strides=ones, dilations=wrong, padding="SAME", says="dilations")
    r.error("Conv2D", x, w, strides=[1, 1, 1, 2], padding="SAME", says="channels")
    r.error("Conv2D", x, w, strides=ones, padding="FULL", says="padding")
    r.error("DepthwiseConv2dNative", x, w, strides=ones, padding="EXPLICIT", says="padding")
    for wrong in [[], [0] * 6, [1] + [0] * 7, [0, 0, -1, 0, 0, 0, 0, 0]]:
        r.error("Conv2D", x, w, strides=ones, padding="EXPLICIT", explicit_paddings=wrong,
                says="explicit_paddings")
    r.error("Conv2D", x, w, strides=ones, padding="SAME", explicit_paddings=[0] * 8,
            says="explicit_paddings")
    r.error("Conv2D", x[0], w, strides=ones, padding="SAME", says="rank 4")
    r.error("Conv2D", x, w[0], strides=ones, padding="SAME", says="rank 4")
    r.error("Conv2D", x, w[:, :, :0], strides=ones, padding="SAME", says="channels")
    r.error("Conv2D", x[..., :1], w, strides=ones, padding="SAME", says="multiple")
    r.error("Conv2D", x, w[:0], strides=ones, padding="SAME", says="must not be empty")
    r.error("Conv2D", x, np.zeros((5, 1, 2, 1), "float32"), strides=ones, padding="VALID",
            says="does not fit")
    r.error("Conv2D", x, np.zeros((1, 1, 1, 3), "float32"), strides=ones, padding="SAME",
            says="groups")
    r.error("DepthwiseConv2dNative", x[..., :1], w, strides=ones, padding="SAME", says="channels")
    huge = [0, 0, 2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1, 0, 0]
    r.error("Conv2D", x, w, strides=ones, padding="EXPLICIT", explicit_paddings=huge, says="2^48")
    sizes = np.array([1, 3, 4, 2], "int32")
    op = "Conv2DBackpropInput"
    r.error(op, sizes, w, y[:, :2], strides=ones, padding="SAME", says="out_backprop")
    r.error(op, sizes[:3], w, y, strides=ones, padding="SAME", says="rank 4")
    r.error(op, -sizes, w, y, strides=ones, padding="SAME", says="-1")
    r.error(op, sizes, w, y[0], strides=ones, padding="SAME", says="[3,4,2]")
    filter_sizes = np.array([2, 2, 2, 2], "int32")
    op = "Conv2DBackpropFilter"
    r.error(op, x, filter_sizes * 2, y, strides=ones, padding="SAME", says="channels")
    r.error(op, x, filter_sizes[:1], y, strides=ones, padding="SAME", says="rank 4")
    r.error(op, x, filter_sizes, y[..., :1], strides=ones, padding="SAME", says="out_backprop")


def record(r):
    record_flat(r)
    record_others(r)
    record_errors(r)
