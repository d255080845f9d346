"""Sizes of windows as layers take them, and the sizes of what they make."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.types.shapes import TensorShape, as_shape

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def tuple_of(value: Any, rank: int, name: str) -> List[int]:
    """One positive size for each axis of space, from one for all or a list."""
    sizes = list(value) if hasattr(value, "__iter__") else [value] * rank
    if len(sizes) != rank or any(not hasattr(size, "__index__") or size < 1 for size in sizes):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}"
        )
    return [int(size) for size in sizes]


def data_format_of(data_format: str) -> str:
    """ "channels_last" or "channels_first"."""
    found = str(data_format).lower()
    if found not in ("channels_last", "channels_first"):
        raise ValueError(
            "The `data_format` argument must be one of 'channels_first', 'channels_last'. "
            f"Received: {data_format}"
        )
    return found


def format_of_op(data_format: str, rank: int) -> str:
    """The name that ops have for the format: "NHWC"."""
    return _FORMATS[rank][0 if data_format == "channels_last" else 1]


def padding_of(padding: str, also: Sequence[str] = ()) -> str:
    found = str(padding).lower()
    if found not in ("valid", "same", *also):
        raise ValueError(
            f"The `padding` argument must be one of 'valid', 'same'. Received: {padding}"
        )
    return found


def windowed(
    size: Optional[int], window: int, padding: str, stride: int, dilation: int = 1
) -> Optional[int]:
    """The number of windows along an axis."""
    if size is None:
        return None
    reach = (window - 1) * dilation + 1
    positions = size - reach + 1 if padding == "valid" else size
    return max((positions + stride - 1) // stride, 0)


def unwindowed(size: Any, window: int, padding: str, stride: int) -> Any:
    """The size, a number or a tensor, of an axis that has that many windows."""
    if size is None:
        return None
    return size * stride + (max(window - stride, 0) if padding == "valid" else 0)


def output_shape(
    shape: Any,
    data_format: str,
    sizes_of: Callable[[int, Optional[int]], Optional[int]],
    channels: Optional[int] = None,
) -> TensorShape:
    """The shape where each axis of space has another size, and perhaps the channels too."""
    sizes = as_shape(shape).as_list()
    first = 1 if data_format == "channels_last" else 2
    last = len(sizes) - 1 if data_format == "channels_last" else len(sizes)
    for axis in range(first, last):
        sizes[axis] = sizes_of(axis - first, sizes[axis])
    if channels is not None:
        sizes[-1 if data_format == "channels_last" else 1] = channels
    return TensorShape(sizes)
