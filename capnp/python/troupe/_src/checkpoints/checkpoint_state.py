"""Which checkpoints a folder has, and what is on the disk of them."""

from __future__ import annotations

import glob
import os
import re
from typing import Any, List, Optional, Sequence

from troupe._src.graph_defs.graph_io import write_atomically
from troupe._src.messages.fields import Field
from troupe._src.messages.meta_graph_messages import SaverDef
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.messages.text_parser import ParseError, parse_text
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike

_SHARD = re.compile(r"-[\d?]+-of-\d+$")


@set_module("troupe.train")
class CheckpointState(ProtoMessage):
    """The checkpoints of a folder, oldest first."""

    _fields = {
        "model_checkpoint_path": Field(1, "string"),
        "all_model_checkpoint_paths": Field(2, "string", repeated=True),
        "all_model_checkpoint_timestamps": Field(3, "double", repeated=True),
        "last_preserved_timestamp": Field(4, "double"),
    }


def _file_of(save_dir: Any, latest_filename: Optional[str]) -> str:
    return os.path.join(os.fspath(save_dir), latest_filename or "checkpoint")


def get_checkpoint_state(
    checkpoint_dir: PathLike, latest_filename: Optional[str] = None
) -> Optional[CheckpointState]:
    """The contents of a folder's file of checkpoints.

    Args:
        checkpoint_dir: The folder.
        latest_filename: The name of the file, by default "checkpoint".

    Returns:
        A CheckpointState, whose paths begin with the folder's unless they are absolute. None where
        there is no such file, or it cannot be read.

    Raises:
        ValueError: The file names no latest checkpoint.
    """
    path = _file_of(checkpoint_dir, latest_filename)
    try:
        with open(path, "rb") as file:
            state: CheckpointState = parse_text(file.read(), CheckpointState())
    except FileNotFoundError:
        return None
    except (OSError, ParseError, UnicodeDecodeError) as error:
        logging.warning("%s: %s", type(error).__name__, error)
        logging.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    for index, each in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[index] = os.path.join(checkpoint_dir, each)
    return state


def generate_checkpoint_state_proto(
    save_dir: PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Optional[Sequence[str]] = None,
    all_model_checkpoint_timestamps: Optional[Sequence[float]] = None,
    last_preserved_timestamp: Optional[float] = None,
) -> CheckpointState:
    """The message of a folder's file of checkpoints.

    Args:
        save_dir: The folder.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All checkpoints, the latest last; it is added if it is not
            there, in a list that is given as well.
        all_model_checkpoint_timestamps: When they were written, in seconds since 1970.
        last_preserved_timestamp: When the last one was written that is never removed.

    Returns:
        A CheckpointState. Relative paths in it count from a relative folder.

    Raises:
        ValueError: There are not as many times as paths.
    """
    given: Any = all_model_checkpoint_paths
    if isinstance(given, list) and given[-1:] != [model_checkpoint_path]:
        given.append(model_checkpoint_path)
    paths = list(given or ())
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    times = all_model_checkpoint_timestamps
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if not os.path.isabs(save_dir):
        paths = [path if os.path.isabs(path) else _relative(path, save_dir) for path in paths]
    return CheckpointState(
        model_checkpoint_path=paths[-1],
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def _relative(path: str, save_dir: Any) -> str:
    return os.path.relpath(path, os.fspath(save_dir) or ".")


def update_checkpoint_state(
    save_dir: PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Optional[Sequence[str]] = None,
    latest_filename: Optional[str] = None,
    all_model_checkpoint_timestamps: Optional[Sequence[float]] = None,
    last_preserved_timestamp: Optional[float] = None,
) -> None:
    """Writes a folder's file of checkpoints.

    Args:
        save_dir: The folder.
        model_checkpoint_path: The latest checkpoint.
        all_model_checkpoint_paths: All checkpoints, the latest last.
        latest_filename: The name of the file, by default "checkpoint".
        all_model_checkpoint_timestamps: When they were written, in seconds since 1970.
        last_preserved_timestamp: When the last one was written that is never removed.

    Raises:
        ValueError: There are not as many times as paths.
        RuntimeError: The checkpoint has the name of the file.
    """
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    path = _file_of(save_dir, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  "
            "Please use a different save path."
        )
    write_atomically(path, str(state).encode())


def latest_checkpoint(
    checkpoint_dir: PathLike, latest_filename: Optional[str] = None
) -> Optional[str]:
    """The name of a folder's latest checkpoint.

    Args:
        checkpoint_dir: The folder.
        latest_filename: The name of its file of checkpoints, by default "checkpoint".

    Returns:
        The name, with the folder; None where there is no such file, or no such checkpoint.

    Raises:
        ValueError: The file names no latest checkpoint.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path: str = state.model_checkpoint_path
    if checkpoint_exists(path):
        return path
    logging.error("Couldn't match files for checkpoint %s", path)
    return None


def _files(checkpoint_prefix: Any) -> List[str]:
    """The index of a checkpoint, or the files of one from before there were such."""
    prefix = os.fspath(checkpoint_prefix)
    return glob.glob(f"{prefix}.index") or glob.glob(prefix)


def checkpoint_exists(checkpoint_prefix: PathLike) -> bool:
    """True if this file system has a checkpoint of that name.

    Args:
        checkpoint_prefix: The name of the checkpoint.

    Returns:
        The answer.
    """
    return bool(_files(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> List[float]:
    """When checkpoints were written.

    Args:
        checkpoint_prefixes: The names of checkpoints.

    Returns:
        Seconds since 1970, in the order of the names, without those that do not exist.
    """
    found = [_files(prefix) for prefix in checkpoint_prefixes]
    return [os.stat(files[0]).st_mtime for files in found if files]


def remove_checkpoint(
    checkpoint_prefix: PathLike, checkpoint_format_version: int = SaverDef.V2,
    meta_graph_suffix: str = "meta",
) -> None:  # fmt: skip
    """Removes the files of a checkpoint from this file system, also that of its graph.

    Args:
        checkpoint_prefix: The name of the checkpoint.
        checkpoint_format_version: That of SaverDef.
        meta_graph_suffix: The end of the name of the graph's file.
    """
    prefix = os.fspath(checkpoint_prefix)
    patterns = [prefix]
    if checkpoint_format_version == SaverDef.V2:
        patterns = [f"{prefix}.index", f"{prefix}.data-?????-of-?????"]
    for pattern in [meta_graph_filename(prefix, meta_graph_suffix), *patterns]:
        for path in glob.glob(pattern):
            os.remove(path)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """The file of the graph beside a checkpoint."""
    return f"{_SHARD.sub('', checkpoint_filename)}.{meta_graph_suffix}"
