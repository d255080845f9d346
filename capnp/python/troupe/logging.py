"""Messages to people: the logger "troupe" of Python's logging."""

from __future__ import annotations

import logging as _logging
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any, Dict

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


def fatal(msg: str, *args: Any) -> None:
    _logger.critical(msg, *args)


def log(level: int, msg: str, *args: Any) -> None:
    _logger.log(level, msg, *args)


def vlog(level: int, msg: str, *args: Any) -> None:
    """Messages of a level of their own, below that of `debug` from 2 on."""
    _logger.log(max(1, DEBUG + 1 - level), msg, *args)


def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    if condition:
        log(level, msg, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """The first of n calls with that message, the one after n more, and so on."""
    log_if(level, msg, _count(msg) % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """The first n calls with that message."""
    log_if(level, msg, _count(msg) < n, *args)


_counts: Dict[str, int] = {}


def _count(msg: str) -> int:
    """How often it was called for that message before."""
    _counts[msg] = _counts.get(msg, -1) + 1
    return _counts[msg]


def flush() -> None:
    for handler in _logger.handlers:
        handler.flush()


__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "flush", "get_logger",
    "get_verbosity", "info", "log", "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog",
    "warn", "warning",
]  # fmt: skip
