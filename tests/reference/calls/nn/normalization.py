import numpy as np
from recorder import FLOATS, array

NAN = float("nan")


def images(shape, dtype, seed=0):
    count = int(np.prod(shape))
    return array((((np.arange(count) * 7 + seed) * 11 % 29 - 13) / 4.0).reshape(shape), dtype)


def channels_first(value):
    return np.moveaxis(value, -1, 1)


def vectors(dtype, channels=2):
    scale = array([1.5, -0.5, 2.0][:channels], dtype)
    offset = array([0.25, 3.0, -1.0][:channels], dtype)
    mean = array([0.5, -1.0, 2.0][:channels], dtype)
    variance = array([2.0, 0.75, 4.0][:channels], dtype)
    return scale, offset, mean, variance


def normalized(x, scale, offset, mean, variance, epsilon, is_training):
    """The outputs, computed as doubles: y, mean, variance of a population, mean, variance."""
    x, scale, offset = (v.astype("float64") for v in (x, scale, offset))
    of_population = variance
    if is_training:
        axes, count = (0, 1, 2), x[..., 0].size
        mean, variance = x.mean(axes), x.var(axes)
        of_population = variance * count / max(1, count - 1)
    y = (x - mean) / np.sqrt(variance + epsilon) * scale + offset
    return [y, mean, of_population, mean, variance]


def gradients(dy, x, scale, mean, variance, epsilon, is_training):
    dy, x, scale = (v.astype("float64") for v in (dy, x, scale))
    factor = 1 / np.sqrt(variance.astype("float64") + epsilon)
    unit = (x - mean) * factor
    axes = (0, 1, 2)
    d_scale, d_offset = (dy * unit).sum(axes), dy.sum(axes)
    dx = scale * factor * dy
    if is_training:
        count = x[..., 0].size
        dx = scale * factor * (dy - d_offset / count - unit * d_scale / count)
    return [dx, d_scale, d_offset]


def check(r, op, inputs, attrs, expected):
    """TensorFlow, where it has a kernel for that dtype, must say the same."""
    if inputs[0].dtype == "float64" or inputs[2].dtype == "float64":
        return
    answers = r._run(op, inputs, attrs)
    tolerance = {"float16": 5e-3, "bfloat16": 4e-2}.get(str(inputs[0].dtype), 2e-5)
    # TensorFlow leaves the reserved statistics unset where they are not computed.
    last = 5 if attrs["is_training"] else 3
    for answer, value in zip(answers[:last], expected):
        np.testing.assert_allclose(answer.numpy().astype("float64"), value.astype("float64"),
                                   rtol=tolerance, atol=tolerance)


def batch_norm(r, version, shape, dtype, statistics, is_training, first=False, epsilon=None):
    x = images(shape, dtype)
    scale, offset, mean, variance = vectors(statistics, shape[-1])
    number = np.float32(1e-4 if epsilon is None else epsilon).astype("float64")
    expected = normalized(x, scale, offset, mean, variance, number, is_training)
    outputs = [array(expected[0], dtype)] + [array(v, statistics) for v in expected[1:]]
    reserve = [np.zeros((), statistics)] if version == "V3" else []
    given = [np.zeros(0, statistics)] * 2 if is_training else [mean, variance]
    attrs = dict(is_training=is_training, epsilon=epsilon)
    attrs = {k: v for k, v in attrs.items() if v is not None}
    op = "FusedBatchNorm" + version
    check(r, op, [x, scale, offset, *given], attrs, outputs)
    dy = images(shape, dtype, 5)
    passed = [array(v, statistics) for v in expected[3:5]]
    slopes = gradients(dy, x, scale, *passed, number, is_training)
    backprops = [array(slopes[0], dtype)] + [array(v, statistics) for v in slopes[1:]]
    grad = "FusedBatchNormGrad" + version
    check(r, grad, [dy, x, scale, *passed, *reserve], attrs, backprops)
    if first:
        x, dy, attrs = channels_first(x), channels_first(dy), dict(attrs, data_format="NCHW")
        outputs[0], backprops[0] = channels_first(outputs[0]), channels_first(backprops[0])
    # TensorFlow's gradient counts y alone, not the statistics that are outputs too; nor does it
    # count the mean and variance that are inputs.
    all_double = statistics == dtype == "float64"
    differentiated = ([0] if dtype == "float64" and is_training and not all_double
                      else [0, 1, 2] if all_double and not is_training else [])
    loose = 1e-5 if dtype == "float32" or statistics == "float32" else None
    r.call(op, x, scale, offset, *given, outputs=outputs + reserve, gradient=differentiated,
           tolerance=loose if dtype in ("float32", "float64") else None, **attrs)
    empty = [np.zeros(0, statistics)] * 2
    r.call(grad, dy, x, scale, *passed, *reserve, outputs=backprops + empty, gradient=[],
           tolerance=loose if dtype in ("float32", "float64") else None, **attrs)


