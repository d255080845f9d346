import numpy as np
import tensorflow as tf
from recorder import array

INF, NAN = float("inf"), float("nan")
FORMS = [{}, dict(narrow_range=True), dict(num_bits=2), dict(num_bits=16),
         dict(num_bits=3, narrow_range=True)]
RANGES = [(-6, 6), (-1.3, 4.7), (-0.1, 0.2), (0, 6), (-6, 0), (1, 2), (-2, -1), (-1e-3, 1e3)]
SPECIAL = array([NAN, INF, -INF, -7, 7, 0.01, -0.02, 3.2], "float32")


def floats(values):
    return array(values, "float32")


def numbers(low, high, shape=(24,), seed=0):
    """In the range, at its limits and outside of it."""
    random, span = np.random.RandomState(seed), high - low
    return floats(random.uniform(low - 0.3 * span, high + 0.3 * span, shape))


def limits(low, high, least, most):
    """The limits of the range after it was shifted, in float."""
    low, high = np.float32(low), np.float32(high)
    scale = (high - low) / np.float32(most - least)
    place = np.float32(least) - low / scale
    place = np.float32(np.clip(np.floor(place + np.float32(0.5)), least, most))
    return (np.float32(least) - place) * scale, (np.float32(most) - place) * scale


def fixed(r):
    op, gradient = "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient"
    for form in FORMS:
        for low, high in RANGES[:5]:
            x = numbers(low, high)
            r.call(op, x, min=float(low), max=float(high), **form)
            r.call(gradient, numbers(-1, 1, seed=1), x, min=float(low), max=float(high), **form)
    for low, high in RANGES[5:]:
        r.call(op, numbers(low, high), min=float(low), max=float(high))
    at_limits = floats(limits(-1.3, 4.7, 0, 255))
    beside = floats([np.nextafter(x, floats(d)) for x in at_limits for d in (-INF, INF)])
    for x in [at_limits, beside]:
        r.call(gradient, floats(np.ones(x.shape)), x, min=-1.3, max=4.7)
    gradients = floats([1, 2, 3, NAN, INF, -INF, NAN, 4])
    for x in [SPECIAL, floats(3.3), floats(np.zeros([0])), floats(np.zeros([2, 0, 3]))]:
        r.call(op, x)
        r.call(gradient, gradients if x is SPECIAL else x, x)
    r.error(gradient, floats([1, 2]), floats([1, 2, 3]), says="[2]")
    for name, inputs in [(op, [SPECIAL]), (gradient, [SPECIAL, SPECIAL])]:
        for bits in [1, 17, 0, -3]:
            r.error(name, *inputs, num_bits=bits, says="num_bits must be between 2 and 16")
        for low, high in [(1.0, 1.0), (2.0, 1.0)]:
            r.error(name, *inputs, min=low, max=high, says="min has to be smaller than max")


def of_one_range(r):
    op, gradient = "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsGradient"
    for form in FORMS:
        for low, high in RANGES:
            x = numbers(low, high, (4, 6))
            r.call(op, x, floats(low), floats(high), **form)
            r.call(gradient, numbers(-1, 1, (4, 6), seed=1), x, floats(low), floats(high), **form)
    gradients = floats([1, 2, 3, NAN, INF, -INF, NAN, 4])
    for low, high in [(0, 0), (1, 1), (1, 0), (NAN, 1), (0, NAN), (-INF, INF), (0, INF), (-INF, 0)]:
        for form in [{}, dict(narrow_range=True)]:
            r.call(op, SPECIAL, floats(low), floats(high), **form)
            if low == high == 0:
                r.call(gradient, gradients, SPECIAL, floats(low), floats(high), **form)
    r.call(gradient, gradients, SPECIAL, floats(-6), floats(6))
    r.call(gradient, floats(np.arange(8)), SPECIAL, floats(-6), floats(6))
    r.call(gradient, floats(np.arange(8)), SPECIAL, floats(1), floats(0))
    for shape in [[], [0], [3, 0]]:
        x = floats(np.full(shape, 7.5))
        r.call(op, x, floats(-6), floats(6))
        r.call(gradient, x, x, floats(-6), floats(6))
    many = numbers(-1, 1, [3000])
    r.call(gradient, floats(np.tile([1, -0.5, 2], 1000)), many, floats(-0.9), floats(0.9),
           tolerance=1e-5)
    for name, given in [(op, [SPECIAL]), (gradient, [SPECIAL, SPECIAL])]:
        r.error(name, *given, floats(0), floats(1), num_bits=1, says="num_bits must be between")
        r.error(name, *given, floats([0]), floats(1), says="[1]")
        r.error(name, *given, floats(0), floats([1]), says="[1]")
    r.error(gradient, SPECIAL, SPECIAL[:3], floats(0), floats(1), says="[3]")


def by_channel(r):
    op = "FakeQuantWithMinMaxVarsPerChannel"
    gradient = op + "Gradient"
    low, high = zip(*RANGES, (0, 0))
    low, high = floats(low), floats(high)
    for form in FORMS:
        for shape in [[9], [5, 9], [2, 2, 3, 9], [2, 3, 9]]:
            x = floats(numbers(0, 1, shape) * (high - low) + low)
            r.call(op, x, low, high, **form)
            r.call(gradient, numbers(-1, 1, shape, seed=2), x, low, high, **form)
    special = floats([SPECIAL, SPECIAL[::-1], np.zeros(8)]).T
    ranges = floats([-6, 0, 0]), floats([6, 0, 2])
    r.call(op, special, *ranges)
    r.call(gradient, floats(np.arange(24)).reshape(8, 3), special, *ranges)
    r.call(gradient, special, floats(np.arange(24)).reshape(8, 3), *ranges)
    r.call(op, SPECIAL.reshape([8, 1]), floats([-6]), floats([6]))
    r.call(gradient, floats(np.ones([8, 1])), SPECIAL.reshape([8, 1]), floats([-6]), floats([6]))
    for rows, channels in [(0, 2), (2, 0), (0, 0)]:
        x, range_ = floats(np.zeros([rows, channels])), floats(np.ones(channels))
        r.call(op, x, -range_, range_)
        r.call(gradient, x, x, -range_, range_)
    two = floats([0, 1])
    for name, given in [(op, [special]), (gradient, [special, special])]:
        r.error(name, *given, *ranges, num_bits=17, says="num_bits must be between")
        r.error(name, *given, two, two, says="[2]")
        r.error(name, *given, floats([0, 1, 2]), two, says="[2]")
        r.error(name, *given, floats(0), two, says="[]")
    r.error(op, floats(1), two, two, says="at least rank 1")
    r.error(gradient, floats(1), floats(1), two, two, says="at least rank 1")
    r.error(gradient, special, special[:2], *ranges, says="[2,3]")


def record(r):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    fixed(r)
    of_one_range(r)
    by_channel(r)
