"""What checkpoints have, for programs that only look: files of this machine."""

from __future__ import annotations

import json
import os
import struct
from typing import Any, Dict, List, NamedTuple, Tuple

from troupe import _dtypes, raw_ops
from troupe._dtypes import DType
from troupe._graph import Graph
from troupe._session import Session
from troupe.train.saver import INDEX_SUFFIX, latest_checkpoint

# The names that safetensors gives dtypes.
_DTYPES: Dict[str, DType] = {
    "BOOL": _dtypes.bool_, "U8": _dtypes.uint8, "I8": _dtypes.int8, "U16": _dtypes.uint16,
    "I16": _dtypes.int16, "F16": _dtypes.float16, "BF16": _dtypes.bfloat16, "U32": _dtypes.uint32,
    "I32": _dtypes.int32, "F32": _dtypes.float32, "U64": _dtypes.uint64, "I64": _dtypes.int64,
    "F64": _dtypes.float64, "C64": _dtypes.complex64,
}  # fmt: skip


class _Entry(NamedTuple):
    dtype: DType
    shape: List[int]


class CheckpointReader:
    """The variables of one checkpoint, by the names that they have in it."""

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
        """The values, as they would be restored; NotFoundError where it has no such name."""
        entry = self._entries.get(tensor_str, _Entry(_dtypes.float32, []))
        with Graph().as_default(), Session() as session:
            (value,) = raw_ops.RestoreV2(
                prefix=self._prefix,
                tensor_names=[tensor_str],
                shape_and_slices=[""],
                dtypes=[entry.dtype],
            )
            return session.run(value)


def _header(path: str) -> Dict[str, Any]:
    """What a file of safetensors says of its tensors, at its beginning."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header: Dict[str, Any] = json.loads(file.read(length))
    return header


def _entry(facts: Dict[str, Any]) -> _Entry:
    return _Entry(_DTYPES[facts["dtype"]], list(facts["shape"]))


NewCheckpointReader = CheckpointReader


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """A reader of that checkpoint, or of the latest one of a folder."""
    prefix = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(prefix):
        latest = latest_checkpoint(prefix)
        if latest is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in {prefix}")
        prefix = latest
    return CheckpointReader(prefix)


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """The value that a variable has in a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.split(":")[0])


def list_variables(ckpt_dir_or_file: str) -> List[Tuple[str, List[int]]]:
    """(name, shape) of all that a checkpoint has, by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
