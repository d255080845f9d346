"""The network of few convolutions that finds places, too."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.wide_networks import (
    overfeat,
    overfeat_arg_scope,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "overfeat",
    "overfeat_arg_scope",
]
