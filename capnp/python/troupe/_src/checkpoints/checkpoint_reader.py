"""Reads checkpoints on this machine without a graph."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple

from troupe import _native
from troupe._src.ops.convert import to_numpy
from troupe._src.set_module import set_module
from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.paths import PathLike


@set_module("troupe.train")
class CheckpointReader:
    """The variables of one checkpoint, by their names in it."""

    def __init__(self, filename: PathLike) -> None:
        """Opens the checkpoint; NotFoundError where there is none, DataLossError for damage."""
        self._prefix = os.fsdecode(filename)
        self._checkpoint = _native.open_checkpoint(self._prefix)
        self._entries = {
            name: (dtypes.by_number(dtype), list(shape))
            for name, dtype, shape in self._checkpoint.list()
        }

    def get_variable_to_shape_map(self) -> Dict[str, List[int]]:
        """The shapes by name."""
        return {name: shape for name, (_, shape) in self._entries.items()}

    def get_variable_to_dtype_map(self) -> Dict[str, DType]:
        """The dtypes by name."""
        return {name: dtype for name, (dtype, _) in self._entries.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """True if the checkpoint has that name.

        Args:
            tensor_str: A name.

        Returns:
            The answer.
        """
        return tensor_str in self._entries

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a variable.

        Args:
            tensor_str: Its name in the checkpoint.

        Returns:
            An array, or a NumPy scalar, of the variable's dtype and shape.

        Raises:
            NotFoundError: The checkpoint has no such name.
        """
        tensor: Any = self._checkpoint.read(tensor_str)
        return to_numpy(tensor)

    def debug_string(self) -> bytes:
        """A line for each variable: name, type and shape."""
        lines = [
            f"{name} (DT_{_PROTO_NAMES.get(dtype.name, dtype.name).upper()}) "
            f"[{','.join(map(str, shape))}]\n"
            for name, (dtype, shape) in self._entries.items()
        ]
        return "".join(lines).encode()


# The names of dtypes in messages, where they differ from those of NumPy.
_PROTO_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def NewCheckpointReader(filepattern: PathLike) -> CheckpointReader:
    """A reader of that checkpoint.

    Args:
        filepattern: The name of the checkpoint.

    Returns:
        The reader.

    Raises:
        NotFoundError: There is no such checkpoint.
        DataLossError: Its index is damaged.
    """
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file: PathLike) -> CheckpointReader:
    """A reader for a checkpoint, or for the latest one of a folder.

    Args:
        ckpt_dir_or_file: The name of the checkpoint, or the path of the folder.

    Returns:
        The reader.

    Raises:
        ValueError: The folder has no checkpoint.
        NotFoundError: There is no such checkpoint.
    """
    prefix = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(prefix):
        latest = latest_checkpoint(prefix)
        if latest is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in {prefix}")
        prefix = latest
    return CheckpointReader(prefix)


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> Any:
    """The value of a variable in a checkpoint, or in the latest one of a folder.

    Args:
        ckpt_dir_or_file: The name of the checkpoint, or the path of the folder.
        name: The variable's name in it; ":0" at its end is left out.

    Returns:
        An array, or a NumPy scalar, of the variable's dtype and shape.

    Raises:
        ValueError: The folder has no checkpoint.
        NotFoundError: There is no such checkpoint, or it lacks the name.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name[:-2] if name.endswith(":0") else name)


def list_variables(ckpt_dir_or_file: PathLike) -> List[Tuple[str, List[int]]]:
    """The names and shapes of all variables of a checkpoint.

    Args:
        ckpt_dir_or_file: The name of the checkpoint, or the path of a folder, for its latest one.

    Returns:
        (name, sizes of its shape) for each, sorted by name.

    Raises:
        ValueError: The folder has no checkpoint.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
