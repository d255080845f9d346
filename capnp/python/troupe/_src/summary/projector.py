"""The file that tells a viewer which tensors of a checkpoint are embeddings."""

from __future__ import annotations

import os
from typing import Any

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.platform import gfile
from troupe._src.set_module import set_module

_PLACE = "troupe.contrib.tensorboard.plugins.projector"


@set_module(_PLACE)
class SpriteMetadata(ProtoMessage):
    """Small images of the rows of an embedding, in one file."""

    _fields = {
        "image_path": Field(1, "string"),
        "single_image_dim": Field(2, "uint32", repeated=True),
    }


@set_module(_PLACE)
class EmbeddingInfo(ProtoMessage):
    """An embedding: a tensor, and the files that describe its rows."""

    _fields = {
        "tensor_name": Field(1, "string"),
        "metadata_path": Field(2, "string"),
        "bookmarks_path": Field(3, "string"),
        "tensor_shape": Field(4, "uint32", repeated=True),
        "sprite": Field(5, "message", SpriteMetadata),
        "tensor_path": Field(6, "string"),
    }


@set_module(_PLACE)
class ProjectorConfig(ProtoMessage):
    """A checkpoint, and the embeddings that it has."""

    _fields = {
        "model_checkpoint_path": Field(1, "string"),
        "embeddings": Field(2, "message", EmbeddingInfo, repeated=True),
        "model_checkpoint_dir": Field(3, "string"),
    }


def visualize_embeddings(summary_writer: Any, config: ProjectorConfig) -> None:
    """Writes the configuration into the folder of a writer, where the viewer finds it.

    Args:
        summary_writer: The writer.
        config: The embeddings.

    Raises:
        ValueError: The writer has no folder.
    """
    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    with gfile.GFile(os.path.join(folder, "projector_config.pbtxt"), "w") as file:
        file.write(str(config))
