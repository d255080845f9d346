"""Parts of tensors and variables by position and range: `x[1:, ..., tf.newaxis, i]`."""

from __future__ import annotations

import builtins
import numbers
from typing import Any, List, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import implements
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import boolean_mask
from troupe._src.types import dtypes
from troupe._src.types.dimensions import Dimension

_WRONG_KEY = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


class SlicedTensor(Tensor):
    """A part of a variable, which can be assigned to."""

    __slots__ = ("_variable", "_part")

    def __init__(self, part: Tensor, variable: Any, arguments: Any) -> None:
        super().__init__(part._op, part._index, part._dtype, part._shape)
        self._variable = variable
        self._part = arguments

    def assign(self, value: Any, name: Optional[str] = None) -> Operation:
        """An operation that sets this part of the variable."""
        new = convert_to_tensor(value, self.dtype)
        assigned: Operation = self._variable._strided_slice_assign(
            *self._part[:3], new, name, *self._part[3:]
        )
        return assigned


@implements("index")
def index(operand: Any, key: Any) -> Any:
    """operand[key]."""
    if _is_mask(key):
        return boolean_mask(operand, key)
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    begins: List[Any] = []
    ends: List[Any] = []
    strides: List[Any] = []
    begin_mask = end_mask = ellipsis_mask = new_axis_mask = shrink_axis_mask = 0
    for place, item in enumerate(keys):
        bit = 1 << place
        begin: Any = 0
        end: Any = 0
        stride: Any = 1
        if isinstance(item, builtins.slice):
            begin = _checked(item.start, 0)
            end = _checked(item.stop, 0)
            stride = _checked(item.step, 1)
            begin_mask |= bit if item.start is None else 0
            end_mask |= bit if item.stop is None else 0
        elif item is Ellipsis:
            ellipsis_mask |= bit
        elif item is None:
            new_axis_mask |= bit
        else:
            begin = _checked(item, 0)
            end = begin + 1
            shrink_axis_mask |= bit
        begins.append(begin)
        ends.append(end)
        strides.append(stride)
    with get_default_graph().name_scope("strided_slice") as scope:
        dtype = _dtype_of(begins + ends + strides)
        packed = [_pack(part, dtype) for part in (begins, ends, strides)]
        return strided_slice(
            operand, packed[0], packed[1], packed[2], begin_mask, end_mask, ellipsis_mask,
            new_axis_mask, shrink_axis_mask, operand if _is_variable(operand) else None, scope,
        )  # fmt: skip


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: Optional[TensorLike] = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: Optional[str] = None,
) -> Tensor:
    """Each `strides`-th element from `begin` up to `end`, along each axis.

    Bit i of a mask is for entry i of the ranges.

    Args:
        input_: a tensor or a variable.
        begin: the first positions, int32 or int64, one for each entry.
        end: what the positions stay below.
        strides: the distances of positions, which may be negative; None for 1.
        begin_mask: the entries that begin where the axis begins.
        end_mask: the entries that end where the axis ends.
        ellipsis_mask: the one entry that stands for all axes that are left.
        new_axis_mask: the entries that stand for a new axis of size 1.
        shrink_axis_mask: the entries that are one position, whose axis goes.
        var: the variable that assignments to the result change, or None.

    Returns:
        A tensor of the dtype of the input; with `var` it has a method `assign`.
    """
    first = convert_to_tensor(begin)
    steps = raw_ops.OnesLike(x=first) if strides is None else strides
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    part = raw_ops.StridedSlice(
        input=input_, begin=first, end=end, strides=steps, begin_mask=begin_mask,
        end_mask=end_mask, ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask, name=name,
    )  # fmt: skip
    return part if var is None else SlicedTensor(part, var, (first, end, steps, *masks))


def _is_mask(key: Any) -> bool:
    dtype = getattr(key, "dtype", None)
    return isinstance(key, bool) or (dtype is not None and dtypes.as_dtype(dtype).is_bool)


def _is_variable(operand: Any) -> bool:
    return hasattr(operand, "_strided_slice_assign")


def _checked(item: Any, default: int) -> Any:
    """A position: a number, or a scalar tensor."""
    if item is None:
        return default
    if isinstance(item, Dimension):
        return item.value
    if isinstance(item, numbers.Integral) and not isinstance(item, bool):
        return int(item)
    dtype = getattr(item, "dtype", None)
    if dtype is None or not _is_position(item, dtype):
        raise TypeError(f"{_WRONG_KEY}, got {item!r}")
    return item if isinstance(item, Tensor) else convert_to_tensor(item)


def _is_position(item: Any, dtype: Any) -> bool:
    rank = getattr(getattr(item, "shape", None), "rank", None)
    if rank is None and hasattr(item, "ndim"):
        rank = item.ndim
    return dtypes.as_dtype(dtype) in (dtypes.int16, dtypes.int32, dtypes.int64) and rank in (
        None,
        0,
    )


def _dtype_of(items: List[Any]) -> Any:
    """int64 if one of the positions is, or is another type that must become that."""
    tensors = [item for item in items if isinstance(item, Tensor)]
    return dtypes.int32 if all(item.dtype is dtypes.int32 for item in tensors) else dtypes.int64


def _pack(items: List[Any], dtype: Any) -> Any:
    if not items:
        return raw_ops.Fill(dims=[0], value=convert_to_tensor(0, dtype))
    if not any(isinstance(item, Tensor) for item in items):
        return convert_to_tensor(items, dtype)
    return raw_ops.Pack(values=[_as_dtype(item, dtype) for item in items], axis=0)


def _as_dtype(item: Any, dtype: Any) -> Tensor:
    if isinstance(item, Tensor) and item.dtype is not dtype:
        return raw_ops.Cast(x=item, DstT=dtype)
    return convert_to_tensor(item, dtype)
