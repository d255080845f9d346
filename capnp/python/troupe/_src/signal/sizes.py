"""The sizes that functions of signals are given, and signals that are made to have one."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def scalar(value: Any) -> Tensor:
    """An int32 scalar."""
    tensor = convert_to_tensor(value)
    tensor.shape.assert_has_rank(0)
    return math_ops.cast(tensor, dtypes.int32)


def with_length(x: Tensor, length: Any) -> Tensor:
    """x with `length` elements along its last axis: cut there, or with zeros after them."""
    missing = array_ops.stack([gen_ops.maximum(0, length - array_ops.shape(x)[-1])])
    result = pad_ends(x, missing)[..., :length]
    known = array_ops.get_static_value(length)
    if known is not None and x.shape.rank is not None:
        result.set_shape([*x.shape[:-1], int(known)])
    return result


def pad_ends(x: Tensor, missing: Tensor) -> Tensor:
    """x with as many zeros after its last axes as the vector says, which has one for each."""
    known = array_ops.get_static_value(missing)
    if known is not None and x.shape.rank is not None:
        if not known.any():
            return x
        others = x.shape.rank - len(known)
        return creation_ops.pad(x, [[0, 0]] * others + [[0, int(each)] for each in known])
    others_now = creation_ops.zeros([array_ops.rank(x) - array_ops.size(missing)], dtypes.int32)
    after = array_ops.concat([others_now, missing], 0)
    return creation_ops.pad(x, array_ops.stack([creation_ops.zeros_like(after), after], axis=1))
