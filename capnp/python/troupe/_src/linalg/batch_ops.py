"""Batches of matrices, and their shapes."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


def static_or_shape(known: TensorShape, computed: Callable[[], Tensor]) -> Tensor:
    """A shape as a tensor: a constant, or where it is not known what the function gives."""
    if known.is_fully_defined():
        return convert_to_tensor(known.as_list(), dtypes.int32)
    return computed()


def broadcast_shapes(shapes: Iterable[TensorShape]) -> TensorShape:
    """The shape of what broadcasting makes of several, as far as it is known."""
    whole, *rest = shapes
    for shape in rest:
        whole = broadcast_static_shape(whole, shape)
    return whole


def broadcast_sizes(shapes: Iterable[Tensor]) -> Tensor:
    """The same of shapes that are tensors."""
    whole, *rest = shapes
    for shape in rest:
        whole = broadcast_dynamic_shape(whole, shape)
    return whole


def broadcast_batches(*matrices: Tensor) -> List[Tensor]:
    """The same matrices in batches of one shape."""
    shapes = [each.shape[:-2] for each in matrices]
    whole = broadcast_shapes(shapes)
    if whole.is_fully_defined():
        return [_spread(each, whole) for each in matrices]
    batch = broadcast_sizes(array_ops.shape(each)[:-2] for each in matrices)
    found = []
    for each in matrices:
        sizes = array_ops.concat([batch, array_ops.shape(each)[-2:]], 0)
        found.append(array_ops.broadcast_to(each, sizes))
    return found


def _spread(matrix: Tensor, batch: TensorShape) -> Tensor:
    """The matrices in a batch of a known shape."""
    known = matrix.shape[:-2]
    if known.is_fully_defined() and known.as_list() == batch.as_list():
        return matrix
    if matrix.shape.is_fully_defined():
        return array_ops.broadcast_to(matrix, [*batch.as_list(), *matrix.shape.as_list()[-2:]])
    sizes = array_ops.concat([batch.as_list(), array_ops.shape(matrix)[-2:]], 0)
    return array_ops.broadcast_to(matrix, sizes)


def matrix_argument(matrix: Any, name: str) -> Tensor:
    """A tensor of floating point or complex numbers and of a rank of at least 2."""
    value = convert_to_tensor(matrix, name=name)
    if not (value.dtype.is_floating or value.dtype.is_complex):
        raise TypeError(f"Argument {name} must have a floating dtype. Found: {value.dtype.name}")
    if value.shape.rank is not None and value.shape.rank < 2:
        raise ValueError(f"Argument {name} must have at least 2 dimensions. Found: {value.shape}")
    return value
