"""The functions that have other parameters in `tf.compat.v2` than in TensorFlow 1.

A row is "NAME = FUNCTION(PARAMETERS)": the name within its module, the function of TensorFlow 1
that computes it, and what it takes. "p=" may be left out, "p=VALUE" has another default there,
"p:q" is the parameter q of that function, and what follows "|" is given to it in each call.
"""

from __future__ import annotations

from typing import Dict

_REDUCTIONS = "".join(
    f"reduce_{kind} = reduce_{kind}(input_tensor, axis=, keepdims=False, name=)\n"
    for kind in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")
)
_COMPARISONS = "".join(
    f"assert_{kind} = assert_{kind}(x, y, message=, summarize=, name=)\n"
    for kind in ("equal", "greater", "less")
)
_EXTREMES = """
argmax = argmax(input, axis=, output_type=, name=)
argmin = argmin(input, axis=, output_type=, name=)
"""
_SOFTMAX = """
log_softmax = nn.log_softmax(logits, axis=, name=)
softmax = nn.softmax(logits, axis=, name=)
l2_normalize = nn.l2_normalize(x, axis=, epsilon=, name=)
in_top_k = nn.in_top_k(targets, predictions, k, name=)
"""
_SCALED = "scalar_mul = scalar_mul(scalar, x, name=)\n"
_NORM = "norm = norm(tensor, ord=, axis=, keepdims=, name=)\n"

_ROOT = """
assert_rank = assert_rank(x, rank, message=, name=)
boolean_mask = boolean_mask(tensor, mask, axis=, name=)
case = case(pred_fn_pairs, default=, exclusive=, strict=, name=)
cond = cond(pred, true_fn=, false_fn=, name=) | strict=True
constant_initializer = constant_initializer(value=)
convert_to_tensor = convert_to_tensor(value, dtype=, dtype_hint=, name=)
device = device(device_name:device_name_or_function)
expand_dims = expand_dims(input, axis, name=)
gather = gather(params, indices, validate_indices=, axis=, batch_dims=, name=)
gather_nd = gather_nd(params, indices, batch_dims=, name=)
gradients = gradients(ys, xs, grad_ys=, name=, gate_gradients=, aggregation_method=, \
stop_gradients=, unconnected_gradients=)
hessians = hessians(ys, xs, gate_gradients=, aggregation_method=, name=)
ones_initializer = ones_initializer()
ones_like = ones_like(input:tensor, dtype=, name=)
pad = pad(tensor, paddings, mode=, constant_values=, name=)
random_normal_initializer = random_normal_initializer(mean=, stddev=0.05, seed=)
random_uniform_initializer = random_uniform_initializer(minval=-0.05, maxval=0.05, seed=)
reverse_sequence = reverse_sequence(input, seq_lengths, seq_axis=, batch_axis=, name=)
shape = shape(input, out_type=, name=)
size = size(input, out_type=, name=)
squeeze = squeeze(input, axis=, name=)
transpose = transpose(a, perm=, conjugate=, name=)
tuple = tuple(tensors, control_inputs=, name=)
variable_creator_scope = variable_creator_scope(variable_creator)
where = where_v2(condition, x=, y=, name=)
while_loop = while_loop(cond, body, loop_vars, shape_invariants=, parallel_iterations=, \
back_prop=, swap_memory=, maximum_iterations=, name=) | return_same_structure=True
zeros_initializer = zeros_initializer()
zeros_like = zeros_like(input:tensor, dtype=, name=)
"""