def record_batch_norm(r):
    for is_training in [False, True]:
        for first in [False, True]:
            batch_norm(r, "", (1, 2, 3, 2), "float32", "float32", is_training, first)
            batch_norm(r, "", (1, 2, 3, 2), "float64", "float64", is_training, first)
            for version in ["V2", "V3"]:
                for dtype in FLOATS:
                    batch_norm(r, version, (1, 2, 2, 3), dtype, "float32", is_training, first)
                batch_norm(r, version, (2, 1, 2, 2), "float64", "float64", is_training, first)
        batch_norm(r, "V3", (3, 3, 2, 1), "float32", "float32", is_training, epsilon=0.25)
        batch_norm(r, "V3", (1, 1, 1, 2), "float32", "float32", is_training)
    record_batch_norm_special(r)


def record_batch_norm_special(r):
    scale, offset, mean, variance = vectors("float32")
    empty, nothing = np.zeros((0, 2, 2, 2), "float32"), np.zeros(0, "float32")
    nans = array([NAN, NAN], "float32")
    r.call("FusedBatchNormV2", empty, scale, offset, nothing, nothing,
           outputs=[empty, nans, nans, nans, nans])
    r.call("FusedBatchNormV2", empty, scale, offset, mean, variance, is_training=False,
           outputs=[empty, mean, variance, mean, variance])
    zeros = np.zeros(2, "float32")
    r.call("FusedBatchNormGradV2", empty, empty, scale, nans, nans,
           outputs=[empty, zeros, zeros, nothing, nothing])
    for shape in [(1, 2, 2, 0), (2**40, 2, 2, 0)]:
        flat = np.zeros(shape, "float32")
        r.call("FusedBatchNormV2", flat, *[nothing] * 4, outputs=[flat] + [nothing] * 4)
    # A mean far from 0 takes no digits from the variance.
    far = array([[[[10001], [10002], [10003], [10002]]]], "float32")
    one = np.ones(1, "float32")
    for version in ["V2"]:
        r.call("FusedBatchNorm" + version, far, one, one * 0, nothing, nothing, epsilon=0.0,
               outputs=[array((far.astype("float64") - 10002) / np.sqrt(0.5), "float32"),
                        one * 10002, array([2 / 3], "float32"), one * 10002, one / 2])
    x = images((1, 2, 2, 2), "float32")
    for op in ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"]:
        r.error(op, x[0], scale, offset, nothing, nothing, says="rank 4")
        r.error(op, x, scale[:1], offset, nothing, nothing, says="input 1")
        r.error(op, x, scale, offset[:1], nothing, nothing, says="input 2")
        r.error(op, x, scale, offset, nothing, variance, is_training=False, says="input 3")
        r.error(op, x, scale, offset, mean, nothing, is_training=False, says="input 4")
    for op in ["FusedBatchNormGrad", "FusedBatchNormGradV2"]:
        r.error(op, x, x[0], scale, mean, variance, says="rank 4")
        r.error(op, x[:, :1], x, scale, mean, variance, says="[1,1,2,2]")
        for i, name in enumerate(["input 2", "input 3", "input 4"]):
            wrong = [scale, mean, variance]
            wrong[i] = wrong[i][:1]
            r.error(op, x, x, *wrong, says=name)


def record_local_response(r):
    x, dy = images((1, 2, 2, 4), "float64"), images((1, 2, 2, 4), "float64", 3)
    for attrs in [{}, dict(depth_radius=1), dict(depth_radius=0, bias=2.0),
                  dict(depth_radius=2, alpha=0.25, beta=0.75, bias=0.5),
                  dict(depth_radius=2**40, beta=1.0), dict(beta=0.0)]:
        given = {k: min(v, 100) if k == "depth_radius" else v for k, v in attrs.items()}
        for dtype in FLOATS:
            a, da = array(x, dtype), array(dy, dtype)
            narrow = [v.astype("float32") for v in (a, da)]
            y = r._run("LRN", narrow[:1], given)[0].numpy()
            dx = r._run("LRNGrad", [narrow[1], narrow[0], array(y, dtype).astype("float32")],
                        given)[0].numpy()
            tolerance = 1e-5 if dtype in ("float32", "float64") else None
            r.call("LRN", a, outputs=[array(y, dtype)], tolerance=tolerance, **attrs)
            r.call("LRNGrad", da, a, array(y, dtype), outputs=[array(dx, dtype)],
                   tolerance=tolerance, **attrs)
    for shape in [(0, 2, 2, 3), (1, 2, 2, 0)]:
        empty = np.zeros(shape, "float32")
        r.call("LRN", empty, outputs=[empty])
        r.call("LRNGrad", empty, empty, empty, outputs=[empty])
    image = array(x, "float32")
    r.error("LRN", image[0], says="rank 4")
    r.error("LRN", image, depth_radius=-1, says="depth_radius")
    r.error("LRNGrad", image, image[:, :1], image, says="[1,1,2,4]")
    r.error("LRNGrad", image, image, image[..., :2], says="[1,2,2,2]")


def record(r):
    record_batch_norm(r)
    record_local_response(r)
