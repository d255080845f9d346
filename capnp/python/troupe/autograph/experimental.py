"""What AutoGraph converts, and how."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.autograph.api import Feature, do_not_convert, set_loop_options

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["Feature", "do_not_convert", "set_loop_options"]
