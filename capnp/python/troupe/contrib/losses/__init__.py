"""Losses of before `troupe.losses`, whose predictions come first."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.nn.loss_collections import (
    get_losses,
    get_regularization_losses,
    get_total_loss,
)
from troupe._src.slim.losses import (
    absolute_difference,
    add_loss,
    compute_weighted_loss,
    cosine_distance,
    hinge_loss,
    log_loss,
    mean_pairwise_squared_error,
    mean_squared_error,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
)
from troupe.contrib.losses import metric_learning

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "metric_learning",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]
