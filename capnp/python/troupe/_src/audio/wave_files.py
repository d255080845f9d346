"""Sounds in WAV files."""

from __future__ import annotations

from typing import NamedTuple, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops


class DecodeWav(NamedTuple):
    """A sound, and how many samples of a channel it has in a second."""

    audio: Tensor
    sample_rate: Tensor


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: Optional[str] = None,
) -> DecodeWav:
    """The sound in a WAV file of 16-bit samples.

    Args:
        contents: The contents of the file, a string scalar.
        desired_channels: How many channels there are to be: others of the file are left out, and
            its last one is repeated. By default as many as the file has.
        desired_samples: How many samples of each channel there are to be: others are left out, and
            zeros are added. By default as many as the file has.
        name: The name of the node.

    Returns:
        `audio`, float32 [samples, channels] from -1 to 1, and `sample_rate`, an int32 scalar.
    """
    audio, sample_rate = raw_ops.DecodeWav(
        contents=contents,
        desired_channels=desired_channels,
        desired_samples=desired_samples,
        name=name,
    )
    return DecodeWav(audio, sample_rate)
