"""Sorting, and finding elements and their positions."""

from program import MIB

from .case import case
from .operands import all_indices, booleans, floats, integers, sorted_floats


def _edit_distance(tf, indices, first, second):
    def rows(tokens):
        return tf.SparseTensor(indices, tokens, [100, 50])

    return tf.edit_distance(rows(first), rows(second))


CASES = {
    "top_10": case(lambda tf, x: tf.nn.top_k(x, 10)[0], floats(256, 16384)),
    "top_1": case(lambda tf, x: tf.nn.top_k(x, 1)[0], floats(1024, 1000)),
    "top_1000": case(lambda tf, x: tf.nn.top_k(x, 1000)[0], floats(16, 65536)),
    "sort": case(lambda tf, x: tf.sort(x), floats(64, 16384)),
    "in_top_k": case(
        lambda tf, predictions, targets: tf.nn.in_top_k(predictions, targets, 5),
        floats(1024, 1000),
        integers(1024, high=1000),
    ),
    "unique": case(lambda tf, x: tf.unique(x)[0], integers(MIB, high=10000)),
    "unique_of_many": case(lambda tf, x: tf.unique(x)[0], integers(MIB, high=1 << 30)),
    "setdiff1d": case(
        lambda tf, x, y: tf.setdiff1d(x, y)[0],
        integers(MIB, high=100000),
        integers(100000, high=100000),
    ),
    "where_of_flags": case(lambda tf, x: tf.where(x), booleans(1024, 2048)),
    "where": case(lambda tf, x: tf.where(x > 1.0), floats(MIB)),
    "boolean_mask": case(
        lambda tf, x, mask: tf.boolean_mask(x, mask), floats(65536, 64), booleans(65536)
    ),
    "searchsorted": case(
        lambda tf, x, values: tf.searchsorted(x, values),
        sorted_floats(1, 4096),
        floats(1, MIB, low=0, high=1),
    ),
    "edit_distance": case(
        _edit_distance,
        all_indices(100, 50),
        integers(5000, high=27),
        integers(5000, high=27),
    ),
}
