"""Residual networks, version 2."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.residual_blocks import (
    resnet_arg_scope,
)
from troupe._src.slim_nets.residual_networks import (
    resnet_v2,
    resnet_v2_101,
    resnet_v2_152,
    resnet_v2_200,
    resnet_v2_50,
    resnet_v2_block,
)
from troupe._src.slim_nets.residual_networks import bottleneck_v2 as bottleneck

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "bottleneck",
    "resnet_arg_scope",
    "resnet_v2",
    "resnet_v2_101",
    "resnet_v2_152",
    "resnet_v2_200",
    "resnet_v2_50",
    "resnet_v2_block",
]
