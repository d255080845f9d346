"""Layers of networks: activations, normalization, cross entropies."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.ops.gen_ops import (
    bias_add,
    l2_loss,
    relu,
    sigmoid,
    tanh,
)
from troupe._src.ops.nn_ops import (
    batch_normalization,
    dropout,
    elu,
    embedding_lookup,
    l2_normalize,
    leaky_relu,
    log_softmax,
    moments,
    relu6,
    sigmoid_cross_entropy_with_logits,
    softmax,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    softplus,
    sparse_softmax_cross_entropy_with_logits,
    swish,
    weighted_cross_entropy_with_logits,
    xw_plus_b,
    zero_fraction,
)

__getattr__ = _missing_names(__name__)

__all__ = [
    "batch_normalization",
    "bias_add",
    "dropout",
    "elu",
    "embedding_lookup",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_softmax",
    "moments",
    "relu",
    "relu6",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "weighted_cross_entropy_with_logits",
    "xw_plus_b",
    "zero_fraction",
]
