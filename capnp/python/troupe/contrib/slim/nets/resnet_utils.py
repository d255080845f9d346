"""Blocks of residual units."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim_nets.residual_blocks import (
    Block,
    conv2d_same,
    resnet_arg_scope,
    stack_blocks_dense,
    subsample,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Block",
    "conv2d_same",
    "resnet_arg_scope",
    "stack_blocks_dense",
    "subsample",
]
