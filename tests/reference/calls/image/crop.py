import numpy as np
from recorder import array

DTYPES = ["uint8", "uint16", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
BOXES = array([[0.1, 0.2, 0.7, 0.9], [0.9, 0.8, 0.15, 0.05], [-0.3, 0.2, 1.4, 0.6],
               [0, 0, 1, 1], [1.5, 1.5, 2, 2]], "float32")
OF_IMAGES = array([0, 1, 1, 0, 0], "int32")


def pixels(shape, dtype):
    count = int(np.prod(shape))
    return array((np.arange(count) * 7 % max(1, count)).reshape(shape), dtype)


def ints(*values):
    return array(values, "int32")


def crops(r):
    for dtype in DTYPES:
        x = pixels((2, 3, 4, 1), dtype)
        y = r._run("CropAndResize", [x.astype("float32"), BOXES, OF_IMAGES, ints(2, 3)], {})
        r.call("CropAndResize", x, BOXES, OF_IMAGES, ints(2, 3), outputs=[y[0].numpy()],
               gradient=[], tolerance=1e-5)
    for method in ["bilinear", "nearest"]:
        for size in [ints(1, 1), ints(4, 2), ints(1, 3)]:
            r.call("CropAndResize", pixels((2, 4, 3, 2), "float32"), BOXES, OF_IMAGES, size,
                   method=method, extrapolation_value=-1.5, tolerance=1e-5)
    none = np.zeros((0, 4), "float32")
    x = pixels((2, 4, 3, 2), "float32")
    r.call("CropAndResize", x, none, ints(), ints(2, 2), outputs=[np.zeros((0, 2, 2, 2), "f4")])
    wild = array([[float("nan"), 0, 1, 1], [0, float("-inf"), 1, 1], [0, 0, 1e30, 1e30]], "float32")
    y = np.zeros((3, 2, 1, 1), "float32")
    r.call("CropAndResize", x[..., :1], wild, ints(0, 0, 0), ints(2, 1), outputs=[y])


def gradients(r):
    for method in ["bilinear", "nearest"]:
        for shape in [(5, 2, 3, 2), (5, 1, 1, 2)]:
            dy = pixels(shape, "float32")
            for dtype in ["float16", "float32", "float64"]:
                size = ints(2, 4, 3, 2)
                y = r._run("CropAndResizeGradImage", [dy, BOXES, OF_IMAGES, size],
                           dict(T="float32", method=method))[0].numpy()
                r.call("CropAndResizeGradImage", dy, BOXES, OF_IMAGES, size,
                       outputs=[array(y, dtype)], T=dtype, method=method,
                       tolerance=2e-3 if dtype == "float16" else 1e-5)
    for dtype in DTYPES:
        x, dy = pixels((2, 4, 3, 1), dtype), pixels((5, 2, 3, 1), "float32")
        y = r._run("CropAndResizeGradBoxes", [dy, x.astype("float32"), BOXES, OF_IMAGES], {})
        r.call("CropAndResizeGradBoxes", dy, x, BOXES, OF_IMAGES, outputs=[y[0].numpy()],
               gradient=[], tolerance=1e-5)
    dy = pixels((5, 1, 1, 2), "float32")
    r.call("CropAndResizeGradBoxes", dy, pixels((2, 4, 3, 2), "float32"), BOXES, OF_IMAGES,
           tolerance=1e-5)


def errors(r):
    x = pixels((2, 4, 3, 2), "float32")
    args = [x, BOXES, OF_IMAGES, ints(2, 2)]

    def wrong(index, value, says, code="InvalidArgument"):
        r.error("CropAndResize", *args[:index], value, *args[index + 1:], says=says, code=code)

    wrong(0, x[0], "rank 4")
    wrong(1, BOXES[:, :3], "4")
    wrong(1, BOXES[0], "4")
    wrong(2, OF_IMAGES[:2], "5")
    wrong(2, ints(0, 1, 2, 0, 0), "image 2", "OutOfRange")
    wrong(2, ints(0, 1, -1, 0, 0), "image -1", "OutOfRange")
    wrong(3, ints(2), "2")
    wrong(3, ints(0, 2), "positive")
    wrong(3, ints(2, -2), "positive")
    dy = pixels((5, 2, 3, 2), "float32")
    r.error("CropAndResizeGradImage", dy, BOXES, OF_IMAGES, ints(2, 4, 3, 1), says="channels",
            T="float32")
    r.error("CropAndResizeGradImage", dy, BOXES, OF_IMAGES, ints(1, 4, 3, 2), says="image 1",
            code="OutOfRange", T="float32")
    r.error("CropAndResizeGradImage", dy, BOXES, OF_IMAGES, ints(2, 4, 3), says="[2,4,3]",
            T="float32")
    r.error("CropAndResizeGradImage", dy, BOXES, OF_IMAGES, ints(2, -4, 3, 2), says="-4",
            T="float32")
    r.error("CropAndResizeGradBoxes", dy[:4], x, BOXES, OF_IMAGES, says="5 boxes")
    r.error("CropAndResizeGradBoxes", dy, x[..., :1], BOXES, OF_IMAGES, says="channels")


def record(r):
    crops(r)
    gradients(r)
    errors(r)
