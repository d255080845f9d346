"""Accumulators, which add gradients up until enough of them are there."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape

_REDUCTION_TYPES = ("MEAN", "SUM")


@set_module("troupe")
class ConditionalAccumulatorBase:
    """An accumulator of gradients, which belongs to the cluster.

    It has a step of its own: a gradient that was computed at a lower one is dropped. Each time that
    gradients are taken, the step is raised by 1.
    """

    def __init__(self, dtype: DTypeLike, shape: ShapeLike, accumulator_ref: Tensor) -> None:
        """Stands for the accumulator of a handle.

        Args:
            dtype: Of the gradients.
            shape: Of the gradients, as far as it is known; None if nothing is.
            accumulator_ref: The handle.
        """
        self._dtype = as_dtype(dtype)
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of its node, without scopes."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Of the gradients."""
        return self._dtype

    def num_accumulated(self, name: Optional[str] = None) -> Tensor:
        """How many gradients it has: an int32 scalar."""
        count: Tensor = self._op("AccumulatorNumAccumulated")(
            handle=self._accumulator_ref, name=name or f"{self._name}_NumAccumulated"
        )
        return count

    def set_global_step(self, new_global_step: TensorLike, name: Optional[str] = None) -> Operation:
        """Sets its step: gradients of lower ones are dropped from now on.

        Args:
            new_global_step: An integer scalar. A lower one than the present is allowed.
            name: Of the operation.

        Returns:
            The operation.
        """
        changed: Operation = self._op("AccumulatorSetGlobalStep")(
            handle=self._accumulator_ref, new_global_step=_to_int64(new_global_step), name=name
        )
        return changed

    def _op(self, name: str) -> Any:
        """The function of that op, in the form of the handle."""
        is_resource = self._accumulator_ref.dtype == dtypes.resource
        return getattr(raw_ops, f"Resource{name}" if is_resource else name)


