"""Tensors that are checked: their shapes, ranks and dtypes."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from troupe._src.checks.check_ops import assert_scalar
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics import confusion_matrix
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


def reduce_sum_n(tensors: Sequence[Tensor], name: Optional[str] = None) -> Tensor:
    """The sum of all elements of all tensors.

    Args:
        tensors: A list of tensors of one dtype of numbers.
        name: The scope of the nodes.

    Returns:
        A scalar.

    Raises:
        ValueError: The list is empty.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with get_default_graph().name_scope(name or "reduce_sum_n") as scope:
        sums = [math_ops.reduce_sum(t, name=f"{t.op.name}/sum") for t in tensors]
        return sums[0] if len(sums) == 1 else arithmetic_ops.add_n(sums, name=scope)


def remove_squeezable_dimensions(
    predictions: TensorLike, labels: TensorLike, name: Optional[str] = None
) -> Tuple[Tensor, Tensor]:
    """Both, without the last dimension, of size 1, of the one that has one more than the other.

    Args:
        predictions: The predicted values.
        labels: The expected values.
        name: The scope of the nodes.

    Returns:
        The predictions and the labels.
    """
    expected, predicted = confusion_matrix.remove_squeezable_dimensions(
        labels, predictions, name=name
    )
    return predicted, expected


def assert_scalar_int(tensor: TensorLike, name: Optional[str] = None) -> Tensor:
    """The tensor; ValueError where it is no scalar of integers.

    Args:
        tensor: A tensor.
        name: The name of the tensor that is made of a value.

    Returns:
        The tensor.

    Raises:
        ValueError: The dtype is not one of integers, or the rank is known and not 0.
    """
    with get_default_graph().name_scope(name or "assert_scalar_int"):
        checked = convert_to_tensor(tensor)
        if not checked.dtype.base_dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {checked.name}, received type: {checked.dtype}."
            )
        return assert_scalar(checked)


def with_same_shape(expected_tensor: Tensor, tensor: Tensor) -> Tensor:
    """`with_shape` with the shape of another tensor.

    Args:
        expected_tensor: The tensor that has the shape.
        tensor: The tensor that must have it.

    Returns:
        The tensor, or a copy of it that a step computes after it has checked the shape.

    Raises:
        ValueError: Both shapes are known, and differ.
    """
    shape = expected_tensor.shape
    if shape.is_fully_defined():
        return with_shape(shape.as_list(), tensor)
    with get_default_graph().name_scope(f"{tensor.op.name}/"):
        wanted = array_ops.shape(expected_tensor, name="expected_shape")
    return with_shape(wanted, tensor)


def with_shape(expected_shape: Any, tensor: Tensor) -> Tensor:
    """The tensor, which must have that shape.

    Args:
        expected_shape: The sizes, of int32 or int64: a list, an array, a TensorShape, or a tensor
            of int32, where -1 stands for any size. A tensor of one element is made a scalar where
            that is expected.
        tensor: The tensor.

    Returns:
        The tensor; where a shape is known in a step only, a copy of it that the step computes after
        it has checked the shape.

    Raises:
        ValueError: Both shapes are known, and differ; the expected one is no list of integers; or
            the tensor is a sparse one.
    """
    if isinstance(tensor, SparseTensor):
        raise ValueError("SparseTensor not supported.")
    wanted = _sizes(expected_shape, tensor)
    is_dynamic = is_tensor(wanted)
    known = None if is_dynamic else TensorShape([None if d < 0 else int(d) for d in wanted])
    is_made_scalar = known is not None and known.rank == 0
    with get_default_graph().name_scope(f"{tensor.op.name}/"):
        if is_dynamic or not tensor.shape.is_fully_defined():
            if is_made_scalar:
                return array_ops.reshape(tensor, [])
            with get_default_graph().control_dependencies([_checked_shape(wanted, tensor)]):
                result = array_ops.identity(tensor)
            if known is not None:
                result.set_shape(known)
            return result
        assert known is not None
        if tensor.shape.is_compatible_with(known):
            return tensor
        if is_made_scalar and tensor.shape.is_compatible_with([1]):
            return array_ops.reshape(tensor, [])
    raise ValueError(
        f"Invalid shape for tensor {tensor.name}, expected {wanted}, got {tensor.shape}."
    )


def _sizes(expected: Any, tensor: Tensor) -> Any:
    """The sizes that are expected, a tensor or an array of int32."""
    if isinstance(expected, TensorShape):
        expected = [-1 if size is None else size for size in expected.as_list()]
    if is_tensor(expected):
        if expected.dtype.base_dtype != dtypes.int32:
            raise ValueError(
                f"Invalid dtype {expected.dtype} for shape {expected} expected of tensor "
                f"{tensor.name}."
            )
        return expected
    given = expected if isinstance(expected, np.ndarray) else np.asarray(expected, order="C")
    if given.ndim != 1 and given.size:
        raise ValueError(
            f"Invalid rank {given.ndim} for shape {expected} expected of tensor {tensor.name}."
        )
    is_list = isinstance(expected, (list, tuple))
    if given.dtype != np.int32 and not (is_list and (not given.size or given.dtype == np.int64)):
        raise ValueError(
            f"Invalid dtype {given.dtype} for shape {expected} expected of tensor {tensor.name}."
        )
    return given.astype(np.int32).reshape(-1)


def _checked_shape(wanted: Any, tensor: Tensor) -> Any:
    """An operation that fails where the tensor has another shape."""
    with get_default_graph().name_scope("assert_shape"):
        sizes = convert_to_tensor(wanted, dtypes.int32, name="expected")
        actual = array_ops.shape(tensor, name="actual")
        # Sizes of another rank have nothing to be compared with: they are cut to the shorter.
        count = gen_ops.minimum(array_ops.size(sizes), array_ops.size(actual))
        first, others = sizes[:count], actual[:count]
        is_same = gen_ops.logical_and(
            gen_ops.equal(array_ops.size(sizes), array_ops.size(actual)),
            math_ops.reduce_all(
                gen_ops.logical_or(gen_ops.equal(first, -1), gen_ops.equal(first, others))
            ),
        )
        message = f"Wrong shape for {tensor.name} [expected] [actual]."
        return Assert(is_same, [message, sizes, actual], name="Assert")
