"""Ops on windows with gaps, as ops without gaps on each of the parts that lie between them."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.pool_ops import avg_pool_v2, max_pool_v2
from troupe._src.ops import array_ops, gen_ops, selection_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.space_ops import required_space_to_batch_paddings
from troupe._src.types import dtypes

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: TensorLike,
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: Optional[TensorLike] = None,
    spatial_dims: Optional[Sequence[int]] = None,
    data_format: Optional[str] = None,
) -> Tensor:
    """An op on windows without gaps, applied with gaps in the windows.

    The elements that lie `dilation_rate` apart are put into images of their own, on which the op
    runs; the results are put together again.

    Args:
        input: [batch, ..., channels], or in the order of `data_format`.
        dilation_rate: the distance of the elements of a window for each axis of space, an int32
            vector of known length; where all are 1, the op runs on the input itself.
        padding: "SAME" or "VALID".
        op: called with the images, the number of axes of space and a padding: `padding` where all
            distances are 1, else "VALID".
        filter_shape: the size of the windows, for the padding "SAME".
        spatial_dims: the axes of space, ascending, each at least 1; None for those that follow the
            batch (and the channels, if `data_format` begins with "NC").
        data_format: where the channels are, such as "NHWC" or "NCHW".

    Returns:
        A tensor with the axes of the op's result.

    Raises:
        ValueError: if arguments do not go together.
    """
    tensor = convert_to_tensor(input)
    rate = convert_to_tensor(dilation_rate, dtypes.int32)
    if rate.shape.rank != 1 or rate.shape[0].value is None:
        raise ValueError(f"dilation_rate must be a vector of known length, not {rate.shape}")
    count = int(rate.shape[0])
    axes = _axes(spatial_dims, count, data_format)
    is_first = data_format is not None and data_format.startswith("NC")
    tensor.shape.with_rank_at_least(axes[-1] + (0 if is_first else 1))
    known = array_ops.get_static_value(rate)
    if known is not None and np.any(known < 1):
        raise ValueError(f"dilation_rate must be positive, not {known}")
    if known is not None and np.all(known == 1):
        return op(tensor, count, padding)
    base = _base_paddings(padding, filter_shape, rate if known is None else known, count)
    sizes: Any = [tensor.shape[axis].value if tensor.shape.rank else None for axis in axes]
    if None in sizes:
        sizes = selection_ops.gather(array_ops.shape(tensor), axes)
    paddings, crops = required_space_to_batch_paddings(sizes, rate, base)
    rates = _for_all_axes(rate, 1, axes)
    parts = gen_ops.space_to_batch_nd(tensor, rates, _for_all_axes(paddings, 0, axes))
    results = op(parts, count, "VALID")
    return gen_ops.batch_to_space_nd(results, rates, _for_all_axes(crops, 0, axes))


def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    padding: str,
    dilation_rate: Optional[Sequence[int]] = None,
    strides: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    dilations: Optional[Sequence[int]] = None,
) -> Tensor:
    """Pooling of the type "MAX" or "AVG", by the number of the axes of space.

    Args:
        input: floats, [batch, ..., channels] with one to three axes of space.
        window_shape: the size of a window for each axis of space.
        pooling_type: "MAX" or "AVG".
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        dilation_rate: the distance of the elements of a window for each axis of space; None for 1.
            Above 1 only with the padding "VALID" and without strides.
        strides: the step of the windows, at most their size; None for 1.
        data_format: where the channels are, such as "NHWC" or "NCHW"; None for the last axis.
        dilations: another name of `dilation_rate`.

    Returns:
        A tensor with the axes of the input: windows instead of pixels.

    Raises:
        ValueError: if the type is unknown, both names of an argument are given, the rank is not
            3, 4 or 5, or numbers do not go together.
    """
    functions = {"MAX": max_pool_v2, "AVG": avg_pool_v2}
    if pooling_type not in functions:
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', not {pooling_type!r}")
    count = len(window_shape)
    if count not in _FORMATS:
        raise ValueError(f"window_shape must be of length 1, 2 or 3 but was {count}")
    given = either("dilations", dilations, "dilation_rate", dilation_rate)
    rates, steps = _each("dilation_rate", given, count), _each("strides", strides, count)
    _check_gaps(rates, steps, window_shape, padding)
    formats = _FORMATS[count]
    is_first = data_format is not None and data_format.startswith("NC")

    def apply(images: Tensor, _: int, method: str) -> Tensor:
        order = data_format or formats[0]
        return functions[pooling_type](images, window_shape, steps, method, order, name)

    if max(rates) == 1:
        return functions[pooling_type](input, window_shape, steps, padding, data_format, name)
    with get_default_graph().name_scope(name or f"{pooling_type.lower()}_pool"):
        tensor = convert_to_tensor(input)
        tensor.shape.with_rank(count + 2)
        axes = range(2, count + 2) if is_first else range(1, count + 1)
        return with_space_to_batch(tensor, rates, padding, apply, window_shape, axes)


def _axes(given: Optional[Sequence[int]], count: int, data_format: Optional[str]) -> List[int]:
    if given is None:
        first = 2 if data_format is not None and data_format.startswith("NC") else 1
        return list(range(first, first + count))
    axes = [int(axis) for axis in given]
    if axes != sorted(set(axes)) or len(axes) != count or axes[0] < 1:
        raise ValueError(f"spatial_dims must ascend from 1 and be {count} numbers, not {axes}")
    return axes


def _base_paddings(padding: str, filter_shape: Any, rate: Any, count: int) -> Any:
    """The zeros before and behind each axis of space that the padding itself takes."""
    if padding == "VALID":
        return np.zeros([count, 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"padding must be 'SAME' or 'VALID', not {padding!r}")
    if filter_shape is None:
        raise ValueError("filter_shape is required for the padding 'SAME'")
    shape = convert_to_tensor(filter_shape, dtypes.int32)
    known = array_ops.get_static_value(shape)
    sizes: Any = (shape if known is None else known)[:count]
    extra = (sizes - 1) * rate
    pair = [extra // 2, extra - extra // 2]
    return np.stack(pair, 1) if isinstance(extra, np.ndarray) else array_ops.stack(pair, axis=1)


def _for_all_axes(values: Tensor, filler: int, axes: List[int]) -> Tensor:
    """Rows for all axes from 1 to the last one of space: of the filler where there is no value."""
    if len(axes) == axes[-1]:
        return values
    row = [int(size) for size in values.shape[1:]]
    known = array_ops.get_static_value(values)
    if known is not None:
        filled = np.full([axes[-1], *row], filler, np.int32)
        filled[[axis - 1 for axis in axes]] = known
        return convert_to_tensor(filled)
    other = np.full(row, filler, np.int32)
    rows = [values[axes.index(axis)] if axis in axes else other for axis in range(1, axes[-1] + 1)]
    return array_ops.stack(rows)


def _each(name: str, values: Optional[Sequence[int]], count: int) -> List[int]:
    """One positive number for each axis of space."""
    numbers = [1] * count if values is None else [int(value) for value in values]
    if len(numbers) != count or min(numbers) < 1:
        raise ValueError(f"{name} must be {count} positive numbers, not {numbers}")
    return numbers


def _check_gaps(rates: List[int], steps: List[int], windows: Sequence[int], padding: str) -> None:
    if max(rates) > 1 and max(steps) > 1:
        raise ValueError(f"strides {steps} do not go with windows with gaps (dilation_rate)")
    if max(rates) > 1 and padding == "SAME":
        raise ValueError("the padding 'SAME' does not go with windows with gaps (dilation_rate)")
    if any(step > size for step, size in zip(steps, windows)):
        raise ValueError(f"strides {steps} must not exceed the windows {list(windows)}")
