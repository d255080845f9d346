"""Conditions and choices that are made while the graph is built, where they can be."""

from __future__ import annotations

from typing import Any, Optional, Union

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes

# A bool, or a tensor of one that only steps know.
Condition = Union[bool, Tensor]


def condition(value: Any) -> Condition:
    """The value of a bool tensor, where it is known."""
    known = array_ops.get_static_value(value)
    return value if known is None else bool(known)


def negated(value: Condition) -> Condition:
    """Whether it does not hold."""
    return not value if isinstance(value, bool) else gen_ops.logical_not(value)


def all_of(*values: Condition) -> Condition:
    """Whether all hold."""
    if any(value is False for value in values):
        return False
    found: Condition = True
    for value in values:
        if value is not True:
            found = value if found is True else gen_ops.logical_and(found, value)
    return found


def pick_vector(which: Any, true_vector: Any, false_vector: Any, name: str = "pick_vector") -> Any:
    """One of two vectors, which may have different lengths.

    Args:
        which: A bool, or a tensor of one.
        true_vector: The vector where it holds.
        false_vector: The one where it does not, of the same dtype.
        name: The name of the node.

    Returns:
        The vector.

    Raises:
        TypeError: `which` is no bool, or the dtypes differ.
    """
    chosen = convert_to_tensor(which)
    if chosen.dtype != dtypes.bool_:
        raise TypeError(f"cond.dtype={chosen.dtype.name} which is not bool")
    known = array_ops.get_static_value(chosen)
    if known is not None:
        return true_vector if known else false_vector
    first, second = convert_to_tensor(true_vector), convert_to_tensor(false_vector)
    if first.dtype != second.dtype:
        raise TypeError(
            f"true_vector.dtype={first.dtype.name} does not match "
            f"false_vector.dtype={second.dtype.name}"
        )
    length = array_ops.shape(first)[0]
    start, size = where_v2(chosen, 0, length), where_v2(chosen, length, -1)
    both = array_ops.concat([first, second], 0)
    return array_ops.slice(both, [start], [size], name=name)


def pick_number(which: Condition, true_value: Any, false_value: Any) -> Any:
    """One of two numbers."""
    if isinstance(which, bool):
        return true_value if which else false_value
    return where_v2(which, true_value, false_value)


def length_of(vector: Tensor) -> Any:
    """The length of a vector, a number where it is known."""
    known: Optional[int] = vector.shape.with_rank(1)[0].value
    return array_ops.shape(vector)[0] if known is None else known
