"""Gradients of which only some rows are not zero."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.operand import Operand, apply
from troupe._src.set_module import set_module
from troupe._src.types.composite_tensor import CompositeTensor
from troupe._src.types.dtypes import DType


@CompositeTensor.register
@set_module("troupe")
class IndexedSlices(Operand):
    """Rows of a tensor: `values[i]` belongs to row `indices[i]`; rows named twice add up.

    `tf.gradients` gives it for what `tf.gather` reads. Wherever a tensor is needed, it becomes one,
    of the shape `dense_shape`.
    """

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Optional[Tensor] = None):
        """Makes one of tensors.

        Args:
            values: The slices, along axis 0.
            indices: The place of each slice in the whole tensor, an integer vector.
            dense_shape: The shape of the whole tensor, an integer vector; None where it is not
                known.
        """
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def values(self) -> Tensor:
        """The slices, along axis 0."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The place of each slice in the whole tensor, an integer vector."""
        return self._indices

    @property
    def dense_shape(self) -> Optional[Tensor]:
        """The shape of the whole tensor, an integer vector; None where it is not known."""
        return self._dense_shape

    @property
    def name(self) -> str:
        """The name of `values`."""
        return self._values.name

    @property
    def op(self) -> Operation:
        """The node that computes `values`."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of `values`."""
        return self._values.graph

    @property
    def dtype(self) -> DType:
        """The dtype of `values`."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """The device that the node of `values` is constrained to."""
        return self._values.device

    def consumers(self) -> List[Operation]:
        """The nodes that have one of its tensors as an input."""
        parts = [self._values, self._indices, self._dense_shape]
        found = [op for part in parts if part is not None for op in part.consumers()]
        return list(dict.fromkeys(found))

    def _as_tensor(self) -> Tensor:
        if self._dense_shape is None:
            raise ValueError(
                f"IndexedSlices {self.name} cannot become a tensor: its dense_shape is not known."
            )
        return apply("dense", self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self._indices!r}, values={self._values!r})"


@set_module("troupe")
class IndexedSlicesValue(NamedTuple):
    """What a step gives for fetched `IndexedSlices`: arrays."""

    values: Any
    indices: Any
    dense_shape: Any