@set_module("troupe")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that are tensors."""

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike = None,
        shared_name: Optional[str] = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        """Adds an accumulator to the graph.

        Args:
            dtype: Of the gradients: float16, bfloat16, float32 or float64.
            shape: Of the gradients; what it leaves open, the first gradient determines.
            shared_name: What other sessions know it by.
            name: Of its node.
            reduction_type: "MEAN" or "SUM": what is taken of the gradients.

        Raises:
            ValueError: If the reduction type is another one.
        """
        super().__init__(
            dtype,
            shape,
            raw_ops.ResourceConditionalAccumulator(
                dtype=dtype,
                shape=TensorShape(shape),
                shared_name=shared_name or "",
                name=name,
                reduction_type=_checked(reduction_type),
            ),
        )

    def apply_grad(
        self, grad: TensorLike, local_step: TensorLike = 0, name: Optional[str] = None
    ) -> Operation:
        """Adds a gradient, unless it was computed at a lower step than the accumulator's.

        Args:
            grad: The gradient.
            local_step: The step at which it was computed.
            name: Of the operation.

        Returns:
            The operation.

        Raises:
            ValueError: If its shape is not that of the accumulator.
        """
        gradient = convert_to_tensor(grad, self._dtype)
        if not gradient.shape.is_compatible_with(self._shape):
            raise ValueError(f"Shapes {gradient.shape} and {self._shape} are incompatible")
        return raw_ops.ResourceAccumulatorApplyGradient(
            handle=self._accumulator_ref,
            local_step=_to_int64(local_step),
            gradient=gradient,
            name=name,
        )

    def take_grad(self, num_required: TensorLike, name: Optional[str] = None) -> Tensor:
        """Waits for so many gradients, and takes their mean or sum.

        Args:
            num_required: An int32 scalar; in the step, InvalidArgumentError unless it is positive.
            name: Of the operation.

        Returns:
            The mean or sum of all that are there by then.
        """
        taken: Tensor = raw_ops.ResourceAccumulatorTakeGradient(
            handle=self._accumulator_ref, num_required=num_required, dtype=self._dtype, name=name
        )
        taken.set_shape(self._shape)
        return taken


class SparseAccumulatorTakeGradient(NamedTuple):
    """The rows of a gradient that was taken."""

    indices: Any
    values: Any
    shape: Any


@set_module("troupe")
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients of which only some rows are given.

    A mean is that of each row, over the gradients that have it. Rows of a gradient that have the
    same index are added up.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike = None,
        shared_name: Optional[str] = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        """Adds an accumulator to the graph.

        Args:
            dtype: Of the gradients: float16, bfloat16, float32 or float64.
            shape: Of the gradients as a whole, as far as it is known.
            shared_name: What other sessions know it by.
            name: Of its node.
            reduction_type: "MEAN" or "SUM": what is taken of the gradients.

        Raises:
            ValueError: If the reduction type is another one.
        """
        super().__init__(
            dtype,
            shape,
            raw_ops.SparseConditionalAccumulator(
                dtype=dtype,
                shape=TensorShape(shape),
                shared_name=shared_name or "",
                name=name,
                reduction_type=_checked(reduction_type),
            ),
        )

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: Optional[str] = None
    ) -> Operation:
        """As `apply_grad`, of `IndexedSlices`.

        Args:
            grad: The rows of the gradient.
            local_step: The step that the gradient was computed in, an int64 scalar. It is dropped
                if the accumulator's is greater.

        Returns:
            The operation.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: Optional[TensorLike] = None,
        local_step: TensorLike = 0,
        name: Optional[str] = None,
    ) -> Operation:
        """Adds a gradient, unless it was computed at a lower step than the accumulator's.

        Args:
            grad_indices: The indices of its rows, a vector.
            grad_values: The rows.
            grad_shape: The shape of the whole gradient, where it is known.
            local_step: The step at which it was computed.
            name: Of the operation.

        Returns:
            The operation. In the step, InvalidArgumentError where the rows fit neither the
            accumulator nor each other.
        """
        shape: Any = [] if grad_shape is None else grad_shape
        return raw_ops.SparseAccumulatorApplyGradient(
            handle=self._accumulator_ref,
            local_step=_to_int64(local_step),
            gradient_indices=_to_int64(grad_indices),
            gradient_values=convert_to_tensor(grad_values, self._dtype),
            gradient_shape=_to_int64(shape),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(
        self, num_required: TensorLike, name: Optional[str] = None
    ) -> SparseAccumulatorTakeGradient:
        """Waits for so many gradients, and takes the mean or sum of their rows.

        Args:
            num_required: An int32 scalar; in the step, InvalidArgumentError unless it is positive.
            name: Of the operation.

        Returns:
            The tensors (indices, values, shape); the indices rise, and the first size is -1 where
            it is not known.
        """
        taken: List[Tensor] = raw_ops.SparseAccumulatorTakeGradient(
            handle=self._accumulator_ref, num_required=num_required, dtype=self._dtype, name=name
        )
        return SparseAccumulatorTakeGradient(*taken)

    def take_indexed_slices_grad(
        self, num_required: TensorLike, name: Optional[str] = None
    ) -> IndexedSlices:
        """As `take_grad`, as `IndexedSlices`.

        Args:
            num_required: How many gradients it waits for, an int32 scalar.

        Returns:
            The mean or sum of the gradients, with its rows in the order of their indices.
        """
        taken = self.take_grad(num_required, name)
        return IndexedSlices(taken.values, taken.indices, taken.shape)


def _to_int64(value: Any) -> Tensor:
    if isinstance(value, (list, tuple)) and not value:
        return convert_to_tensor(value, dtypes.int64)
    return cast(value, dtypes.int64)


def _checked(reduction_type: str) -> str:
    if reduction_type not in _REDUCTION_TYPES:
        raise ValueError(
            f"reduction_type must be one of {_REDUCTION_TYPES}, not {reduction_type!r}"
        )
    return reduction_type
