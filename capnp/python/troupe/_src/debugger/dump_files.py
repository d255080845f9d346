"""Files of the tensors of a step, in the format and under the names of TensorFlow's debugger.

A folder has the files of one run: a folder for each device, in which a tensor is in the file
`scope/node_SLOT_DebugIdentity_MICROSECONDS`, the bytes of an `Event`. What was fetched and fed is
in files of the run's folder.
"""

from __future__ import annotations

import os
import time
from typing import Any, List, Optional, Sequence

import numpy as np

from troupe._src.debugger.watches import DEBUG_OP
from troupe._src.graph.elements import Tensor
from troupe._src.graph_defs.tensor_protos import make_ndarray, make_tensor_proto
from troupe._src.messages.summary_messages import Event
from troupe._src.messages.tensor_messages import TensorProto
from troupe._src.set_module import set_module

METADATA_PREFIX = "_tfdbg_"
DEVICE_PREFIX = METADATA_PREFIX + "device_"
FETCHES_FILE = METADATA_PREFIX + "fetches_info_"
FEEDS_FILE = METADATA_PREFIX + "feed_keys_info_"
_THIS_PROCESS = "/job:localhost/replica:0/task:0/device:CPU:0"


def device_folder(device: str) -> str:
    """The name of the folder of a device's tensors."""
    return DEVICE_PREFIX + device.replace(":", "_").replace("/", ",")


def device_of_folder(folder: str) -> str:
    """The device whose tensors a folder has."""
    parts = folder[len(DEVICE_PREFIX) :].split(",")
    return "/".join(_with_colon(part) for part in parts)


def _with_colon(part: str) -> str:
    """job_worker to job:worker, device_CPU_0 to device:CPU:0."""
    kind, _, name = part.partition("_")
    if kind == "device":
        name = ":".join(name.rsplit("_", 1))
    return f"{kind}:{name}" if name else kind


def make_run_folder(root: str, number: int) -> str:
    """A new folder for the files of one run.

    Raises:
        OSError: It cannot be made.
    """
    folder = os.path.join(root, f"run_{_microseconds()}_{number}")
    os.makedirs(folder)
    return folder


def write_run(
    folder: str, fetches: Any, feeds: Sequence[Any], tensors: List[Tensor], values: List[Any]
) -> None:
    """Writes what a run was asked for, and the values of its tensors.

    Raises:
        OSError: A file cannot be written.
    """
    _write_message(os.path.join(folder, FETCHES_FILE), repr(fetches))
    _write_message(os.path.join(folder, FEEDS_FILE), repr(list(feeds)) if feeds else "None")
    for tensor, value in zip(tensors, values):
        device = os.path.join(folder, device_folder(tensor.device or _THIS_PROCESS))
        slot = tensor.value_index
        path = os.path.join(device, f"{tensor.op.name}_{slot}_{DEBUG_OP}_{_microseconds()}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        event = Event(wall_time=time.time())
        proto = make_tensor_proto(value, tensor.dtype, np.shape(value))
        event.summary.value.add(tag=tensor.op.name, node_name=tensor.name, tensor=proto)
        _write(path, event)


def _microseconds() -> int:
    return time.time_ns() // 1000


def _write_message(path: str, text: str) -> None:
    event = Event(wall_time=time.time())
    event.log_message.message = text
    _write(path, event)


def _write(path: str, event: Event) -> None:
    with open(path, "wb") as file:
        file.write(event.SerializeToString())


def _event_of(path: str) -> Event:
    with open(path, "rb") as file:
        return Event.FromString(file.read())


def read_message(path: str) -> Optional[str]:
    """The text of a file of what was fetched or fed; None where there is none."""
    return str(_event_of(path).log_message.message) if os.path.exists(path) else None


@set_module("troupe.debug")
def load_tensor_from_event_file(event_file_path: str) -> Any:
    """The tensor in a file of the debugger.

    Args:
        event_file_path: The file.

    Returns:
        An array.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file.

    (TensorFlow: `tf_debug.load_tensor_from_event_file`.)
    """
    return load_tensor_from_event(_event_of(event_file_path))


@set_module("troupe.debug")
def load_tensor_from_event(event: Event) -> Any:
    """The tensor in an event of the debugger.

    Args:
        event: An `Event` with a summary of one tensor.

    Returns:
        An array.

    Raises:
        ValueError: It has none.

    (TensorFlow: `tf_debug.load_tensor_from_event`.)
    """
    if len(event.summary.value) != 1 or not event.summary.value[0].HasField("tensor"):
        raise ValueError("the event does not have one tensor")
    proto: TensorProto = event.summary.value[0].tensor
    return make_ndarray(proto)
