import numpy as np

from recorder import array

DTYPES = ["float32", "float64", "int32", "int64"]
BORDERS = (np.array([0, 1, 3, 4], "int64"), np.array([0, 2, 3, 5, 6], "int64"))


def permuted(shape, dtype, step=7):
    """Numbers that all differ; floats are small, for the sake of central differences."""
    count = int(np.prod(shape))
    while np.gcd(step, count) != 1:
        step += 1
    values = (np.arange(count) * step) % count - count // 2
    return array((values / 16 if "float" in dtype else values).reshape(shape), dtype)


def windows(borders, size, overlapping):
    for begin, end in zip(borders, borders[1:]):
        yield slice(begin, min(end + overlapping, size))


def record_pools(r):
    """A seed draws TensorFlow's numbers, from its start in each step."""
    for op in ["FractionalMaxPool", "FractionalAvgPool"]:
        for dtype in DTYPES:
            x = permuted((1, 5, 4, 2), dtype)
            r.call(op, x, pooling_ratio=[1.0, 1.5, 2.0, 1.0], deterministic=True, seed=3,
                   gradient=[])
        for seeds in [dict(seed=1), dict(seed2=7), dict(seed=-5, seed2=2**40 + 3)]:
            for shape, ratios in [
                ((2, 13, 7, 1), [1.0, 1.44, 1.73, 1.0]),
                ((1, 6, 23, 2), [1.0, 1.0, 3.3, 1.0]),
            ]:
                for pseudo_random in [False, True]:
                    for overlapping in [False, True]:
                        r.call(op, permuted(shape, "float64"), pooling_ratio=ratios,
                               deterministic=True, pseudo_random=pseudo_random,
                               overlapping=overlapping, **seeds)
        x = permuted((1, 4, 4, 1), "float32")
        good = dict(pooling_ratio=[1.0, 2.0, 2.0, 1.0], deterministic=True, seed=1)
        r.error(op, x, says="4 numbers", **dict(good, pooling_ratio=[1.0, 2.0, 2.0, 1.0, 1.0]))
        r.error(op, x, says="smaller than 1", **dict(good, pooling_ratio=[1.0, 0.5, 2.0, 1.0]))
        r.error(op, x, says="higher than input", **dict(good, pooling_ratio=[1.0, 5.0, 2.0, 1.0]))
        r.error(op, x[:0], says="dimension 0", **good)
        r.error(op, x[0], says="rank", **good)
        r.error(op, x, says="seed", **dict(good, deterministic=False))
        x = permuted((2, 2, 2, 2), "float32")
        for ratios in [[2.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 2.0]]:
            r.error(op, x, says="1 for the batch", code="Unimplemented",
                    **dict(good, pooling_ratio=ratios))


def record_gradients(r):
    rows, columns = BORDERS
    shape, pooled = (2, 4, 6, 2), (2, 3, 4, 2)
    for dtype in DTYPES:
        x, dy = permuted(shape, dtype), permuted(pooled, dtype, 5)
        for overlapping in [False, True]:
            y = np.zeros(pooled, dtype)
            for i, h in enumerate(windows(rows, 4, overlapping)):
                for j, w in enumerate(windows(columns, 6, overlapping)):
                    y[:, i, j] = x[:, h, w].max(axis=(1, 2))
            r.call("FractionalMaxPoolGrad", x, y, dy, rows, columns, overlapping=overlapping)
            r.call("FractionalAvgPoolGrad", np.array(shape, "int64"), dy, rows, columns,
                   overlapping=overlapping)
    x = array(np.ones((1, 2, 2, 1)), "float32")
    two = np.array([0, 2], "int64")
    # Of equal elements the first is the greatest.
    r.call("FractionalMaxPoolGrad", x, x[:, :1, :1], 3 * x[:, :1, :1], two, two,
           outputs=[array([[[[3], [0]], [[0], [0]]]], "float32")])
    record_gradient_errors(r)


def record_gradient_errors(r):
    x, y = permuted((1, 4, 4, 2), "float32"), permuted((1, 2, 2, 2), "float32")
    shape, good = np.array(x.shape, "int64"), np.array([0, 2, 4], "int64")
    wrong = [([0, -1, 4], "negative"), ([0, 2, 5], "at most 4"), ([0, 2, 2], "ascend"),
             ([3, 2, 4], "ascend"), ([0, 4], "[3]"), ([[0, 2, 4]], "[3]"),
             ([0, 2**62, 4], "at most")]
    for op, inputs in [("FractionalMaxPoolGrad", (x, y, y)), ("FractionalAvgPoolGrad", (shape, y))]:
        for bad, says in wrong:
            r.error(op, *inputs, np.array(bad, "int64"), good, says=says)
            r.error(op, *inputs, good, np.array(bad, "int64"), says=says)
    r.error("FractionalMaxPoolGrad", x, x, y, good, good, says="[1,2,2,2]")
    r.error("FractionalMaxPoolGrad", x, y[..., :1], y[..., :1], good, good, says="channels")
    r.error("FractionalMaxPoolGrad", x[0], y, y, good, good, says="rank 4")
    r.error("FractionalAvgPoolGrad", shape[:3], y, good, good, says="rank 4")
    r.error("FractionalAvgPoolGrad", shape, y[0], good, good, says="rank 4")
    r.error("FractionalAvgPoolGrad", np.array([2, 4, 4, 2], "int64"), y, good, good, says="batch")


def record(r):
    record_pools(r)
    record_gradients(r)
