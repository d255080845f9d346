import numpy as np

from recorder import NUMERIC, PLAIN, array


def call(r, op, *inputs, otherwise, **attrs):
    """Asks TensorFlow, or where it has no kernel takes NumPy's answer."""
    try:
        r.call(op, *inputs, **attrs)
    except LookupError:
        r.call(op, *inputs, outputs=[otherwise], **attrs)


def counting(shape, dtype):
    """1, 2, 3, ... in that shape."""
    return array(np.arange(1, np.prod(shape) + 1).reshape(shape), dtype)


def record_pad(r):
    paddings = [[1, 0], [0, 2]]
    for dtype in PLAIN:
        x, value = counting([2, 2], dtype), array(9, dtype)
        call(r, "PadV2", x, array(paddings, "int32"), value,
             otherwise=np.pad(x, paddings, constant_values=value),
             gradient=[0] if dtype == "float64" else None)
    r.call("PadV2", array([b"a", b"b"], "string"), array([[1, 2]], "int64"), array(b"-", "string"))
    r.call("PadV2", array(3, "float32"), array(np.zeros([0, 2]), "int32"), array(1, "float32"))
    r.call("PadV2", counting([0, 2], "float32"), array([[1, 1], [0, 1]], "int64"),
           array(float("nan"), "float32"))
    r.call("PadV2", counting([2, 0], "float32"), array([[0, 0], [0, 0]], "int32"),
           array(1, "float32"))
    r.call("PadV2", counting([1, 2, 1, 2, 1], "float64"),
           array([[0, 1], [1, 0], [0, 0], [2, 0], [0, 1]], "int64"), array(-1, "float64"),
           gradient=[0])
    pad = [[1, 0]] * 7
    x = counting([1, 1, 2, 1, 1, 1, 2], "float32")
    r.call("PadV2", x, array(pad, "int32"), array(5, "float32"),
           outputs=[np.pad(x, pad, constant_values=5)])
    x = counting([2], "float32")
    r.error("PadV2", x, array([[-1, 0]], "int32"), array(0, "float32"), says="-1")
    r.error("PadV2", x, array([[1, 0], [0, 0]], "int32"), array(0, "float32"), says="[1,2]")
    r.error("PadV2", x, array([1, 0], "int32"), array(0, "float32"), says="[2]")
    r.error("PadV2", x, array([[1, 0]], "int32"), array([0], "float32"), says="[1]")
    r.error("PadV2", x, array([[0, 2**63 - 1]], "int64"), array(0, "float32"), says="2^48")
    r.error("PadV2", x, array([[2**48, 2**48]], "int64"), array(0, "float32"), says="2^48")


def record_mirror(r):
    modes = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
    for mode, numpy_mode in modes.items():
        paddings = [[1, 1], [2, 0]]
        for dtype in PLAIN:
            x = counting([2, 3], dtype)
            call(r, "MirrorPad", x, array(paddings, "int32"), mode=mode,
                 otherwise=np.pad(x, paddings, mode=numpy_mode))
        for dtype in NUMERIC:
            x = counting([4, 5], dtype)
            expected = gradient_of_mirror(x, paddings, numpy_mode)
            r.call("MirrorPadGrad", x, array(paddings, "int32"), mode=mode, outputs=[expected])
        r.call("MirrorPadGrad", counting([4, 5], "float32"), array(paddings, "int64"), mode=mode)
        r.call("MirrorPad", array([[b"a", b"b", b"c"]], "string"), array([[0, 0], [1, 2]], "int64"),
               mode=mode)
        r.call("MirrorPad", array(7, "float32"), array(np.zeros([0, 2]), "int32"), mode=mode)
        r.call("MirrorPad", counting([2, 1, 3, 2], "float64"),
               array([[1, 0], [0, 0], [2, 1], [0, 1]], "int32"), mode=mode)
        most = 2 if mode == "REFLECT" else 3
        both = [[0, 0], [most, most]]
        r.call("MirrorPad", counting([1, 3], "float64"), array(both, "int64"), mode=mode)
        r.call("MirrorPadGrad", counting([1, 3 + 2 * most], "float64"), array(both, "int64"),
               mode=mode)
        x = counting([3], "float32")
        r.error("MirrorPad", x, array([[most + 1, 0]], "int32"), mode=mode,
                says=f"at most {most}")
        r.error("MirrorPad", x, array([[0, -1]], "int32"), mode=mode, says="-1")
        r.error("MirrorPad", x, array([0], "int32"), mode=mode, says="[1]")
        r.error("MirrorPadGrad", x, array([[2, 2]], "int32"), mode=mode, says="size 3")
        r.error("MirrorPadGrad", x, array([[0, 2]], "int32"), mode=mode, says="mirrors at most")
    r.error("MirrorPad", counting([3], "float32"), array([[0, 0]], "int32"), mode="CIRCULAR",
            says="REFLECT")
    x = counting([2] * 8, "float32")
    deep = [[1, 0]] + [[0, 0]] * 7
    r.call("MirrorPad", x, array(deep, "int32"), mode="REFLECT",
           outputs=[np.pad(x, deep, mode="reflect")])


