"""What networks consist of besides products and convolutions: normalization, losses, layers."""

from program import MIB

from .case import case, gradient
from .operands import all_indices, floats, integers

IMAGES = floats(8, 56, 56, 64)
CHANNELS = floats(64)
LARGER_IMAGES = floats(16, 64, 64, 64)


def _batch_norm(tf, x, scale, offset):
    return tf.nn.fused_batch_norm(x, scale, offset)[0]


def layer_norm(tf, x):
    """Rows whose mean is 0 and whose variance is 1."""
    mean = tf.reduce_mean(x, 1, keepdims=True)
    variance = tf.reduce_mean(tf.squared_difference(x, mean), 1, keepdims=True)
    return (x - mean) * tf.rsqrt(variance + 1e-5)


def _ctc_loss(tf, indices, labels, inputs):
    """Of 16 sequences of 100 steps, each with 10 labels."""
    return tf.nn.ctc_loss(
        tf.SparseTensor(indices, labels, [16, 10]), inputs, tf.constant([100] * 16)
    )


def _nce_loss(tf, weights, biases, labels, inputs):
    return tf.nn.nce_loss(weights, biases, labels, inputs, num_sampled=64, num_classes=50000)


def _attention(tf, x, *projections):
    """Of 16 sequences of 64 positions, by 4 heads."""

    def heads(projection):
        return tf.transpose(tf.reshape(tf.matmul(x, projection), [16, 64, 4, 64]), [0, 2, 1, 3])

    queries, keys, values = map(heads, projections)
    return tf.matmul(tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True) / 8.0), values)


NORMALIZATION = {
    "fused_batch_norm": case(_batch_norm, IMAGES, CHANNELS, CHANNELS),
    "fused_batch_norm_gradient": gradient(_batch_norm, IMAGES, CHANNELS, CHANNELS),
    "fused_batch_norm_inference": case(
        lambda tf, x, *of_channels: tf.nn.fused_batch_norm(x, *of_channels, is_training=False)[0],
        IMAGES,
        *[CHANNELS] * 4,
    ),
    "batch_normalization": case(
        lambda tf, x, *of_channels: tf.nn.batch_normalization(x, *of_channels, 1e-5),
        LARGER_IMAGES,
        *[CHANNELS] * 4,
    ),
    "layer_norm": case(layer_norm, floats(4096, 1024)),
    "local_response_normalization": case(lambda tf, x: tf.nn.lrn(x), floats(8, 28, 28, 64)),
    "bias_add": case(lambda tf, x, bias: tf.nn.bias_add(x, bias), LARGER_IMAGES, CHANNELS),
    "bias_add_gradient_to_bias": gradient(
        lambda tf, x, bias: tf.nn.bias_add(x, bias), LARGER_IMAGES, CHANNELS, to=1
    ),
    "dropout": case(lambda tf, x: tf.nn.dropout(x, rate=0.5), floats(4 * MIB)),
}

LOSSES = {
    "softmax_of_short_rows": case(lambda tf, x: tf.nn.softmax(x), floats(262144, 10)),
    "softmax": case(lambda tf, x: tf.nn.softmax(x), floats(4096, 1000)),
    "log_softmax": case(lambda tf, x: tf.nn.log_softmax(x), floats(4096, 1000)),
    "softmax_cross_entropy": case(
        lambda tf, labels, logits: tf.nn.softmax_cross_entropy_with_logits_v2(
            labels=labels, logits=logits
        ),
        floats(4096, 1000),
        floats(4096, 1000),
    ),
    "sparse_softmax_cross_entropy": case(
        lambda tf, labels, logits: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits
        ),
        integers(4096, high=1000),
        floats(4096, 1000),
    ),
    "sigmoid_cross_entropy": case(
        lambda tf, labels, logits: tf.nn.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits
        ),
        floats(4 * MIB),
        floats(4 * MIB),
    ),
    "huber_loss": case(
        lambda tf, labels, predictions: tf.losses.huber_loss(labels, predictions),
        floats(1024, 1024),
        floats(1024, 1024),
    ),
    "ctc_loss": case(_ctc_loss, all_indices(16, 10), integers(160, high=27), floats(100, 16, 28)),
    "nce_loss": case(
        _nce_loss,
        floats(50000, 64),
        floats(50000),
        integers(256, 1, high=50000, dtype="int64"),
        floats(256, 64),
    ),
}

CASES = {
    **NORMALIZATION,
    **LOSSES,
    "attention": case(_attention, floats(16 * 64, 256), *[floats(256, 256)] * 3),
}
