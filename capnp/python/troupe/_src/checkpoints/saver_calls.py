"""What calls of savers have in common: their arguments, their files and their errors."""

from __future__ import annotations

import os
from typing import Any, Optional

from troupe._src.session.base_session import BaseSession
from troupe._src.types import errors


def require_session(sess: Any) -> BaseSession:
    if not isinstance(sess, BaseSession):
        raise TypeError(f"'sess' must be a Session; {sess!r}")
    return sess


def number_of(sess: BaseSession, global_step: Any) -> Optional[int]:
    """The number that a step, a tensor or its name is."""
    if global_step is None or isinstance(global_step, int):
        return global_step
    if isinstance(global_step, str) or hasattr(global_step, "graph"):
        return int(sess.run(global_step))
    return int(global_step)


def make_folder_of(path: str) -> None:
    """Creates the folder of a checkpoint in an existing one."""
    folder = os.path.dirname(path)
    if not folder or os.path.isdir(folder):
        return
    try:
        os.mkdir(folder)
    except OSError:
        text = f"Parent directory of {path} doesn't exist, can't save."
        raise ValueError(text) from None


def remove_file(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def explained(error: errors.OpError) -> errors.OpError:
    """The error of a restoration, which says what the cause may be."""
    if isinstance(error, errors.NotFoundError):
        cause = "a Variable name or other graph key that is missing"
    elif isinstance(error, errors.InvalidArgumentError):
        cause = "a mismatch between the current graph and the graph"
    else:
        return error
    message = (
        f"Restoring from checkpoint failed. This is most likely due to {cause} from the "
        "checkpoint. Please ensure that you have not altered the graph expected based on the "
        f"checkpoint. Original error:\n\n{error.message}"
    )
    made = type(error)(error.node_def, error.op, message)
    for name, value in vars(error).items():
        if name.lstrip("_") not in ("message", "args"):
            vars(made)[name] = value
    return made
