"""Tensors in order: sorted, and the greatest elements."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: Optional[str] = None,
) -> Tensor:
    """Where each value would be inserted in its row, before ("left") or after equal ones.

    Args:
        sorted_sequence: rows of numbers in ascending order, [..., row].
        values: of the same dtype, with the same first axes, [..., count].
        side: "left" or "right".
        out_type: int32 or int64.

    Returns:
        Positions in the rows, in the shape of `values`.

    Raises:
        ValueError: if the side is another.
    """
    with get_default_graph().name_scope(name or "searchsorted"):
        rows, wanted = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
        row_size, wanted_size = array_ops.shape(rows)[-1], array_ops.shape(wanted)[-1]
        flat_rows = array_ops.reshape(rows, [-1, row_size])
        flat_wanted = array_ops.reshape(wanted, [-1, wanted_size])
        if side not in ("left", "right"):
            raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
        search = raw_ops.UpperBound if side == "right" else raw_ops.LowerBound
        found = search(sorted_inputs=flat_rows, values=flat_wanted, out_type=out_type)
        return array_ops.reshape(found, array_ops.shape(wanted))


class TopK(NamedTuple):
    """The greatest elements of each row, and their indices."""

    values: Tensor
    indices: Tensor


def top_k(
    input: TensorLike, k: TensorLike = 1, sorted: bool = True, name: Optional[str] = None
) -> TopK:
    """The k greatest elements along the last axis.

    Args:
        input: real numbers, [..., row].
        k: a scalar, at most the length of a row.
        sorted: whether they are in descending order.

    Returns:
        The values, and their indices as int32, both [..., k]. Of equal values, those with lower
        indices come first.
    """
    values, indices = raw_ops.TopKV2(input=input, k=k, sorted=sorted, name=name)
    return TopK(values, indices)


def nth_element(
    input: TensorLike, n: TensorLike, reverse: bool = False, name: Optional[str] = None
) -> Tensor:
    """The n-th least element along the last axis.

    Args:
        input: real numbers, [..., row].
        n: a scalar from 0, below the length of a row.
        reverse: whether it is the n-th greatest.

    Returns:
        The elements, [...].
    """
    return raw_ops.NthElement(input=input, n=n, reverse=reverse, name=name)


def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: TensorLike, name: Optional[str] = None
) -> Tensor:
    """Whether the prediction for each target is among the k greatest of its row.

    Args:
        predictions: float32, [batch, classes].
        targets: indices of classes, int32 or int64 [batch].
        k: a scalar.

    Returns:
        A tensor of bools, [batch].
    """
    return raw_ops.InTopKV2(predictions=predictions, targets=targets, k=k, name=name or "in_top_k")


def sort(
    values: TensorLike,
    axis: TensorLike = -1,
    direction: str = "ASCENDING",
    name: Optional[str] = None,
) -> Tensor:
    """The values in order, along an axis.

    Args:
        values: real numbers, of rank 1 or more.
        axis: a number, or a constant.
        direction: "ASCENDING" or "DESCENDING".

    Returns:
        A tensor of the shape and dtype of the values.

    Raises:
        ValueError: if the direction is another, or the axis is not known.
    """
    with get_default_graph().name_scope(name or "sort"):
        given = convert_to_tensor(values)
        return _sorted(given, axis, direction, lambda rows, k: top_k(rows, k).values)


def argsort(
    values: TensorLike, axis: TensorLike = -1, direction: str = "ASCENDING", stable: bool = False,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The indices of the values in order, along an axis; equal values keep their order.

    Args:
        values: real numbers, of rank 1 or more.
        axis: a number, or a constant.
        direction: "ASCENDING" or "DESCENDING".
        stable: has no effect: the order is always stable.

    Returns:
        A tensor of int32, of the shape of the values.

    Raises:
        ValueError: if the direction is another, or the axis is not known.
    """
    with get_default_graph().name_scope(name or "argsort"):
        given = convert_to_tensor(values)
        if direction == "ASCENDING":
            given = _reversed(given)
        return _sorted(given, axis, direction, lambda rows, k: top_k(rows, k).indices, False)


def _sorted(
    values: Tensor,
    axis: Any,
    direction: str,
    best: Callable[[Tensor, Tensor], Tensor],
    is_of_values: bool = True,
) -> Tensor:
    """What `best` gives for all values along the axis."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"{direction} should be one of ASCENDING, DESCENDING")
    known = array_ops.get_static_value(convert_to_tensor(axis))
    if known is None or np.ndim(known) != 0:
        raise ValueError("axis must be a constant scalar")
    turns = is_of_values and direction == "ASCENDING"
    rows, order = _with_last(_reversed(values) if turns else values, int(known))
    found = best(rows, array_ops.shape(rows)[-1])
    if order is not None:
        found = array_ops.transpose(found, order)
    return _reversed(found) if turns else found


def _reversed(values: Tensor) -> Tensor:
    """Values in the reverse order: complements, as integers may have no negative ones."""
    return raw_ops.Invert(x=values) if values.dtype.is_integer else gen_ops.negative(values)


def _with_last(values: Tensor, axis: int) -> Tuple[Tensor, Any]:
    """The values with that axis last, and the order of axes that undoes it, None if it was."""
    rank = values.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis = {axis} not in [{-rank}, {rank})")
    if axis == -1 or axis + 1 == rank:
        return values, None
    if rank is not None:
        order: Any = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
    else:
        last = gen_ops.rank(values) - 1
        place = last + 1 + axis if axis < 0 else convert_to_tensor(axis)
        axes = math_ops.range(last + 1)
        others = selection_ops.where_v2(gen_ops.equal(axes, last), place, axes)
        order = selection_ops.where_v2(gen_ops.equal(axes, place), last, others)
    return array_ops.transpose(values, order), order
