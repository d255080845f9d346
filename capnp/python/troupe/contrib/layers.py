"""Layers as functions, their regularizers and initializers."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.gradient_changes import adaptive_clipping_fn
from troupe._src.contrib.layer_norm import layer_norm
from troupe._src.contrib.layers import (
    avg_pool2d,
    convolution2d,
    dropout,
    flatten,
    fully_connected,
    linear,
    max_pool2d,
    one_hot_encoding,
    relu,
)
from troupe._src.contrib.layers import convolution2d as conv2d
from troupe._src.contrib.optimize_loss import (
    OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES,
    optimize_loss,
)
from troupe._src.contrib.recompute import recompute_grad
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "adaptive_clipping_fn",
    "apply_regularization",
    "avg_pool2d",
    "batch_norm",
    "conv2d",
    "convolution2d",
    "dropout",
    "flatten",
    "fully_connected",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "linear",
    "max_pool2d",
    "one_hot_encoding",
    "optimize_loss",
    "recompute_grad",
    "relu",
    "sum_regularizer",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]
