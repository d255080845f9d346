"""Products of tensors along any axes, and norms."""

from __future__ import annotations

import math
import numbers
from typing import Any, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    arithmetic_ops,
    array_ops,
    cast_ops,
    gen_ops,
    math_ops,
    raw_ops,
    rearrange_ops,
)
from troupe._src.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes


def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: Optional[str] = None) -> Tensor:
    """The sum of the products along some axes of two tensors.

    Args:
        a: A tensor of numbers.
        b: Another one, of the same dtype.
        axes: A pair of axes, one of each, or of lists of them; or a number n: the last n of `a`,
            the first n of `b`.

    Returns:
        A tensor whose axes are the others of `a`, then those of `b`.

    Raises:
        ValueError: The axes do not fit the tensors.
        IndexError: There is no such axis.
    """
    with get_default_graph().name_scope(name or "Tensordot") as scope:
        left = convert_to_tensor(a)
        right = convert_to_tensor(b, None if is_tensor(b) else left.dtype)
        if isinstance(axes, Tensor):
            known = array_ops.get_static_value(axes)
            axes = axes if known is None else known
        if isinstance(axes, Tensor) or None in (left.shape.rank, right.shape.rank):
            return _tensordot_of_unknown_ranks(left, right, axes, scope)
        of_left, of_right = _axes(left, right, axes)
        rows, kept_of_left = _matrix(left, of_left, contracted_first=False)
        columns, kept_of_right = _matrix(right, of_right, contracted_first=True)
        product = math_ops.matmul(rows, columns)
        sizes = _sizes(left, kept_of_left) + _sizes(right, kept_of_right)
        if not sizes:
            return array_ops.reshape(product, [], name=scope)
        if any(isinstance(size, Tensor) for size in sizes):
            result = array_ops.reshape(product, array_ops.stack(sizes), name=scope)
            result.set_shape([None if isinstance(size, Tensor) else size for size in sizes])
            return result
        return array_ops.reshape(product, sizes, name=scope)


def _tensordot_of_unknown_ranks(left: Tensor, right: Tensor, axes: Any, name: str) -> Tensor:
    """The same, by axes that only a step can count."""
    if isinstance(axes, Tensor):
        pair = [axes[0], axes[1]]
    elif isinstance(axes, int) or not hasattr(axes, "__len__"):
        rank = gen_ops.rank(left)
        pair = [math_ops.range(rank - axes, rank), math_ops.range(axes)]
    elif len(axes) == 2:
        pair = [array_ops.reshape(convert_to_tensor(each, dtypes.int32), [-1]) for each in axes]
    else:
        raise ValueError("'axes' must be an integer or have length 2.")
    rows, kept_of_left = _matrix_in_a_step(left, pair[0], contracted_first=False)
    columns, kept_of_right = _matrix_in_a_step(right, pair[1], contracted_first=True)
    sizes = array_ops.concat([kept_of_left, kept_of_right], 0)
    return array_ops.reshape(math_ops.matmul(rows, columns), sizes, name=name)


def _matrix_in_a_step(
    tensor: Tensor, contracted: Tensor, contracted_first: bool
) -> Tuple[Tensor, Tensor]:
    """The tensor as a matrix, as `_matrix` gives it, and the sizes of its other axes."""
    rank, shape = gen_ops.rank(tensor), array_ops.shape(tensor)
    contracted = where_v2(gen_ops.less(contracted, 0), contracted + rank, contracted)
    kept = raw_ops.ListDiff(x=math_ops.range(rank), y=contracted)[0]
    order = [contracted, kept] if contracted_first else [kept, contracted]
    sizes = [raw_ops.GatherV2(params=shape, indices=each, axis=0) for each in order]
    matrix = array_ops.reshape(
        array_ops.transpose(tensor, array_ops.concat(order, 0)),
        array_ops.stack([math_ops.reduce_prod(each) for each in sizes]),
    )
    return matrix, sizes[1] if contracted_first else sizes[0]


