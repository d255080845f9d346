import numpy as np
from recorder import array


def resampled(data, warp):
    """Between the four pixels around each place, those outside of the image being 0."""
    height, width, channels = data.shape[1:]
    padded = np.pad(data, [(0, 0), (1, 1), (1, 1), (0, 0)])
    places = warp.reshape(len(warp), -1, 2)
    out = np.zeros((*places.shape[:2], channels), data.dtype)
    for b, i in np.ndindex(*places.shape[:2]):
        x, y = places[b, i]
        if not (-1 < x < width and -1 < y < height):
            continue
        left, above = int(np.floor(x)), int(np.floor(y))
        right, below = x - left, y - above
        near = padded[b, above + 1:above + 3, left + 1:left + 3]
        rows = near[:, 0] * (1 - right) + near[:, 1] * right
        out[b, i] = rows[0] * (1 - below) + rows[1] * below
    return out.reshape(*warp.shape[:-1], channels)


def record(r):
    random = np.random.default_rng(3)
    data = random.normal(size=(2, 4, 5, 3))
    warp = random.uniform(-0.9, 4.4, size=(2, 6, 2))
    for dtype in ["float32", "float64"]:
        d, w = array(data, dtype), array(warp, dtype)
        r.call("Resampler", d, w, outputs=[resampled(d, w)], tolerance=1e-5)
    halves = array(np.round(data * 4) / 4, "float16"), array(np.round(warp * 4) / 4, "float16")
    r.call("Resampler", *halves,
           outputs=[resampled(*(h.astype("float32") for h in halves)).astype("float16")],
           tolerance=1e-2)
    far = array([[[-1, 0], [5, 2], [2, 4], [2, -1.5], [np.nan, 1], [4.5, 3.5], [np.inf, 0]]] * 2,
                "float32")
    r.call("Resampler", array(data, "float32"), far,
           outputs=[resampled(array(data, "float32"), far)], tolerance=1e-5)
    grid = array(random.uniform(0, 3, size=(2, 2, 3, 2)), "float32")
    r.call("Resampler", array(data, "float32"), grid,
           outputs=[resampled(array(data, "float32"), grid)], tolerance=1e-5)
    empty = array(np.zeros((2, 0, 2)), "float32")
    r.call("Resampler", array(data, "float32"), empty, outputs=[np.zeros((2, 0, 3), "float32")])
    nothing = array(np.zeros((0, 4, 5, 3)), "float32"), array(np.zeros((0, 6, 2)), "float32")
    r.call("Resampler", *nothing, outputs=[np.zeros((0, 6, 3), "float32")])
    one = array(data, "float32")
    r.call("ResamplerGrad", one, far, array(np.ones((2, 7, 3)), "float32"),
           outputs=gradients(one, far), tolerance=1e-4, gradient=[])
    r.error("Resampler", one[0], far, says="[batch,height,width,channels]", code="Unimplemented")
    r.error("Resampler", one, far[:1], says="same")
    r.error("Resampler", one, array(np.zeros((2, 6, 3)), "float32"), says="two coordinates",
            code="Unimplemented")
    r.error("Resampler", one, array([2, 2], "float32"), says="matrix")
    r.error("ResamplerGrad", one, far, array(np.ones((2, 7, 2)), "float32"), says="grad_output")


def gradients(data, warp):
    """By differences of the sum of all samples, which is linear in each pixel."""
    d_data, d_warp = np.zeros_like(data), np.zeros_like(warp)
    wide, places, step = data.astype("float64"), warp.astype("float64"), 1e-4
    base = np.nan_to_num(resampled(wide, places)).sum()
    for at in np.ndindex(*data.shape):
        more = wide.copy()
        more[at] += 1
        d_data[at] = np.nan_to_num(resampled(more, places)).sum() - base
    for at in np.ndindex(*warp.shape):
        if not -1 < places[at[0], at[1]][0] < 5 or not -1 < places[at[0], at[1]][1] < 4:
            continue
        more = places.copy()
        more[at] += step
        d_warp[at] = (resampled(wide, more)[at[:2]].sum() -
                      resampled(wide, places)[at[:2]].sum()) / step
    return [d_data, d_warp]
