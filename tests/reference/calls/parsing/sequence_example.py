import tensorflow as tf
from calls.parsing.example import (
    FLOAT, LONG, NONE, STRING, entry, feature, features_of, field, floats, keys, longs, strings,
    texts)
from recorder import array


def lists(*features):
    return tf.train.FeatureList(feature=features)


def sequence(context=None, **feature_lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context or {}),
        feature_lists=tf.train.FeatureLists(feature_list=feature_lists),
    ).SerializeToString(deterministic=True)


class Wanted:
    """What a call asks for: dtypes of sparse features, defaults of dense ones, dtypes and shapes
    of dense lists."""

    def __init__(self, sparse=None, dense=None, list_sparse=None, list_dense=None, missing=()):
        self.sparse, self.dense = sparse or {}, dense or {}
        self.list_sparse, self.list_dense = list_sparse or {}, list_dense or {}
        self.missing = list(missing)
        self.defaults = [default for _, default in self.dense.values()]

    def types(self):
        dense = [STRING if d.dtype == object else tf.as_dtype(d.dtype) for d in self.defaults]
        return dict(
            Ncontext_sparse=len(self.sparse), Ncontext_dense=len(self.dense),
            Nfeature_list_sparse=len(self.list_sparse), Nfeature_list_dense=len(self.list_dense),
            context_sparse_types=list(self.sparse.values()), Tcontext_dense=dense,
            feature_list_sparse_types=list(self.list_sparse.values()),
            feature_list_dense_types=[dtype for dtype, _ in self.list_dense.values()],
            context_dense_shapes=[shape for shape, _ in self.dense.values()],
            feature_list_dense_shapes=[shape for _, shape in self.list_dense.values()])

    def keys(self):
        return dict(
            feature_list_dense_missing_assumed_empty=self.missing,
            context_sparse_keys=list(self.sparse), context_dense_keys=list(self.dense),
            feature_list_sparse_keys=list(self.list_sparse),
            feature_list_dense_keys=list(self.list_dense))


def batch(r, serialized, wanted, names=(), says=None, **more):
    record = r.call if says is None else lambda *a, **k: r.error(*a, says=says, **k)
    known = {} if says else {"known_shape": False}
    record("ParseSequenceExample", strings(serialized), strings(list(names)), wanted.defaults,
           **wanted.types(), **wanted.keys(), **known, **more)


def single(r, serialized, wanted, name="", says=None, **more):
    record = r.call if says is None else lambda *a, **k: r.error(*a, says=says, **k)
    known = {} if says else {"known_shape": False}
    record("ParseSingleSequenceExample", strings(serialized), strings(wanted.missing),
           keys(wanted.sparse), keys(wanted.dense), keys(wanted.list_sparse),
           keys(wanted.list_dense), wanted.defaults, strings(name), **wanted.types(), **known,
           **more)


def both(r, serialized, wanted, says=None, **more):
    batch(r, [serialized], wanted, names=["one"], says=says, **more)
    single(r, serialized, wanted, name="one", says=says, **more)


CONTEXT = {"a": floats(1, -2.5), "b": texts(b"x", b""), "c": longs(5, -1, 2**63 - 1),
           "unused": texts(b"?")}
FULL = sequence(
    CONTEXT, f=lists(floats(1, 2), floats(3, 4), floats(5, 6)),
    s=lists(texts(b"p", b"q")), i=lists(longs(1), longs(), longs(2, 3), longs(-4)))
SHORT = sequence({"a": floats(7, 8)}, f=lists(floats(-1, -2)), s=lists(), i=lists(longs(9)))
EMPTY = sequence()

SPARSE = {"a": FLOAT, "b": STRING, "c": LONG}
DENSE = {"a": ([2], array([0.5, 1.5], "float32")), "b": ([2, 1], strings([["p"], ["q"]])),
         "c": ([1, 3], array([[7, 8, 9]], "int64"))}
LISTS = {"f": (FLOAT, [2]), "s": (STRING, [2, 1])}
LIST_SPARSE = {"f": FLOAT, "s": STRING, "i": LONG}
ALL = Wanted({"c": LONG}, {"a": DENSE["a"]}, {"i": LONG}, LISTS, ["f", "s"])


