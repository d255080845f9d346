"""Sparse tensors: the elements that have values, and where they are."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple, Union

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.operand import apply
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import creation_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.convert import is_tensor as is_dense
from troupe._src.set_module import set_module
from troupe._src.types.composite_tensor import CompositeTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.types.type_spec import TypeSpec


@set_module("troupe")
class SparseTensorValue(NamedTuple):
    """What fetching a SparseTensor gives, and feeding one takes."""

    indices: Any
    values: Any
    dense_shape: Any


@CompositeTensor.register
@set_module("troupe")
class SparseTensor:
    """Three tensors: the [N, rank] indices of N elements, their values, and the dense shape."""

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        """Of three tensors, or values of which they are made.

        Args:
            indices: int64, [N, rank].
            values: of any dtype, [N].
            dense_shape: int64, [rank].

        Raises:
            ValueError: if the ranks are others.
        """
        with get_default_graph().name_scope("SparseTensor"):
            self._indices = convert_to_tensor(indices, dtypes.int64, name="indices")
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, dtypes.int64, name="dense_shape")
        if self._indices.shape.rank not in (None, 2) or self._values.shape.rank not in (None, 1):
            raise ValueError(
                f"a SparseTensor has indices of rank 2 and values of rank 1, not of shapes "
                f"{self._indices.shape} and {self._values.shape}"
            )

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Of a SparseTensorValue, or a SparseTensor itself.

        Args:
            sparse_tensor_value: a SparseTensorValue, a SparseTensor, or three values.

        Returns:
            A SparseTensor.
        """
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        indices, values, dense_shape = sparse_tensor_value
        return cls(indices, values, dense_shape)

    @property
    def indices(self) -> Tensor:
        """Where the elements are, int64 [N, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, [N]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape as a tensor of int64."""
        return self._dense_shape

    @property
    def parts(self) -> Tuple[Tensor, Tensor, Tensor]:
        """The tensors that a step computes for it."""
        return self._indices, self._values, self._dense_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that has its tensors."""
        return self._values.graph

    @property
    def op(self) -> Operation:
        """The operation that computes the values."""
        return self._values.op

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return creation_ops.sizes_in(self._dense_shape)

    def get_shape(self) -> TensorShape:
        """The static shape, as `shape`."""
        return self.shape

    def consumers(self) -> List[Operation]:
        """The nodes that have one of its tensors as an input."""
        users = [user for part in self.parts for user in part.consumers()]
        return list(dict.fromkeys(users))

    def _with_values(self, values: Tensor) -> SparseTensor:
        """Other values at the same places."""
        return SparseTensor(self._indices, values, self._dense_shape)

    def __mul__(self, dense: Any) -> SparseTensor:
        return self._with_values(apply("sparse_multiply", self, dense))

    def __truediv__(self, dense: Any) -> SparseTensor:
        return self._with_values(apply("sparse_divide", self, dense))

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Its value in a step of the session, by default the default session.

        Args:
            feed_dict: values of fed tensors, as for `tf.Session.run`.
            session: the session, or None.

        Returns:
            The arrays of its tensors.

        Raises:
            ValueError: if there is no default session.
        """
        found: SparseTensorValue = self.graph._session_for(session).run(self, feed_dict)
        return found

    def __str__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices}, values={self._values}, "
            f"dense_shape={self._dense_shape})"
        )

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!r}, values={self._values!r}, "
            f"dense_shape={self._dense_shape!r})"
        )


