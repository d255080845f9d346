import numpy as np
from recorder import array

MODES = [
    dict(align_corners=a, half_pixel_centers=h)
    for a, h in [(False, False), (True, False), (False, True)]
]
DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "int64",
          "float16", "bfloat16", "float32", "float64"]


def pixels(shape, dtype):
    count = int(np.prod(shape))
    return array((np.arange(count) * 7 % max(1, count)).reshape(shape), dtype)


def size(height, width):
    return array([height, width], "int32")


def weighted(r):
    for op in ["ResizeBicubic", "ResizeArea"]:
        for dtype in DTYPES:
            x = pixels((1, 2, 3, 1), dtype)
            for to in [size(3, 2), size(1, 4)]:
                y = r._run(op, [x.astype("float32"), to], {})[0].numpy()
                r.call(op, x, to, outputs=[y], gradient=[], tolerance=1e-4)
        for mode in MODES:
            if op == "ResizeArea":
                mode = dict(align_corners=mode["align_corners"])
            x = pixels((2, 4, 5, 3), "float32")
            for to in [size(6, 7), size(2, 3), size(1, 1), size(4, 5)]:
                r.call(op, x, to, tolerance=1e-4, **mode)
    for mode in MODES:
        for shape in [(1, 5, 3, 2), (1, 1, 2, 2)]:
            for dtype in ["float32", "float64"]:
                x = pixels((1, 3, 2, 2), dtype)
                r.call("ResizeBicubicGrad", pixels(shape, "float32"), x, tolerance=1e-4,
                       gradient=[], **mode)
    # One row, repeated: TensorFlow divides by zero.
    x = array([[[[3], [5]]]], "float32")
    r.call("ResizeArea", x, size(3, 2), outputs=[np.repeat(x, 3, axis=1)], align_corners=True)


def record(r):
    for dtype in DTYPES:
        x = pixels((1, 2, 3, 1), dtype)
        wide = x.astype("float32")
        for to in [size(3, 2), size(1, 4)]:
            y = r._run("ResizeBilinear", [wide, to], {})[0].numpy()
            r.call("ResizeBilinear", x, to, outputs=[y], gradient=[])
            y = r._run("ResizeNearestNeighbor", [wide, to], {})[0].numpy()
            r.call("ResizeNearestNeighbor", x, to, outputs=[y.astype(x.dtype)])
    for mode in MODES:
        x = pixels((2, 3, 4, 2), "float32")
        for to in [size(5, 6), size(2, 3), size(1, 1), size(3, 4)]:
            r.call("ResizeBilinear", x, to, **mode)
            r.call("ResizeNearestNeighbor", x, to, **mode)
        for shape in [(1, 5, 3, 2), (1, 1, 2, 2)]:
            dy = pixels(shape, "float32")
            for dtype in ["float32", "float64"]:
                x = pixels((1, 3, 2, 2), dtype)
                r.call("ResizeBilinearGrad", dy, x, gradient=[], **mode)
            for dtype in ["uint8", "int8", "int32", "float16", "float32", "float64"]:
                r.call("ResizeNearestNeighborGrad", pixels(shape, dtype), size(3, 2),
                       gradient=[], **mode)
        r.call("ResizeNearestNeighbor", pixels((1, 2, 3, 2), "float64"), size(3, 2), **mode)
    weighted(r)
    nan = array([[[[float("nan")], [float("inf")]]]], "float32")
    r.call("ResizeNearestNeighbor", nan, size(1, 3))
    empty = np.zeros((0, 2, 2, 1), "float32")
    for op in ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"]:
        r.call(op, empty, size(3, 3), outputs=[np.zeros((0, 3, 3, 1), "float32")])
        x = pixels((1, 2, 2, 1), "float32")
        r.error(op, x[0], size(2, 2), says="rank 4")
        r.error(op, x, array([2], "int32"), says="2 elements")
        r.error(op, x, size(0, 2), says="positive")
        r.error(op, x, size(2, -1), says="positive")
        r.error(op, x[:, :0], size(2, 2), says="must not be empty")
        if op != "ResizeArea":
            r.error(op, x, size(2, 2), says="both", align_corners=True, half_pixel_centers=True)
    for op in ["ResizeBilinearGrad", "ResizeBicubicGrad"]:
        r.error(op, x, np.concatenate([x, x]), says="batch")
        r.error(op, x[0], x, says="rank 4")
    scaled_and_translated(r)


KERNELS = ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic",
           "mitchellcubic"]


def scaled_and_translated(r):
    def floats(*values):
        return array(list(values), "float32")

    for kernel in KERNELS:
        for antialias in [True, False]:
            how = {"kernel_type": kernel, "antialias": antialias}
            for to, scale, shift in [((3, 7), (0.5, 1.75), (0, 0)), ((6, 4), (1, 1), (1.3, -0.7)),
                                     ((2, 9), (0.21, 3), (4, 0))]:
                x = pixels((2, 5, 4, 3), "float32")
                r.call("ScaleAndTranslate", x, size(*to), floats(*scale), floats(*shift),
                       tolerance=2e-5, **how)
                dy = pixels((2, *to, 3), "float32")
                r.call("ScaleAndTranslateGrad", dy, x, floats(*scale), floats(*shift),
                       tolerance=5e-5, gradient=[], **how)
    one, none = floats(1, 1), floats(0, 0)
    for dtype in ["int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "bfloat16",
                  "float64"]:
        r.call("ScaleAndTranslate", pixels((1, 3, 2, 1), dtype), size(2, 3), floats(0.7, 1.5), none,
               tolerance=1e-4, gradient=[])
    x = pixels((1, 2, 2, 1), "float32")
    r.error("ScaleAndTranslate", x, size(2, 2), floats(0, 1), none, says="greater than zero")
    r.error("ScaleAndTranslate", x, size(2, 2), floats(1), none, says="two elements")
    r.error("ScaleAndTranslate", x, size(2, 2), one, floats(1), says="two elements")
    r.error("ScaleAndTranslate", x, size(2, 2), one, none, kernel_type="sinc", says="sinc")
    r.error("ScaleAndTranslate", x[0], size(2, 2), one, none, says="rank 4")
    r.error("ScaleAndTranslateGrad", x, x, floats(-1, 1), none, says="greater than zero")
