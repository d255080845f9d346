"""Losses of embeddings, by their distances and labels."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.metric_learning.distances import (
    contrastive_loss,
    lifted_struct_loss,
    triplet_semihard_loss,
)
from troupe._src.metric_learning.pairs import npairs_loss, npairs_loss_multilabel

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "contrastive_loss",
    "lifted_struct_loss",
    "npairs_loss",
    "npairs_loss_multilabel",
    "triplet_semihard_loss",
]
