"""Tensors, dense or sparse, whose last axes become one."""

from __future__ import annotations

from typing import Any, List

from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.assert_ops import assert_less
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.arrangement import sparse_reshape


@add_arg_scope
def inner_flatten(
    inputs: Any, new_rank: Any, output_collections: Any = None, scope: Any = None
) -> Any:
    """A tensor of a lower rank, whose last axis is made of the last ones of another.

    Args:
        inputs: A tensor, dense or sparse.
        new_rank: The rank of the result: a number, or a scalar of int32 of a dense tensor.
        output_collections: The collections that the result is added to.
        scope: The scope of the nodes.

    Returns:
        A tensor of the same kind. A step fails with InvalidArgumentError where the rank is lower
        than the new one.

    Raises:
        ValueError: The rank is known, and lower than the new one.
    """
    with get_default_graph().name_scope(scope or "InnerFlatten") as name:
        if isinstance(inputs, SparseTensor):
            flattened: Any = _of_sparse(inputs, new_rank)
        else:
            flattened = _of_dense(convert_to_tensor(inputs), new_rank)
    return collect_named_outputs(output_collections, name, flattened)


def _of_dense(tensor: Tensor, new_rank: Any) -> Tensor:
    check = assert_rank_at_least(tensor, new_rank, message="inputs has rank less than new_rank")
    with get_default_graph().control_dependencies([check]):
        outer = array_ops.shape(tensor)[: new_rank - 1]
        reshaped = array_ops.reshape(tensor, array_ops.concat([outer, [-1]], 0))
    if isinstance(new_rank, int) and tensor.shape.rank is not None:
        sizes: List[Any] = tensor.shape.as_list()
        last: Any = 1
        for size in sizes[new_rank - 1 :]:
            last = None if size is None or last is None else last * size
        reshaped.set_shape([*sizes[: new_rank - 1], last])
    return reshaped


def _of_sparse(tensor: SparseTensor, new_rank: Any) -> SparseTensor:
    sizes = tensor.dense_shape
    rank = sizes.shape[0].value
    if rank is not None and isinstance(new_rank, int) and rank < new_rank:
        raise ValueError(f"Inputs has rank less than new_rank. inputs.rank: {rank}, "
                         f"new_rank: {new_rank}")  # fmt: skip
    check = assert_less(new_rank - 1, array_ops.size(sizes), message="inputs.rank < new_rank")
    with get_default_graph().control_dependencies([check]):
        last = math_ops.reduce_prod(sizes[new_rank - 1 :])
        shape = array_ops.concat([sizes[: new_rank - 1], array_ops.reshape(last, [1])], 0)
        return sparse_reshape(tensor, shape)
