import numpy as np
from recorder import FLOATS, array

COLOURS = [[0.5, 0.2, 0.1], [0.1, 0.7, 0.2], [0.2, 0.7, 0.1], [0.3, 0.1, 0.9], [0.1, 0.4, 0.8],
           [0.9, 0.1, 0.6]]
SPECIAL = [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]]


def record(r):
    for dtype in FLOATS:
        for op in ["RGBToHSV", "HSVToRGB"]:
            for colours in [COLOURS, SPECIAL]:
                x = array(colours, dtype)
                y = r._run(op, [x.astype("float64")], {})[0].numpy()
                r.call(op, x, outputs=[y.astype(x.dtype)],
                       gradient=[] if colours is SPECIAL or dtype != "float64" else None)
    for op in ["RGBToHSV", "HSVToRGB"]:
        r.call(op, array(COLOURS, "float32").reshape(1, 2, 3, 3))
        r.call(op, array(COLOURS[0], "float64"))
        r.call(op, np.zeros((0, 3), "float32"))
        r.error(op, array([1, 2], "float32"), says="3 channels")
        r.error(op, array(1, "float32"), says="3 channels")
    for op, factors in [("AdjustHue", [0, 0.3, -0.4, 1, 5.25]),
                        ("AdjustSaturation", [0, 0.5, 1, 3, -1]),
                        ("AdjustContrastv2", [0, 0.5, 1, -2])]:
        x = array(COLOURS + SPECIAL[:6], "float32").reshape(2, 3, 2, 3)
        for factor in factors:
            by = array(factor, "float32")
            r.call(op, x, by, tolerance=5e-6)
        half = x.astype("float16")
        y = r._run(op, [half.astype("float32"), by], {})[0].numpy()
        r.call(op, half, by, outputs=[y.astype("float16")])
        r.call(op, x[0], array(0.5, "float32"), tolerance=5e-6)
        r.call(op, x[:0], array(0.5, "float32"), outputs=[x[:0]])
        r.error(op, x[0, 0], by, says="rank 3")
        r.error(op, x, array([1], "float32"), says="[1]")
        if op != "AdjustContrastv2":
            r.error(op, x[..., :2], by, says="3 channels")
    r.call("AdjustContrastv2", x[..., :1], array(1.5, "float32"), tolerance=5e-6)
    nan = array([[[float("nan"), 0.5, 0.25]]], "float32")
    r.call("AdjustContrastv2", nan, array(2, "float32"))
