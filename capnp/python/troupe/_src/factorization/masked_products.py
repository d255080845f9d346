"""Elements of products of matrices."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor


def masked_matmul(
    a: TensorLike,
    b: TensorLike,
    mask_indices: TensorLike,
    transpose_a: bool,
    transpose_b: bool,
    name: Optional[str] = None,
) -> Tensor:
    """Some elements of the product of two matrices, without the others.

    Args:
        a: The first matrix.
        b: The second matrix.
        mask_indices: The rows and columns of the elements, int64 [n, 2].
        transpose_a: Whether the first matrix is transposed before.
        transpose_b: Whether the second one is.
        name: The scope of the nodes.

    Returns:
        The elements, [n].
    """
    with name_scope(name, "MaskedMatmul"):
        rows, columns = convert_to_tensor(a), convert_to_tensor(b)
        places = convert_to_tensor(mask_indices)
        rows = array_ops.transpose(rows) if transpose_a else rows
        columns = columns if transpose_b else array_ops.transpose(columns)
        chosen = selection_ops.gather(rows, places[:, 0])
        return math_ops.reduce_sum(chosen * selection_ops.gather(columns, places[:, 1]), axis=1)
