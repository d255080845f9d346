"""Which later versions of TensorFlow programs have to run with."""

from __future__ import annotations

import contextlib
import datetime
from typing import Iterator, List

# That of TensorFlow 1.15.
_horizons: List[datetime.date] = [datetime.date(2019, 8, 21)]


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether graphs need not run with versions from before a date.

    Args:
        year: Of the date.
        month: Of the date.
        day: Of the date.

    Returns:
        True for dates before that of this version.
    """
    return _horizons[-1] > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A context in which another date is that of this version.

    Args:
        year: Of the date.
        month: Of the date.
        day: Of the date.

    Yields:
        Nothing.
    """
    _horizons.append(datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizons.pop()
