"""What a device's memory holds, which no op tells here."""

from __future__ import annotations

from typing import NoReturn

from troupe._src.types import errors


def _missing(op: str) -> NoReturn:
    raise errors.NotFoundError(None, None, f"Op type not registered '{op}'")


def bytes_in_use() -> NoReturn:
    """The bytes of a device that are in use.

    Raises:
        NotFoundError: always, as in a program of TensorFlow that has no such op.
    """
    _missing("BytesInUse")


def bytes_limit() -> NoReturn:
    """The bytes that a device has.

    Raises:
        NotFoundError: always, as in a program of TensorFlow that has no such op.
    """
    _missing("BytesLimit")


def max_bytes_in_use() -> NoReturn:
    """The most bytes of a device that have been in use at once.

    Raises:
        NotFoundError: always, as in a program of TensorFlow that has no such op.
    """
    _missing("MaxBytesInUse")
