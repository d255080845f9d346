"""Sums and other reductions, and what counts by segments."""

from program import MIB

from .case import case
from .operands import floats, integers, sorted_integers, sparse_indices

AXES = {"all": None, "columns": 0, "rows": 1}
FUNCTIONS = {
    "sum": lambda tf, x, axis: tf.reduce_sum(x, axis=axis),
    "mean": lambda tf, x, axis: tf.reduce_mean(x, axis=axis),
    "max": lambda tf, x, axis: tf.reduce_max(x, axis=axis),
    "prod": lambda tf, x, axis: tf.reduce_prod(x, axis=axis),
    "logsumexp": lambda tf, x, axis: tf.reduce_logsumexp(x, axis=axis),
    "norm": lambda tf, x, axis: tf.norm(x, axis=axis),
}


def _of_matrix(function, axis):
    return case(lambda tf, x: function(tf, x, axis), floats(4096, 1024))


def _accuracy(tf, logits, labels):
    right = tf.equal(tf.argmax(logits, 1), labels)
    return tf.reduce_mean(tf.cast(right, tf.float32))


def _cosine_similarity(tf, x, y):
    return tf.reduce_sum(tf.nn.l2_normalize(x, 1) * tf.nn.l2_normalize(y, 1), 1)


OF_MATRICES = {
    f"{name}_of_{of}": _of_matrix(function, axis)
    for name, function in FUNCTIONS.items()
    for of, axis in AXES.items()
}

SUMS = {
    "sum_of_middle_axis": case(lambda tf, x: tf.reduce_sum(x, axis=1), floats(64, 256, 256)),
    "sum_of_first_and_last_axis": case(
        lambda tf, x: tf.reduce_sum(x, axis=[0, 2]), floats(64, 256, 256)
    ),
    "sum_of_each_channel": case(
        lambda tf, x: tf.reduce_sum(x, axis=[0, 1, 2]), floats(16, 64, 64, 64)
    ),
    "mean_of_pixels": case(lambda tf, x: tf.reduce_mean(x, axis=[1, 2]), floats(16, 64, 64, 64)),
    "mean_of_few_pixels": case(lambda tf, x: tf.reduce_mean(x, axis=[1, 2]), floats(32, 7, 7, 512)),
    "sum_of_rows_int32": case(
        lambda tf, x: tf.reduce_sum(x, axis=1), integers(4096, 1024, high=10)
    ),
    "sum_of_rows_float64": case(
        lambda tf, x: tf.reduce_sum(x, axis=1), floats(4096, 1024, dtype="float64")
    ),
    "sum_of_short_rows": case(lambda tf, x: tf.reduce_sum(x, axis=1), floats(MIB // 2, 8)),
    "any_of_rows": case(lambda tf, x: tf.reduce_any(x > 2.0, axis=1), floats(4096, 1024)),
    "variance_of_each_channel": case(
        lambda tf, x: tf.nn.moments(x, axes=[0, 1, 2])[1], floats(16, 64, 64, 64)
    ),
    "l2_loss": case(lambda tf, x: tf.nn.l2_loss(x), floats(4 * MIB)),
    "pairwise_distances": case(
        lambda tf, x, y: tf.reduce_sum(tf.squared_difference(x, y), 2),
        floats(256, 1, 64),
        floats(1, 256, 64),
    ),
    "cosine_similarity": case(_cosine_similarity, floats(4096, 256), floats(4096, 256)),
    "accuracy": case(_accuracy, floats(1024, 1000), integers(1024, high=1000, dtype="int64")),
    "clip_by_global_norm": case(
        lambda tf, *gradients: tf.clip_by_global_norm(gradients, 1.0)[0],
        *[floats(1024, 1024)] * 4,
    ),
}

POSITIONS_AND_SCANS = {
    "argmax_of_columns": case(lambda tf, x: tf.argmax(x, 0), floats(4096, 1024)),
    "argmax_of_rows": case(lambda tf, x: tf.argmax(x, 1), floats(4096, 1024)),
    "argmax_of_short_rows": case(lambda tf, x: tf.argmax(x, 1), floats(MIB // 2, 8)),
    "cumsum_of_columns": case(lambda tf, x: tf.cumsum(x, 0), floats(4096, 1024)),
    "cumsum_of_rows": case(lambda tf, x: tf.cumsum(x, 1), floats(4096, 1024)),
}

SEGMENTS = {
    "segment_sum": case(
        lambda tf, x, ids: tf.segment_sum(x, ids), floats(16384, 256), sorted_integers(16384, 1000)
    ),
    "segment_sum_of_scalars": case(
        lambda tf, x, ids: tf.segment_sum(x, ids), floats(MIB), sorted_integers(MIB, 10000)
    ),
    "segment_max_of_short_rows": case(
        lambda tf, x, ids: tf.segment_max(x, ids), floats(65536, 16), sorted_integers(65536, 1000)
    ),
    "unsorted_segment_sum": case(
        lambda tf, x, ids: tf.unsorted_segment_sum(x, ids, 1000),
        floats(16384, 256),
        integers(16384, high=1000),
    ),
    "unsorted_segment_max": case(
        lambda tf, x, ids: tf.unsorted_segment_max(x, ids, 1000),
        floats(16384, 256),
        integers(16384, high=1000),
    ),
    "sparse_segment_sum": case(
        lambda tf, x, rows, ids: tf.sparse_segment_sum(x, rows, ids),
        floats(16384, 64),
        integers(65536, high=16384),
        sorted_integers(65536, 8000),
    ),
    "bincount": case(
        lambda tf, x: tf.bincount(x, minlength=1000, maxlength=1000),
        integers(4 * MIB, high=1000),
    ),
    "histogram_fixed_width": case(
        lambda tf, x: tf.histogram_fixed_width(x, [0.0, 2.0], nbins=100), floats(MIB)
    ),
    "sparse_reduce_sum": case(
        lambda tf, indices, x: tf.sparse_reduce_sum(tf.SparseTensor(indices, x, [1000, 1000]), 1),
        sparse_indices(65536, rows=1000, columns=1000),
        floats(65536),
    ),
}

CASES = {**OF_MATRICES, **SUMS, **POSITIONS_AND_SCANS, **SEGMENTS}
