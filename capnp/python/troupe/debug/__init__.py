"""The debugger of graphs: TensorFlow's `tensorflow.python.debug`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.debugger.datum import DebugTensorDatum, has_inf_or_nan
from troupe._src.debugger.dump_dir import DebugDumpDir, WatchKeyDoesNotExistInDebugDumpDirError
from troupe._src.debugger.dump_files import load_tensor_from_event, load_tensor_from_event_file
from troupe._src.debugger.hooks import DumpingDebugHook, LocalCLIDebugHook
from troupe._src.debugger.sessions import DumpingDebugWrapperSession, LocalCLIDebugWrapperSession
from troupe._src.debugger.watches import WatchOptions

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "DebugDumpDir",
    "DebugTensorDatum",
    "DumpingDebugHook",
    "DumpingDebugWrapperSession",
    "LocalCLIDebugHook",
    "LocalCLIDebugWrapperSession",
    "WatchKeyDoesNotExistInDebugDumpDirError",
    "WatchOptions",
    "has_inf_or_nan",
    "load_tensor_from_event",
    "load_tensor_from_event_file",
]
