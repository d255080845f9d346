"""Tells TensorBoard's projector which variables of a checkpoint are embeddings."""

from __future__ import annotations

import os
from typing import Any

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.messages.text_form import to_text
from troupe._src.platform.gfile import GFile
from troupe._src.set_module import set_module

_FILE = "projector_config.pbtxt"


@set_module("troupe.contrib.tensorboard.plugins.projector")
class SpriteMetadata(ProtoMessage):
    """The image that has the pictures of all points, row by row."""

    _fields = {
        "image_path": Field(1, "string"),
        "single_image_dim": Field(2, "uint32", repeated=True),
    }


@set_module("troupe.contrib.tensorboard.plugins.projector")
class EmbeddingInfo(ProtoMessage):
    """A variable whose rows are points, and the files that say what they are."""

    _fields = {
        "tensor_name": Field(1, "string"),
        "metadata_path": Field(2, "string"),
        "bookmarks_path": Field(3, "string"),
        "tensor_shape": Field(4, "uint32", repeated=True),
        "sprite": Field(5, "message", SpriteMetadata),
        "tensor_path": Field(6, "string"),
    }


@set_module("troupe.contrib.tensorboard.plugins.projector")
class ProjectorConfig(ProtoMessage):
    """The embeddings to show."""

    _fields = {
        "model_checkpoint_path": Field(1, "string"),
        "embeddings": Field(2, "message", EmbeddingInfo, repeated=True),
        "model_checkpoint_dir": Field(3, "string"),
    }


def visualize_embeddings(summary_writer: Any, config: ProjectorConfig) -> None:
    """Writes the settings into the folder of the event files, where TensorBoard looks for them.

    Args:
        summary_writer: A `tf.summary.FileWriter`.
        config: Which embeddings to show.

    Raises:
        ValueError: The writer has no folder.
    """
    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    if isinstance(folder, bytes):
        folder = folder.decode()
    os.makedirs(folder, exist_ok=True)
    with GFile(os.path.join(folder, _FILE), "w") as file:
        file.write(to_text(config))
