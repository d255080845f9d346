"""Checkpoints of objects in a folder, of which old ones are removed."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Optional

from troupe._src.checkpoints.checkpoint_state import (
    get_checkpoint_state,
    remove_checkpoint,
    update_checkpoint_state,
)
from troupe._src.object_checkpoints.object_nodes import session_of
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


@set_module("troupe.train")
class CheckpointManager:
    """Keeps the latest checkpoints of a folder. One that comes later goes on with its list.

    Args:
        checkpoint: A `tf.train.Checkpoint`.
        directory: The folder.
        max_to_keep: How many are kept; None for all.
        keep_checkpoint_every_n_hours: One checkpoint in such a time is kept for good; by default
            none.
        checkpoint_name: The name of the checkpoints, without their numbers.

    Raises:
        ValueError: `max_to_keep` is not positive.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: PathLike,
        max_to_keep: Optional[int],
        keep_checkpoint_every_n_hours: Optional[float] = None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        self._checkpoint, self._directory = checkpoint, os.fspath(directory)
        self._max_to_keep, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._latest: Optional[str] = None
        self._times: Dict[str, float] = {}  # of the checkpoints, oldest first
        now = time.time()
        self._preserved = now - 1.0
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._preserved = min(state.last_preserved_timestamp, now)
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps) or [self._preserved] * len(paths)
        for path, written in zip(paths, times):
            if min(written, now) > self._preserved:
                self._times[path] = min(written, now)

    @property
    def latest_checkpoint(self) -> Optional[str]:
        """The name of the latest checkpoint; None where there is none."""
        return self._latest

    @property
    def checkpoints(self) -> List[str]:
        """The names of those that may be removed, oldest first."""
        return list(self._times)

    def save(self, checkpoint_number: Any = None) -> str:
        """Writes a checkpoint in the default session, and removes those that are too many.

        Args:
            checkpoint_number: Its number, or a variable or tensor of one; by default the
                `save_counter` of the checkpoint, which is incremented always.

        Returns:
            Its name.

        Raises:
            RuntimeError: There is no default session.
        """
        session = session_of(None)
        count = self._checkpoint._count(session)
        if checkpoint_number is None:
            checkpoint_number = count
        elif hasattr(checkpoint_number, "graph"):
            checkpoint_number = session.run(checkpoint_number)
        path = self._checkpoint.write(f"{self._prefix}-{int(checkpoint_number)}", session)
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        # Also before others are removed: who looks then, finds the new one.
        self._note()
        self._remove_old()
        self._note()
        return str(path)

    def _remove_old(self) -> None:
        while self._max_to_keep and len(self._times) > self._max_to_keep:
            path = next(iter(self._times))
            written = self._times.pop(path)
            if self._hours and written - self._hours * 3600.0 >= self._preserved:
                self._preserved = written
            else:
                remove_checkpoint(path)

    def _note(self) -> None:
        assert self._latest is not None
        paths = [os.path.relpath(path, self._directory or ".") for path in self._times]
        update_checkpoint_state(
            self._directory,
            os.path.relpath(self._latest, self._directory or "."),
            paths,
            all_model_checkpoint_timestamps=list(self._times.values()),
            last_preserved_timestamp=self._preserved,
        )
