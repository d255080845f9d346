"""Values that steps check first."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, assert_ops
from troupe._src.ops.convert import convert_to_tensor


def checked(value: Any, *checks: Any) -> Tensor:
    """The value, in steps in which the checks succeed."""
    with control_dependencies(list(checks)):
        return array_ops.identity(value)


def at_least(value: Tensor, least: float, message: str) -> Any:
    """A check that all elements are at least that."""
    limit = convert_to_tensor(least, value.dtype)
    return assert_ops.assert_greater_equal(value, limit, message=message)


def at_most(value: Tensor, most: float, message: str) -> Any:
    """A check that all elements are at most that."""
    limit = convert_to_tensor(most, value.dtype)
    return assert_ops.assert_less_equal(value, limit, message=message)


def of_probabilities(value: Tensor, validate_args: bool) -> Tensor:
    """The value of an inverse of a cumulative distribution, in [0, 1]."""
    if not validate_args:
        return value
    low = "Inverse transformation input must be greater than 0."
    high = "Inverse transformation input must be less than or equal to 1."
    return checked(value, at_least(value, 0.0, low), at_most(value, 1.0, high))


def positive(value: Any, name: str, validate_args: bool) -> Tensor:
    """A parameter, which is checked to be positive where arguments are."""
    tensor = convert_to_tensor(value, name=name)
    if not validate_args:
        return tensor
    text = f"Argument {name} was not positive"
    return checked(tensor, assert_ops.assert_positive(tensor, message=text))


def square_sizes(x: Tensor, message: str) -> Tuple[Any, Any]:
    """Checks that x is a matrix, or a batch of them, and that it is square."""
    sizes = array_ops.shape(x)
    return sizes, assert_ops.assert_equal(sizes[-2], sizes[-1], message=message)
