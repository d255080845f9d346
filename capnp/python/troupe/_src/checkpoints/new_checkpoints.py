"""Waits for checkpoints that another program writes."""

from __future__ import annotations

import time
from typing import Callable, Iterator, Optional

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.platform import logging
from troupe._src.types.paths import PathLike


def wait_for_new_checkpoint(
    checkpoint_dir: PathLike,
    last_checkpoint: Optional[str] = None,
    seconds_to_sleep: float = 1,
    timeout: Optional[float] = None,
) -> Optional[str]:
    """The latest checkpoint of a folder, as soon as that is another one than before.

    Args:
        checkpoint_dir: The folder.
        last_checkpoint: The one before, or None.
        seconds_to_sleep: How often the folder is looked at.
        timeout: How long to wait at most; None for any time.

    Returns:
        The path of the checkpoint; None where there was none in that time.
    """
    logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            logging.info("Found new checkpoint at %s", found)
            return found
        if end is not None and time.monotonic() + seconds_to_sleep > end:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: PathLike,
    min_interval_secs: float = 0,
    timeout: Optional[float] = None,
    timeout_fn: Optional[Callable[[], bool]] = None,
) -> Iterator[str]:
    """Gives the paths of checkpoints as they appear in a folder.

    It looks for one when it is asked for the next, so one that is replaced before is not seen.

    Args:
        checkpoint_dir: The folder.
        min_interval_secs: How many seconds are between two of them at least.
        timeout: How many seconds to wait for one; None for any time.
        timeout_fn: Called after that time; where it returns False, the wait begins again. Without
            it, or where it returns True, there are no more.

    Returns:
        An iterator over paths.
    """
    last: Optional[str] = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if found is None:
            if timeout_fn is None:
                logging.info("Timed-out waiting for a checkpoint.")
            if timeout_fn is None or timeout_fn():
                return
            continue
        begin = time.monotonic()
        last = found
        yield found
        time.sleep(max(begin + min_interval_secs - time.monotonic(), 0))
