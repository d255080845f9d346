"""The names of contrib.layers and contrib.framework in one module."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from troupe._src.contrib.assignments import (
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
)
from troupe._src.contrib.batch_norm import (
    batch_norm,
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
from troupe._src.contrib.variables import (
    add_model_variable,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
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
from troupe._src.model_layers.encoders import (
    bow_encoder,
    dense_to_sparse,
    embed_sequence,
    embedding_lookup_unique,
    safe_embedding_lookup_sparse,
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
from troupe._src.train.global_step import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from troupe.contrib import losses, metrics
from troupe.contrib.layers import utils
from troupe.contrib.slim import (
    data_decoder,
    data_provider,
    dataset,
    dataset_data_provider,
    evaluation,
    learning,
    model_analyzer,
    nets,
    parallel_reader,
    prefetch_queue,
    queues,
    summaries,
    tfexample_decoder,
)

if not TYPE_CHECKING:
    # As in TensorFlow, it has the modules in which contrib.layers has its functions, too.
    __getattr__, __dir__ = _missing_names(
        __name__,
        lazy=("python",),
        place="contrib.layers.python.layers",
        located="embedding_ops encoders initializers layers normalization optimizers regularizers",
    )

__all__ = [
    "add_arg_scope",
    "add_model_variable",
    "apply_regularization",
    "arg_scope",
    "arg_scope_func_key",
    "arg_scoped_arguments",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
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
    "create_global_step",
    "current_arg_scope",
    "data_decoder",
    "data_provider",
    "dataset",
    "dataset_data_provider",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_lookup_unique",
    "evaluation",
    "flatten",
    "fully_connected",
    "get_global_step",
    "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "group_norm",
    "has_arg_scope",
    "images_to_sequence",
    "instance_norm",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "learning",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "local_variable",
    "losses",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "metrics",
    "model_analyzer",
    "model_variable",
    "nets",
    "one_hot_encoding",
    "parallel_reader",
    "poincare_normalize",
    "pool",
    "prefetch_queue",
    "queues",
    "relu",
    "relu6",
    "repeat",
    "safe_embedding_lookup_sparse",
    "scale_gradient",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_to_images",
    "softmax",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summaries",
    "summarize_activation",
    "summarize_activations",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "tfexample_decoder",
    "unit_norm",
    "utils",
    "variable",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]
