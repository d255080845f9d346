"""Networks of parallel branches, version 2."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.inception_second import (
    inception_v2,
    inception_v2_arg_scope,
    inception_v2_base,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "inception_v2",
    "inception_v2_arg_scope",
    "inception_v2_base",
]
