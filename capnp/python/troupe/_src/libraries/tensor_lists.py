"""Lists of tensors in a tensor, as `tensorflow.python.ops.list_ops` makes them."""

from __future__ import annotations

from typing import Any

from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import as_shape


def _sizes(shape: Any) -> Any:
    """A shape as a tensor, -1 where it or a dimension of it is not known."""
    if shape is None or (hasattr(shape, "rank") and shape.rank is None):
        return convert_to_tensor(-1, dtypes.int32)
    if hasattr(shape, "dtype"):
        return shape
    try:
        sizes = as_shape(shape).as_list()
    except TypeError:  # it has tensors among its sizes
        return convert_to_tensor(shape)
    return convert_to_tensor([-1 if size is None else size for size in sizes], dtypes.int32)


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: Any = None
) -> Any:
    """A list without elements.

    Args:
        element_shape: What is known of their shapes.
        element_dtype: Their dtype.
        max_num_elements: How many there may be; None: any number.
        name: The name of the node.

    Returns:
        The list, a variant.
    """
    most = -1 if max_num_elements is None else max_num_elements
    return raw_ops.EmptyTensorList(
        element_shape=_sizes(element_shape), element_dtype=element_dtype, max_num_elements=most,
        name=name,
    )  # fmt: skip


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: Any = None
) -> Any:
    """A list of so many elements, which are not there yet."""
    return raw_ops.TensorListReserve(
        element_shape=_sizes(element_shape), num_elements=num_elements,
        element_dtype=element_dtype, name=name,
    )  # fmt: skip


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: Any = None) -> Any:
    """The rows of a tensor as a list."""
    return raw_ops.TensorListFromTensor(
        tensor=tensor, element_shape=_sizes(element_shape), name=name
    )


def tensor_list_get_item(
    input_handle: Any, index: Any, element_dtype: Any, element_shape: Any = None, name: Any = None
) -> Any:
    """An element."""
    return raw_ops.TensorListGetItem(
        input_handle=input_handle, index=index, element_shape=_sizes(element_shape),
        element_dtype=element_dtype, name=name,
    )  # fmt: skip


def tensor_list_pop_back(input_handle: Any, element_dtype: Any, name: Any = None) -> Any:
    """The list without its last element, and that element."""
    return raw_ops.TensorListPopBack(
        input_handle=input_handle, element_shape=_sizes(None), element_dtype=element_dtype,
        name=name,
    )  # fmt: skip


def tensor_list_gather(
    input_handle: Any, indices: Any, element_dtype: Any, element_shape: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Some elements as one tensor."""
    return raw_ops.TensorListGather(
        input_handle=input_handle, indices=indices, element_shape=_sizes(element_shape),
        element_dtype=element_dtype, name=name,
    )  # fmt: skip


def tensor_list_stack(
    input_handle: Any, element_dtype: Any, num_elements: int = -1, element_shape: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """All elements as one tensor."""
    return raw_ops.TensorListStack(
        input_handle=input_handle, element_shape=_sizes(element_shape),
        element_dtype=element_dtype, num_elements=num_elements, name=name,
    )  # fmt: skip
