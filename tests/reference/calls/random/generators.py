import numpy as np
from recorder import FLOATS, array

SEEDED = array([2**40 + 3, -7, 2**62 + 11], "int64")


def scalar(value):
    return array(value, "int64")


def sizes(*values, dtype="int64"):
    return array(list(values), dtype)


def record_floats(r):
    for op in ["StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"]:
        tolerance = 0.0 if op == "StatefulUniform" else None
        for dtype in FLOATS:
            r.update(op, [SEEDED], scalar(1), sizes(9), dtype=dtype, tolerance=tolerance)
        for state in ([-1, -1, 5], [0, 0, 0], [3, 4, 5, 6]):
            r.update(op, [array(state, "int64")], scalar(1), sizes(2, 3, dtype="int32"),
                     dtype="float32", tolerance=tolerance)
        r.update(op, [SEEDED], scalar(1), sizes(0, 2), dtype="float32")
        r.update(op, [SEEDED], scalar(1), sizes(), dtype="float32", tolerance=tolerance)
        r.update_error(op, [SEEDED], scalar(2), sizes(2), dtype="float32", says="algorithm 2")
        r.update_error(op, [SEEDED], sizes(1), sizes(2), dtype="float32", says="")
        r.update_error(op, [SEEDED], scalar(1), sizes(-2), dtype="float32", says="-2")
        r.update_error(op, [SEEDED[:2]], scalar(1), sizes(2), dtype="float32", says="3 numbers")
        r.update_error(op, [SEEDED.reshape(1, 3)], scalar(1), sizes(2), dtype="float32",
                       says="vector")
        r.update_error(op, [array([1, 2, 3], "float32")], scalar(1), sizes(2), dtype="float32",
                       says="int64")


def record_ints(r):
    op = "StatefulUniformInt"
    for dtype in ["int32", "int64"]:
        info = np.iinfo(dtype)
        for low, high in [(0, 10), (-3, 4), (info.min, info.max), (5, 6)]:
            r.update(op, [SEEDED], scalar(1), sizes(7), array(low, dtype), array(high, dtype))
        r.update_error(op, [SEEDED], scalar(1), sizes(0), array(4, dtype), array(4, dtype),
                       says="must be less than")
        r.update_error(op, [SEEDED], scalar(1), sizes(2), array([4], dtype), array(5, dtype),
                       says="")
    for dtype in ["int32", "int64", "uint32", "uint64"]:
        r.update("StatefulUniformFullInt", [SEEDED], scalar(1), sizes(7), dtype=dtype)


def record_skips(r):
    for delta in [0, 1, 2**60, -5]:
        r.update("RngSkip", [SEEDED], scalar(1), scalar(delta),
                 updated=[moved(SEEDED, delta)], outputs=[])
    r.update_error("RngSkip", [SEEDED], scalar(1), sizes(2), says="")
    r.update_error("RngSkip", [SEEDED], scalar(7), scalar(2), says="algorithm 7")


def moved(state, delta):
    """The counter of 128 bits, 256 blocks for each of `delta` numbers, of 64 bits, further."""
    low, high, key = (int(number) % 2**64 for number in state)
    counter = (low + high * 2**64 + delta * 256 % 2**64) % 2**128
    words = [counter % 2**64, counter // 2**64, key]
    return array([word - 2**64 if word >= 2**63 else word for word in words], "int64")


def record_tagged(r):
    state = array([1, 5, 6, 7], "int64")
    r.update("StatefulStandardNormal", [state], sizes(5), dtype="float32",
             **dict(zip(("updated", "outputs"), tagged(r, state))))
    r.update_error("StatefulStandardNormal", [array([2, 5, 6, 7], "int64")], sizes(5),
                   dtype="float32", says="algorithm 2")
    r.update_error("StatefulStandardNormal", [state[:3]], sizes(5), dtype="float32",
                   says="4 numbers")


def tagged(r, state):
    """The op is older than TensorFlow's kernels: those of the newer one."""
    updated, outputs = r._run_update(
        "StatefulStandardNormalV2", [state[1:]], [scalar(1), sizes(5)], {"dtype": "float32"})
    return [np.concatenate([state[:1], updated[0]])], outputs


def record(r):
    record_floats(r)
    record_ints(r)
    record_skips(r)
    record_tagged(r)
