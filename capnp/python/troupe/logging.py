"""Messages to people: the logger "troupe" of Python's logging."""

from __future__ import annotations

import logging as _logging
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any

_logger = _logging.getLogger("troupe")


def get_logger() -> _logging.Logger:
    """The logger, for handlers and levels of the program's own."""
    return _logger


def set_verbosity(v: int) -> None:
    """Shows messages of that level and above, on stderr where the program has no handlers."""
    _logger.setLevel(v)
    if not _logger.hasHandlers():
        handler = _logging.StreamHandler()
        handler.setFormatter(_logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
        _logger.addHandler(handler)


def get_verbosity() -> int:
    return _logger.getEffectiveLevel()


def debug(msg: str, *args: Any) -> None:
    _logger.debug(msg, *args)


def info(msg: str, *args: Any) -> None:
    _logger.info(msg, *args)


def warning(msg: str, *args: Any) -> None:
    _logger.warning(msg, *args)


warn = warning


def error(msg: str, *args: Any) -> None:
    _logger.error(msg, *args)


__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "get_logger",
    "get_verbosity",
    "info",
    "set_verbosity",
    "warn",
    "warning",
]
