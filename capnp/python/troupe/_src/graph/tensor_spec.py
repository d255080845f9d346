"""What is known of tensors."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.types.type_spec import TypeSpec


@set_module("troupe")
class TensorSpec(TypeSpec):
    """The dtype and shape of a tensor, as an argument of a function.

    Args:
        shape: The static shape.
        dtype: The dtype.
        name: A name for the argument; None for none.
    """

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: Optional[str] = None
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def value_type(self) -> Any:
        """The class of tensors."""
        return Tensor

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> Optional[str]:
        """The name of the argument, or None."""
        return self._name

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: Optional[str] = None) -> TensorSpec:
        """The specification of a tensor.

        Args:
            tensor: The tensor.
            name: The name, by default that of the tensor's node.

        Returns:
            The specification.
        """
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: Optional[str] = None) -> TensorSpec:
        """A copy of a specification.

        Args:
            spec: The specification.
            name: Another name, by default the same.

        Returns:
            The copy.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    def _spec_of(self, value: Any) -> Any:
        if isinstance(value, TypeSpec) or not hasattr(value, "dtype"):
            return super()._spec_of(value)
        return TensorSpec(value.shape, value.dtype) if not hasattr(value, "dense_shape") else None

    def _fits(self, other: TensorSpec) -> bool:
        return self._dtype == other._dtype and self._shape.is_compatible_with(other._shape)

    def _common(self, other: TensorSpec) -> TensorSpec:
        if self._dtype != other._dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return TensorSpec(shape, self._dtype, self._name if self._name == other._name else None)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def _key(self) -> Tuple[Any, ...]:
        return self._shape_and_dtype(), self._name

    def _shape_and_dtype(self) -> Tuple[Any, ...]:
        shape = None if self._shape.rank is None else tuple(self._shape.as_list())
        return shape, self._dtype

    def __hash__(self) -> int:
        return hash(self._shape_and_dtype())
