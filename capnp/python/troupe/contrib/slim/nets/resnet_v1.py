"""Residual networks, version 1."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.residual_blocks import (
    resnet_arg_scope,
)
from troupe._src.slim_nets.residual_networks import (
    resnet_v1,
    resnet_v1_101,
    resnet_v1_152,
    resnet_v1_200,
    resnet_v1_50,
    resnet_v1_block,
)
from troupe._src.slim_nets.residual_networks import bottleneck_v1 as bottleneck

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "bottleneck",
    "resnet_arg_scope",
    "resnet_v1",
    "resnet_v1_101",
    "resnet_v1_152",
    "resnet_v1_200",
    "resnet_v1_50",
    "resnet_v1_block",
]
