"""Sounds in WAV files."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.audio.wave_files import decode_wav
from troupe._src.ops.gen_ops import encode_wav

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "decode_wav",
    "encode_wav",
]
