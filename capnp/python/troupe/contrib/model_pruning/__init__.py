"""Weights that training sets to zero, the smallest ones first."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.model_pruning.hparams import get_pruning_hparams
from troupe._src.model_pruning.layers import (
    masked_conv2d,
    masked_convolution,
    masked_fully_connected,
)
from troupe._src.model_pruning.learning import train
from troupe._src.model_pruning.masked_cells import MaskedBasicLSTMCell, MaskedLSTMCell
from troupe._src.model_pruning.masks import (
    apply_mask,
    get_masked_weights,
    get_masks,
    get_thresholds,
    get_weight_sparsity,
    get_weights,
)
from troupe._src.model_pruning.pruning import Pruning
from troupe._src.model_pruning.stripping import graph_def_from_checkpoint, strip_pruning_vars_fn

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "MaskedBasicLSTMCell",
    "MaskedLSTMCell",
    "Pruning",
    "apply_mask",
    "get_masked_weights",
    "get_masks",
    "get_pruning_hparams",
    "get_thresholds",
    "get_weight_sparsity",
    "get_weights",
    "graph_def_from_checkpoint",
    "masked_conv2d",
    "masked_convolution",
    "masked_fully_connected",
    "strip_pruning_vars_fn",
    "train",
]
