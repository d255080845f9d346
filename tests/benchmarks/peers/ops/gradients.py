"""Gradients of functions of elements, of reductions, and of what moves elements."""

from program import MIB

from .case import gradient
from .elementwise import function
from .networks import layer_norm
from .operands import floats, integers

MATRIX = floats(4096, 1024)
OF_ALL_NUMBERS = """relu relu6 leaky_relu elu selu softplus softsign tanh sin abs""".split()
OF_POSITIVE_NUMBERS = "sigmoid exp log sqrt rsqrt square log1p erf".split()
BORDER_OF_ONE = [[0, 0], [1, 1], [1, 1], [0, 0]]


def _gather(tf, x, rows):
    """Of a product, whose gradient is a whole tensor; that of a variable would be some rows."""
    return tf.gather(x * 1.0, rows)


OF_ELEMENTS = {
    **{name: gradient(function(name), floats(4 * MIB, low=-1.5)) for name in OF_ALL_NUMBERS},
    **{name: gradient(function(name), floats(4 * MIB)) for name in OF_POSITIVE_NUMBERS},
    "add_to_row": gradient(lambda tf, x, row: x + row, MATRIX, floats(1024), to=1),
    "multiply_to_row": gradient(lambda tf, x, row: x * row, MATRIX, floats(1024), to=1),
    "multiply_to_column": gradient(lambda tf, x, column: x * column, MATRIX, floats(4096, 1), to=1),
    "divide_to_divisor": gradient(lambda tf, x, y: x / y, MATRIX, MATRIX, to=1),
    "maximum": gradient(lambda tf, x, y: tf.maximum(x, y), MATRIX, MATRIX, to=1),
    "pow_to_exponent": gradient(
        lambda tf, x, y: tf.pow(x, y), floats(1024, 1024), floats(1024, 1024), to=1
    ),
    "where": gradient(lambda tf, x: tf.where(x > 1.0, x, x * 2.0), MATRIX),
    "clip_by_value": gradient(lambda tf, x: tf.clip_by_value(x, 0.7, 1.2), MATRIX),
}

OF_PRODUCTS_AND_REDUCTIONS = {
    **{
        f"matmul_to_{side}": gradient(
            lambda tf, x, y: tf.matmul(x, y), floats(512, 512), floats(512, 512), to=to
        )
        for to, side in enumerate(("left", "right"))
    },
    "mean_of_rows": gradient(lambda tf, x: tf.reduce_mean(x, 1), MATRIX),
    "max_of_rows": gradient(lambda tf, x: tf.reduce_max(x, 1), MATRIX),
    "norm_of_rows": gradient(lambda tf, x: tf.norm(x, axis=1), MATRIX),
    "logsumexp_of_rows": gradient(lambda tf, x: tf.reduce_logsumexp(x, 1), MATRIX),
    "cumsum_of_rows": gradient(lambda tf, x: tf.cumsum(x, 1), MATRIX),
    "top_10": gradient(lambda tf, x: tf.nn.top_k(x, 10)[0], floats(256, 16384)),
    "l2_loss": gradient(lambda tf, x: tf.nn.l2_loss(x), MATRIX),
    "variance_of_each_channel": gradient(
        lambda tf, x: tf.nn.moments(x, [0, 1, 2])[1], floats(16, 64, 64, 64)
    ),
}

OF_NETWORKS = {
    "softmax": gradient(lambda tf, x: tf.nn.softmax(x), floats(4096, 1000)),
    "log_softmax": gradient(lambda tf, x: tf.nn.log_softmax(x), floats(4096, 1000)),
    "sparse_softmax_cross_entropy": gradient(
        lambda tf, logits, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits
        ),
        floats(4096, 1000),
        integers(4096, high=1000),
    ),
    "layer_norm": gradient(layer_norm, MATRIX),
    "local_response_normalization": gradient(lambda tf, x: tf.nn.lrn(x), floats(8, 28, 28, 64)),
    "resize_bilinear": gradient(
        lambda tf, x: tf.image.resize_bilinear(x, [224, 224]), floats(8, 112, 112, 8)
    ),
    "embedding_lookup": gradient(
        lambda tf, table, ids: tf.nn.embedding_lookup(table, ids),
        floats(50000, 128),
        integers(64, 50, high=50000),
    ),
}

OF_ARRAYS = {
    "transpose": gradient(lambda tf, x: tf.transpose(x, [0, 2, 1]), floats(64, 256, 256)),
    "concat_columns": gradient(
        lambda tf, x, y: tf.concat([x, y], 1), floats(4096, 512), floats(4096, 512), to=1
    ),
    "stack": gradient(
        lambda tf, x, y: tf.stack([x, y], 1), floats(4096, 512), floats(4096, 512), to=1
    ),
    "split_columns": gradient(lambda tf, x: tf.split(x, 2, 1)[0], MATRIX),
    "slice_columns": gradient(lambda tf, x: x[:, 100:900], MATRIX),
    "strided_slice_every_second": gradient(lambda tf, x: x[::2, ::2], MATRIX),
    "pad": gradient(lambda tf, x: tf.pad(x, BORDER_OF_ONE), floats(16, 64, 64, 64)),
    "tile_rows": gradient(lambda tf, x: tf.tile(x, [4, 1]), floats(1024, 1024)),
    "gather_rows": gradient(_gather, floats(16384, 64), integers(16384, high=16384)),
    "gather_nd": gradient(
        lambda tf, x, indices: tf.gather_nd(x * 1.0, indices),
        floats(16384, 64),
        integers(16384, 1, high=16384),
    ),
}

CASES = {
    f"gradient_of_{name}": case
    for cases in (OF_ELEMENTS, OF_PRODUCTS_AND_REDUCTIONS, OF_NETWORKS, OF_ARRAYS)
    for name, case in cases.items()
}
