"""The tensors that pipelines put into queues: their structures, dtypes and shapes."""

from __future__ import annotations

import dataclasses
from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.parsing.example_ops import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape, as_shape

_SERIALIZED = TensorShape([3])  # the indices, values and shape of a sparse tensor


@dataclasses.dataclass
class Sparse:
    """What a queue needs to know of a sparse component, which it has in serialized form."""

    dtype: DType
    rank: Optional[int]

    def merge(self, other: Optional[Sparse]) -> Sparse:
        """Of both; ValueError where they cannot be of the same component."""
        if other is None or other.dtype != self.dtype:
            raise ValueError(f"Inconsistent SparseTensors list: {self} vs. {other}")
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Inconsistent SparseTensors list: {self} vs. {other}")
        return other if self.rank is None else self


class Elements:
    """The components of elements from several sources, as a queue takes them."""

    def __init__(self, sources: Sequence[Any], enqueue_many: bool, shapes: Any = None) -> None:
        """Converts the tensors, and serializes those that are sparse.

        Args:
            sources: For each source its components: a list, or a dict in the order of its keys.
            enqueue_many: Whether each of them is rows for many elements.
            shapes: Of the components, where their own do not say it.

        Raises:
            ValueError: If components are missing or inconsistent, or their ranks are not known.
            TypeError: If the sources have different dtypes.
        """
        if not sources:
            raise ValueError("Expected at least one set of tensors")
        self._structure = sources[0]
        self._enqueue_many = enqueue_many
        given = [_in_order(source, sources[0]) for source in sources]
        if not given[0]:
            raise ValueError("Expected at least one tensor in batch().")
        self._sparse = [self._describe(component) for component in given[0]]
        for source in given[1:]:
            self._merge_sparse(source)
        self.sources = [[self._serialized(component) for component in source] for source in given]
        self.dtypes = _common_dtypes(self.sources)
        self.shapes = self._shapes(shapes)

    def _describe(self, component: Any) -> Optional[Sparse]:
        if not isinstance(component, SparseTensor):
            return None
        rank = component.dense_shape.shape.with_rank(1)[0].value
        if rank is not None and self._enqueue_many:
            rank -= 1
        return Sparse(component.dtype, rank)

    def _merge_sparse(self, source: Sequence[Any]) -> None:
        others = [self._describe(component) for component in source]
        for number, (one, other) in enumerate(zip(self._sparse, others)):
            if one is not None:
                self._sparse[number] = one.merge(other)
            elif other is not None:
                other.merge(one)

    def _serialized(self, component: Any) -> Tensor:
        if not isinstance(component, SparseTensor):
            tensor: Tensor = component
            return tensor
        return (serialize_many_sparse if self._enqueue_many else serialize_sparse)(component)

    def _shapes(self, given: Any) -> List[TensorShape]:
        if given is None:
            return [self._shape_of(column) for column in zip(*self.sources)]
        pairs = zip(given, self._sparse)
        return [as_shape(shape) if sparse is None else _SERIALIZED for shape, sparse in pairs]

    def _shape_of(self, column: Sequence[Tensor]) -> TensorShape:
        """The shape in the first source, with which those in others must be compatible."""
        found: List[TensorShape] = []
        for tensor in column:
            if tensor.shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor!r}")
            shape = tensor.shape.with_rank_at_least(1)[1:] if self._enqueue_many else tensor.shape
            found.append(shape)
            found[0].assert_is_compatible_with(shape)
        return found[0]

    def restore(self, dequeued: Any) -> Any:
        """The components of a batch, as the program gave them: sparse ones, and their structure."""
        tensors = dequeued if isinstance(dequeued, (list, tuple)) else [dequeued]
        found = [
            tensor if sparse is None else deserialize_many_sparse(tensor, sparse.dtype, sparse.rank)
            for tensor, sparse in zip(tensors, self._sparse)
        ]
        if isinstance(self._structure, dict):
            return dict(zip(sorted(self._structure, key=str), found))
        return found if isinstance(dequeued, (list, tuple)) else found[0]


def _in_order(source: Any, first: Any) -> List[Any]:
    if isinstance(first, dict):
        if set(source) != set(first):
            raise ValueError("All dictionaries in tensors_list must have the same keys")
        source = [source[key] for key in sorted(source, key=str)]
    return [_to_component(component) for component in source]


def _to_component(value: Any) -> Any:
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    return convert_to_tensor(value)


def _common_dtypes(sources: Sequence[Sequence[Tensor]]) -> List[DType]:
    first = [tensor.dtype for tensor in sources[0]]
    for source in sources[1:]:
        other = [tensor.dtype for tensor in source]
        if other != first:
            raise TypeError(
                f"Expected types to be consistent: {', '.join(dtype.name for dtype in first)} vs. "
                f"{', '.join(dtype.name for dtype in other)}."
            )
    return first


def to_keep_input(keep_input: TensorLike, enqueue_many: bool) -> Tensor:
    """Which elements go into the queue: a scalar, or a vector for rows; ValueError for others."""
    kept = convert_to_tensor(keep_input)
    if kept.shape.rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and kept.shape.rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if kept.shape.rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return kept


def is_always(condition: Tensor) -> Optional[bool]:
    """Whether a scalar is true, if it is known while the graph is built."""
    known = get_static_value(condition)
    return None if known is None else bool(known)
