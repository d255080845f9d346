"""Whether weights fit values: of their shape, 1 along some dimensions, or one number."""

from __future__ import annotations

from typing import Any

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, grouping_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor

_FAULT = "weights can not be broadcast to values."


def may_be_squeezed(tensor: Tensor) -> bool:
    """False if it is known that the last dimension is not 1."""
    rank = tensor.shape.rank
    return rank is None or (rank > 0 and tensor.shape[-1].is_compatible_with(1))


def of_rank(weights: Tensor, values: Tensor) -> Tensor:
    """The weights with or without a last dimension of 1, if that makes their rank the values'."""
    rank, wanted = weights.shape.rank, values.shape.rank
    if rank == 0:
        return weights
    if rank is not None and wanted is not None:
        if rank - wanted == 1:
            return array_ops.squeeze(weights, [-1])
        return array_ops.expand_dims(weights, -1) if wanted - rank == 1 else weights
    own_rank = gen_ops.rank(weights)
    more = own_rank - gen_ops.rank(values)

    def narrowed() -> Tensor:
        can_be = may_be_squeezed(weights)
        return array_ops.squeeze(weights, [-1]) if can_be else weights

    def widened() -> Any:
        is_less = gen_ops.equal(more, -1)
        return cond(is_less, lambda: array_ops.expand_dims(weights, -1), lambda: weights)

    chosen: Tensor = cond(
        gen_ops.equal(own_rank, 0),
        lambda: weights,
        lambda: cond(gen_ops.equal(more, 1), narrowed, widened),
    )
    return chosen


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """An operation that fails unless the weights fit; ValueError where it is known before."""
    with get_default_graph().name_scope("assert_broadcastable"):
        given, wanted = convert_to_tensor(weights), convert_to_tensor(values)
        rank, wanted_rank = given.shape.rank, wanted.shape.rank
        if rank == 0:
            return grouping_ops.no_op("static_scalar_check_success")
        if rank is not None and wanted_rank is not None:
            if rank != wanted_rank:
                raise ValueError(
                    f"{_FAULT} values.rank={wanted_rank}. weights.rank={rank}. "
                    f"values.shape={wanted.shape}. weights.shape={given.shape}."
                )
            if given.shape.is_fully_defined() and wanted.shape.is_fully_defined():
                _check_sizes(given.shape.as_list(), wanted.shape.as_list())
                return grouping_ops.no_op("static_dims_check_success")
        return _assert_in_a_step(given, wanted)


def _check_sizes(sizes: Any, wanted: Any) -> None:
    for axis, (size, other) in enumerate(zip(sizes, wanted)):
        if size not in (1, other):
            raise ValueError(
                f"{_FAULT} Mismatch at dim {axis}. values.shape={wanted} weights.shape={sizes}."
            )


def _assert_in_a_step(weights: Tensor, values: Tensor) -> Operation:
    shape, wanted = array_ops.shape(weights), array_ops.shape(values)
    is_scalar = gen_ops.equal(gen_ops.rank(weights), 0)

    def sizes_fit() -> Tensor:
        fits = gen_ops.logical_or(gen_ops.equal(shape, 1), gen_ops.equal(shape, wanted))
        return math_ops.reduce_all(fits)

    def fits() -> Any:
        same = gen_ops.equal(gen_ops.rank(weights), gen_ops.rank(values))
        return cond(same, sizes_fit, lambda: constant(False))

    is_valid = cond(is_scalar, lambda: constant(True), fits)
    data = [
        _FAULT, "weights.shape=", weights.name, shape, "values.shape=", values.name, wanted,
        "is_scalar=", is_scalar,
    ]  # fmt: skip
    return Assert(is_valid, data)
