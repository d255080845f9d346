"""Checks of the parameters and the values of distributions."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.distributions.arguments import checked, logits_and_probs
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.identity_operators import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import LinearOperatorDiag
from troupe._src.ops import array_ops, assert_ops, gen_ops, grouping_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

_INTEGERS_OF = {
    dtypes.float16: dtypes.int16, dtypes.float32: dtypes.int32, dtypes.float64: dtypes.int64,
}  # fmt: skip


def assert_integer_form(
    x: Any, data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
    int_dtype: Optional[DType] = None, name: str = "assert_integer_form",
) -> Operation:  # fmt: skip
    """An operation that fails unless all elements are integers.

    Args:
        x: A tensor of numbers.
        data: What is printed.
        summarize: How many elements of each are printed.
        message: What is printed first.
        int_dtype: The integers that they have to be; by default of the same size.
        name: The name scope of the nodes.

    Returns:
        The operation.

    Raises:
        TypeError: The dtype has no integers of its size.
    """
    with name_scope(name):
        tensor = convert_to_tensor(x, name="x")
        if tensor.dtype.is_integer:
            return grouping_ops.no_op()
        wanted = int_dtype or _INTEGERS_OF.get(tensor.dtype.base_dtype)
        if wanted is None:
            raise TypeError(f"Unrecognized type {tensor.dtype.name}")
        text = message or f"{tensor} has non-integer components"
        integers = math_ops.cast(math_ops.cast(tensor, wanted), tensor.dtype)
        return assert_ops.assert_equal(tensor, integers, data, summarize, text)


def assert_symmetric(matrix: Any) -> Tensor:
    """The matrices, which steps check to be symmetric."""
    tensor = convert_to_tensor(matrix)
    return checked(tensor, assert_ops.assert_equal(tensor, array_ops.matrix_transpose(tensor)))


def embed_check_nonnegative_integer_form(
    x: Any, name: str = "embed_check_nonnegative_integer_form"
) -> Tensor:
    """The numbers, which steps check to be integers that are not negative."""
    with name_scope(name):
        tensor = convert_to_tensor(x, name="x")
        text = f"'{tensor}' must be non-negative."
        checks = [assert_ops.assert_non_negative(tensor, message=text)]
        if not tensor.dtype.is_integer:
            text = f"'{tensor}' cannot contain fractional components."
            checks.append(assert_integer_form(tensor, message=text))
        return checked(tensor, *checks)


def get_logits_and_probs(
    logits: Any = None, probs: Any = None, multidimensional: bool = False,
    validate_args: bool = False, name: str = "get_logits_and_probs", dtype: Any = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """Logits and probabilities, one of which is given.

    Args:
        logits: The logits, or None.
        probs: The probabilities, or None.
        multidimensional: Whether the last axis is that of the classes.
        validate_args: Whether steps check them.
        name: The name scope of the nodes.
        dtype: Their dtype.

    Returns:
        (logits, probs).

    Raises:
        ValueError: Both are given, or none.
        TypeError: They are not of floating point numbers.
    """
    with name_scope(name):
        given = [logits, probs]
        for index, each in enumerate(given):
            if each is not None:
                given[index] = convert_to_tensor(each, dtype)
                if multidimensional and validate_args:
                    given[index] = embed_check_categorical_event_shape(given[index])
        return logits_and_probs(given[0], given[1], multidimensional, validate_args)


def _largest(dtype: DType) -> int:
    """The greatest integer up to which a dtype has all."""
    if dtype.is_floating:
        return int(2 ** (np.finfo(dtype.as_numpy_dtype).nmant + 1))
    if dtype.is_integer:
        return int(np.iinfo(dtype.as_numpy_dtype).max)
    if dtype.base_dtype == dtypes.bool_:
        return 1
    raise TypeError(f"Unrecognized dtype: {dtype.name}")


def _least(dtype: DType) -> int:
    is_unsigned = dtype.base_dtype in (dtypes.bool_, dtypes.uint8, dtypes.uint16)
    return 0 if is_unsigned else -_largest(dtype)


def embed_check_categorical_event_shape(
    categorical_param: Any, name: str = "embed_check_categorical_event_shape"
) -> Tensor:
    """Parameters of classes, checked to be of as many as their dtype can count.

    Args:
        categorical_param: [..., classes].
        name: The name scope of the nodes.

    Returns:
        The parameters, which steps check where their shape is not known.

    Raises:
        TypeError: They are not of floating point numbers.
        ValueError: There is no class, or one, or there are too many.
    """
    with name_scope(name):
        tensor = convert_to_tensor(categorical_param, name="categorical_param")
        dtype = tensor.dtype.base_dtype
        if not dtype.is_floating:
            raise TypeError(f"Unable to validate size of unrecognized dtype ({dtype.name}).")
        text = "A categorical-distribution parameter must have at least"
        many = f"Number of classes exceeds `dtype` precision, i.e., {dtype.name} cannot exceed"
        most = _largest(dtype)
        if tensor.shape.rank == 0:
            raise ValueError(f"{text} 1 dimension.")
        size = tensor.shape[-1].value
        if size is None:
            count = array_ops.shape(tensor)[-1]
            return checked(
                tensor, assert_rank_at_least(tensor, 1, message=f"{text} 1 dimension."),
                assert_ops.assert_greater_equal(count, 2, message=f"{text} 2 events."),
                assert_ops.assert_less_equal(
                    math_ops.cast(count, dtypes.int64), convert_to_tensor(most, dtypes.int64),
                    message=f"{many} {most}.",
                ),
            )  # fmt: skip
        if size < 2:
            raise ValueError(f"{text} 2 events.")
        if size > most:
            raise ValueError(f"{many} {most}, and the shape is {size}.")
        return tensor


def embed_check_integer_casting_closed(
    x: Any, target_dtype: DType, assert_nonnegative: bool = True,
    name: str = "embed_check_casting_closed",
) -> Tensor:  # fmt: skip
    """Numbers that steps check to be the same in another dtype.

    Args:
        x: The numbers.
        target_dtype: The other dtype; one of both has to be of integers.
        assert_nonnegative: Whether they must not be negative.
        name: The name scope of the nodes.

    Returns:
        The numbers.

    Raises:
        TypeError: No dtype is of integers, or one is not of numbers.
    """
    with name_scope(name):
        tensor = convert_to_tensor(x, name="x")
        for each in (tensor.dtype, target_dtype):
            _largest(each)
        if tensor.dtype.is_floating and target_dtype.is_floating:
            raise TypeError(
                f"At least one of {tensor}.dtype ({tensor.dtype.name}) and target_dtype "
                f"({target_dtype.name}) must be integer-type."
            )
        checks: List[Operation] = []
        if assert_nonnegative:
            text = "Elements must be non-negative."
            checks.append(assert_ops.assert_non_negative(tensor, message=text))
        if tensor.dtype.is_floating:
            text = f"Elements must be {target_dtype.name}-equivalent."
            checks.append(assert_integer_form(tensor, message=text, int_dtype=target_dtype))
        else:
            checks += _range_checks(tensor, target_dtype, assert_nonnegative)
        return checked(tensor, *checks) if checks else tensor


def _range_checks(x: Tensor, target: DType, is_nonnegative: bool) -> List[Operation]:
    found = []
    if _largest(x.dtype) > _largest(target):
        limit = convert_to_tensor(_largest(target), x.dtype)
        text = f"Elements cannot exceed {_largest(target)}."
        found.append(assert_ops.assert_less_equal(x, limit, message=text))
    if not is_nonnegative and _least(x.dtype) < _least(target):
        limit = convert_to_tensor(_least(target), x.dtype)
        text = f"Elements cannot be smaller than {_least(target)}."
        found.append(assert_ops.assert_greater_equal(x, limit, message=text))
    return found


def log_combinations(n: Any, counts: Any, name: str = "log_combinations") -> Tensor:
    """The logarithm of how many orders of `n` draws have so many of each class.

    Args:
        n: The numbers of draws.
        counts: [..., classes], which add up to them.
        name: The name scope of the nodes.

    Returns:
        A tensor of the shape of `n`.
    """
    with name_scope(name):
        total, of_classes = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
        orders = math_ops.reduce_sum(gen_ops.lgamma(of_classes + 1), -1)
        found: Tensor = gen_ops.lgamma(total + 1) - orders
        return found


def is_diagonal_scale(scale: Any) -> bool:
    """Whether the class of a linear operator says that its matrices are diagonal.

    Args:
        scale: The operator.

    Returns:
        Whether it does.

    Raises:
        TypeError: It is no linear operator.
    """
    if not isinstance(scale, LinearOperator):
        raise TypeError(f"Expected argument 'scale' to be a LinearOperator. Found: {scale}")
    return isinstance(
        scale, (LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorDiag)
    )
