"""Strings."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.control_flow.printing import string_format as format
from troupe._src.ops.gen_ops import as_string, unsorted_segment_join
from troupe._src.ops.gen_ops import string_lower as lower
from troupe._src.ops.gen_ops import string_strip as strip
from troupe._src.ops.gen_ops import string_to_hash_bucket_fast as to_hash_bucket_fast
from troupe._src.ops.gen_ops import string_to_hash_bucket_strong as to_hash_bucket_strong
from troupe._src.ops.gen_ops import string_upper as upper
from troupe._src.ops.gen_ops import unicode_script, unicode_transcode
from troupe._src.ragged_functions.splitting import ngrams
from troupe._src.ragged_functions.splitting import string_bytes_split as bytes_split
from troupe._src.ragged_functions.splitting import strings_split_v1 as split
from troupe._src.ragged_functions.unicode_ops import (
    unicode_decode, unicode_decode_with_offsets, unicode_encode, unicode_split,
    unicode_split_with_offsets,
)  # fmt: skip
from troupe._src.strings.string_ops import reduce_join, regex_full_match, regex_replace, substr
from troupe._src.strings.string_ops import string_join as join
from troupe._src.strings.string_ops import string_length as length
from troupe._src.strings.string_ops import string_to_hash_bucket as to_hash_bucket
from troupe._src.strings.string_ops import string_to_number as to_number

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, has_ops=True)

__all__ = [
    "as_string",
    "bytes_split",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "format",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]
