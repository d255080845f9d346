"""What is known of ragged tensors."""

from __future__ import annotations

from typing import Any, ClassVar, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.ragged.value import RaggedTensorValue
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape, dimension_at_index
from troupe._src.types.type_spec import BatchableTypeSpec


@set_module("troupe")
class RaggedTensorSpec(BatchableTypeSpec):
    """The dtype, the shape and the number of ragged axes of a ragged tensor.

    Args:
        shape: The static shape; None for an unknown one.
        dtype: The dtype of the values.
        ragged_rank: The number of ragged axes; by default one less than there are axes.
        row_splits_dtype: The dtype of the splits, int32 or int64.

    Raises:
        ValueError: The number of ragged axes is unknown, or too great.
        TypeError: It is no integer.
    """

    _tensor_class: ClassVar[Any]  # that of ragged tensors, whose module says it

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: Optional[int] = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError("ragged_rank must be an int")
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")
        self._ragged_rank = ragged_rank

    @property
    def value_type(self) -> Any:
        """The class of ragged tensors; that of tensors where no axis is ragged."""
        return Tensor if self._ragged_rank == 0 else self._tensor_class

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the splits."""
        return self._row_splits_dtype

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The specification of a ragged tensor.

        Args:
            value: A RaggedTensor, or the value of one.

        Returns:
            The specification.
        """
        return cls(
            value.shape, value.values.dtype, value.ragged_rank, as_dtype(value.row_splits.dtype)
        )

    def _serialize(self) -> Tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _component_specs(self) -> List[TensorSpec]:
        """Those of the innermost values, and of the splits from the outermost."""
        if self._ragged_rank == 0:
            return [TensorSpec(self._shape, self._dtype)]
        inner = TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
        count = dimension_at_index(self._shape, 0).value
        splits = [[None if count is None else count + 1], *[[None]] * (self._ragged_rank - 1)]
        return [
            TensorSpec(inner, self._dtype),
            *(TensorSpec(sizes, self._row_splits_dtype) for sizes in splits),
        ]

    def _to_components(self, value: Any) -> List[Any]:
        if isinstance(value, RaggedTensorValue) or hasattr(value, "flat_values"):
            return [value.flat_values, *value.nested_row_splits]
        return [value]

    def _from_components(self, tensor_list: List[Any]) -> Any:
        found = tensor_list[0]
        for splits in reversed(tensor_list[1:]):
            if isinstance(splits, Tensor):
                found = self._tensor_class(found, splits, internal=True)
            else:
                found = RaggedTensorValue(found, splits)
        return found

    @property
    def _flat_tensor_specs(self) -> List[TensorSpec]:
        return [TensorSpec(None, dtypes.variant)]

    def _to_tensor_list(self, value: Any) -> List[Any]:
        return [value._to_variant(batched_input=False)]

    def _to_batched_tensor_list(self, value: Any) -> List[Any]:
        return [value._to_variant(batched_input=True)]

    def _from_compatible_tensor_list(self, tensor_list: List[Any]) -> Any:
        if self._ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be positive; got {self._ragged_rank}.")
        found = self._tensor_class._from_variant(tensor_list[0], self._dtype, self._ragged_rank)
        if self._shape.rank is not None:
            specs = self._component_specs
            found.flat_values.set_shape(specs[0].shape)
            found.row_splits.set_shape(specs[1].shape)
        return found

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape

    def _to_legacy_output_classes(self) -> RaggedTensorSpec:
        return self

    def _batch(self, batch_size: Optional[int]) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(
            shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype
        )

    def _unbatch(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(
            self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype
        )

    def _spec_of(self, value: Any) -> Any:
        if isinstance(value, RaggedTensorValue):
            return self.from_value(value)
        return super()._spec_of(value)

    def _fits(self, other: RaggedTensorSpec) -> bool:
        return self._others() == other._others() and self._shape.is_compatible_with(other._shape)

    def _common(self, other: RaggedTensorSpec) -> RaggedTensorSpec:
        if self._others() != other._others():
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return RaggedTensorSpec(shape, *self._others())

    def _others(self) -> Tuple[DType, int, DType]:
        return self._dtype, self._ragged_rank, self._row_splits_dtype

    def _key(self) -> Tuple[Any, ...]:
        shape = None if self._shape.rank is None else tuple(self._shape.as_list())
        return (shape, *self._others())

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self._shape}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )
