"""The passes over graphs that sessions without options of their own run."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.session.process_options import (
    get_experimental_options,
    get_jit,
    set_experimental_options,
    set_jit,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]
