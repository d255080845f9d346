import numpy as np
import tensorflow as tf

from recorder import PLAIN, array

MASKS = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]


def ints(values, dtype="int32"):
    return array(values, dtype)


def take(r, x, begin, end, strides, dtype="int32", **attrs):
    r.call("StridedSlice", x, ints(begin, dtype), ints(end, dtype), ints(strides, dtype), **attrs)


def drawn_slices(r):
    """Slices of many kinds, and back: TensorFlow refuses some of them."""
    draw = np.random.RandomState(1)
    shapes = [[5], [2, 3], [3, 4, 2], [1, 2, 0]]
    for number in range(70):
        shape = shapes[number % len(shapes)]
        count = draw.randint(0, len(shape) + 3)
        entries = [ints(draw.randint(-6, 7, count)), ints(draw.randint(-6, 7, count)),
                   ints(draw.choice([-3, -2, -1, 1, 1, 1, 2, 3], count))]
        attrs = {name: int(draw.randint(0, 2 ** max(count, 1))) for name in MASKS[:2]}
        if draw.rand() < 0.6 and count:
            attrs["ellipsis_mask"] = 1 << int(draw.randint(0, count))
        attrs["new_axis_mask"] = int(draw.randint(0, 2 ** max(count, 1))) & int(draw.randint(0, 8))
        attrs["shrink_axis_mask"] = int(draw.randint(0, 8)) & int(draw.randint(0, 8))
        dtype = "float64" if number % 3 == 0 else "int16"
        x = array(np.arange(np.prod(shape)).reshape(shape) + 1, dtype)
        r.call("StridedSlice", x, *entries, **attrs)
        if "outputs" in r.calls[-1]:
            dy = r.calls[-1]["outputs"][0]
            dy = array(np.arange(len(dy["values"])).reshape(dy["shape"]) + 1, dtype)
            r.call("StridedSliceGrad", ints(shape), *entries, dy, **attrs)


def kinds(r):
    x = array(np.arange(24).reshape(2, 3, 4) / 4, "float64")
    take(r, x, [0, 1], [2, 3], [1, 1])
    take(r, x, [0, 1, -1], [2, 3, -4], [1, 1, -1])
    take(r, x, [1], [2], [1], shrink_axis_mask=1)
    take(r, x, [-1, 0], [0, 2], [1, 2], shrink_axis_mask=1)
    take(r, x, [0, -1], [0, 0], [1, 1], ellipsis_mask=1, shrink_axis_mask=2)
    take(r, x, [0, 0, 1], [0, 0, 3], [1, 1, 1], ellipsis_mask=1, new_axis_mask=2)
    take(r, x, [0, 9], [0, -9], [1, -1], begin_mask=1, end_mask=1)
    take(r, x, [5, 5, 5], [-5, -5, -5], [-1, -2, -3], begin_mask=7, end_mask=7)
    take(r, x, [1, 1, 1], [2, 2, 2], [1, 1, 1], dtype="int64", shrink_axis_mask=7)
    take(r, x, [], [], [])
    take(r, x, [0, 0, 0, 0, 0, 0, 0, 0, 0], [0] * 9, [1] * 9, new_axis_mask=0b11111,
         shrink_axis_mask=0b111100000)  # more entries than axes there can be
    take(r, x, [2, 0], [1, 2], [1, 1])  # empty
    take(r, array(3.5, "float64"), [], [], [])
    take(r, array(3.5, "float64"), [0], [0], [1], new_axis_mask=1)
    take(r, array(np.zeros([0, 3]), "float32"), [0], [4], [2])
    take(r, array(np.arange(5), "uint8"), [-(2**31)], [2**31 - 1], [2**31 - 1])
    take(r, array(np.arange(5), "uint8"), [2**63 - 1], [-(2**63)], [-(2**63)], dtype="int64")
    take(r, array(np.arange(5), "uint8"), [2**63 - 1], [-(2**63)], [-1], dtype="int64")
    take(r, array(["a", "bc", "def"], "string"), [2], [0], [-1])
    for dtype in PLAIN:
        take(r, array([0, 1, 1, 0, 1], dtype), [4], [0], [-2], gradient=[])
        dy = array([1, 1], dtype)
        r.call("StridedSliceGrad", ints([5]), ints([4]), ints([0]), ints([-2]), dy, gradient=[])
    r.call("StridedSliceGrad", ints([3, 2], "int64"), ints([0], "int64"), ints([9], "int64"),
           ints([1], "int64"), array(np.ones([3, 2]), "float64"))


