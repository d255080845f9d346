"""How the operations of a graph change the value of a variable."""

from __future__ import annotations

import importlib
from typing import Any, Callable, Optional

from troupe._native import Variable as NativeVariable
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DType
from troupe._src.types.references import Referable
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape

# By its name: it imports this module.
_SCATTER_OPS = f"{__name__.split('.', maxsplit=1)[0]}._src.variables.scatter_ops"


class VariableUpdates(Operand, Referable):
    """The methods of variables that add operations on its value, or on parts of it."""

    constraint: Optional[Callable[[Tensor], Tensor]]
    _graph: Graph
    _native: NativeVariable
    _dtype: DType

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Replaces rows of each element of a batch, as `tf.batch_scatter_update`.

        Args:
            sparse_delta: IndexedSlices of the rows, and their numbers [batch..., count].
            use_locking: Has no effect: each update is atomic.

        Returns:
            The value after the update.
        """
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        update: Callable[..., Tensor] = importlib.import_module(_SCATTER_OPS).batch_scatter_update
        return update(self, sparse_delta.indices, sparse_delta.values, use_locking, name)

    @property
    def handle(self) -> Tensor:
        """The resource handle: the first input of the ops on variables."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """Its value, read after the current control dependencies."""
        raise NotImplementedError

    def set_shape(self, shape: ShapeLike) -> None:
        """Refines the static shape that a variable of references has without `validate_shape`.

        Args:
            shape: What is known of the shape besides; None for a size that is not.

        Raises:
            NotImplementedError: It says more than the static shape of a variable of a resource.
            ValueError: The two shapes are not compatible.
        """
        known = TensorShape(self._native.shape)
        if str(known.merge_with(as_shape(shape))) != str(known):
            raise NotImplementedError(f"{self!r} of a resource does not implement set_shape()")

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: Optional[str] = None,
        read_value: bool = True,
    ) -> Any:
        """Assigns a value.

        Args:
            value: Of its dtype, and of a shape that fits.
            use_locking: Has no effect: updates of a variable never mix.
            name: The name of the result.
            read_value: Whether the result is the new value, or the operation.

        Returns:
            The value after the assignment, or the operation.
        """
        return self._change("assign", value, read_value, name)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: Optional[str] = None,
        read_value: bool = True,
    ) -> Any:
        """Adds atomically.

        Args:
            delta: Of its dtype and shape.
            use_locking: Has no effect: updates of a variable never mix.
            name: The name of the result.
            read_value: Whether the result is the new value, or the operation.

        Returns:
            The value after the addition, or the operation.
        """
        return self._change("add", delta, read_value, name)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: Optional[str] = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts atomically.

        Args:
            delta: Of its dtype and shape.
            use_locking: Has no effect: updates of a variable never mix.
            name: The name of the result.
            read_value: Whether the result is the new value, or the operation.

        Returns:
            The value after the subtraction, or the operation.
        """
        return self._change("sub", delta, read_value, name)

    def count_up_to(self, limit: int) -> Tensor:
        """Its value before it grew by 1.

        Args:
            limit: What it never exceeds; a step that finds it there fails with OutOfRange.

        Returns:
            A scalar of its dtype.
        """
        return raw_ops.ResourceCountUpTo(
            resource=self.handle, limit=limit, T=self._dtype, name="CountUpTo"
        )

    def gather_nd(self, indices: TensorLike, name: Optional[str] = None) -> Tensor:
        """The slices of its value at the positions that the rows of `indices` say.

        Args:
            indices: int32 or int64, [..., positions].

        Returns:
            A tensor of the shape of the indices without their last axis, followed by that of a
            slice.
        """
        return raw_ops.ResourceGatherNd(
            resource=self.handle, indices=indices, dtype=self._dtype, name=name
        )

    def sparse_read(self, indices: TensorLike, name: Optional[str] = None) -> Tensor:
        """The rows of its value at `indices`.

        Args:
            indices: int32 or int64 of any shape.

        Returns:
            A tensor of the shape of the indices, followed by that of a row.
        """
        return raw_ops.ResourceGather(
            resource=self.handle, indices=indices, dtype=self._dtype, name=name
        )

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Replaces rows.

        Args:
            sparse_delta: IndexedSlices: the rows, and where they belong.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.

        Raises:
            TypeError: `sparse_delta` is no IndexedSlices.
        """
        return self._scatter_slices("ScatterUpdate", sparse_delta, name)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Adds to rows; see `scatter_update`.

        Args:
            sparse_delta: IndexedSlices: what is added, and where.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.
        """
        return self._scatter_slices("ScatterAdd", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Subtracts from rows; see `scatter_update`.

        Args:
            sparse_delta: IndexedSlices: what is subtracted, and where.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.
        """
        return self._scatter_slices("ScatterSub", sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Multiplies rows; see `scatter_update`.

        Args:
            sparse_delta: IndexedSlices: the factors, and where they belong.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.
        """
        return self._scatter_slices("ScatterMul", sparse_delta, name)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Divides rows; see `scatter_update`.

        Args:
            sparse_delta: IndexedSlices: the divisors, and where they belong.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.
        """
        return self._scatter_slices("ScatterDiv", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Replaces lesser elements of rows; see `scatter_update`.

        Args:
            sparse_delta: IndexedSlices: what elements are compared with, and where.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.
        """
        return self._scatter_slices("ScatterMax", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Replaces greater elements of rows; see `scatter_update`.

        Args:
            sparse_delta: IndexedSlices: what elements are compared with, and where.
            use_locking: Has no effect: updates of a variable never mix.

        Returns:
            The value after the update.
        """
        return self._scatter_slices("ScatterMin", sparse_delta, name)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: Optional[str] = None
    ) -> Tensor:
        """Replaces the slices at the positions that the rows of `indices` say.

        Args:
            indices: int32 or int64, [..., positions].
            updates: A slice for each row of the indices.

        Returns:
            The value after the update.
        """
        return self._scatter("ScatterNdUpdate", indices, updates, name)

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: Optional[str] = None
    ) -> Tensor:
        """Adds to the slices at the positions that the rows of `indices` say.

        Args:
            indices: int32 or int64, [..., positions].
            updates: A slice for each row of the indices.

        Returns:
            The value after the update.
        """
        return self._scatter("ScatterNdAdd", indices, updates, name)

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: Optional[str] = None
    ) -> Tensor:
        """Subtracts from the slices at the positions that the rows of `indices` say.

        Args:
            indices: int32 or int64, [..., positions].
            updates: A slice for each row of the indices.

        Returns:
            The value after the update.
        """
        return self._scatter("ScatterNdSub", indices, updates, name)

    def _scatter_slices(self, op: str, slices: Any, name: Optional[str]) -> Tensor:
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"sparse_delta must be tf.IndexedSlices, not {slices!r}")
        return self._scatter(op, slices.indices, slices.values, name)

    def _scatter(self, op: str, indices: Any, updates: Any, name: Optional[str]) -> Tensor:
        given = convert_to_tensor(updates, self._dtype)
        change: Operation = getattr(raw_ops, f"Resource{op}")(
            self.handle, indices, given, name=name
        )
        return self._read_after(change)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: Optional[str],
        begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int,
        shrink_axis_mask: int,
    ) -> Tensor:  # fmt: skip
        return self._read_after(
            raw_ops.ResourceStridedSliceAssign(
                ref=self.handle,
                begin=begin,
                end=end,
                strides=strides,
                value=value,
                name=name,
                begin_mask=begin_mask,
                end_mask=end_mask,
                ellipsis_mask=ellipsis_mask,
                new_axis_mask=new_axis_mask,
                shrink_axis_mask=shrink_axis_mask,
            )  # fmt: skip
        )

    def _read_after(self, change: Operation, name: Optional[str] = None) -> Tensor:
        with get_default_graph().control_dependencies([change]):
            if name is None:
                return _updated(self.read_value(), change)
            value: Tensor = raw_ops.ReadVariableOp(self.handle, self._dtype, name=name)
            return _updated(value, change)

    def _change(
        self, operation: str, value: Any, read_value: bool = True, name: Optional[str] = None
    ) -> Any:
        if get_default_graph()._is_function or name is not None:
            return self._change_of_handle(operation, value, read_value, name)
        with self._graph._lock:
            self._graph._check_not_finalized()
            operand = convert_to_tensor(value, self._dtype)
            controls = self._graph._controls()
            self._graph._use_context()
            change = self._native.change(operation, operand._value(), controls)
            result: Any = self._native.read([change]) if read_value else None
        made: Any = self._graph._of_value(change)
        if result is None:
            return made
        read: Any = self._graph._of_value(result)
        return _updated(read, made)

    def _change_of_handle(
        self, operation: str, value: Any, read_value: bool, name: Optional[str]
    ) -> Any:
        op: Any = {
            "assign": raw_ops.AssignVariableOp,
            "add": raw_ops.AssignAddVariableOp,
            "sub": raw_ops.AssignSubVariableOp,
        }[operation]
        # The value has the name: that is what programs look up.
        own = name
        if name and read_value:  # within a scope, or all of the name where it ends with a slash
            own = f"{name}Assign/" if name.endswith("/") else f"{name}/Assign"
        change = op(resource=self.handle, value=convert_to_tensor(value, self._dtype), name=own)
        return self._read_after(change, name) if read_value else change

    def _assign_constrained(self) -> Any:
        """Applies the constraint to its value."""
        assert self.constraint is not None
        return self.assign(self.constraint(self.read_value()))


def _updated(value: Tensor, change: Operation) -> Tensor:
    # As in TensorFlow, though another node reads it.
    value._update = change
    return value
