"""Decoding of records."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.ops.gen_ops import decode_base64, encode_base64
from troupe._src.ops.parsing_ops import decode_csv, decode_raw

__getattr__ = _missing_names(__name__)

__all__ = [
    "decode_base64",
    "decode_csv",
    "decode_raw",
    "encode_base64",
]
