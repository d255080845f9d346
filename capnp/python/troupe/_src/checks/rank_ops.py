"""Checks of ranks: at once where the rank is known, within the step where it is not."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, grouping_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    data: Optional[Sequence[Any]] = None,
    summarize: Optional[int] = None,
    message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:
    """An operation that fails unless x has that rank; ValueError where it is known to differ.

    Args:
        x: a tensor.
        rank: a number, or a scalar tensor.
        data: what the error of a step shows, a list of tensors and texts; None for the ranks and
            the shape.
        summarize: how many elements of each tensor are shown, by default 3.
        message: the beginning of the error's text.

    Returns:
        The operation.

    Raises:
        ValueError: if the check is known to fail.
    """
    return _check("assert_rank", x, [rank], gen_ops.equal, "rank", data, summarize, message, name)


def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    data: Optional[Sequence[Any]] = None,
    summarize: Optional[int] = None,
    message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:
    """An operation that fails unless x has that rank or a higher one; ValueError as assert_rank.

    Args:
        x: a tensor.
        rank: a number, or a scalar tensor.
        data: what the error of a step shows, a list of tensors and texts; None for the ranks and
            the shape.
        summarize: how many elements of each tensor are shown, by default 3.
        message: the beginning of the error's text.

    Returns:
        The operation.

    Raises:
        ValueError: if the check is known to fail.
    """
    return _check(
        "assert_rank_at_least", x, [rank], gen_ops.greater_equal, "rank at least",
        data, summarize, message, name,
    )  # fmt: skip


def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[TensorLike],
    data: Optional[Sequence[Any]] = None,
    summarize: Optional[int] = None,
    message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:
    """An operation that fails unless x has one of those ranks; ValueError as assert_rank.

    Args:
        x: a tensor.
        ranks: a list of numbers or scalar tensors.
        data: what the error of a step shows, a list of tensors and texts; None for the ranks and
            the shape.
        summarize: how many elements of each tensor are shown, by default 3.
        message: the beginning of the error's text.

    Returns:
        The operation.

    Raises:
        ValueError: if the check is known to fail.
    """
    return _check(
        "assert_rank_in", x, list(ranks), gen_ops.equal, "rank in",
        data, summarize, message, name,
    )  # fmt: skip


def _check(
    default_name: str,
    x: Any,
    ranks: List[Any],
    holds: Callable[[Any, Any], Tensor],
    words: str,
    data: Optional[Sequence[Any]],
    summarize: Optional[int],
    message: Optional[str],
    name: Optional[str],
) -> Operation:
    """The check that `holds` is true of the rank and any of `ranks`."""
    with get_default_graph().name_scope(name or default_name):
        tensor = convert_to_tensor(x)
        wanted = [_rank_tensor(rank) for rank in ranks]
        known = [_static_rank(rank) for rank in wanted]
        prefix = f"{message}  " if message else ""
        if tensor.shape.rank is not None and None not in known:
            rank = tensor.shape.rank
            is_met = rank >= known[0] if words == "rank at least" else rank in known
            if not is_met:
                shown = tuple(known) if words == "rank in" else known[0]
                raise ValueError(
                    f"{prefix}Tensor {tensor.name} must have {words} {shown}.  "
                    f"Received rank {rank}, shape {tensor.shape}"
                )
            return grouping_ops.no_op(name="static_checks_determined_all_ok")
        rank_now = gen_ops.rank(tensor)
        met = array_ops.stack([holds(rank_now, rank) for rank in wanted])
        items = data if data is not None else [
            f"{prefix}Tensor {tensor.name} must have {words}", *wanted,
            "Received shape: ", array_ops.shape(tensor),
        ]  # fmt: skip
        return Assert(math_ops.reduce_any(met), list(items), summarize)


def _rank_tensor(rank: Any) -> Tensor:
    tensor = convert_to_tensor(rank)
    if tensor.dtype != dtypes.int32:
        raise TypeError(f"Rank {tensor.name} must be of type int32, not {tensor.dtype.name}")
    return tensor if tensor.shape.rank is not None else gen_ops.ensure_shape(tensor, [])


def _static_rank(rank: Tensor) -> Any:
    """The value of a rank, if it is known while the graph is built."""
    if rank.shape.rank not in (None, 0):
        raise ValueError("Rank must be a scalar.")
    value = array_ops.get_static_value(rank)
    return None if value is None else int(value)
