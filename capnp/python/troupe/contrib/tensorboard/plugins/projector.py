"""Which tensors of a checkpoint a viewer shows as embeddings."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.summary.projector import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    visualize_embeddings,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]
