"""What came before hooks; there are none, and functions for both take hooks."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn.run_config import replace_monitors_with_hooks

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["replace_monitors_with_hooks"]