def _axes(left: Tensor, right: Tensor, axes: Any) -> Tuple[List[int], List[int]]:
    """The axes of each, counted from the front."""
    ranks: Any = (left.shape.rank, right.shape.rank)
    if isinstance(axes, int) or not hasattr(axes, "__len__"):
        count = int(axes)
        if count < 0 or count > min(ranks):
            raise ValueError(f"'axes' must be at least 0 and at most the ranks {ranks}, not {axes}")
        return list(range(ranks[0] - count, ranks[0])), list(range(count))
    if len(axes) != 2:
        raise ValueError("'axes' must be an integer or have length 2.")
    pairs = [[each] if isinstance(each, int) else [int(axis) for axis in each] for each in axes]
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"Different number of contraction axes 'a' and 'b', {pairs}")
    for each, rank in zip(pairs, ranks):
        if not all(-rank <= axis < rank for axis in each):
            raise IndexError(f"axes {each} are not all in [{-rank}, {rank})")
    first, second = ([axis % rank for axis in each] for each, rank in zip(pairs, ranks))
    return first, second


def _matrix(
    tensor: Tensor, contracted: Sequence[int], contracted_first: bool
) -> Tuple[Tensor, List[int]]:
    """The tensor as a matrix whose one axis has all contracted axes, and its other axes."""
    rank = tensor.shape.rank or 0
    kept = [axis for axis in range(rank) if axis not in contracted]
    order = [*contracted, *kept] if contracted_first else [*kept, *contracted]
    if order != list(range(rank)):
        tensor = array_ops.transpose(tensor, order)
    split = len(contracted) if contracted_first else len(kept)
    if rank == 2 and split == 1:
        return tensor, kept
    known = tensor.shape
    if known[split:].is_fully_defined() and known[split:].num_elements():
        return array_ops.reshape(tensor, [-1, known[split:].num_elements()]), kept
    if known[:split].is_fully_defined() and known[:split].num_elements():
        return array_ops.reshape(tensor, [known[:split].num_elements(), -1]), kept
    sizes = array_ops.shape(tensor)
    parts = [array_ops.slice(sizes, [0], [split]), array_ops.slice(sizes, [split], [-1])]
    products = [math_ops.reduce_prod(part) for part in parts]
    return array_ops.reshape(tensor, array_ops.stack(products)), kept


def _sizes(tensor: Tensor, axes: Sequence[int]) -> List[Any]:
    """The sizes of those axes, as numbers where they are known."""
    sizes: List[Any] = [tensor.shape[axis].value for axis in axes]
    if None in sizes:
        shape = array_ops.shape(tensor)
        sizes = [shape[axis] if size is None else size for axis, size in zip(axes, sizes)]
    return sizes


