"""The entry point of a program."""

from troupe import flags
from troupe._src.platform.app import (
    run,
)

__all__ = [
    "flags",
    "run",
]
