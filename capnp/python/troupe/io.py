"""Files of records; decoding of records and examples."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.io.tf_record import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.inputs.producers import match_filenames_once
from troupe._src.parsing.example_ops import (
    deserialize_many_sparse,
    parse_example,
    parse_sequence_example,
    parse_single_example,
    parse_single_sequence_example,
    serialize_many_sparse,
    serialize_sparse,
)
from troupe._src.parsing.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
)
from troupe._src.ops.gen_ops import (
    decode_base64,
    decode_compressed,
    decode_gif,
    decode_json_example,
    encode_base64,
    matching_files,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)
from troupe._src.parsing.parsing_ops import decode_csv, decode_raw
from troupe._src.parsing.protobufs import decode_proto, encode_proto
from troupe._src.platform import file_functions as gfile
from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queues import PaddingFIFOQueue, PriorityQueue, RandomShuffleQueue
from troupe._src.image.files import decode_image, is_jpeg

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, has_ops=True)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
    "SparseFeature",
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_base64",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_json_example",
    "decode_proto",
    "decode_raw",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_proto",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "tf_record_iterator",
    "write_file",
    "write_graph",
]
