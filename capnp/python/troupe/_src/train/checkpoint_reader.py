"""Reads checkpoints on this machine without a graph."""

from __future__ import annotations

import json
import os
import struct
from typing import Any, Dict, List, NamedTuple, Tuple

from troupe._src.graph.graph import Graph
from troupe._src.ops import raw_ops
from troupe._src.session.session import Session
from troupe._src.train.saver import INDEX_SUFFIX, latest_checkpoint
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

# The dtypes by their names in safetensors.
_DTYPES: Dict[str, DType] = {
    "BOOL": dtypes.bool_, "U8": dtypes.uint8, "I8": dtypes.int8, "U16": dtypes.uint16,
    "I16": dtypes.int16, "F16": dtypes.float16, "BF16": dtypes.bfloat16, "U32": dtypes.uint32,
    "I32": dtypes.int32, "F32": dtypes.float32, "U64": dtypes.uint64, "I64": dtypes.int64,
    "F64": dtypes.float64, "C64": dtypes.complex64,
}  # fmt: skip


class _Entry(NamedTuple):
    dtype: DType
    shape: List[int]


class CheckpointReader:
    """The variables of one checkpoint, by their names in it."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        with open(prefix + INDEX_SUFFIX, encoding="utf-8") as index:
            files = json.load(index)["weight_map"]
        folder = os.path.dirname(prefix)
        headers = {file: _header(os.path.join(folder, file)) for file in set(files.values())}
        self._entries = {name: _entry(headers[file][name]) for name, file in files.items()}

    def get_variable_to_shape_map(self) -> Dict[str, List[int]]:
        return {name: entry.shape for name, entry in self._entries.items()}

    def get_variable_to_dtype_map(self) -> Dict[str, DType]:
        return {name: entry.dtype for name, entry in self._entries.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str in self._entries

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a variable; NotFoundError where the checkpoint has no such name."""
        entry = self._entries.get(tensor_str, _Entry(dtypes.float32, []))
        with Graph().as_default(), Session() as session:
            (value,) = raw_ops.RestoreV2(
                prefix=self._prefix,
                tensor_names=[tensor_str],
                shape_and_slices=[""],
                dtypes=[entry.dtype],
            )
            return session.run(value)


def _header(path: str) -> Dict[str, Any]:
    """Parses the header of a safetensors file."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header: Dict[str, Any] = json.loads(file.read(length))
    return header


def _entry(header: Dict[str, Any]) -> _Entry:
    return _Entry(_DTYPES[header["dtype"]], list(header["shape"]))


NewCheckpointReader = CheckpointReader


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """A reader for a checkpoint, or for the latest one of a folder."""
    prefix = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(prefix):
        latest = latest_checkpoint(prefix)
        if latest is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in {prefix}")
        prefix = latest
    return CheckpointReader(prefix)


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """The value of a variable in a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.split(":")[0])


def list_variables(ckpt_dir_or_file: str) -> List[Tuple[str, List[int]]]:
    """(name, shape) of all variables of a checkpoint, sorted by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
