"""Networks of convolutions of small windows."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.plain_networks import (
    vgg_16,
    vgg_19,
    vgg_a,
    vgg_arg_scope,
)
from troupe._src.slim_nets.plain_networks import vgg_16 as vgg_d
from troupe._src.slim_nets.plain_networks import vgg_19 as vgg_e

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "vgg_16",
    "vgg_19",
    "vgg_a",
    "vgg_arg_scope",
    "vgg_d",
    "vgg_e",
]
