"""What programs say to AutoGraph; no function is converted here."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.functions.autograph import set_verbosity
from troupe.autograph import experimental

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["experimental", "set_verbosity"]
