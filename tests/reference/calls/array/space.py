import numpy as np

from recorder import PLAIN, REAL, array


def counting(shape, dtype):
    """1, 2, 3, ... in that shape."""
    return array(np.arange(1, np.prod(shape) + 1).reshape(shape), dtype)


def call(r, op, *inputs, otherwise, **attrs):
    """Asks TensorFlow, or where it has no kernel takes NumPy's answer."""
    try:
        r.call(op, *inputs, **attrs)
    except LookupError:
        r.call(op, *inputs, outputs=[otherwise], **attrs)


def space_to_batch(x, blocks, paddings):
    count = len(blocks)
    x = np.pad(x, [[0, 0]] + paddings + [[0, 0]] * (x.ndim - 1 - count))
    split = [x.shape[0]]
    for size, block in zip(x.shape[1:], blocks):
        split += [size // block, block]
    order = [2 * i + 2 for i in range(count)] + [0] + [2 * i + 1 for i in range(count)]
    split += list(x.shape[1 + count:])
    order += list(range(1 + 2 * count, len(split)))
    moved = x.reshape(split).transpose(order)
    return moved.reshape([-1] + list(moved.shape[count + 1:]))


def space_to_depth(x, block, is_depth_first=False):
    if is_depth_first:
        return space_to_depth(x.transpose(0, 2, 3, 1), block).transpose(0, 3, 1, 2)
    b, h, w, c = x.shape
    split = x.reshape(b, h // block, block, w // block, block, c).transpose(0, 1, 3, 2, 4, 5)
    return split.reshape(b, h // block, w // block, block * block * c)


def record_square(r):
    paddings = [[1, 0], [0, 1]]
    for dtype in PLAIN:
        x = counting([1, 1, 3, 1], dtype)
        batched = space_to_batch(x, [2, 2], paddings)
        call(r, "SpaceToBatch", x, array(paddings, "int32"), block_size=2, otherwise=batched)
        call(r, "BatchToSpace", batched, array(paddings, "int32"), block_size=2, otherwise=x)
    x = counting([2, 2, 4, 1], "float64")
    r.call("SpaceToBatch", x, array([[0, 0], [0, 0]], "int64"), block_size=2)
    r.call("SpaceToBatch", x, array([[2, 2], [1, 1]], "int32"), block_size=3)
    r.call("BatchToSpace", counting([8, 1, 2, 1], "float64"), array([[0, 1], [1, 0]], "int64"),
           block_size=2)
    r.call("BatchToSpace", counting([9, 1, 1, 2], "float64"), array([[1, 0], [2, 1]], "int32"),
           block_size=3)
    r.call("SpaceToBatch", counting([0, 2, 2, 1], "float32"), array([[0, 0], [0, 0]], "int32"),
           block_size=2)
    x = counting([1, 3, 2, 1], "float32")
    r.error("SpaceToBatch", x, array([[0, 0], [0, 0]], "int32"), block_size=2, says="size 3")
    r.error("SpaceToBatch", x, array([[-1, 0], [0, 0]], "int32"), block_size=2, says="-1")
    r.error("SpaceToBatch", x, array([[0, 0]], "int32"), block_size=2, says="[2,2]")
    r.error("SpaceToBatch", x[0], array([[1, 0], [0, 0]], "int32"), block_size=2, says="rank")
    r.error("SpaceToBatch", x, array([[1, 0], [0, 0]], "int32"), block_size=1, says="block_size")
    r.error("BatchToSpace", x, array([[0, 0], [0, 0]], "int32"), block_size=2, says="batch of 1")
    x = counting([4, 1, 1, 1], "float32")
    r.error("BatchToSpace", x, array([[2, 1], [0, 0]], "int32"), block_size=2, says="cropped")
    r.error("BatchToSpace", x, array([[0, -2], [0, 0]], "int32"), block_size=2, says="-2")


def record_nd(r):
    blocks, paddings = [2], [[1, 0]]
    for dtype in PLAIN:
        x = counting([1, 3, 2], dtype)
        batched = space_to_batch(x, blocks, paddings)
        call(r, "SpaceToBatchND", x, array(blocks, "int32"), array(paddings, "int32"),
             otherwise=batched)
        call(r, "BatchToSpaceND", batched, array(blocks, "int64"), array(paddings, "int64"),
             otherwise=x)
    x = array([[b"a", b"b", b"c", b"d"]], "string")
    r.call("SpaceToBatchND", x, array([2], "int32"), array([[0, 0]], "int32"),
           outputs=[array([[b"a", b"c"], [b"b", b"d"]], "string")])
    cases = [
        ([2, 3, 2], [1, 2], [[0, 0], [1, 1]]),
        ([1, 2, 2, 2], [2, 1, 2], [[1, 1], [0, 2], [0, 2]]),
        ([2, 4], [4], [[0, 0]]),
        ([3, 2, 1], [1, 1], [[0, 0], [0, 0]]),
        ([2, 2], [3], [[4, 0]]),
    ]
    for shape, blocks, paddings in cases:
        x = counting(shape, "float64")
        batched = space_to_batch(x, blocks, paddings)
        call(r, "SpaceToBatchND", x, array(blocks, "int64"), array(paddings, "int32"),
             otherwise=batched)
        call(r, "BatchToSpaceND", batched, array(blocks, "int32"), array(paddings, "int64"),
             otherwise=x)
    r.call("SpaceToBatchND", counting([2, 2], "float32"), array([], "int32"),
           array(np.zeros([0, 2]), "int32"), outputs=[counting([2, 2], "float32")])
    x, blocks, paddings = counting([1, 1, 2, 1, 2, 2], "float32"), [1, 2, 1, 2], [[0, 0]] * 4
    r.call("SpaceToBatchND", x, array(blocks, "int32"), array(paddings, "int32"),
           outputs=[space_to_batch(x, blocks, paddings)])
    r.call("SpaceToBatchND", counting([0, 2], "float32"), array([2], "int32"),
           array([[0, 0]], "int32"))
    r.call("SpaceToBatchND", counting([1, 0], "float32"), array([2], "int32"),
           array([[1, 1]], "int32"))
    record_nd_errors(r)


def record_nd_errors(r):
    x = counting([2, 3], "float32")
    none = array([[0, 0]], "int32")
    for op in ["SpaceToBatchND", "BatchToSpaceND"]:
        r.error(op, x, array([0], "int32"), none, says="one is 0")
        r.error(op, x, array([-1], "int64"), none, says="one is -1")
        r.error(op, x, array([2], "int32"), array([[0, -3]], "int32"), says="-3")
        r.error(op, x, array([2, 1], "int32"), none, says="[2,2]")
        r.error(op, x, array([2, 1], "int32"), array([[0, 0], [0, 0]], "int32"), says="[2,3]")
        r.error(op, x, array([[2]], "int32"), none, says="[1,1]")
        r.error(op, x, array([1] * 9, "int32"), array([[0, 0]] * 9, "int32"), says="at most 8")
        r.error(op, x, array([2], "int32"), array([[0, 2**62]], "int64"), says="2^48")
    r.error("SpaceToBatchND", x, array([2], "int32"), none, says="size 3")
    r.error("SpaceToBatchND", counting([2, 0], "float32"), array([2**60], "int64"), none,
            says="2^48")
    r.error("BatchToSpaceND", x, array([4], "int32"), none, says="batch of 2")
    r.error("BatchToSpaceND", x, array([1], "int32"), array([[2, 2]], "int32"), says="cropped")


def record_depth(r):
    for dtype in PLAIN:
        x = counting([1, 2, 2, 2], dtype)
        deep = space_to_depth(x, 2)
        call(r, "SpaceToDepth", x, block_size=2, otherwise=deep)
        call(r, "DepthToSpace", deep, block_size=2, otherwise=x)
    for shape, block in [([2, 2, 4, 1], 2), ([1, 3, 3, 2], 3), ([1, 2, 4, 3], 2)]:
        x = counting(shape, "float64")
        deep = space_to_depth(x, block)
        r.call("SpaceToDepth", x, block_size=block)
        r.call("DepthToSpace", deep, block_size=block)
        x = x.transpose(0, 3, 1, 2)
        deep = space_to_depth(x, block, is_depth_first=True)
        r.call("SpaceToDepth", x, block_size=block, data_format="NCHW", outputs=[deep])
        r.call("DepthToSpace", deep, block_size=block, data_format="NCHW", outputs=[x])
    r.call("SpaceToDepth", counting([0, 2, 2, 1], "float32"), block_size=2)
    r.call("DepthToSpace", counting([1, 0, 2, 4], "float32"), block_size=2)
    x = counting([1, 3, 2, 4], "float32")
    r.error("SpaceToDepth", x, block_size=2, says="multiple of 2")
    r.error("DepthToSpace", x, block_size=3, says="multiple of 9")
    r.error("SpaceToDepth", x, block_size=1, says="block_size")
    r.error("SpaceToDepth", x[0], block_size=2, says="rank")
    r.error("DepthToSpace", x, block_size=2**40, says="2^48")
    r.error("DepthToSpace", x, block_size=2, data_format="NCHW_VECT_C", code="Unimplemented",
            says="NCHW_VECT_C")


def record_patches(r):
    def sizes(height, width):
        return [1, height, width, 1]

    attrs = dict(ksizes=sizes(2, 2), strides=sizes(1, 2), rates=sizes(1, 1), padding="SAME")
    for dtype in PLAIN:
        x = counting([1, 2, 3, 1], dtype)
        padded = np.pad(x, [[0, 0], [0, 1], [0, 1], [0, 0]])
        places = [(y, z) for y in range(2) for z in (0, 2)]
        patches = np.array([padded[0, y:y + 2, z:z + 2, 0].reshape(-1) for y, z in places])
        call(r, "ExtractImagePatches", x, **attrs, otherwise=patches.reshape(1, 2, 2, 4))
    for padding in ["SAME", "VALID"]:
        for shape, k, s, rate in [
            ([2, 3, 3, 1], (2, 2), (1, 1), (1, 1)),
            ([1, 4, 3, 2], (1, 3), (2, 2), (1, 1)),
            ([1, 5, 4, 1], (3, 2), (2, 1), (2, 3)),
            ([1, 3, 4, 1], (1, 1), (2, 3), (5, 5)),
        ]:
            r.call("ExtractImagePatches", counting(shape, "float64"), ksizes=sizes(*k),
                   strides=sizes(*s), rates=sizes(*rate), padding=padding)
    attrs = dict(ksizes=sizes(2, 2), strides=sizes(1, 1), rates=sizes(1, 1))
    r.call("ExtractImagePatches", counting([0, 2, 2, 1], "float32"), padding="SAME", **attrs,
           outputs=[counting([0, 2, 2, 4], "float32")])
    r.call("ExtractImagePatches", counting([1, 0, 2, 1], "float32"), padding="SAME", **attrs,
           outputs=[counting([1, 0, 2, 4], "float32")])
    x = counting([1, 3, 3, 1], "float32")
    attrs["padding"] = "VALID"
    r.error("ExtractImagePatches", x[:, :1], says="size 1", **attrs)
    r.error("ExtractImagePatches", x[0], says="rank", **attrs)
    r.error("ExtractImagePatches", x, says="padding", **{**attrs, "padding": "FULL"})
    for name in ["ksizes", "strides", "rates"]:
        for bad in [[2, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 2], [1, 1, 1, 1, 1], [1, 2**40, 1, 1]]:
            r.error("ExtractImagePatches", x, says=name, **{**attrs, name: bad})


def record_volume_patches(r):
    def sizes(*space):
        return [1, *space, 1]

    attrs = dict(ksizes=sizes(1, 2, 1), strides=sizes(1, 1, 1), padding="VALID")
    for dtype in REAL:
        x = counting([1, 1, 3, 1, 1], dtype)
        patches = np.stack([x[0, 0, :2, 0, 0], x[0, 0, 1:, 0, 0]])
        call(r, "ExtractVolumePatches", x, **attrs, otherwise=patches.reshape(1, 1, 2, 1, 2))
    # 2.21 begins inside of the volume here, 1.15 at its border.
    x = counting([2, 3, 3, 4, 1], "float64") / 64
    r.call("ExtractVolumePatches", x, ksizes=sizes(1, 1, 1), strides=sizes(2, 3, 3),
           padding="SAME", outputs=[x[:, ::2, ::3, ::3]])
    for padding in ["SAME", "VALID"]:
        for shape, k, s in [
            ([2, 2, 3, 3, 1], (2, 2, 2), (1, 1, 1)),
            ([1, 3, 4, 3, 2], (3, 1, 2), (2, 2, 1)),
            ([1, 2, 5, 4, 1], (2, 3, 2), (1, 2, 3)),
            ([2, 3, 4, 4, 1], (1, 1, 1), (2, 3, 3)),
        ]:
            x = counting(shape, "float64") / 64  # small, for the sake of central differences
            r.call("ExtractVolumePatches", x, ksizes=sizes(*k), strides=sizes(*s),
                   padding=padding)
    attrs = dict(ksizes=sizes(2, 1, 2), strides=sizes(1, 1, 1))
    for shape in [[0, 2, 2, 2, 1], [1, 0, 2, 2, 1], [1, 2, 2, 0, 1]]:
        r.call("ExtractVolumePatches", counting(shape, "float32"), padding="SAME", **attrs,
               outputs=[counting(shape[:4] + [4], "float32")])
    x = counting([1, 2, 2, 2, 1], "float32")
    attrs["padding"] = "VALID"
    r.error("ExtractVolumePatches", x[:, :1], says="size 1", **attrs)
    r.error("ExtractVolumePatches", x[0], says="rank", **attrs)
    r.error("ExtractVolumePatches", x, says="padding", **{**attrs, "padding": "FULL"})
    r.error("ExtractVolumePatches", x, says="2^48",
            **{**attrs, "ksizes": sizes(2**30, 2**30, 2**30), "padding": "SAME"})
    for name in ["ksizes", "strides"]:
        for bad in [[2, 1, 1, 1, 1], [1, 0, 1, 1, 1], [1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 1],
                    [1, 1, 1, 2**40, 1]]:
            r.error("ExtractVolumePatches", x, says=name, **{**attrs, name: bad})


def record(r):
    record_square(r)
    record_nd(r)
    record_depth(r)
    record_patches(r)
    record_volume_patches(r)
