"""Settings of TensorBoard's projector, which shows embeddings of checkpoints as points."""

from troupe._src.summary.projector import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    visualize_embeddings,
)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]
