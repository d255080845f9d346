"""What is known of tensors whose elements have bounds."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.ops.arithmetic_ops import broadcast_static_shape
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape


class BoundedTensorSpec(TensorSpec):
    """The dtype and shape of a tensor, and the least and the greatest values of its elements.

    Args:
        shape: The static shape.
        dtype: The dtype.
        minimum: The least values, numbers that can be broadcast to the shape.
        maximum: The greatest ones.
        name: A name for the argument; None for none.

    Raises:
        ValueError: A bound is None, or cannot be broadcast to the shape.
    """

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        minimum: Any,
        maximum: Any,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError(
                f"minimum and maximum must be provided; but saw {minimum!r} and {maximum!r}"
            )
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which: str, values: Any) -> np.ndarray[Any, Any]:
        try:
            broadcast_static_shape(TensorShape(np.shape(values)), self.shape)
        except ValueError as error:
            raise ValueError(f"{which} is not compatible with shape. Message: {error!r}.") from None
        bound = np.array(values, self.dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: Any, name: Optional[str] = None) -> BoundedTensorSpec:
        """The specification of tensors as another one says, with its bounds or those of the dtype.

        Args:
            spec: The other one, which may be an array's.
            name: Another name, by default the same.

        Returns:
            The specification.
        """
        dtype = as_dtype(spec.dtype)
        least = getattr(spec, "minimum", None)
        greatest = getattr(spec, "maximum", None)
        return cls(
            spec.shape, dtype, dtype.min if least is None else least,
            dtype.max if greatest is None else greatest, name or spec.name,
        )  # fmt: skip

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        """The least values, which may be those of elements."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        """The greatest values, which may be those of elements."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def __eq__(self, other: Any) -> bool:
        return (
            bool(super().__eq__(other))
            and np.allclose(self._minimum, other.minimum)
            and np.allclose(self._maximum, other.maximum)
        )

    def __hash__(self) -> int:
        return super().__hash__()

    def __reduce__(self) -> Tuple[Any, ...]:
        given = (self.shape, self.dtype, self._minimum, self._maximum, self.name)
        return BoundedTensorSpec, given
