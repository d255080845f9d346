"""The shapes of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Tuple

import numpy as np

from troupe._src.data import nest
from troupe._src.data.components import Components, RaggedType, SparseType, check_can_be_stacked
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import get_static_value, identity, shape
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape, as_shape

if TYPE_CHECKING:
    from troupe._src.data.dataset import Dataset


def batch_shape(size: Tensor, drop_remainder: Tensor) -> TensorShape:
    """The axis of a batch, whose size is known where the rest is dropped."""
    if get_static_value(drop_remainder):
        known = get_static_value(size)
        return TensorShape([None if known is None else int(known)])
    return TensorShape([None])


def padding_of(
    components: Components, padded_shapes: Any, padding_values: Any
) -> Tuple[List[Tensor], List[Tensor], List[TensorShape]]:
    """The padded shapes as tensors, the values that fill them, and what is known of the shapes."""
    shapes: List[Tensor] = []
    padded: List[TensorShape] = []
    if any(isinstance(each, SparseType) for each in nest.flatten(components.types)):
        raise TypeError("Batching of padded sparse tensors is not currently supported")
    if any(isinstance(each, RaggedType) for each in nest.flatten(components.types)):
        raise TypeError("Batching of padded ragged tensors is not currently supported")
    check_can_be_stacked(components.types, TypeError, "Batching of padded elements")
    given = nest.flatten_up_to(components.types, padded_shapes)
    for shape, own in zip(given, components.flat_shapes()):
        tensor, known = _padded_shape(shape, own)
        shapes.append(tensor)
        padded.append(known)
    types = components.flat_types()
    if padding_values is None:
        values = [_zero(dtype) for dtype in types]
    else:
        values = nest.flatten_up_to(components.types, padding_values)
    pairs = zip(values, types)
    return shapes, [_padding_value(value, dtype) for value, dtype in pairs], padded


def _padded_shape(padded: Any, own: TensorShape) -> Tuple[Tensor, TensorShape]:
    tensor, known = _sizes_of(padded)
    if not _can_be_padded(own, known):
        raise ValueError(
            f"The padded shape {known} is not compatible with the corresponding input component "
            f"shape {own}."
        )
    return tensor, known


def _sizes_of(padded: Any) -> Tuple[Tensor, TensorShape]:
    """The sizes of a shape, -1 for unknown ones, and what is known of it."""
    try:
        sizes = [-1 if size is None else size for size in as_shape(padded).as_list()]
        tensor = convert_to_tensor(np.array(sizes, np.int64))
        known = as_shape(padded)
    except (TypeError, ValueError):
        tensor = convert_to_tensor(padded, preferred_dtype=dtypes.int64)
        if tensor.shape.rank not in (None, 1):
            raise ValueError(
                f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its shape was "
                f"{tensor.shape}."
            ) from None
        if tensor.dtype != dtypes.int64:
            raise TypeError(
                f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its element "
                f"type was {tensor.dtype.name}."
            ) from None
        value = get_static_value(tensor)
        known = TensorShape(None)
        if value is not None:
            least = min([int(size) for size in value], default=0)
            if least < -1:
                raise ValueError(f"Dimension {least} must be >= 0") from None
            known = TensorShape([None if size < 0 else int(size) for size in value])
    return tensor, known


def _can_be_padded(own: TensorShape, padded: TensorShape) -> bool:
    if own.rank is None or padded.rank is None:
        return True
    if own.rank != padded.rank:
        return False
    sizes = zip(own.as_list(), padded.as_list())
    return all(size is None or most is None or size <= most for size, most in sizes)


def _padding_value(value: Any, dtype: DType) -> Tensor:
    tensor = convert_to_tensor(value)
    if not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {dtype}")
    return tensor


def _zero(dtype: DType) -> Any:
    if dtype is dtypes.string:
        return ""
    if dtype is dtypes.variant:
        raise TypeError("Unable to create padding for field of type 'variant'")
    return convert_to_tensor(0, dtype) if dtype is not dtypes.bool_ else np.array(False)


def dense_to_sparse_batch(
    batch_size: TensorLike, row_shape: Any
) -> Callable[[Dataset], Dataset]:
    """Batches elements of several shapes as the rows of sparse tensors.

    Args:
        batch_size: How many elements a batch has, an int64 scalar; the last one may have fewer.
        row_shape: The largest shape of an element, which has its rank: a shape, or a vector of
            int64. None and -1 in it stand for the largest size in the batch.

    Returns:
        A function for `Dataset.apply`. A step fails with InvalidArgumentError at an element of
        another rank, and with DataLossError at one that is larger.

    Raises:
        TypeError: From what it returns, where elements have not just one component.
    """

    def apply(dataset: Dataset) -> Dataset:
        dtype = dataset._types
        if not isinstance(dtype, DType):
            raise TypeError(
                "`dense_to_sparse_batch` requires that the elements have a single component, which "
                f"is a tensor, whereas they have {dataset.output_types!r}."
            )
        sizes, known = _sizes_of(row_shape)
        components = Components(SparseType(dtype), TensorShape([None]).concatenate(known))
        variant = raw_ops.DenseToSparseBatchDataset(
            input_dataset=dataset._variant_tensor,
            batch_size=convert_to_tensor(batch_size, dtypes.int64, name="batch_size"),
            row_shape=sizes,
            **components.attrs(),
        )
        return dataset._dataset(variant, components)

    return apply


def assert_element_shape(expected_shapes: Any) -> Callable[[Dataset], Dataset]:
    """The elements, which must have these shapes.

    Args:
        expected_shapes: Shapes, in the structure of an element; unknown sizes are not checked.

    Returns:
        A function for `Dataset.apply`. A step fails with InvalidArgumentError at an element of
        another shape.

    Raises:
        ValueError: From what it returns, where the shapes of the dataset are known to differ, or a
            component is no tensor.
    """

    def apply(dataset: Dataset) -> Dataset:
        expected = [as_shape(each) for each in nest.flatten_up_to(dataset._types, expected_shapes)]
        pairs = zip(nest.flatten(dataset._shapes), expected)
        shapes = nest.pack_as(dataset._types, [own.merge_with(other) for own, other in pairs])
        for each in nest.flatten(dataset._types):
            if not isinstance(each, DType):
                raise ValueError(f"the shape of a component that is {each} cannot be checked")

        def check(*element: Any) -> Any:
            values = zip(nest.flatten(element), expected)
            checked = [_with_shape(value, wanted) for value, wanted in values]
            return nest.pack_as(dataset._types, checked)

        checked = dataset.map(check)
        return dataset._dataset(checked._variant_tensor, Components(dataset._types, shapes))

    return apply


def _with_shape(value: Tensor, expected: TensorShape) -> Tensor:
    """The value, which fails unless it has this shape."""
    if expected.rank is None or (value.shape.is_fully_defined() and expected.is_fully_defined()):
        return value
    sizes = shape(value)
    known = [(i, size) for i, size in enumerate(expected.as_list()) if size is not None]
    message = f"an element must have the shape {expected}"
    checks = [assert_equal(shape(sizes), [expected.rank], message=message)]
    with control_dependencies(checks):
        sizes = identity(sizes)
    for axis, size in known:
        checks.append(assert_equal(sizes[axis], size, message=message))
    with control_dependencies(checks):
        checked = identity(value)
    checked.set_shape(value.shape.merge_with(expected))
    return checked