@set_module("troupe")
class SparseTensorSpec(TypeSpec):
    """The dtype and dense shape of a sparse tensor.

    Args:
        shape: The static dense shape; None for an unknown one.
        dtype: The dtype of the values.
    """

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def value_type(self) -> Any:
        """The class of sparse tensors."""
        return SparseTensor

    @property
    def shape(self) -> TensorShape:
        """The static dense shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The specification of a sparse tensor.

        Args:
            value: A SparseTensor, or the value of one.

        Returns:
            The specification.

        Raises:
            TypeError: It is no sparse tensor.
        """
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            return cls([int(size) for size in value.dense_shape], value.values.dtype)
        raise TypeError("Expected SparseTensor or SparseTensorValue")

    def _spec_of(self, value: Any) -> Any:
        if isinstance(value, (SparseTensor, SparseTensorValue)):
            return self.from_value(value)
        return super()._spec_of(value)

    def _fits(self, other: SparseTensorSpec) -> bool:
        return self._dtype == other._dtype and self._shape.is_compatible_with(other._shape)

    def _common(self, other: SparseTensorSpec) -> SparseTensorSpec:
        if self._dtype != other._dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return SparseTensorSpec(
            self._shape.most_specific_compatible_shape(other._shape), self._dtype
        )

    def _key(self) -> Tuple[Any, ...]:
        shape = None if self._shape.rank is None else tuple(self._shape.as_list())
        return shape, self._dtype

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"SparseTensorSpec(shape={self._shape}, dtype={self._dtype!r})"


# What functions of sparse tensors take.
SparseLike = Union[SparseTensor, SparseTensorValue]


def is_tensor(x: Any) -> bool:
    """True for tensors, variables and sparse tensors.

    Args:
        x: any object.

    Returns:
        Whether it is one of them.
    """
    return is_dense(x) or isinstance(x, SparseTensor)


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Optional[DTypeLike] = None, name: Optional[str] = None
) -> Any:
    """A sparse tensor or the value of one as a sparse tensor, anything else as a tensor.

    Args:
        value: a SparseTensor, a SparseTensorValue, or what is converted to a tensor.
        dtype: the dtype of the result, by default that of the value.

    Returns:
        A SparseTensor or a tensor.

    Raises:
        RuntimeError: A sparse tensor has another dtype.
    """
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        return convert_to_tensor(value, dtype, name=name)
    found = SparseTensor.from_value(value)
    if dtype is not None and found.dtype != dtype:
        raise RuntimeError(f"Sparse dtype: requested = {dtype}, actual = {found.dtype.name}")
    return found


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Optional[DTypeLike] = None, name: Optional[str] = None
) -> Any:
    """Slices and sparse tensors as they are, anything else as a tensor.

    Args:
        value: an IndexedSlices, a SparseTensor, or what is converted to a tensor.
        dtype: the dtype of the result, by default that of the value.

    Returns:
        An IndexedSlices, a SparseTensor or a tensor.

    Raises:
        ValueError: The value has another dtype.
    """
    if not isinstance(value, (IndexedSlices, SparseTensor)):
        return convert_to_tensor(value, dtype, name=name)
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        wanted = as_dtype(dtype).name
        raise ValueError(
            f"Tensor conversion requested dtype {wanted} for Tensor with dtype {value.dtype.name}: "
            f"{value!r}"
        )
    return value


def sparse_placeholder(
    dtype: DTypeLike, shape: Union[ShapeLike, Tensor] = None, name: Optional[str] = None
) -> SparseTensor:
    """A sparse tensor that each step that needs it must feed.

    Args:
        dtype: the dtype of the elements.
        shape: the dense shape; where it is not fully known it is fed, too. A vector of int64 is
            the dense shape itself.

    Returns:
        A SparseTensor.
    """
    dense_shape: Any = None
    if isinstance(shape, Tensor):
        rank = shape.shape.as_list()[0]
        sizes, dense_shape = TensorShape(None if rank is None else [None] * rank), shape
    else:
        sizes = as_shape(shape)
        dense_shape = sizes.as_list() if sizes.is_fully_defined() else None
    prefix = f"{name}/" if name else ""
    if dense_shape is None:
        dense_shape = creation_ops.placeholder(dtypes.int64, [sizes.rank], name=f"{prefix}shape")
    return SparseTensor(
        creation_ops.placeholder(dtypes.int64, [None, sizes.rank], name=f"{prefix}indices"),
        creation_ops.placeholder(dtype, [None], name=f"{prefix}values"),
        dense_shape,
    )
