"""Layers as functions, their regularizers and initializers."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.batch_norm import (
    batch_norm,
)
from troupe._src.contrib.gradient_changes import (
    adaptive_clipping_fn,
)
from troupe._src.contrib.layer_norm import (
    layer_norm,
)
from troupe._src.contrib.layers import (
    avg_pool2d,
    dropout,
    elu,
    flatten,
    fully_connected,
    linear,
    max_pool2d,
    one_hot_encoding,
    relu,
    relu6,
)
from troupe._src.contrib.optimize_loss import (
    OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES,
    optimize_loss,
)
from troupe._src.contrib.recompute import (
    recompute_grad,
)
from troupe._src.contrib.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
    variance_scaling_initializer,
    xavier_initializer,
)
from troupe._src.contrib.regularizers import xavier_initializer as xavier_initializer_conv2d
from troupe._src.model_layers.channelwise import (
    convolution2d_in_plane,
    separable_convolution2d,
)
from troupe._src.model_layers.channelwise import convolution2d_in_plane as conv2d_in_plane
from troupe._src.model_layers.channelwise import separable_convolution2d as separable_conv2d
from troupe._src.model_layers.convolutions import (
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_transpose,
    convolution3d,
    convolution3d_transpose,
)
from troupe._src.model_layers.convolutions import convolution1d as conv1d
from troupe._src.model_layers.convolutions import convolution2d as conv2d
from troupe._src.model_layers.convolutions import convolution2d_transpose as conv2d_transpose
from troupe._src.model_layers.convolutions import convolution3d as conv3d
from troupe._src.model_layers.convolutions import convolution3d_transpose as conv3d_transpose
from troupe._src.model_layers.crosses import (
    SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
)
from troupe._src.model_layers.distributed_sums import (
    embedding_lookup_sparse_with_distributed_aggregation,
)
from troupe._src.model_layers.encoders import (
    bow_encoder,
    dense_to_sparse,
    embed_sequence,
    embedding_lookup_unique,
    safe_embedding_lookup_sparse,
)
from troupe._src.model_layers.gdn import (
    GDN,
    gdn,
)
from troupe._src.model_layers.legacy import (
    legacy_fully_connected,
    legacy_linear,
    legacy_relu,
)
from troupe._src.model_layers.norms import (
    group_norm,
    instance_norm,
    poincare_normalize,
    unit_norm,
)
from troupe._src.model_layers.pools import (
    avg_pool3d,
    images_to_sequence,
    max_pool3d,
    pool,
    sequence_to_images,
)
from troupe._src.model_layers.reversible import (
    RevBlock,
    rev_block,
)
from troupe._src.model_layers.scattered import (
    scattered_embedding_lookup,
    scattered_embedding_lookup_sparse,
)
from troupe._src.model_layers.stacks import (
    bias_add,
    maxout,
    repeat,
    scale_gradient,
    softmax,
    spatial_softmax,
    stack,
)
from troupe._src.model_layers.summaries import (
    summarize_activation,
    summarize_activations,
    summarize_collection,
    summarize_tensor,
    summarize_tensors,
)
from troupe.contrib.layers import (
    utils,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, lazy=("python",))

__all__ = [
    "GDN",
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "RevBlock",
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY",
    "adaptive_clipping_fn",
    "apply_regularization",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "bow_encoder",
    "conv1d",
    "conv2d",
    "conv2d_in_plane",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_in_plane",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_lookup_sparse_with_distributed_aggregation",
    "embedding_lookup_unique",
    "flatten",
    "fully_connected",
    "gdn",
    "group_norm",
    "images_to_sequence",
    "instance_norm",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "one_hot_encoding",
    "optimize_loss",
    "poincare_normalize",
    "pool",
    "recompute_grad",
    "relu",
    "relu6",
    "repeat",
    "rev_block",
    "safe_embedding_lookup_sparse",
    "scale_gradient",
    "scattered_embedding_lookup",
    "scattered_embedding_lookup_sparse",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_to_images",
    "softmax",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summarize_activation",
    "summarize_activations",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "unit_norm",
    "utils",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]
