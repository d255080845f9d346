import numpy as np

from recorder import PLAIN, array


def counting(shape, dtype):
    """1, 2, 3, ... in that shape."""
    return array(np.arange(1, np.prod(shape) + 1).reshape(shape), dtype)


def call(r, op, *inputs, otherwise, **attrs):
    """Asks TensorFlow, or where it has no kernel takes NumPy's answer."""
    try:
        r.call(op, *inputs, **attrs)
    except LookupError:
        r.call(op, *inputs, outputs=[otherwise], **attrs)


def record_reverse(r):
    for dtype in PLAIN:
        x = counting([2, 3], dtype)
        call(r, "ReverseV2", x, array([1], "int32"), otherwise=x[:, ::-1])
    for axes in [[], [0], [-1], [2, 0], [0, 1, 2], [1]]:
        r.call("ReverseV2", counting([2, 3, 2], "float64"), array(axes, "int64"))
    r.call("ReverseV2", array([[b"a", b"b", b"c"]], "string"), array([1], "int32"))
    r.call("ReverseV2", array(4, "float32"), array([], "int32"))
    r.call("ReverseV2", counting([0, 3], "float32"), array([0, 1], "int32"))
    r.call("ReverseV2", counting([3, 0], "float32"), array([0], "int32"))
    r.call("ReverseV2", counting([1, 2, 1, 2, 1, 2, 1, 2], "int32"), array([1, 3, 7], "int32"))
    x = counting([2, 3], "float32")
    r.error("ReverseV2", x, array([2], "int32"), says="2")
    r.error("ReverseV2", x, array([-3], "int32"), says="-3")
    r.error("ReverseV2", x, array([1, -1], "int32"), says="axis 1 is given twice")
    r.error("ReverseV2", x, array(1, "int32"), says="[]")
    r.error("ReverseV2", x, array([2**40], "int64"), says=str(2**40))


def reversed_sequence(x, lengths):
    """Of a matrix, along its rows."""
    result = x.copy()
    for row, length in enumerate(lengths):
        result[row, :length] = x[row, :length][::-1]
    return result


def record_sequence(r):
    lengths = [2, 3]
    for dtype in PLAIN:
        x = counting([2, 3], dtype)
        call(r, "ReverseSequence", x, array(lengths, "int64"), seq_dim=1,
             otherwise=reversed_sequence(x, lengths))
    x = array([[b"a", b"b", b"c"]], "string")
    call(r, "ReverseSequence", x, array([2], "int32"), seq_dim=1, batch_dim=0,
         otherwise=reversed_sequence(x, [2]))
    x = counting([3, 4, 2], "float64")
    r.call("ReverseSequence", x, array([0, 4, 2], "int64"), seq_dim=1, batch_dim=0)
    r.call("ReverseSequence", x, array([0, 3, 2, 1], "int32"), seq_dim=0, batch_dim=1)
    r.call("ReverseSequence", x, array([4, 1], "int32"), seq_dim=1, batch_dim=2)
    r.call("ReverseSequence", x, array([2, 0, 1], "int32"), seq_dim=2, batch_dim=0)
    r.call("ReverseSequence", counting([0, 2], "float32"), array([], "int64"), seq_dim=1)
    r.call("ReverseSequence", counting([2, 0], "float32"), array([0, 0], "int64"), seq_dim=1)
    x = counting([2, 3], "float32")
    r.error("ReverseSequence", x, array([1, 4], "int64"), seq_dim=1, says="[0, 3]")
    r.error("ReverseSequence", x, array([1, -1], "int32"), seq_dim=1, says="-1")
    r.error("ReverseSequence", x, array([1], "int32"), seq_dim=1, says="2 sequences")
    r.error("ReverseSequence", x, array([[1, 1]], "int32"), seq_dim=1, says="1")
    r.error("ReverseSequence", x, array([1, 1], "int32"), seq_dim=0, says="differ")
    r.error("ReverseSequence", x, array([1, 1], "int32"), seq_dim=2, says="one is 2")
    r.error("ReverseSequence", x, array([1, 1], "int32"), seq_dim=1, batch_dim=-1, says="one is -1")


def record(r):
    record_reverse(r)
    record_sequence(r)
