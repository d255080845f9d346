"""Layers of networks: activations, normalization, cross entropies."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.nn.candidate_samplers import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from troupe._src.nn.conv_gradients import (
    conv2d_backprop_filter,
    conv2d_backprop_input,
    conv3d_backprop_filter,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
)
from troupe._src.nn.conv_gradients import conv3d_backprop_filter as conv3d_backprop_filter_v2
from troupe._src.nn.conv_gradients import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from troupe._src.nn.conv_gradients import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_native_backprop_input,
)
from troupe._src.nn.conv_ops import atrous_conv2d, conv1d, conv2d, conv3d, convolution
from troupe._src.nn.conv_transpose_ops import (
    atrous_conv2d_transpose,
    conv1d_transpose,
    conv2d_transpose,
    conv3d_transpose,
    conv_transpose,
)
from troupe._src.nn.cross_entropies import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from troupe._src.ctc.ctc_ops import (
    ctc_beam_search_decoder,
    ctc_beam_search_decoder_v2,
    ctc_greedy_decoder,
    ctc_loss,
)
from troupe._src.ctc.ctc_labels import collapse_repeated, ctc_unique_labels
from troupe._src.ctc.ctc_loss_v2 import ctc_loss_v2
from troupe._src.nn.depthwise_ops import depthwise_conv2d, depthwise_conv2d_native, separable_conv2d
from troupe._src.nn.dilated_windows import pool, with_space_to_batch
from troupe._src.nn.embedding_ops import (
    embedding_lookup,
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)
from troupe._src.nn.morphology_ops import dilation2d, erosion2d
from troupe._src.nn.nn_ops import (
    bias_add,
    crelu,
    dropout,
    leaky_relu,
    log_softmax,
    relu_layer,
    softmax,
    swish,
    xw_plus_b,
    zero_fraction,
)
from troupe._src.nn.norm_ops import (
    batch_norm_with_global_normalization,
    batch_normalization,
    fused_batch_norm,
    l2_normalize,
    local_response_normalization,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from troupe._src.nn.norm_ops import local_response_normalization as lrn
from troupe._src.nn.fractional_pool_ops import (
    fractional_avg_pool,
    fractional_avg_pool_v2,
    fractional_max_pool,
    fractional_max_pool_v2,
)
from troupe._src.nn.pool_ops import (
    avg_pool,
    avg_pool1d,
    avg_pool3d,
    avg_pool_v2,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_v2,
    max_pool_with_argmax,
)
from troupe._src.nn.pool_ops import avg_pool as avg_pool2d
from troupe._src.nn.sampled_losses import nce_loss, sampled_softmax_loss
from troupe._src.ops.gen_ops import (
    elu,
    l2_loss,
    relu,
    relu6,
    selu,
    sigmoid,
    softplus,
    softsign,
    tanh,
)
from troupe._src.ops.order_ops import in_top_k, top_k
from troupe._src.rnn.dynamic import bidirectional_dynamic_rnn, dynamic_rnn
from troupe._src.rnn.raw import raw_rnn
from troupe._src.rnn.static import (
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from troupe.nn import rnn_cell
from troupe._src.ops.space_ops import depth_to_space, space_to_batch, space_to_depth
from troupe._src.distribute.loss_scaling import compute_average_loss, scale_regularization_loss

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, has_ops=True)

__all__ = [
    "all_candidate_sampler",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "avg_pool_v2",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "bidirectional_dynamic_rnn",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_backprop_filter",
    "conv2d_backprop_input",
    "conv2d_transpose",
    "conv3d",
    "conv3d_backprop_filter",
    "conv3d_backprop_filter_v2",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_beam_search_decoder_v2",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_loss_v2",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_native_backprop_input",
    "dilation2d",
    "dropout",
    "dynamic_rnn",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_avg_pool_v2",
    "fractional_max_pool",
    "fractional_max_pool_v2",
    "fused_batch_norm",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "learned_unigram_candidate_sampler",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "log_uniform_candidate_sampler",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_v2",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "raw_rnn",
    "relu",
    "relu6",
    "relu_layer",
    "rnn_cell",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "uniform_candidate_sampler",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "xw_plus_b",
    "zero_fraction",
]
