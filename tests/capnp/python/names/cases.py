"""Calls of public functions, as expressions that mean the same for TensorFlow and for Troupe.

The results of TensorFlow are recorded in values.json; values_test.py compares those of Troupe.
"""

import image_cases
import layer_cases
import numpy as np
import sparse_cases


def waves(*shape, scale=2.0):
    """Numbers without order between -scale and scale, the same for everyone."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(count) * 1.7 + 0.3) * scale).astype(np.float32).reshape(shape)


X = waves(2, 3)
POSITIVE = np.abs(waves(2, 3)) + 0.25
UNIT = waves(2, 3, scale=0.9)
ROW = waves(3)
LARGE = np.array([-1e30, -50, 0, 50, 1e30], np.float32)
NUMBERS = np.array([[7, -7, 5], [-5, 1, 0]], np.int32)
DIVISORS = np.array([[2, 2, -3], [-3, 4, 5]], np.int32)
BITS = np.array([0, 1, 5, 255, 170], np.uint8)
COMPLEX = (waves(2, 3) + 1j * waves(3, 2).reshape(2, 3)).astype(np.complex64)
STRINGS = [["a", "Bc"], ["  def ", ""]]
LINES = waves(2, 7, 3)
IMAGES = waves(2, 6, 5, 2)
VOLUMES = waves(1, 4, 4, 3, 2)
SPEECH = waves(5, 2, 4)  # [time, batch, classes]
LABELS = np.array([[0, 1, 0], [1, 1, 0]], np.float32)
TABLE = waves(7, 3)


def grad(tf, y, *xs):
    """The gradients of a weighted sum, so that no two elements count the same."""
    weights = tf.constant(np.arange(1, 1 + int(np.prod(y.shape.as_list())), dtype=np.float32))
    return tf.gradients(tf.reduce_sum(tf.reshape(y, [-1]) * weights), list(xs))


def sets_of(tf):
    """Two sets: of 2 and 9, and of 5."""
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [9, 2, 5], [2, 3])


ELEMENTS = [
    *(f"tf.{name}(X)" for name in (
        "abs", "atan", "asinh", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor",
        "negative", "rint", "round", "sigmoid", "sign", "sin", "sinh", "square", "tan", "tanh",
        "log_sigmoid", "is_finite", "is_inf", "is_nan", "real", "imag", "angle", "conj",
        "count_nonzero", "reduce_logsumexp", "to_double", "matrix_transpose",
        "nn.elu", "nn.relu", "nn.relu6", "nn.selu", "nn.softplus", "nn.softsign", "nn.leaky_relu",
        "nn.crelu", "nn.swish", "nn.softmax", "nn.log_softmax", "nn.zero_fraction",
        "math.bessel_i0e", "math.bessel_i1e", "math.is_non_decreasing",
        "math.is_strictly_increasing",
    )),
    *(f"tf.{name}(POSITIVE)" for name in (
        "digamma", "lgamma", "log", "log1p", "sqrt", "rsqrt", "lbeta", "reciprocal",
    )),
    *(f"tf.{name}(UNIT)" for name in ("acos", "asin", "atanh")),
    *(f"tf.{name}(COMPLEX)" for name in ("abs", "real", "imag", "angle", "conj")),
    "tf.acosh(POSITIVE + 1)",
    *(f"tf.{name}(POSITIVE, POSITIVE + 1)" for name in (
        "igamma", "igammac", "math.xlogy", "math.xdivy", "atan2", "math.nextafter",
    )),
    "tf.zeta(POSITIVE + 1, POSITIVE)", "tf.polygamma([[1.0, 2.0, 3.0]], POSITIVE)",
    "tf.betainc(POSITIVE, POSITIVE + 1, np.abs(UNIT))",
    *(f"tf.{name}(NUMBERS, DIVISORS)" for name in (
        "div", "floordiv", "floor_div", "floormod", "mod", "truncatediv", "truncatemod",
        "truediv", "divide",
    )),
    *(f"tf.{name}(X, ROW)" for name in (
        "div", "floordiv", "mod", "realdiv", "squared_difference", "equal", "not_equal",
    )),
    "tf.div_no_nan(X, [0.0, 1.0, 2.0])", "tf.math.divide_no_nan(X, [0.0, 1.0, 2.0])",
    "tf.math.multiply_no_nan([np.nan, 2.0], [0.0, 3.0])",
    "tf.complex(X, X)", "tf.complex(tf.cast(X, tf.float64), tf.cast(X, tf.float64)) * 2",
    "tf.math.polyval([1.0, 2.0, 3.0], X)", "tf.math.polyval([], X)",
    "tf.accumulate_n([X, X, X])", "tf.add_n([X, X])", "tf.scalar_mul(2, X)",
    "tf.logical_or([True, False], False)", "tf.logical_xor([True, False], [True, True])",
    "tf.constant([True, False]) ^ tf.constant([True, True])",
    "tf.constant([True, False]) | tf.constant([False, False])",
    "tf.constant(NUMBERS) // DIVISORS", "tf.constant(NUMBERS) % DIVISORS", "7 // tf.constant(2.5)",
    "tf.saturate_cast([-1.0, 3.5, 300.0], tf.uint8)", "tf.saturate_cast([-300, 300], tf.int8)",
    "tf.bitcast(X, tf.int32)", "tf.cross(X, X[:, ::-1])",
    "tf.count_nonzero(NUMBERS, 0, keepdims=True)", "tf.count_nonzero(['', 'a'])",
    "tf.count_nonzero(NUMBERS, reduction_indices=[1], dtype=tf.int32)",
    "tf.reduce_logsumexp(X, 1, keepdims=True)", "tf.reduce_logsumexp([-np.inf, -np.inf])",
    "tf.reduce_sum(X, reduction_indices=[1], keep_dims=True)",
    "tf.math.reduce_std(X, 1)", "tf.math.reduce_variance(X)",
    "tf.math.is_non_decreasing([1, 1, 2])", "tf.math.is_strictly_increasing([1, 1, 2])",
    "tf.math.is_strictly_increasing([3])",
    "tf.tensordot(X, X.T, 1)", "tf.tensordot(IMAGES, IMAGES, [[1, 2], [1, 2]])",
    "tf.tensordot(X, ROW, [[1], [0]])", "tf.tensordot(IMAGES, waves(2, 4), [[3], [0]])",
    "tf.tensordot(ROW, ROW, 1)", "tf.norm(X)", "tf.norm(X, 1, 0)",
    "tf.norm(X, np.inf, axis=1, keepdims=True)", "tf.norm(X, 3)", "tf.norm(COMPLEX, axis=1)",
    "tf.norm(X, 1, [0, 1])", "tf.norm(X, np.inf, (0, 1), keep_dims=True)",
    "tf.norm(IMAGES, 'fro', [1, 2])", "tf.math.reduce_euclidean_norm(X, 1)",
    "tf.norm(X, 2, [0, 1], keepdims=True)", "tf.norm(IMAGES, 2, [1, 2])",
    "tf.norm(LINES, 2, [-1, 0])", "tf.math.reduce_euclidean_norm(X, 0, True)",
    "tf.bincount([1, 5, 0, 1])", "tf.bincount([1, 5, 0], minlength=8, dtype=tf.float32)",
    "tf.bincount([1, 5, 0], maxlength=3)", "tf.bincount([1, 2, 1], [0.5, 1.5, 2.0])",
    "tf.math.bincount(np.zeros(0, np.int32), minlength=2)",
    "tf.histogram_fixed_width(X, [-1.0, 1.0], 4)",
    "tf.histogram_fixed_width(NUMBERS, [0, 5], nbins=3, dtype=tf.int64)",
    "tf.histogram_fixed_width_bins(X, [-1.0, 1.0], nbins=4)",
    "tf.sparse_segment_sum(TABLE, [0, 3, 1], [0, 0, 2])",
    "tf.sparse_segment_mean(TABLE, [0, 3, 1], [0, 0, 2], num_segments=4)",
    "tf.sparse_segment_sqrt_n(TABLE, [0, 3, 1], [0, 0, 2])",
    "grad(tf, tf.sparse_segment_sum(x, [0, 1, 1], [0, 0, 1], num_segments=3), x)",
    "grad(tf, tf.sparse_segment_mean(x, [0, 1, 1], [0, 0, 1], num_segments=3), x)",
    "grad(tf, tf.sparse_segment_sqrt_n(x, [0, 1, 1], [0, 0, 1], num_segments=3), x)",
    *(f"tf.sets.{name}([[1, 2, 2], [3, 4, 5]], [[2, 7], [5, 4]]{part}.values" for name, part in (
        ("union", ")"), ("intersection", ")"), ("difference", ")"),
        ("set_difference", ", aminusb=False)"),
    )),
    *(f"tf.sets.{name}(sets_of(tf), [[2, 7], [5, 4]]){part}" for name, part in (
        ("union", ".values"), ("difference", ".values"), ("intersection", ".indices"),
    )),
    "tf.sets.difference([[2, 7], [5, 4]], sets_of(tf)).values", "tf.sets.size(sets_of(tf))",
    "tf.sets.union(sets_of(tf), sets_of(tf)).dense_shape",
    "tf.argmin(X, output_type=tf.int32)", "tf.arg_min(NUMBERS, 1)",
    "tf.dimension_value(tf.TensorShape([3])[0])", "tf.is_tensor(x)", "tf.is_tensor(1)",
    "tf.dimension_at_index(tf.TensorShape([5, 2]), 1).value",
    "tf.where_v2([[True], [False]], X, 0.0)",
    "tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])).as_list()",
    "tf.one_hot([1, 0], 3, axis=0)", "tf.gather(X, [1], axis=1)",
    "tf.pad(X, [[1, 0], [0, 1]], constant_values=9)", "tf.split(X, [1, 2], 1)",
    "tf.matmul(COMPLEX, COMPLEX, adjoint_b=True)", "tf.arg_max(X, 1)", "tf.argmin(X, 1)",
    "grad(tf, tf.nn.elu(x), x)", "grad(tf, tf.nn.selu(x), x)", "grad(tf, tf.nn.softsign(x), x)",
    "grad(tf, tf.nn.leaky_relu(x, 0.3), x)", "grad(tf, tf.log_sigmoid(x), x)",
    "grad(tf, tf.clip_by_norm(x, 1.5), x)", "grad(tf, tf.reduce_logsumexp(x, 1), x)",
    *(f"tf.bitwise.{name}(BITS, BITS[::-1].copy())" for name in (
        "bitwise_and", "bitwise_or", "bitwise_xor",
    )),
    "tf.bitwise.invert(BITS)", "tf.bitwise.left_shift(BITS, [1, 2, 3, 0, 1])",
    "tf.bitwise.right_shift(NUMBERS, [[1, 1, 1]])",
]  # fmt: skip

TEXT = [
    "tf.strings.join([['a', 'b'], ['c', 'd']], '-')", "tf.string_join(['x', ['c', 'd']])",
    "tf.strings.length(STRINGS)", "tf.strings.length(['\\u00e9'], unit='UTF8_CHAR')",
    "tf.strings.lower(STRINGS)", "tf.strings.upper(STRINGS)", "tf.string_strip(STRINGS)",
    "tf.strings.strip(STRINGS)", "tf.strings.substr(['hello', 'world'], 1, 3)",
    "tf.substr(['hello', 'world'], -3, 2)",
    "tf.reduce_join(STRINGS)", "tf.reduce_join(STRINGS, 0)", "tf.reduce_join(STRINGS, [0, 1])",
    "tf.reduce_join(STRINGS, axis=[1, 0], keep_dims=True, separator='+')",
    "tf.strings.reduce_join(STRINGS, reduction_indices=-1, keepdims=True)",
    "tf.strings.regex_full_match(['ab', 'abc'], 'a.')",
    "tf.strings.regex_full_match(['ab', 'abc'], tf.constant('a.c'))",
    "tf.regex_replace(['banana'], 'an', 'AN')",
    "tf.strings.regex_replace(['banana'], '(a)(n)', r'\\2\\1', replace_global=False)",
    "tf.regex_replace(['banana'], tf.constant('an'), 'AN', False)",
    "tf.as_string([1.5, -2.25], precision=3)", "tf.strings.as_string([True, False])",
    "tf.as_string([3], width=4, fill='0')", "tf.as_string([1.5], scientific=True)",
    "tf.string_to_number(['1.5', '-3'])", "tf.strings.to_number(input=['7'], out_type=tf.int64)",
    "tf.string_to_hash_bucket(['a', 'b'], 100)",
    "tf.strings.to_hash_bucket(input='a', num_buckets=9)",
    "tf.string_to_hash_bucket_fast(STRINGS, 1000)",
    "tf.strings.to_hash_bucket_strong(STRINGS, 1000, [1, 2])",
    "tf.string_split(['a b', ' c'])", "tf.string_split(['a,b;c', ''], ',;', False)",
    "tf.string_split(['ab'], delimiter='').values", "tf.strings.split(['a  b', 'c'])",
    "tf.strings.split(['a--b--c'], '--', maxsplit=1)", "tf.strings.split(source=['x y'])",
    "tf.SparseTensor([[0, 1]], [5.0], [2, 3])",
    "tf.SparseTensor([[0]], ['a'], [2]).shape.as_list()",
    "tf.encode_base64(['any carnal pleasure'], pad=True)", "tf.io.decode_base64(['YW55'])",
    "tf.decode_raw(['\\x01\\x02\\x03\\x04'], tf.int16)",
    "tf.io.decode_raw(bytes=['\\x01\\x02'], out_type=tf.int16, little_endian=False)",
    "tf.decode_csv(['1,2.5,a', '2,,b'], [[0], [9.0], ['']])",
    "tf.io.decode_csv(['1;\\'x\\';3'], [[0], [0]], field_delim=';', select_cols=[0, 2])",
    "tf.decode_csv(['NA|\"q|r\"'], [[5], ['d']], '|', na_value='NA')",
]  # fmt: skip

NETWORKS = [
    "tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0, 1, 1], [2, 2]), SPEECH, [5, 4])",
    "tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0, 1, 1], [2, 2]), "
    "sequence_length=[5, 4], ctc_merge_repeated=False, time_major=False, "
    "logits=SPEECH.transpose(1, 0, 2))",
    *(f"tf.nn.ctc_greedy_decoder(SPEECH, [5, 4]{part}" for part in (
        ")[0][0].values", ", merge_repeated=False)[0][0].indices", ")[0][0].dense_shape", ")[1]",
    )),
    *(f"tf.nn.ctc_beam_search_decoder(SPEECH, [5, 4], top_paths=2{part}" for part in (
        ")[0][0].values", ", merge_repeated=False)[0][1].indices", ")[0][1].dense_shape", ")[1]",
    )),
    "tf.nn.ctc_beam_search_decoder_v2(SPEECH, [5, 4], beam_width=3)[0][0].values",
    "tf.nn.conv2d(IMAGES, waves(3, 3, 2, 4), 2, 'SAME')",
    "tf.nn.conv2d(IMAGES, waves(3, 2, 2, 4), [1, 2, 1, 1], 'VALID')",
    "tf.nn.conv2d(IMAGES, filters=waves(2, 2, 2, 3), padding='SAME', dilations=[1, 2], strides=1)",
    "tf.nn.conv2d(IMAGES, waves(3, 3, 2, 1), 1, [[0, 0], [1, 2], [0, 1], [0, 0]])",
    "tf.nn.conv1d(LINES, waves(3, 3, 2), 2, 'SAME')",
    "tf.nn.conv1d(LINES, waves(3, 3, 2), [1], 'VALID', dilations=2)",
    "tf.nn.conv1d(input=LINES, filters=waves(1, 3, 2), stride=1, padding='VALID')",
    "tf.nn.conv3d(VOLUMES, waves(2, 2, 2, 2, 3), [1, 1, 2, 1, 1], 'SAME')",
    "tf.nn.convolution(LINES, waves(2, 3, 2), 'VALID', dilation_rate=[3])",
    "tf.nn.convolution(IMAGES, waves(2, 2, 2, 2), 'SAME', strides=[2, 1])",
    "tf.nn.convolution(VOLUMES, waves(2, 2, 1, 2, 2), 'VALID')",
    "tf.nn.atrous_conv2d(IMAGES, waves(2, 2, 2, 2), 2, 'VALID')",
    "tf.nn.atrous_conv2d_transpose(IMAGES, waves(2, 2, 3, 2), [2, 8, 7, 3], 2, 'VALID')",
    "tf.nn.conv2d_transpose(IMAGES, waves(3, 3, 4, 2), [2, 12, 10, 4], 2)",
    "tf.nn.conv2d_transpose(IMAGES, waves(3, 3, 4, 2), [2, 8, 7, 4], strides=1, padding='VALID')",
    "tf.nn.conv1d_transpose(LINES, waves(2, 4, 3), [2, 14, 4], 2)",
    "tf.nn.conv3d_transpose(VOLUMES, waves(2, 2, 2, 3, 2), [1, 8, 8, 6, 3], 2)",
    "tf.nn.conv_transpose(IMAGES, waves(3, 3, 4, 2), [2, 12, 10, 4], 2)",
    "tf.nn.depthwise_conv2d(IMAGES, waves(3, 3, 2, 2), [1, 1, 1, 1], 'SAME')",
    "tf.nn.depthwise_conv2d(IMAGES, waves(2, 2, 2, 1), [1, 1, 1, 1], 'VALID', rate=[2, 2])",
    "tf.nn.depthwise_conv2d_native(IMAGES, waves(3, 3, 2, 2), [1, 2, 2, 1], 'SAME')",
    "tf.nn.separable_conv2d(IMAGES, waves(3, 3, 2, 2), waves(1, 1, 4, 3), [1, 1, 1, 1], 'SAME')",
    "tf.nn.separable_conv2d(IMAGES, waves(2, 2, 2, 1), waves(1, 1, 2, 3), [1, 1, 1, 1], 'VALID',"
    " rate=[2, 1])",
    "tf.nn.conv2d_backprop_input([2, 6, 5, 2], waves(3, 3, 2, 2), IMAGES, [1, 1, 1, 1], 'SAME')",
    "tf.nn.conv2d_backprop_filter(IMAGES, [3, 3, 2, 2], IMAGES, [1, 1, 1, 1], 'SAME')",
    "tf.nn.depthwise_conv2d_backprop_filter(IMAGES, [3, 3, 2, 1], IMAGES, [1, 1, 1, 1], 'SAME')",
    "tf.nn.dilation2d(IMAGES, waves(2, 2, 2), [1, 1, 1, 1], [1, 2, 1, 1], 'SAME')",
    "tf.nn.dilation2d(IMAGES, filters=waves(2, 2, 2), strides=[1, 1, 1, 1],"
    " dilations=[1, 1, 1, 1], padding='VALID')",
    "tf.nn.erosion2d(IMAGES, waves(2, 3, 2), [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')",
    "tf.nn.max_pool(IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')",
    "tf.nn.max_pool(IMAGES, 2, 1, 'VALID')",
    "tf.nn.avg_pool(IMAGES, [1, 3, 3, 1], [1, 1, 1, 1], 'SAME')",
    "tf.nn.avg_pool(IMAGES, 3, 2, 'VALID')",
    "tf.nn.max_pool1d(LINES, 3, 2, 'VALID')", "tf.nn.avg_pool1d(LINES, 3, 2, 'SAME')",
    "tf.nn.max_pool2d(IMAGES, 2, 2, 'VALID')", "tf.nn.max_pool3d(VOLUMES, 2, 2, 'SAME')",
    "tf.nn.avg_pool3d(VOLUMES, 2, 1, 'VALID')", "tf.nn.max_pool_v2(LINES, 2, 2, 'VALID')",
    "tf.nn.avg_pool_v2(IMAGES, 2, 2, 'VALID')",
    "tf.nn.pool(IMAGES, [2, 3], 'MAX', 'SAME', strides=[1, 2])",
    "tf.nn.pool(LINES, [2], 'AVG', 'VALID')",
    "tf.nn.max_pool_with_argmax(IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')",
    "tf.nn.max_pool_with_argmax(IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID', output_dtype=tf.int32,"
    " include_batch_in_index=True).argmax",
    "tf.nn.fractional_max_pool(IMAGES, [1.0, 1.4, 1.6, 1.0], deterministic=True, seed=5)",
    "tf.nn.fractional_avg_pool(IMAGES, [1.0, 1.4, 1.6, 1.0], True, True, True, 5, 7)[1]",
    "tf.extract_volume_patches(VOLUMES, [1, 2, 1, 2, 1], [1, 1, 2, 1, 1], 'SAME')",
    "tf.nn.moments(IMAGES, [0, 1, 2])", "tf.nn.moments(tf.constant(X), [1], keep_dims=True)",
    "tf.nn.weighted_moments(X, [0], [[1.0], [3.0]])",
    "tf.nn.weighted_moments(X, 1, LABELS + 0.5, keepdims=True)",
    "tf.nn.sufficient_statistics(X, [0])[:3]",
    "tf.nn.sufficient_statistics(X, [0, 1], shift=0.5)[:3]",
    "tf.nn.normalize_moments(3.0, [3.0, 6.0], [9.0, 15.0], 0.5)",
    "tf.nn.batch_normalization(X, ROW, np.abs(ROW), 1.0, ROW, 1e-3)",
    "tf.nn.batch_norm_with_global_normalization(IMAGES, ROW[:2], np.abs(ROW[:2]), ROW[1:],"
    " ROW[:2], 1e-3, True)",
    "tf.nn.batch_norm_with_global_normalization(input=X, mean=ROW, variance=np.abs(ROW), beta=ROW,"
    " gamma=ROW, variance_epsilon=1e-3, scale_after_normalization=False)",
    "tf.nn.fused_batch_norm(IMAGES, [1.0, 2.0], [0.5, -0.5])",
    "tf.nn.fused_batch_norm(IMAGES, [1.0, 2.0], [0.5, -0.5], [0.1, 0.2], [1.0, 2.0],"
    " is_training=False)[0]",
    "tf.nn.lrn(waves(1, 2, 2, 7), 2, 1.5, 0.5, 0.75)",
    "tf.nn.local_response_normalization(VOLUMES[0])",
    "tf.nn.l2_normalize(X, 1)", "tf.math.l2_normalize(X, dim=0, epsilon=0.5)",
    "tf.nn.bias_add(waves(2, 3, 4, 4), [1.0, 2.0, 3.0], data_format='NCHW')",
    "tf.nn.xw_plus_b(X, X.T, [1.0, 2.0])", "tf.nn.relu_layer(X, X.T, [1.0, 2.0])",
    "tf.nn.log_poisson_loss(LABELS * 3, X)", "tf.nn.log_poisson_loss(LABELS * 3, X, True)",
    "tf.nn.softmax(IMAGES, axis=1)", "tf.nn.log_softmax(IMAGES, dim=2)",
    "tf.nn.softmax_cross_entropy_with_logits(labels=LABELS, logits=X)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(LABELS, X, axis=0)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(np.abs(IMAGES), IMAGES, axis=1)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 0], [2, 1]],"
    " logits=waves(2, 2, 3))",
    "tf.nn.weighted_cross_entropy_with_logits(LABELS, X, 2.0)",
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=LABELS, logits=X)",
    "tf.nn.embedding_lookup(TABLE, [[1, 6], [0, 2]])",
    "tf.nn.embedding_lookup([TABLE[::2], TABLE[1::2]], [0, 1, 6, 5])",
    "tf.nn.embedding_lookup([TABLE[:3], TABLE[3:5], TABLE[5:]], [[0, 6], [2, 3], [4, 5]], 'div')",
    "tf.nn.embedding_lookup(TABLE, [1, 3], max_norm=1.0)",
    "tf.nn.embedding_lookup([TABLE[::2], TABLE[1::2]], [[0], [3]], max_norm=1.5)",
    "grad(tf, tf.nn.conv2d(i, f, 2, 'SAME'), i, f)",
    "grad(tf, tf.nn.depthwise_conv2d(i, f, [1, 1, 1, 1], 'VALID'), i, f)",
    "grad(tf, tf.nn.conv2d_transpose(i, f, [2, 12, 10, 2], 2), i, f)",
    "grad(tf, tf.nn.avg_pool(i, 3, 2, 'SAME'), i)", "grad(tf, tf.nn.max_pool(i, 2, 2, 'SAME'), i)",
    "grad(tf, tf.nn.fused_batch_norm(i, [1.0, 2.0], [0.5, -0.5])[0], i)",
    "grad(tf, tf.nn.lrn(i, 1), i)",
    "grad(tf, tf.nn.softmax_cross_entropy_with_logits_v2(x, tf.sin(x)), x)",
    "grad(tf, tf.nn.moments(x, [1])[1], x)",
]  # fmt: skip

LOSSES = [
    "tf.losses.cosine_distance(LABELS, X, axis=1)", "tf.losses.cosine_distance(LABELS, X, dim=0)",
    "tf.losses.mean_pairwise_squared_error(LABELS, X)",
    "tf.losses.mean_pairwise_squared_error(LABELS, X, [[1.0], [0.5]])",
    "tf.losses.absolute_difference(LABELS, X, [[2.0], [0.0]])",
    "tf.losses.huber_loss(LABELS, X, delta=0.5)", "tf.losses.log_loss(LABELS, np.abs(UNIT))",
    "tf.losses.hinge_loss(LABELS, X, reduction='weighted_mean')",
    "tf.losses.sigmoid_cross_entropy(LABELS, X, label_smoothing=0.2)",
    "tf.losses.softmax_cross_entropy(LABELS, X, [1.0, 2.0], 0.1)",
    "tf.losses.sparse_softmax_cross_entropy([[1], [2]], X, [[1.0], [3.0]])",
    "tf.losses.compute_weighted_loss(X, LABELS, reduction='none')",
    "tf.clip_by_value(X, -0.5, 0.75)", "tf.clip_by_norm(X, 1.0)", "tf.clip_by_norm(X, 1.0, [1])",
    "tf.clip_by_norm(X * 0, 1.0)", "tf.clip_by_average_norm(X, 0.1)",
    "tf.clip_by_average_norm(X, 10.0)", "tf.global_norm([X, None, ROW])",
    "tf.clip_by_global_norm([X, ROW], 1.0)", "tf.clip_by_global_norm([X, ROW], 100.0)",
    "tf.clip_by_global_norm([X, [np.inf]], 1.0)[0]",
    *(f"tf.train.{call}" for call in (
        "cosine_decay(0.1, 30, 100)", "cosine_decay(0.1, 300, 100, alpha=0.2)",
        "cosine_decay_restarts(0.1, 130, 50, 2.0, 0.9, 0.1)",
        "cosine_decay_restarts(0.1, 130, 50, t_mul=1.0)",
        "linear_cosine_decay(0.1, 30, 100)", "linear_cosine_decay(0.1, 30, 100, 2.0, 0.1, 0.2)",
        "exponential_decay(0.1, 35, 10, 0.5, staircase=True)",
        "inverse_time_decay(0.1, 35, 10, 0.5)", "natural_exp_decay(0.1, 35, 10, 0.5, True)",
        "polynomial_decay(0.1, 35, 10, 0.01, 2.0, cycle=True)", "polynomial_decay(0.1, 35, 100)",
        "piecewise_constant(7, [5, 10], [1.0, 0.5, 0.1])",
    )),
]  # fmt: skip


def waves_of(tf, factor=1.0):
    """An initializer with the same numbers for everyone."""

    def initialize(shape, dtype=None, partition_info=None):
        sizes = [int(size) for size in shape]
        return tf.constant(waves(*sizes) * factor)

    return initialize


GROUPS = {
    "elements": ELEMENTS,
    "text": TEXT,
    "networks": NETWORKS,
    "losses": LOSSES,
    "layers": layer_cases.LAYERS,
    "images": image_cases.IMAGES,
    "sparse": sparse_cases.SPARSE,
    "embeddings": sparse_cases.EMBEDDINGS,
}


def evaluate(tf, expression):
    """The values of an expression, as a flat list of arrays."""
    with tf.Graph().as_default(), tf.Session() as session:
        names = {
            **vars(image_cases),
            **vars(layer_cases),
            **vars(sparse_cases),
            **globals(),
            "tf": tf,
            "np": np,
            "x": tf.constant(X),
        }
        names.update(i=tf.constant(IMAGES), f=tf.constant(waves(3, 3, 2, 2)))
        names.update(wave=waves_of(tf), half=lambda value: tf.reduce_sum(tf.square(value)) / 2)
        items = leaves(eval(expression, names))  # noqa: S307
        session.run(tf.global_variables_initializer())
        return [np.asarray(session.run(item) if hasattr(item, "graph") else item) for item in items]


def leaves(result):
    """The items of nested lists and tuples that are something."""
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in leaves(item)]
    if hasattr(result, "dense_shape"):
        return [result.indices, result.values, result.dense_shape]
    return [] if result is None else [result]


def texts(array):
    """The strings of an array, each byte as a character."""
    items = array.reshape(-1).tolist()
    return [item.decode("latin1") if isinstance(item, bytes) else item for item in items]