def norm(
    tensor: TensorLike,
    ord: Union[str, float] = "euclidean",
    axis: Union[int, Sequence[int], None] = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The norm of all elements, of vectors along an axis, or of matrices in a pair of axes.

    Args:
        tensor: Floating point or complex numbers.
        ord: "euclidean", 1, 2, inf or another positive number for vectors; "euclidean", "fro", 1, 2
            or inf for matrices; that of 2 is the greatest singular value.
        axis: An axis for vectors, or a pair of them for matrices; by default all elements are one
            vector.
        keepdims: Keeps the axes, with a size of 1.
        keep_dims: The older name of `keepdims`.

    Returns:
        A tensor of real numbers, without these axes.

    Raises:
        ValueError: There is no such norm, or the axes are no axis and no pair.
    """
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    _check_norm(ord, axis, is_matrix)
    with get_default_graph().name_scope(name or "norm"):
        values = convert_to_tensor(tensor)
        if is_matrix and ord == 2:
            found = _largest_singular_value(values, axis)
        elif ord in ("fro", "euclidean", 2):
            squares = values * cast_ops.conj(values)
            found = gen_ops.sqrt(math_ops.reduce_sum(squares, axis, keepdims=True))
        elif ord in (1, math.inf):
            found = _summed_or_largest(arithmetic_ops.abs(values), ord, axis, is_matrix)
        else:
            powers = arithmetic_ops.abs(values) ** ord
            found = math_ops.reduce_sum(powers, axis, keepdims=True) ** (1.0 / float(ord))
        return found if keep else array_ops.squeeze(found, axis)


def normalize(
    tensor: TensorLike,
    ord: Union[str, float] = "euclidean",
    axis: Union[int, Sequence[int], None] = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """A tensor through its norms, and these.

    Args:
        tensor: Floating point or complex numbers.
        ord: As of `norm`.
        axis: As of `norm`.

    Returns:
        The tensor of norms of 1, and the norms, whose axes have a size of 1.

    Raises:
        ValueError: There is no such norm, or the axes are no axis and no pair.
    """
    with get_default_graph().name_scope(name or "normalize"):
        values = convert_to_tensor(tensor)
        norms = math_ops.cast(norm(values, ord, axis, keepdims=True), values.dtype)
        return values / norms, norms


def _largest_singular_value(matrices: Tensor, axes: Any) -> Tensor:
    """Of the matrices in a pair of axes, which keep a size of 1."""
    rank = matrices.shape.rank
    order: Any
    back: Any
    if rank is None:
        count = array_ops.rank(matrices)
        ends = gen_ops.floormod(constant(list(axes)), count)
        rest = rearrange_ops.setdiff1d(math_ops.range(count), ends).out
        order = array_ops.concat([rest, ends], 0)
        back = gen_ops.invert_permutation(order)
    else:
        last = [axis % rank for axis in axes]
        order = [axis for axis in range(rank) if axis not in last] + last
        back = [order.index(axis) for axis in range(rank)]
    values = rearrange_ops.svd(array_ops.transpose(matrices, order), compute_uv=False)
    largest = math_ops.reduce_max(values, -1, keepdims=True)
    return array_ops.transpose(array_ops.expand_dims(largest, -1), back)


def _summed_or_largest(sizes: Tensor, ord: Any, axis: Any, is_matrix: bool) -> Tensor:
    """The largest sum of a column or row of a matrix; of a vector, the sum or the largest."""
    if is_matrix:
        summed, compared = (axis[0], axis[1]) if ord == 1 else (axis[1], axis[0])
        sums = math_ops.reduce_sum(sizes, summed, keepdims=True)
        return math_ops.reduce_max(sums, compared, keepdims=True)
    reduce = math_ops.reduce_sum if ord == 1 else math_ops.reduce_max
    return reduce(sizes, axis, keepdims=True)


def _check_norm(ord: Any, axis: Any, is_matrix: bool) -> None:
    axes = list(axis) if is_matrix else [] if axis is None else [axis]
    if not all(isinstance(each, numbers.Integral) for each in axes):
        raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
    if is_matrix:
        if axis[0] == axis[1]:
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        if ord not in ("euclidean", "fro", 1, 2, math.inf):
            raise ValueError(f"'ord' must be a supported matrix norm, got {ord}")
    elif ord != "euclidean" and (isinstance(ord, str) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm or a positive number, got {ord}")


def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The product of two matrices in float32, each transposed if asked for.

    Args:
        a: float32 or bfloat16, [rows, inner].
        b: As `a`, of either dtype, [inner, columns].
        transpose_a: Whether `a` is [inner, rows].
        transpose_b: Whether `b` is [columns, inner].
        a_is_sparse: That many elements of `a` are zero; has no effect.
        b_is_sparse: As `a_is_sparse`.
        name: The name of the node.

    Returns:
        float32, [rows, columns].
    """
    return raw_ops.SparseMatMul(
        a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse, name=name,
    )  # fmt: skip
