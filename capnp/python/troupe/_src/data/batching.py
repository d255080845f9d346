"""The shapes of batches."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from troupe._src.data import nest
from troupe._src.data.components import Components, SparseType, check_can_be_stacked
from troupe._src.graph.elements import Tensor
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape, as_shape


def batch_shape(size: Tensor, drop_remainder: Tensor) -> TensorShape:
    """The axis of a batch, whose size is known where the rest is dropped."""
    if get_static_value(drop_remainder):
        known = get_static_value(size)
        return TensorShape([None if known is None else int(known)])
    return TensorShape([None])


def padding_of(
    components: Components, padded_shapes: Any, padding_values: Any
) -> Tuple[List[Tensor], List[Tensor], List[TensorShape]]:
    """The padded shapes as tensors, the values that fill them, and what is known of the shapes."""
    shapes: List[Tensor] = []
    padded: List[TensorShape] = []
    if any(isinstance(each, SparseType) for each in nest.flatten(components.types)):
        raise TypeError("Batching of padded sparse tensors is not currently supported")
    check_can_be_stacked(components.types, TypeError, "Batching of padded elements")
    given = nest.flatten_up_to(components.types, padded_shapes)
    for shape, own in zip(given, components.flat_shapes()):
        tensor, known = _padded_shape(shape, own)
        shapes.append(tensor)
        padded.append(known)
    types = components.flat_types()
    if padding_values is None:
        values = [_zero(dtype) for dtype in types]
    else:
        values = nest.flatten_up_to(components.types, padding_values)
    pairs = zip(values, types)
    return shapes, [_padding_value(value, dtype) for value, dtype in pairs], padded


def _padded_shape(padded: Any, own: TensorShape) -> Tuple[Tensor, TensorShape]:
    try:
        sizes = [-1 if size is None else size for size in as_shape(padded).as_list()]
        tensor = convert_to_tensor(np.array(sizes, np.int64))
        known = as_shape(padded)
    except (TypeError, ValueError):
        tensor = convert_to_tensor(padded, preferred_dtype=dtypes.int64)
        if tensor.shape.rank not in (None, 1):
            raise ValueError(
                f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its shape was "
                f"{tensor.shape}."
            ) from None
        if tensor.dtype != dtypes.int64:
            raise TypeError(
                f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its element "
                f"type was {tensor.dtype.name}."
            ) from None
        value = get_static_value(tensor)
        known = TensorShape(None)
        if value is not None:
            known = TensorShape([None if size < 0 else int(size) for size in value])
    if not _can_be_padded(own, known):
        raise ValueError(
            f"The padded shape {known} is not compatible with the corresponding input component "
            f"shape {own}."
        )
    return tensor, known


def _can_be_padded(own: TensorShape, padded: TensorShape) -> bool:
    if own.rank is None or padded.rank is None:
        return True
    if own.rank != padded.rank:
        return False
    sizes = zip(own.as_list(), padded.as_list())
    return all(size is None or most is None or size <= most for size, most in sizes)


def _padding_value(value: Any, dtype: DType) -> Tensor:
    tensor = convert_to_tensor(value)
    if not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {dtype}")
    return tensor


def _zero(dtype: DType) -> Any:
    if dtype is dtypes.string:
        return ""
    if dtype is dtypes.variant:
        raise TypeError("Unable to create padding for field of type 'variant'")
    return convert_to_tensor(0, dtype) if dtype is not dtypes.bool_ else np.array(False)