def gradient_of_mirror(dy, paddings, mode):
    """What a mirrored tensor's elements are sums of."""
    sizes = [n - sum(p) for n, p in zip(dy.shape, paddings)]
    source = np.pad(np.arange(np.prod(sizes)).reshape(sizes), paddings, mode=mode)
    wide = "complex128" if dy.dtype.kind == "c" else "float64"
    sums = np.zeros(np.prod(sizes), wide)
    np.add.at(sums, source.reshape(-1), dy.reshape(-1).astype(wide))
    return sums.reshape(sizes).astype(dy.dtype)


def record_tile(r):
    for dtype in PLAIN:
        x = counting([2, 2], dtype)
        call(r, "Tile", x, array([2, 3], "int32"), otherwise=np.tile(x, [2, 3]))
    for dtype in NUMERIC:
        dy = counting([2, 3], dtype)
        sums = array(np.asarray(dy[:, 0] + dy[:, 1] + dy[:, 2]).reshape(2, 1), dtype)
        r.call("TileGrad", dy, array([1, 3], "int32"), outputs=[sums])
    r.call("Tile", array([[b"a"], [b"b"]], "string"), array([1, 2], "int64"))
    r.call("Tile", array(5, "float32"), array([], "int32"))
    r.call("Tile", counting([0, 2], "float32"), array([2, 2], "int32"))
    r.call("Tile", counting([2, 3], "float64"), array([2, 0], "int32"))
    r.call("Tile", counting([2, 1, 3], "float64"), array([1, 4, 1], "int64"))
    r.call("Tile", counting([3, 2, 2], "float64"), array([2, 1, 1], "int32"))
    r.call("Tile", counting([1, 2, 1, 2, 2], "float64"), array([2, 1, 3, 2, 1], "int32"))
    x = counting([1, 2, 1, 2, 1, 1, 2, 1], "float64")
    multiples = [2, 1, 1, 2, 3, 1, 2, 1]
    r.call("Tile", x, array(multiples, "int32"), outputs=[np.tile(x, multiples)])
    dy = counting([2, 4, 3], "float64")
    r.call("TileGrad", dy, array([2, 2, 3], "int32"),
           outputs=[dy.reshape(2, 1, 2, 2, 3, 1).sum((0, 2, 4))])
    r.call("TileGrad", array(5, "float64"), array([], "int32"), outputs=[array(5, "float64")])
    r.call("TileGrad", counting([0, 2], "float64"), array([3, 2], "int32"),
           outputs=[counting([0, 1], "float64")])
    x = counting([2, 2], "float32")
    r.error("Tile", x, array([2], "int32"), says="each axis of [2,2]")
    r.error("Tile", x, array([[2, 1]], "int32"), says="[1,2]")
    r.error("Tile", x, array([2, -1], "int32"), says="-1")
    r.error("Tile", x, array([2**40, 2**40], "int64"), says="2^48")
    r.error("Tile", x, array([2**63 - 1, 0], "int64"), says="2^48")
    r.error("TileGrad", x, array([0, 1], "int32"), says="[1, 2^48]")
    r.error("TileGrad", x, array([3, 1], "int32"), says="3 copies")


def record(r):
    record_pad(r)
    record_mirror(r)
    record_tile(r)
