import numpy as np
import tensorflow as tf
from recorder import array

LONG, FLOAT, STRING = tf.int64, tf.float32, tf.string
KINDS = {LONG: "int64_list", FLOAT: "float_list", STRING: "bytes_list"}


def feature(values, dtype):
    made = tf.train.Feature()
    getattr(made, KINDS[dtype]).value.extend(values)
    return made


def longs(*values):
    return feature(values, LONG)


def floats(*values):
    return feature(values, FLOAT)


def texts(*values):
    return feature(values, STRING)


def example(**features):
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(
        deterministic=True)


def strings(values):
    return array(values, "string")


def keys(names):
    return [strings(name) for name in names]


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, *parts):
    body = b"".join(parts)
    return varint(number << 3 | 2) + varint(len(body)) + body


def entry(key, value):
    return field(1, field(1, key), field(2, value))


def arguments(sparse, dense):
    """Attributes, keys and defaults. sparse: {key: dtype}; dense: {key: (shape, default)}."""
    defaults = [default for _, default in dense.values()]
    types = [STRING if d.dtype == object else tf.as_dtype(d.dtype) for d in defaults]
    return list(sparse), list(sparse.values()), list(dense), defaults, types, [
        shape for shape, _ in dense.values()]


NONE = {FLOAT: array([], "float32"), LONG: array([], "int64"), STRING: array([], "string")}


def write_shapes(r):
    """Unknown sizes are -1 in our files, and None for TensorFlow."""
    attrs = r.calls[-1]["attrs"]
    attrs["dense_shapes"] = [
        None if shape is None else [-1 if size is None else size for size in shape]
        for shape in attrs["dense_shapes"]]


def batch(r, serialized, sparse={}, dense={}, names=(), says=None):
    sparse_keys, sparse_types, dense_keys, defaults, types, shapes = arguments(sparse, dense)
    record = r.call if says is None else lambda *a, **k: r.error(*a, says=says, **k)
    known = {} if says else {"known_shape": False}
    record("ParseExample", strings(serialized), strings(list(names)), keys(sparse_keys),
           keys(dense_keys), defaults, Nsparse=len(sparse), Ndense=len(dense), Tdense=types,
           sparse_types=sparse_types, dense_shapes=shapes, **known)
    write_shapes(r)


def single(r, serialized, sparse={}, dense={}, says=None):
    sparse_keys, sparse_types, dense_keys, defaults, types, shapes = arguments(sparse, dense)
    record = r.call if says is None else lambda *a, **k: r.error(*a, says=says, **k)
    known = {} if says else {"known_shape": False}
    record("ParseSingleExample", strings(serialized), defaults, num_sparse=len(sparse),
           sparse_keys=sparse_keys, dense_keys=dense_keys, sparse_types=sparse_types,
           Tdense=types, dense_shapes=shapes, **known)
    write_shapes(r)


FULL = example(a=floats(1, -2.5, 3), b=texts(b"x", b"", b"yz\xff\x00"), c=longs(5, -1, 2**63 - 1),
               unused=floats(*range(5)))
SHORT = example(a=floats(7), b=texts(), c=longs(-2**63))
EMPTY = example()
ABSENT = example(a=tf.train.Feature(), b=tf.train.Feature(), c=tf.train.Feature())
SPARSE = {"a": FLOAT, "b": STRING, "c": LONG}
DENSE = {"a": ([3], array([0.5, 1.5, 2.5], "float32")),
         "b": ([3, 1], strings([["p"], ["q"], ["r"]])),
         "c": ([1, 3], array([[7, 8, 9]], "int64"))}
VARIABLE = {"a": ([None], array(-1, "float32")), "b": ([None, 1], strings(["pad"])),
            "c": ([None], array([[99]], "int64"))}
# Lists that are not packed, several lists of one kind, several kinds, a kind that is repeated.
UNPACKED_FLOATS = field(2, *[b"\x0d" + np.float32(v).tobytes() for v in (1, 2, 3)])
UNPACKED_LONGS = field(3, *[b"\x08" + varint(v % 2**64) for v in (4, -5, 6)])
MIXED_LONGS = field(3, b"\x08\x04", field(1, varint(2**64 - 5), b"\x06"))


