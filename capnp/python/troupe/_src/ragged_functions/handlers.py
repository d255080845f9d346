"""What the functions of the package do with ragged tensors."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from troupe._src.framework import dispatch
from troupe._src.ragged import (
    broadcasting, elements, flat, gathering, joining, layout, reducing, selection, slicing, tiling,
)  # fmt: skip
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import convert_to_tensor_or_ragged_tensor
from troupe._src.ragged_functions import mapping

Handler = Callable[..., Any]


def handle(
    key: str, function: Callable[..., Any], args: Tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """What a function gives for arguments of which one is ragged.

    Args:
        key: Its name, or "operator" and that of an operator.
        function: What it does with tensors.
        args: Its arguments.
        kwargs: Its arguments by their names.

    Returns:
        Its result.
    """
    handler = _HANDLERS[key]
    return handler(function, *args, **kwargs)


def _by_elements(function: Handler, *args: Any, **kwargs: Any) -> Any:
    return flat.map_flat_values(function, *args, **kwargs)


def _binary(function: Handler, *args: Any, **kwargs: Any) -> Any:
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    (_, x), (_, y), *others = given.items()
    x, y = _of_one_dtype(x, y)
    return broadcasting.apply_binary(function, x, y, **dict(others))


def _binary_operator(
    function: Handler, operator: str, x: Any, y: Any, name: Optional[str] = None
) -> Any:
    if operator == "matmul":
        raise TypeError("ragged tensors have no operator '@'")
    left, right = _of_one_dtype(x, y)
    return broadcasting.apply_binary(functools.partial(function, operator), left, right, name)


def _of_one_dtype(x: Any, y: Any) -> Tuple[Any, Any]:
    """As tensors or ragged tensors; what is neither gets the dtype of the other."""
    if isinstance(x, RaggedParts):
        return x, convert_to_tensor_or_ragged_tensor(y, preferred_dtype=x.dtype, name="y")
    y = convert_to_tensor_or_ragged_tensor(y, name="y")
    return convert_to_tensor_or_ragged_tensor(x, preferred_dtype=y.dtype, name="x"), y


def _instead(handler: Handler) -> Handler:
    """Of a function with the same parameters."""

    def call(function: Handler, *args: Any, **kwargs: Any) -> Any:
        return handler(*args, **kwargs)

    return call


def _reduction(reduction: Handler) -> Handler:
    def call(
        function: Handler,
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: Optional[str] = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axes = reduction_indices if axis is None else axis
        return reduction(input_tensor, axes, keepdims or keep_dims, name)

    return call


def _reduce_join(
    function: Handler,
    inputs: Any = None,
    axis: Any = None,
    keep_dims: Any = None,
    separator: str = "",
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keepdims: Any = None,
) -> Any:
    axes = reduction_indices if axis is None else axis
    return reducing.reduce_join(inputs, axes, keepdims or keep_dims, separator, name)


def _segments(
    function: Handler,
    data: Any,
    segment_ids: Any,
    num_segments: Any,
    name: Optional[str] = None,
) -> Any:
    return reducing.segments(function, data, segment_ids, num_segments, name)


def _segment_join(
    function: Handler,
    inputs: Any,
    segment_ids: Any,
    num_segments: Any,
    separator: str = "",
    name: Optional[str] = None,
) -> Any:
    join = functools.partial(function, separator=separator)
    return reducing.segments(join, inputs, segment_ids, num_segments, name)


def _boolean_mask(
    function: Handler, tensor: Any, mask: Any, name: Optional[str] = None, axis: Any = None
) -> Any:
    if axis not in (None, 0):
        raise ValueError("axis != 0 is not supported for masks of ragged tensors.")
    return selection.boolean_mask(tensor, mask, name)


def _dynamic_partition(
    function: Handler, data: Any, partitions: Any, num_partitions: Any, name: Optional[str] = None
) -> Any:
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    found = selection.stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [found[number] for number in range(num_partitions)]


def _index(function: Handler, operand: Any, key: Any) -> Any:
    if not isinstance(operand, RaggedParts):
        raise TypeError("a ragged tensor is no index of a tensor")
    if isinstance(key, RaggedParts):
        return selection.boolean_mask(operand, key)
    return slicing.getitem(operand, key)


_HANDLERS: Dict[str, Handler] = {
    **{name: _by_elements for name in dispatch.names_in(dispatch.UNARY)},
    **{name: _by_elements for name in dispatch.names_in(dispatch.OF_LISTS)},
    **{name: _binary for name in dispatch.names_in(dispatch.BINARY)},
    "operator absolute": _by_elements,
    "operator binary": _binary_operator,
    "operator div": _binary,
    "operator index": _index,
    "operator invert": _by_elements,
    "operator negative": _by_elements,
    "operator xor": _binary,
    "batch_gather": _instead(gathering.batch_gather),
    "boolean_mask": _boolean_mask,
    "concat": _instead(joining.concat),
    "dynamic_partition": _dynamic_partition,
    "expand_dims": _instead(layout.expand_dims),
    "gather": _instead(gathering.gather),
    "gather_nd": _instead(elements.gather_nd),
    "map_fn": _instead(mapping.map_fn),
    "one_hot": _instead(layout.one_hot),
    "rank": _instead(layout.rank),
    "reduce_all": _reduction(reducing.reduce_all),
    "reduce_any": _reduction(reducing.reduce_any),
    "reduce_join": _reduce_join,
    "reduce_max": _reduction(reducing.reduce_max),
    "reduce_mean": _reduction(reducing.reduce_mean),
    "reduce_min": _reduction(reducing.reduce_min),
    "reduce_prod": _reduction(reducing.reduce_prod),
    "reduce_sum": _reduction(reducing.reduce_sum),
    "size": _instead(layout.size),
    "squeeze": _instead(layout.squeeze),
    "stack": _instead(joining.stack),
    "tile": _instead(tiling.tile),
    "unsorted_segment_join": _segment_join,
    "unsorted_segment_max": _segments,
    "unsorted_segment_mean": _instead(reducing.segment_mean),
    "unsorted_segment_min": _segments,
    "unsorted_segment_prod": _segments,
    "unsorted_segment_sqrt_n": _instead(reducing.segment_sqrt_n),
    "unsorted_segment_sum": _segments,
    "where": _instead(selection.where),
    "where_v2": _instead(selection.where),
}
