"""Padding of tensors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.convert import convert_to_tensor


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: Optional[str] = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """Pads before and after, along each axis, with one value or with the tensor's own, mirrored.

    In mode "REFLECT" the elements at the borders are not repeated, in mode "SYMMETRIC" they are.

    Args:
        tensor: of any dtype.
        paddings: the numbers of elements before and after, int32 or int64 [rank, 2].
        mode: "CONSTANT", "REFLECT" or "SYMMETRIC", in any case.
        constant_values: the scalar that is padded with in mode "CONSTANT".

    Returns:
        A tensor of the rank and dtype of the input.

    Raises:
        ValueError: if the mode is another.
    """
    kind = mode.upper()
    if kind in ("REFLECT", "SYMMETRIC"):
        return raw_ops.MirrorPad(input=tensor, paddings=paddings, mode=kind, name=name)
    if kind != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}")
    given = convert_to_tensor(tensor)
    if not isinstance(constant_values, Tensor) and constant_values == 0:
        padded = raw_ops.Pad(input=given, paddings=paddings, name=name)
    else:
        value = convert_to_tensor(constant_values, given.dtype)
        padded = raw_ops.PadV2(input=given, paddings=paddings, constant_values=value, name=name)
    if isinstance(paddings, (list, tuple)) and given.shape.rank == len(paddings):
        sizes = [_padded_size(*each) for each in zip(given.shape.as_list(), paddings)]
        if not padded.shape.is_fully_defined() and any(size is not None for size in sizes):
            padded.set_shape(sizes)
    return padded


def _padded_size(size: Optional[int], padding: Any) -> Optional[int]:
    """The size of an axis where that and both its paddings are known, one by one."""
    parts = padding if isinstance(padding, (list, tuple)) else [padding]
    known = [each if isinstance(each, int) else get_static_value(each) for each in parts]
    if size is None or any(each is None for each in known):
        return None
    return size + sum(int(number) for each in known for number in np.ravel(each))
