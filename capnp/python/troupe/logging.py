"""The log of the package and of programs: the logger "troupe" of Python's logging."""

from logging import DEBUG, ERROR, FATAL, INFO, WARN

from troupe._src.platform.logging import (
    debug,
    error,
    fatal,
    flush,
    get_logger,
    get_verbosity,
    info,
    log,
    log_every_n,
    log_first_n,
    log_if,
    set_verbosity,
    vlog,
    warn,
    warning,
)
from troupe._src.platform.logging import error as TaskLevelStatusMessage  # noqa: N812

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "TaskLevelStatusMessage",
    "WARN",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_logger",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]
