"""Layers whose kernel is multiplied by a mask."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.layers.convolutional import Conv2D
from troupe._src.layers.core import Dense
from troupe._src.model_pruning.masks import masked
from troupe._src.variables.initializers import Ones, Zeros


def add_mask(layer: Any, shape: Any) -> Any:
    """Adds the variable `mask` to a layer."""
    return layer.add_weight("mask", shape, initializer=Ones(), trainable=False)


def add_threshold(layer: Any) -> Any:
    """Adds the variable `threshold` to a layer."""
    return layer.add_weight("threshold", [], initializer=Zeros(), trainable=False)


class MaskedConv2D(Conv2D):
    """A convolution of images with a mask."""

    mask: Any = None
    threshold: Any = None
    masked_kernel: Tensor

    def _add_kernel(self, shape: Any) -> None:
        self.mask = add_mask(self, shape)
        super()._add_kernel(shape)
        self.threshold = add_threshold(self)
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)

    def _used_kernel(self) -> Any:
        return self.masked_kernel


class MaskedFullyConnected(Dense):
    """A fully connected layer with a mask."""

    mask: Any = None
    threshold: Any = None
    masked_kernel: Tensor

    def _add_kernel(self, shape: Any) -> None:
        super()._add_kernel(shape)
        self.mask, self.threshold = add_mask(self, shape), add_threshold(self)
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)

    def _used_kernel(self) -> Any:
        return self.masked_kernel