def record_values(r):
    contexts, lists_only = Wanted(SPARSE), Wanted(list_sparse=LIST_SPARSE)
    dense = Wanted(dense=DENSE, list_dense=LISTS, missing=["f", "s", "other"])
    for wanted in [contexts, lists_only, dense, ALL]:
        batch(r, [FULL, SHORT, EMPTY, FULL], wanted)
        batch(r, [SHORT], wanted, names=["n"])
        for one in [FULL, SHORT, EMPTY]:
            single(r, one, wanted)
    single(r, FULL, ALL, name="n")
    batch(r, [], contexts)
    batch(r, [], Wanted())
    single(r, EMPTY, Wanted())
    both(r, FULL, Wanted(list_dense={"f": (FLOAT, [2])}))
    both(r, FULL, Wanted(dense={"a": ([2], NONE[FLOAT])}))
    scalars = sequence({"x": longs(3)}, t=lists(longs(1), longs(2)))
    both(r, scalars, Wanted(dense={"x": ([], NONE[LONG])}, list_dense={"t": (LONG, [])}))
    holes = sequence(t=lists(feature([], LONG), longs(3), tf.train.Feature()))
    both(r, holes, Wanted(list_sparse={"t": LONG}))
    unpacked = features_of(entry(b"c", field(3, b"\x08\x05\x08\x06"))) + field(
        2, entry(b"t", field(1, field(3, b"\x08\x01\x08\x02"))))
    both(r, unpacked, Wanted({"c": LONG}, list_dense={"t": (LONG, [2])}))


def record_errors(r):
    odd = sequence({"a": longs(1)}, f=lists(floats(1, 2), longs(3)), t=lists(floats(1, 2, 3)))
    for wanted, says in [
            (Wanted({"a": FLOAT}), "Name: one, Context feature: a.  Data types don't match. "
                                   "Expected type: float  Feature is: int64_list"),
            (Wanted(dense={"a": DENSE["a"]}), "Name: one, Context feature: a.  Data types"),
            (Wanted(dense={"a": ([2], NONE[LONG])}), "values size: 1 but output shape: [2]"),
            (Wanted(dense={"z": ([], NONE[LONG])}),
             "Name: one, Context feature: z (data type: int64) is required"),
            (Wanted(list_sparse={"f": FLOAT}), "Name: one, Feature list: f, Index: 1.  Data types"
                                               " don't match. Expected type: float  Feature is"),
            (Wanted(list_dense={"f": (FLOAT, [2])}), "Name: one, Feature list: f, Index: 1."),
            (Wanted(list_dense={"t": (FLOAT, [2])}),
             "Name: one, Key: t, Index: 0.  Number of float values != expected.  "
             "values size: 3 but output shape: [2]"),
            (Wanted(list_dense={"z": (FLOAT, [2])}),
             "Name: one, Feature list 'z' is required but could not be found.")]:
        both(r, odd, wanted, says=says)
    holes = sequence(t=lists(tf.train.Feature()))
    both(r, holes, Wanted(list_dense={"t": (LONG, [1])}), says="Feature is: empty")
    batch(r, [FULL, EMPTY], Wanted(list_dense={"f": (FLOAT, [2])}),
          says="Name: <unknown>, Feature list 'f' is required")
    for broken in [b"bogus", FULL[:-1], b"\x0a\x7f", field(2, field(1, b"\x0b")), b"\xff" * 11]:
        both(r, broken, ALL, says="Name: one, Could not parse example")
    for broken in [b"\x0a", field(1, field(3, field(1, b"\xff")))]:
        wrong = field(2, entry(b"i", broken))
        both(r, wrong, Wanted(list_sparse={"i": LONG}),
             says="Name: one, Feature list: i, Index: 0.  Can't parse")


def record_argument_errors(r):
    both(r, FULL, Wanted({"a": FLOAT}, {"a": DENSE["a"]}), says="'a' is asked for twice")
    both(r, FULL, Wanted(list_sparse={"f": FLOAT}, list_dense=LISTS), says="'f' is asked for twice")
    both(r, FULL, Wanted(dense={"a": ([2], array([1], "float32"))}), says="def_value[0].shape()")
    both(r, FULL, Wanted({"a": tf.float64}), says="context_sparse_types cannot contain float64")
    both(r, FULL, Wanted(list_dense={"f": (tf.int32, [1])}), says="cannot contain int32")
    both(r, FULL, Wanted(list_dense={"f": (FLOAT, [1] * 8)}), says="dimensions")
    batch(r, [FULL], ALL, names=["x", "y"], says="len(names) == len(serialized)")
    batch(r, FULL, ALL, says="")
    single(r, [FULL], ALL, says="")
    single(r, FULL, ALL, name=["x"], says="debug_name")
    counts = dict(feature_list_dense_missing_assumed_empty=[], context_dense_keys=[],
                  feature_list_sparse_keys=[], feature_list_dense_keys=[])
    r.error("ParseSequenceExample", strings([FULL]), strings([]), [], Ncontext_sparse=2,
            context_sparse_keys=["a"], context_sparse_types=[FLOAT, FLOAT], **counts,
            says="context_sparse_keys 1")
    r.error("ParseSequenceExample", strings([FULL]), strings([]), [], Ncontext_sparse=-1,
            context_sparse_keys=[], **counts, says="Ncontext_sparse")


def record(r):
    record_values(r)
    record_errors(r)
    record_argument_errors(r)