def features_of(*entries):
    return field(1, *entries)


def record_values(r):
    every = [FULL, SHORT, EMPTY, ABSENT, FULL]
    batch(r, every, SPARSE)
    batch(r, every, SPARSE, names=["n1", "n2", "n3", "n4", "n5"])
    batch(r, [FULL, EMPTY, ABSENT], {}, DENSE)
    batch(r, every, {}, VARIABLE)
    batch(r, [FULL, FULL], {"a": FLOAT}, {"c": DENSE["c"], "b": VARIABLE["b"]})
    batch(r, [], SPARSE)
    batch(r, [FULL], {}, {})
    batch(r, [SHORT], {}, {"a": ([], array(1, "float32")), "c": ([1], NONE[LONG])})
    batch(r, [EMPTY, SHORT], {}, {"a": ([], array(1, "float32")), "none": ([], strings("d"))})
    batch(r, [EMPTY, EMPTY], {"x": LONG}, VARIABLE)
    batch(r, [], {}, {"a": ([2], NONE[FLOAT])})
    for one in [FULL, SHORT, EMPTY, ABSENT]:
        single(r, one, SPARSE)
        single(r, one, {}, VARIABLE)
    for one in [FULL, EMPTY, ABSENT]:
        single(r, one, {}, DENSE)
    single(r, FULL, {"a": FLOAT}, {"c": DENSE["c"], "b": VARIABLE["b"]})
    single(r, FULL, {}, {"a": ([3, 1], NONE[FLOAT])})


def record_forms(r):
    """What other writers make of an example."""
    unpacked = features_of(entry(b"a", UNPACKED_FLOATS), entry(b"c", UNPACKED_LONGS))
    for one in [unpacked, unpacked + features_of(entry(b"b", field(1, field(1, b"t"))))]:
        batch(r, [one], SPARSE)
        single(r, one, SPARSE)
    # Concatenated examples are one; the last value of a key holds.
    joined = FULL + example(a=floats(9), d=longs(1))
    batch(r, [joined, SHORT + FULL], SPARSE)
    single(r, joined, SPARSE)
    # TensorFlow's parser gives up on these, protobuf's reads them.
    three = [array([[0, 0], [0, 1], [0, 2]], "int64"), array([4, -5, 6], "int64"),
             array([1, 3], "int64")]
    others = [
        features_of(entry(b"c", MIXED_LONGS)),
        features_of(entry(b"c", field(3, b"\x08\x04") +
                          field(3, field(1, varint(2**64 - 5), b"\x06")))),
        features_of(entry(b"c", field(2, field(1, b"\0\0\0\0")) + UNPACKED_LONGS)),
        features_of(entry(b"c", UNPACKED_LONGS + field(9, b"?"))),
        features_of(field(1, field(2, UNPACKED_LONGS), field(1, b"c"))),
        features_of(field(5, b"?"), entry(b"c", UNPACKED_LONGS)) + b"\x50\x01",
        features_of(entry(b"\xff\xfe", b"?"), entry(b"c", UNPACKED_LONGS)),
    ]
    for one in others:
        r.call("ParseExample", strings([one]), strings([]), keys("c"), [], [], Nsparse=1, Ndense=0,
               sparse_types=[LONG], dense_shapes=[], Tdense=[], outputs=three, known_shape=False)


