"""Variables that are stored in parts."""

from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.ops import array_ops
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.variable import Variable


class PartitionInfo(NamedTuple):
    """Which part of a variable an initializer makes."""

    full_shape: List[int]
    var_offset: List[int]

    def single_offset(self, shape: Sequence[int]) -> int:
        """The offset along the axis that is cut, for a part of that shape."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]

    def single_slice_dim(self, shape: Sequence[int]) -> Optional[int]:
        """The axis that is cut; ValueError where there are several."""
        if len(shape) != len(self.full_shape):
            raise ValueError(f"a part of {self.full_shape} has its rank, which {shape} has not")
        axes = [i for i, size in enumerate(self.full_shape) if shape[i] != size]
        if len(axes) > 1:
            raise ValueError(f"a part of shape {shape} cuts several axes of {self.full_shape}")
        return axes[0] if axes else None


class PartitionedVariable(Operand):
    """Variables that are the parts of one, along one axis. As a tensor it is all of them.

    Iterating over it gives the variables, in the order of their offsets.
    """

    def __init__(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike,
        variable_list: Sequence[Variable],
        partitions: Sequence[int],
    ) -> None:
        for what, given in (("variable_list", variable_list), ("partitions", partitions)):
            if not isinstance(given, (list, tuple)):
                raise TypeError(f"{what} is not a list or tuple: {given}")
        if any(count < 1 for count in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        sizes = as_shape(shape)
        if len(sizes) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {sizes} vs. {partitions}")
        for variable in variable_list:
            info = variable._get_save_slice_info()
            if info is None:
                raise ValueError(f"variables must have a save_slice_info: {variable.name}")
            if as_shape(info.full_shape) != sizes:
                raise ValueError(
                    f"All variables' full shapes must match shape: {sizes}; but the full shape of "
                    f"{variable.name} is {info.full_shape}"
                )
        self._name = name
        self._shape = sizes
        self._dtype = as_dtype(dtype)
        self._partitions = list(partitions)
        self._variable_list = sorted(variable_list, key=_offset_of)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    def get_shape(self) -> TensorShape:
        return self._shape

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        self._axis()
        return len(self._variable_list)

    def _get_variable_list(self) -> List[Variable]:
        return self._variable_list

    def _get_partitions(self) -> List[int]:
        return self._partitions

    def _partition_axes(self) -> List[int]:
        return [i for i, count in enumerate(self._partitions) if count > 1] or [0]

    def _axis(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(f"parts along more than one axis: {axes}")
        return axes[0]

    def as_tensor(self) -> Tensor:
        """All of its value, read without the current control dependencies."""
        with get_default_graph().control_dependencies(None):
            return self._concat()

    def _concat(self) -> Tensor:
        """All of its value, read after the current control dependencies."""
        graph, axis = get_default_graph(), self._axis()
        with graph.name_scope(None):
            parts = [variable.read_value() for variable in self._variable_list]
            if len(parts) == 1:
                return array_ops.identity(parts[0], name=self._name)
            with graph.name_scope(f"{self._name}/ConcatPartitions/"):
                whole = array_ops.concat(parts, axis)
            return array_ops.identity(whole, name=self._name)

    def _as_tensor(self) -> Tensor:
        return self.as_tensor()

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> List[Any]:
        """Assigns a list of values of the parts, or a value that is cut; one result for each."""
        return self._apply("assign", value, use_locking, name, read_value)

    def assign_add(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> List[Any]:
        """Adds atomically to each part."""
        return self._apply("assign_add", value, use_locking, name, read_value)

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> List[Any]:
        """Subtracts atomically from each part."""
        return self._apply("assign_sub", value, use_locking, name, read_value)

    def _apply(self, method: str, value: Any, *options: Any) -> List[Any]:
        axis = self._axis()
        if isinstance(value, (list, PartitionedVariable)):
            values = list(value)
            if len(values) != len(self._variable_list):
                raise ValueError(
                    f"{len(values)} values are given for {len(self._variable_list)} parts"
                )
        else:
            sizes = [int(variable.shape[axis]) for variable in self._variable_list]
            values = array_ops.split(value, sizes, axis)
        pairs = zip(self._variable_list, values)
        return [getattr(variable, method)(part, *options) for variable, part in pairs]

    def __repr__(self) -> str:
        return (
            f"<tf.PartitionedVariable '{self._name}' shape={self._shape} dtype={self._dtype.name} "
            f"partitions={self._partitions}>"
        )


def _offset_of(variable: Variable) -> List[int]:
    info = variable._get_save_slice_info()
    return [] if info is None else info.var_offset
