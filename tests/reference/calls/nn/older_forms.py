import numpy as np
from recorder import FLOATS, INTEGERS, array


def varied(shape, dtype="float32"):
    count = int(np.prod(shape))
    return array((np.arange(count) * 7919 % 2003 - 1001).reshape(shape) / 1001, dtype)


def record_products(r):
    a, b = varied([3, 4]), varied([4, 2])
    for left in ["float32", "bfloat16"]:
        for right in ["float32", "bfloat16"]:
            r.call("SparseMatMul", array(a, left), array(b, right), tolerance=1e-5)
    r.call("SparseMatMul", array(a.T, "float32"), array(b.T, "float32"), transpose_a=True,
           transpose_b=True, a_is_sparse=True, b_is_sparse=True)
    r.call("SparseMatMul", a[:0], b)
    r.error("SparseMatMul", a, b.T.copy(), says="inner")
    r.error("SparseMatMul", a[0], b, says="")


def record_convolutions(r):
    # TensorFlow takes rows of the first image for those of later ones: of them
    # tests/capnp/python/graph_defs/older_ops_test.py.
    images, kernel = varied([1, 5, 6, 3]), varied([3, 2, 3, 4])
    paddings = array([[0, 0], [1, 2], [2, 0], [0, 0]], "int32")
    for mode in ["REFLECT", "SYMMETRIC"]:
        for padding in ["SAME", "VALID"]:
            for strides in [[1, 1, 1, 1], [1, 2, 3, 1]]:
                for dtype in ["float32", "float64"]:
                    r.call("FusedPadConv2D", array(images, dtype), paddings, array(kernel, dtype),
                           mode=mode, padding=padding, strides=strides, tolerance=1e-5, gradient=[])
    for align in [False, True]:
        r.call("FusedResizeAndPadConv2D", images, array([8, 4], "int32"), paddings, kernel,
               mode="REFLECT", padding="SAME", strides=[1, 1, 1, 1], resize_align_corners=align,
               tolerance=1e-4)
    r.error("FusedPadConv2D", images, paddings[:3], kernel, mode="REFLECT", padding="SAME",
            strides=[1, 1, 1, 1], says="")
    r.error("FusedPadConv2D", images, paddings, kernel, mode="CONSTANT", padding="SAME",
            strides=[1, 1, 1, 1], says="")
    r.error("FusedPadConv2D", images, paddings, varied([3, 2, 2, 4]), mode="REFLECT",
            padding="SAME", strides=[1, 1, 1, 1], says="")


def record_volumes(r):
    volume, kernel = varied([2, 4, 5, 4, 2]), varied([2, 3, 2, 2, 3])
    for padding, sizes in [("VALID", [2, 3, 3, 3, 3]), ("SAME", [2, 4, 5, 4, 3])]:
        dy = varied(sizes)
        for op, at in [("Conv3DBackpropInput", 0), ("Conv3DBackpropFilter", 1)]:
            like = [volume, kernel]
            newer = list(like)
            newer[at] = array(like[at].shape, "int32")
            outputs = r._run(f"{op}V2", [*newer, dy], {"strides": [1] * 5, "padding": padding})
            r.call(op, *like, dy, strides=[1] * 5, padding=padding, outputs=outputs, tolerance=1e-5)
    r.error("Conv3DBackpropInput", volume, kernel, varied([2, 2, 2, 2, 3]), strides=[1] * 5,
            padding="VALID", says="")


def normalized(t, m, v, beta, gamma, epsilon, scales):
    factor = 1 / np.sqrt(v + epsilon) * (gamma if scales else 1)
    return (t - m) * factor + beta


def record_normalizations(r):
    epsilon = 0.001
    t, dy = varied([2, 3, 2, 4], "float64"), varied([2, 3, 2, 4], "float64")[::-1].copy()
    m, beta, gamma = (varied([4], "float64") * k for k in (1, 2, 3))
    v = np.abs(varied([4], "float64")) + 0.5
    for scales in [True, False]:
        attrs = {"variance_epsilon": epsilon, "scale_after_normalization": scales}
        for dtype in ["float32", "float64"]:
            inputs = [array(each, dtype) for each in (t, m, v, beta, gamma)]
            outputs = [array(normalized(t, m, v, beta, gamma, epsilon, scales), dtype)]
            r.call("BatchNormWithGlobalNormalization", *inputs, outputs=outputs, tolerance=1e-5,
                   **attrs)
        root, axes = 1 / np.sqrt(v + epsilon), (0, 1, 2)
        factor = root * (gamma if scales else 1)
        shares = (dy * (t - m)).sum(axes)
        outputs = [dy * factor, -dy.sum(axes) * factor,
                   shares * -0.5 * root / (v + epsilon) * (gamma if scales else 1), dy.sum(axes),
                   shares * root if scales else np.zeros(4)]
        r.call("BatchNormWithGlobalNormalizationGrad", t, m, v, gamma, dy, outputs=outputs,
               gradient=[], tolerance=1e-6, **attrs)
    r.error("BatchNormWithGlobalNormalization", t, m[:3], v, beta, gamma, says="",
            variance_epsilon=epsilon, scale_after_normalization=True)


def record_images(r):
    images = np.arange(2 * 3 * 4 * 3).reshape(2, 3, 4, 3) % 50
    scalars = [array(number, "float32") for number in (1.5, 4, 40)]
    for dtype in ["uint8", "int8", "int16", "int32", "int64", "float32", "float64"]:
        wide = images.astype("float32")
        means = wide.mean((1, 2), keepdims=True)
        outputs = [np.clip((wide - means) * 1.5 + means, 4, 40).astype("float32")]
        r.call("AdjustContrast", array(images, dtype), *scalars, outputs=outputs, tolerance=1e-5,
               gradient=[])
    r.error("AdjustContrast", array(images[0, 0], "float32"), *scalars, says="")


def record(r):
    for dtype in FLOATS + INTEGERS:
        value, bias = array(np.arange(12).reshape(2, 2, 3), dtype), array([1, 2, 3], dtype)
        r.call("BiasAddV1", value, bias, outputs=[array(value + bias, dtype)])
    r.error("BiasAddV1", varied([2, 3]), varied([2]), says="")
    for axes, name in [(1, "FFT"), (2, "FFT2D"), (3, "FFT3D")]:
        x = array(varied([2, 3, 4, 2]) + 1j * varied([2, 3, 4, 2])[::-1], "complex64")
        along = tuple(range(-axes, 0))
        r.call(f"Batch{name}", x, outputs=[array(np.fft.fftn(x, axes=along), "complex64")],
               tolerance=1e-4)
        r.call(f"BatchI{name}", x, outputs=[array(np.fft.ifftn(x, axes=along), "complex64")],
               tolerance=1e-4)
    record_products(r)
    record_convolutions(r)
    record_volumes(r)
    record_normalizations(r)
    record_images(r)