_DEBUGGING = """
assert_all_finite = verify_tensor_all_finite(x, message, name=)
assert_greater_equal = assert_greater_equal(x, y, message=, summarize=, name=)
assert_integer = assert_integer(x, message=, name=)
assert_less_equal = assert_less_equal(x, y, message=, summarize=, name=)
assert_near = assert_near(x, y, rtol=, atol=, message=, summarize=, name=)
assert_negative = assert_negative(x, message=, summarize=, name=)
assert_non_negative = assert_non_negative(x, message=, summarize=, name=)
assert_non_positive = assert_non_positive(x, message=, summarize=, name=)
assert_none_equal = assert_none_equal(x, y, summarize=, message=, name=)
assert_positive = assert_positive(x, message=, summarize=, name=)
assert_rank = assert_rank(x, rank, message=, name=)
assert_rank_at_least = assert_rank_at_least(x, rank, message=, name=)
assert_rank_in = assert_rank_in(x, ranks, message=, name=)
assert_scalar = assert_scalar(tensor, message=, name=)
assert_shapes = debugging.assert_shapes(shapes, data=, summarize=, message=, name=)
assert_type = assert_type(tensor, tf_type, message=, name=)
"""

_MATH = """
bincount = math.bincount(arr, weights=, minlength=, maxlength=, dtype=, name=)
confusion_matrix = confusion_matrix(labels, predictions, num_classes=, weights=, dtype=, name=)
count_nonzero = count_nonzero(input:input_tensor, axis=, keepdims=, dtype=, name=)
"""

_IMAGE = """
crop_and_resize = image.crop_and_resize(image, boxes, box_indices:box_ind, crop_size, method=, \
extrapolation_value=, name=)
sample_distorted_bounding_box = image.sample_distorted_bounding_box(image_size, bounding_boxes, \
seed=0, min_object_covered=, aspect_ratio_range=, area_range=, max_attempts=, \
use_image_if_no_bounding_boxes=, name=)
"""

_IO = """
decode_csv = decode_csv(records, record_defaults, field_delim=, use_quote_delim=, na_value=, \
select_cols=, name=)
parse_example = parse_example(serialized, features, example_names=, name=)
parse_single_example = parse_single_example(serialized, features, example_names=, name=)
serialize_many_sparse = serialize_many_sparse(sp_input, out_type=, name=)
serialize_sparse = serialize_sparse(sp_input, out_type=, name=)
"""

_NN = """
avg_pool2d = nn.avg_pool(input:value, ksize, strides, padding, data_format=, name=)
batch_norm_with_global_normalization = nn.batch_norm_with_global_normalization(input:t, mean:m, \
variance:v, beta, gamma, variance_epsilon, scale_after_normalization, name=)
conv1d = nn.conv1d(input:value, filters, stride, padding, data_format='NWC', dilations=, \
name=)
conv2d = nn.conv2d(input, filters:filter, strides, padding, data_format=, dilations=, name=)
conv2d_transpose = nn.conv2d_transpose(input:value, filters:filter, output_shape, strides, \
padding=, data_format=, dilations=, name=)
conv3d = nn.conv3d(input, filters:filter, strides, padding, data_format=, dilations=, name=)
conv3d_transpose = nn.conv3d_transpose(input:value, filters:filter, output_shape, strides, \
padding=, data_format=, dilations=, name=)
convolution = nn.convolution(input, filters:filter, strides=, padding='VALID', data_format=, \
dilations:dilation_rate=, name=)
crelu = nn.crelu(features, axis=, name=)
ctc_beam_search_decoder = nn.ctc_beam_search_decoder(inputs, sequence_length, beam_width=, \
top_paths=) | merge_repeated=False
ctc_loss = nn.ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=, \
unique=, blank_index=, name=)
depth_to_space = depth_to_space(input, block_size, data_format=, name=)
depthwise_conv2d = nn.depthwise_conv2d(input, filter, strides, padding, data_format=, \
dilations:rate=, name=)
dropout = nn.dropout(x, rate, noise_shape=, seed=, name=)
embedding_lookup = nn.embedding_lookup(params, ids, max_norm=, name=) | partition_strategy='div'
embedding_lookup_sparse = nn.embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=, \
max_norm=, name=) | partition_strategy='div'
max_pool_with_argmax = nn.max_pool_with_argmax(input, ksize, strides, padding, data_format=, \
output_dtype:Targmax='int64', include_batch_in_index=, name=)
moments = nn.moments(x, axes, shift=, keepdims=False, name=)
nce_loss = nn.nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=, \
sampled_values=, remove_accidental_hits=, name=) | partition_strategy='div'
pool = nn.pool(input, window_shape, pooling_type, strides=, padding='VALID', data_format=, \
dilations:dilation_rate=, name=)
safe_embedding_lookup_sparse = nn.safe_embedding_lookup_sparse(embedding_weights, sparse_ids, \
sparse_weights=, combiner=, default_id=, max_norm=, name=) | partition_strategy='div'
sampled_softmax_loss = nn.sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, \
num_classes, num_true=, sampled_values=, remove_accidental_hits=, seed=, name=) \
| partition_strategy='div'
separable_conv2d = nn.separable_conv2d(input, depthwise_filter, pointwise_filter, strides, \
padding, data_format=, dilations:rate=, name=)
sigmoid_cross_entropy_with_logits = nn.sigmoid_cross_entropy_with_logits(labels=, logits=, name=)
softmax_cross_entropy_with_logits = nn.softmax_cross_entropy_with_logits_v2(labels, logits, \
axis=-1, name=)
space_to_depth = space_to_depth(input, block_size, data_format=, name=)
sparse_softmax_cross_entropy_with_logits = nn.sparse_softmax_cross_entropy_with_logits(labels, \
logits, name=)
sufficient_statistics = nn.sufficient_statistics(x, axes, shift=, keepdims:keep_dims=False, name=)
weighted_cross_entropy_with_logits = nn.weighted_cross_entropy_with_logits(labels, logits, \
pos_weight, name=)
weighted_moments = nn.weighted_moments(x, axes, frequency_weights, keepdims=False, name=)
"""

