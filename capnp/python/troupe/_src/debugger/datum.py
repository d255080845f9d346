"""The files of the tensors of a run, one by one."""

from __future__ import annotations

import os
import re
from typing import Any, List, NamedTuple

import numpy as np

from troupe._src.debugger.dump_files import load_tensor_from_event_file
from troupe._src.set_module import set_module

_FILE = re.compile(r"(?P<node>.+)_(?P<slot>\d+)_(?P<op>[A-Za-z]+)_(?P<time>\d+)")


@set_module("troupe.debug")
class DebugTensorDatum(NamedTuple):
    """The file of one tensor.

    Args:
        node_name: The name of the operation that made it.
        output_slot: Which of its outputs it is.
        debug_op: What was kept of it.
        timestamp: When it was written, in microseconds since 1970.
        device_name: The device of the operation.
        file_path: The file.

    (TensorFlow: `tf_debug.DebugTensorDatum`.)
    """

    node_name: str
    output_slot: int
    debug_op: str
    timestamp: int
    device_name: str
    file_path: str

    @property
    def tensor_name(self) -> str:
        """The name of the tensor."""
        return f"{self.node_name}:{self.output_slot}"

    @property
    def watch_key(self) -> str:
        """The name of the tensor with what was kept of it."""
        return f"{self.tensor_name}:{self.debug_op}"

    @property
    def dump_size_bytes(self) -> int:
        """The size of the file."""
        return os.path.getsize(self.file_path)

    def get_tensor(self) -> Any:
        """The value, an array, read from the file.

        Returns:
            An array.
        """
        return load_tensor_from_event_file(self.file_path)

    def __str__(self) -> str:
        return f"{{DebugTensorDatum ({self.device_name}) {self.watch_key} @ {self.timestamp}}}"


@set_module("troupe.debug")
def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """A filter of tensors: whether one has an element that is infinite or no number.

    Args:
        datum: Has no effect.
        tensor: An array.

    Returns:
        The answer; false for tensors other than of floating-point and complex numbers.

    (TensorFlow: `tf_debug.has_inf_or_nan`.)
    """
    array = np.asarray(tensor)
    if array.dtype.kind in "OSUbiu":
        return False
    return not bool(np.all(np.isfinite(array.astype(np.complex128))))


def data_of_folder(root: str, device: str) -> List[DebugTensorDatum]:
    """The files below the folder of a device."""
    data = []
    for folder, _, files in os.walk(root):
        scope = os.path.relpath(folder, root)
        for file in files:
            match = _FILE.fullmatch(file)
            if match is None:
                continue
            node = match["node"] if scope == "." else f"{scope}/{match['node']}"
            path = os.path.join(folder, file)
            data.append(
                DebugTensorDatum(
                    node, int(match["slot"]), match["op"], int(match["time"]), device, path
                )
            )
    return data
