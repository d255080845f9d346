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
from troupe._src.contrib_columns.checks import (
    check_feature_columns,
    create_feature_spec_for_parsing,
)
from troupe._src.contrib_columns.crossed import (
    crossed_column,
)
from troupe._src.contrib_columns.embeddings import (
    embedding_column,
    scattered_embedding_column,
    shared_embedding_columns,
)
from troupe._src.contrib_columns.inputs import (
    input_from_feature_columns,
    sequence_input_from_feature_columns,
)
from troupe._src.contrib_columns.numbers import (
    bucketized_column,
    real_valued_column,
)
from troupe._src.contrib_columns.parsing import (
    infer_real_valued_columns,
    make_place_holder_tensors_for_base_features,
    parse_feature_columns_from_examples,
    parse_feature_columns_from_sequence_examples,
    transform_features,
)
from troupe._src.contrib_columns.sparse import (
    sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature,
    sparse_column_with_keys,
    sparse_column_with_vocabulary_file,
)
from troupe._src.contrib_columns.sums import (
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from troupe._src.contrib_columns.weighted import (
    one_hot_column,
    weighted_sparse_column,
)
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
    feature_column,
    summaries,
    utils,
)
from troupe._src.learn_heads.target_columns import multi_class_target, regression_target

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
    "bucketized_column",
    "check_feature_columns",
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
    "create_feature_spec_for_parsing",
    "crossed_column",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_column",
    "embedding_lookup_sparse_with_distributed_aggregation",
    "embedding_lookup_unique",
    "feature_column",
    "flatten",
    "fully_connected",
    "gdn",
    "group_norm",
    "images_to_sequence",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "instance_norm",
    "joint_weighted_sum_from_feature_columns",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "make_place_holder_tensors_for_base_features",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "multi_class_target",
    "one_hot_column",
    "one_hot_encoding",
    "optimize_loss",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "poincare_normalize",
    "pool",
    "real_valued_column",
    "recompute_grad",
    "regression_target",
    "relu",
    "relu6",
    "repeat",
    "rev_block",
    "safe_embedding_lookup_sparse",
    "scale_gradient",
    "scattered_embedding_column",
    "scattered_embedding_lookup",
    "scattered_embedding_lookup_sparse",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_input_from_feature_columns",
    "sequence_to_images",
    "shared_embedding_columns",
    "softmax",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summaries",
    "summarize_activation",
    "summarize_activations",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "transform_features",
    "unit_norm",
    "utils",
    "variance_scaling_initializer",
    "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]
