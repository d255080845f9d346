"""The log of the package and of programs: the logger "troupe" of Python's logging."""

from __future__ import annotations

import logging as _logging
from logging import DEBUG
from typing import Any, Dict, Set, Tuple

_logger = _logging.getLogger("troupe")


def get_logger() -> _logging.Logger:
    """The logger, so that a program can set its handlers and level."""
    return _logger


def set_verbosity(v: int) -> None:
    """Sets the level; adds a handler for stderr where the program has none.

    Args:
        v: the lowest level that is logged, such as `tf.logging.INFO`.
    """
    _logger.setLevel(v)
    if not _logger.hasHandlers():
        handler = _logging.StreamHandler()
        handler.setFormatter(_logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
        _logger.addHandler(handler)


def get_verbosity() -> int:
    """The lowest level that is logged."""
    return _logger.getEffectiveLevel()


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message at the level DEBUG.

    Args:
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.debug(msg, *args, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message at the level INFO.

    Args:
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.info(msg, *args, **kwargs)


def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message at the level WARN.

    Args:
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.warning(msg, *args, **kwargs)


warn = warning


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message at the level ERROR.

    Args:
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.error(msg, *args, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message at the level FATAL.

    Args:
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.critical(msg, *args, **kwargs)


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message at a level.

    Args:
        level: such as `tf.logging.INFO`.
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.log(level, msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at a verbosity level: 1 is DEBUG, higher levels are below it.

    Args:
        level: the verbosity, 1 or more.
        msg: a text with "%" formats.
        *args: the values of the formats.
        **kwargs: as `logging.Logger.log` takes them, such as `exc_info`.
    """
    _logger.log(max(1, DEBUG + 1 - level), msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    """Logs a message at a level, if the condition holds.

    Args:
        level: such as `tf.logging.INFO`.
        msg: a text with "%" formats.
        condition: whether it is logged.
        *args: the values of the formats.
    """
    if condition:
        log(level, msg, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs every n-th call with that message, starting with the first.

    Args:
        level: such as `tf.logging.INFO`.
        msg: a text with "%" formats, by which calls are counted.
        n: one of so many calls is logged.
        *args: the values of the formats.
    """
    log_if(level, msg, _count(msg) % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs the first n calls with that message.

    Args:
        level: such as `tf.logging.INFO`.
        msg: a text with "%" formats, by which calls are counted.
        n: how many calls are logged.
        *args: the values of the formats.
    """
    log_if(level, msg, _count(msg) < n, *args)


_warned: Set[Tuple[str, str]] = set()


def not_obeyed(owner: str, option: str) -> None:
    """Warns, once for each option, that it has no effect."""
    if (owner, option) not in _warned:
        _warned.add((owner, option))
        warning("the option '%s' of %s has no effect in this version of troupe", option, owner)


_counts: Dict[str, int] = {}


def _count(msg: str) -> int:
    """The number of earlier calls with that message."""
    _counts[msg] = _counts.get(msg, -1) + 1
    return _counts[msg]


def flush() -> None:
    """Writes out what the handlers of the log keep."""
    for handler in _logger.handlers:
        handler.flush()