_SPARSE = """
add = sparse.add(a, b, threshold=0)
concat = sparse.concat(axis, sp_inputs, expand_nonconcat_dims:expand_nonconcat_dim=, name=)
segment_mean = sparse_segment_mean(data, indices, segment_ids, num_segments=, name=)
segment_sqrt_n = sparse_segment_sqrt_n(data, indices, segment_ids, num_segments=, name=)
segment_sum = sparse_segment_sum(data, indices, segment_ids, num_segments=, name=)
split = sparse.split(sp_input=, num_split=, axis=, name=)
"""

_STRINGS = """
length = strings.length(input, unit=, name=)
reduce_join = reduce_join(inputs, axis=, keepdims=False, separator=, name=)
split = strings.split(input, sep=, maxsplit=, name=) | result_type="RaggedTensor"
substr = substr(input, pos, len, unit=, name=)
to_hash_bucket = string_to_hash_bucket(input:string_tensor, num_buckets, name=)
to_number = string_to_number(input:string_tensor, out_type=, name=)
"""

# The rows of each module.
CHANGED: Dict[str, str] = {
    "": _ROOT + _COMPARISONS + _EXTREMES + _REDUCTIONS + _SCALED + _NORM,
    "debugging": _DEBUGGING + _COMPARISONS,
    "feature_column": (
        "categorical_column_with_vocabulary_file = feature_column."
        "categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=, dtype=, "
        "default_value=, num_oov_buckets=)"
    ),
    "image": _IMAGE,
    "io": _IO,
    "linalg": _NORM + _SOFTMAX.splitlines()[3],
    "math": _MATH + _EXTREMES + _REDUCTIONS + _SCALED + _SOFTMAX,
    "nn": _NN + _SOFTMAX,
    "random": (
        "poisson = random_poisson(shape, lam, dtype=, seed=, name=)\n"
        "set_seed = set_random_seed(seed)"
    ),
    "saved_model": (
        "contains_saved_model = saved_model.maybe_saved_model_directory(export_dir)\n"
        "load = saved_model.load_v2(export_dir, tags=)"
    ),
    "sparse": _SPARSE,
    "strings": _STRINGS,
}
