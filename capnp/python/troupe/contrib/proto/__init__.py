"""Fields of messages of Protocol Buffers, as `troupe.io` has them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.parsing.protobufs import decode_proto, encode_proto

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["decode_proto", "encode_proto"]
