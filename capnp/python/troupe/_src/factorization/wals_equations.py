"""The equations of a step of weighted alternating least squares, and its loss."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.linalg.matrix_ops import trace
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.selection_ops import gather
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes


class Entries(NamedTuple):
    """The elements of some rows of a matrix that are not zero."""

    rows: Tensor  # the rows in the whole matrix, each once, [r]
    columns: Tensor  # the columns in it, each once, [c]
    row_of: Tensor  # where the row of each element is among `rows`, int32 [n]
    column_of: Tensor  # where its column is among `columns`, int32 [n]
    values: Tensor  # the elements, [n]
    row_count: Tensor


class Weights(NamedTuple):
    """What the elements count beside the weight of all of them."""

    of_rows: Tensor  # [r]
    of_columns: Tensor  # [c]

    def of(self, entries: Entries) -> Tensor:
        """The weights of elements, [n]."""
        by_row = gather(self.of_rows, entries.row_of)
        return by_row * gather(self.of_columns, entries.column_of)


def entries_of(matrix: SparseTensor, transposed: bool) -> Entries:
    """The elements of a matrix, or of its transpose, by the rows that it has."""
    row, column = (1, 0) if transposed else (0, 1)
    rows, row_of = raw_ops.Unique(x=matrix.indices[:, row])
    columns, column_of = raw_ops.Unique(x=matrix.indices[:, column])
    count = array_ops.shape(rows)[0]
    return Entries(rows, columns, row_of, column_of, matrix.values, count)


def solved(
    entries: Entries,
    right: Tensor,
    gramian: Tensor,
    unobserved_weight: float,
    weights: Optional[Weights],
) -> Tensor:
    """The factors of rows that give the least error.

    Args:
        entries: The elements of r rows.
        right: The factors of the columns of the elements, [c, k].
        gramian: What all elements add to the equations, [k, k].
        unobserved_weight: The weight of all elements.
        weights: The other weights, or None.

    Returns:
        The factors, [r, k].
    """
    factors = gather(right, entries.column_of)
    if weights is None:
        totals = _sums(array_ops.expand_dims(entries.values, 1) * factors, entries)
        right_side = array_ops.transpose(unobserved_weight * totals)
        return array_ops.transpose(raw_ops.MatrixSolve(matrix=gramian, rhs=right_side))
    own = weights.of(entries)
    scale = array_ops.expand_dims(entries.values * (unobserved_weight + own), 1)
    right_side = _sums(scale * factors, entries)
    scaled = array_ops.expand_dims(array_ops.expand_dims(own, 1) * factors, 2)
    products = _sums(scaled * array_ops.expand_dims(factors, 1), entries)
    matrix = array_ops.expand_dims(gramian, 0) + products
    found = raw_ops.MatrixSolve(matrix=matrix, rhs=array_ops.expand_dims(right_side, -1))
    return array_ops.squeeze(found, [2])


def _sums(values: Tensor, entries: Entries) -> Tensor:
    """The sums of what the elements of each row have."""
    summed: Tensor = raw_ops.UnsortedSegmentSum(
        data=values, segment_ids=entries.row_of, num_segments=entries.row_count
    )
    return summed


def losses(
    entries: Entries,
    left: Tensor,
    right: Tensor,
    gramian: Tensor,
    weighting: Tuple[float, Optional[Weights], Optional[float]],
    shape: Tuple[int, int],
) -> Tuple[Tensor, Tensor, Tensor]:
    """The loss of all rows, as far as these tell it.

    Args:
        entries: The elements of some rows.
        left: The factors of the rows, [r, k].
        right: The factors of the columns of the elements, [c, k].
        gramian: That of the factors of all columns, [k, k].
        weighting: The weight of all elements, the other weights, and that of squared factors.
        shape: The shape of the whole matrix.

    Returns:
        The weighted squared error, that of the factors, and the sum of weights.
    """
    unobserved_weight, weights, regularization = weighting
    by_row = gather(left, entries.row_of)
    approximated = math_ops.reduce_sum(by_row * gather(right, entries.column_of), axis=1)
    residuals = gen_ops.square(entries.values - approximated)
    own_gramian = math_ops.matmul(left, left, transpose_a=True)
    scale = shape[0] / math_ops.cast(entries.row_count, dtypes.float32)
    error = unobserved_weight * (
        math_ops.reduce_sum(residuals)
        - math_ops.reduce_sum(gen_ops.square(approximated))
        + trace(math_ops.matmul(own_gramian, gramian))
    )
    total: Any = constant(float(unobserved_weight * shape[0] * shape[1]), dtypes.float32)
    if weights is not None:
        own = weights.of(entries)
        error = error + math_ops.reduce_sum(own * residuals)
        total = total + math_ops.reduce_sum(own) * scale
    if regularization is None:
        return error * scale, constant(0.0), total
    return error * scale, regularization * (trace(own_gramian) * scale + trace(gramian)), total
