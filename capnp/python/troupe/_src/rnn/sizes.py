"""Sizes of states and outputs, which are numbers, shapes or tensors, and zeros of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape, as_shape


def static_shape(prefix: Any, size: Any) -> TensorShape:
    """What is known of the shape of a tensor with those first sizes, and that size after them."""
    return _known(prefix).concatenate(_known(size))


def _known(size: Any) -> TensorShape:
    if not isinstance(size, Tensor):
        return as_shape(size)
    value = array_ops.get_static_value(size)
    if value is not None:
        return TensorShape([int(each) for each in np.atleast_1d(value)])
    if size.shape.rank == 0:
        return TensorShape([None])
    count = size.shape[0].value if size.shape.rank == 1 else None
    return TensorShape(None if count is None else [None] * count)


def zeros_of(batch_size: Any, size: Any, dtype: DTypeLike) -> Tensor:
    """Zeros of the shape [batch_size, size...].

    Raises:
        ValueError: A size is not known, or a tensor of sizes has two or more axes.
    """
    shape = static_shape(batch_size, size)
    if shape.is_fully_defined():
        return creation_ops.zeros(shape, dtype)
    parts = [_vector(batch_size), _vector(size)]
    if parts[0] is None or parts[1] is None:
        raise ValueError(f"Provided a prefix or suffix of None: {batch_size} and {size}")
    zeros = creation_ops.zeros(array_ops.concat(parts, 0), dtype)
    # As an op, so that the shapes of what follows are known, too.
    known: Tensor = raw_ops.EnsureShape(input=zeros, shape=shape)
    return known


def _vector(size: Any) -> Any:
    if not isinstance(size, Tensor):
        shape = as_shape(size)
        return constant(shape.as_list(), dtypes.int32) if shape.is_fully_defined() else None
    if size.shape.rank == 0:
        return array_ops.expand_dims(size, 0)
    if size.shape.rank != 1:
        raise ValueError(f"Sizes must be either a scalar or vector, but saw tensor: {size}")
    return size


def zeros_like_sizes(sizes: Any, batch_size: Any, dtype: DTypeLike) -> Any:
    """Zeros for each of nested sizes."""
    return nest.map_structure(lambda size: zeros_of(batch_size, size, dtype), sizes)


def dtype_of_state(given: Any, state: Any) -> Any:
    """The dtype that is given, or else that of all tensors of the state.

    Raises:
        ValueError: The state has no tensors, or they have several dtypes.
    """
    if given is not None:
        return given
    kinds = [tensor.dtype for tensor in nest.flatten(state)]
    if not kinds:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(kind != kinds[0] for kind in kinds):
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single "
            "representative dtype."
        )
    return kinds[0]