def errors(r):
    x = array(np.arange(6).reshape(2, 3), "float32")

    def refuse(begin, end, strides, says, **attrs):
        r.error("StridedSlice", x, ints(begin), ints(end), ints(strides), says=says, **attrs)

    refuse([0], [1], [0], "stride of axis 0 must not be 0")
    refuse([2], [3], [1], "index 2 is out of bounds for axis 0 of size 2", shrink_axis_mask=1)
    refuse([-3], [3], [1], "index -3 is out of bounds", shrink_axis_mask=1)
    refuse([1], [0], [-1], "positive stride", shrink_axis_mask=1)
    refuse([0, 0, 0], [1, 1, 1], [1, 1, 1], "cannot have more entries")
    refuse([0, 0], [1, 1], [1, 1], "at most one ellipsis", ellipsis_mask=3)
    refuse([0, 0], [1], [1, 1], "vectors of one length")
    refuse(0, 1, 1, "vectors of one length")
    refuse([0] * 33, [1] * 33, [1] * 33, "at most 32 entries", new_axis_mask=-1)
    refuse([0] * 7, [1] * 7, [1] * 7, "dimensions", new_axis_mask=-1)
    one = ints([1])
    r.error("StridedSliceGrad", ints([3]), ints([0]), ints([2]), one, array([1, 2, 3], "float32"),
            says="must have the shape [2]")
    r.error("StridedSliceGrad", ints([-3]), ints([0]), ints([2]), one, array([1], "float32"),
            says="-3")


def updates(r):
    x = np.arange(24).reshape(2, 3, 4)
    for dtype in ["float32", "float64", "int8", "int64", "bool"]:
        for begin, end, strides, shape, masks in [
                ([0, 1], [2, 3], [1, 1], [2, 2, 4], {}),
                ([1, 2, 3], [0, 0, 0], [-1, -1, -2], [1, 2, 2], {}),
                ([0, 1], [0, 2], [1, 1], [3, 1], {"ellipsis_mask": 1, "begin_mask": 2,
                                                  "shrink_axis_mask": 0}),
                ([1], [2], [1], [3, 4], {"shrink_axis_mask": 1}),
                ([1], [1], [1], [0, 3, 4], {})]:
            value = array(-np.arange(int(np.prod(shape))).reshape(shape), dtype)
            outputs = [updated(x, begin, end, strides, value, masks, dtype)]
            r.call("TensorStridedSliceUpdate", array(x, dtype), ints(begin), ints(end),
                   ints(strides), value, outputs=outputs, **masks)
    r.error("TensorStridedSliceUpdate", array(x, "float32"), ints([0]), ints([1]), ints([1]),
            array(np.zeros((2, 3, 4)), "float32"), says="broadcast")


def updated(x, begin, end, strides, value, masks, dtype):
    places = tf.raw_ops.StridedSlice(
        input=tf.constant(np.arange(x.size).reshape(x.shape)), begin=begin, end=end,
        strides=strides, **masks).numpy()
    out = array(x, dtype).reshape(-1)
    out[places.reshape(-1)] = np.broadcast_to(value, places.shape).reshape(-1)
    return out.reshape(x.shape)


def record(r):
    updates(r)
    kinds(r)
    drawn_slices(r)
    errors(r)
