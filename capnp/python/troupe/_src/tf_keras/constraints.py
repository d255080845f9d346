"""The constraint that makes kernels equal in all directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_Constraint: Any = keras_module("constraints").Constraint


@set_module("troupe.keras.constraints")
class RadialConstraint(_Constraint):  # type: ignore[misc]
    """Makes kernels [rows, columns, inputs, outputs] constant on the squares around their middle.

    The squares get the numbers of the diagonal, as in TensorFlow 1.15: that of the middle the one
    before the middle, and the next one that of the middle where the size is odd.
    """

    def __call__(self, w: Any) -> Any:
        """The kernel that stands for `w`.

        Raises:
            ValueError: It is not of rank 4.
        """
        if w.shape.rank != 4:
            raise ValueError(f"The weight tensor must be of rank 4, but is of shape: {w.shape}")
        size = w.shape.as_list()[0]
        diagonal = gen_ops.matrix_diag_part(array_ops.transpose(w, [2, 3, 0, 1]))
        chosen = gather(diagonal, _places(size), axis=-1)
        return array_ops.transpose(chosen, [2, 3, 0, 1])


def _places(size: int) -> Any:
    """For each place of a square, that on the diagonal whose number it gets."""
    middle, is_odd = size // 2, size % 2
    distance = np.abs(np.arange(size) - (size - 1) / 2)
    rings = np.floor(np.maximum(distance[:, None], distance[None, :])).astype("int32")
    places = np.where(rings == 0, middle - 1, middle + rings - is_odd)
    return np.clip(places, 0, size - 1).astype("int32")