def record_errors(r):
    wrong = example(a=longs(1), b=floats(1), c=texts(b"x"))
    names = ["first", "second"]
    for key, says in [
            ("a", "Name: second, Key: a, Index: 1.  Data types don't match. Expected type: float"
                  "  Feature is: int64_list"),
            ("b", "Expected type: string  Feature is: float_list"),
            ("c", "Expected type: int64  Feature is: bytes_list")]:
        batch(r, [FULL, wrong], {key: SPARSE[key]}, names=names, says=says)
        batch(r, [FULL, wrong], {}, {key: DENSE[key]}, names=names, says=says)
        batch(r, [FULL, wrong], {}, {key: VARIABLE[key]}, names=names, says=says)
        single(r, wrong, {key: SPARSE[key]}, says=f"Key: {key}.  Data types don't match.")
        single(r, wrong, {}, {key: DENSE[key]}, says="Data types don't match.")
    required = {"a": ([3], NONE[FLOAT])}
    batch(r, [FULL, EMPTY], {}, required, names=names,
          says="Name: second, Feature: a (data type: float) is required")
    batch(r, [ABSENT], {}, required, says="Name: <unknown>, Feature: a (data type: float)")
    single(r, EMPTY, {}, required, says="Feature: a (data type: float) is required")
    batch(r, [FULL, SHORT], {}, required, names=names,
          says="Name: second, Key: a, Index: 1.  Number of float values != expected.  "
               "values size: 1 but output shape: [3]")
    single(r, SHORT, {}, required, says="values size: 1 but output shape: [3]")
    batch(r, [FULL], {}, {"b": ([None, 2], strings("p"))},
          says="Number of bytes values is not a multiple of stride length. Saw 3")
    single(r, FULL, {}, {"b": ([None, 2], strings("p"))}, says="multiple of stride length")
    batch(r, [FULL], {}, {"c": ([None, 0], array(0, "int64"))}, says="multiple of stride length")
    for broken in [b"bogus", FULL[:-1], FULL[:1], b"\x0a\x7f", field(1, field(1, b"\x0b")),
                   b"\xff" * 11]:
        batch(r, [FULL, broken], SPARSE, names=names, says="Name: second, Could not parse example")
        single(r, broken, SPARSE, says="Could not parse example")
    for broken in [b"\x1a\x05", field(3, field(1, b"\xff")), field(2, field(1, b"abc")), b"\x00"]:
        batch(r, [features_of(entry(b"c", broken))], {"c": LONG} if broken[0] != 0x12 else
              {"c": FLOAT}, says="Key: c, Index: 0.  Can't parse serialized Example.")


def record_argument_errors(r):
    batch(r, [FULL], {}, {"a": ([2], array([1, 2, 3], "float32"))}, says="def_value[0].shape()")
    batch(r, [FULL], {}, {"a": ([None], array([1, 2], "float32"))}, says="padding element")
    batch(r, [FULL], {}, {"a": ([None], NONE[FLOAT])}, says="padding element")
    batch(r, [FULL], {}, {"a": ([3, None], array(1, "float32"))}, says="inner dimensions: [3,?]")
    batch(r, [FULL], {}, {"a": (None, array(1, "float32"))}, says="unknown rank")
    batch(r, [FULL], {"a": FLOAT}, {"a": DENSE["a"]}, says="'a' is asked for twice")
    batch(r, [FULL], SPARSE, names=["x", "y"], says="len(names) == len(serialized)")
    batch(r, [[FULL]], SPARSE, says="")
    batch(r, [FULL], {"a": tf.float64}, says="sparse_types cannot contain float64")
    batch(r, [FULL], {}, {"a": ([1] * 8, NONE[FLOAT])}, says="dimensions")
    single(r, [FULL], SPARSE, says="")
    common = dict(Nsparse=1, Ndense=0, Tdense=[], dense_shapes=[])
    r.error("ParseExample", strings([FULL]), strings([]), [strings(["a"])], [], [],
            sparse_types=[FLOAT], says="sparse_keys[0]", **common)
    r.error("ParseExample", strings([FULL]), strings([]), keys("a"), [], [],
            sparse_types=[FLOAT, FLOAT], says="sparse_types 2", **common)
    r.error("ParseSingleExample", strings(FULL), [], num_sparse=2, sparse_keys=["a"],
            sparse_types=[FLOAT], dense_keys=[], Tdense=[], dense_shapes=[], says="sparse_keys 1")


def record(r):
    record_values(r)
    record_forms(r)
    record_errors(r)
    record_argument_errors(r)
