"""The network of few convolutions that won with images first."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.wide_networks import (
    alexnet_v2,
    alexnet_v2_arg_scope,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "alexnet_v2",
    "alexnet_v2_arg_scope",
]
