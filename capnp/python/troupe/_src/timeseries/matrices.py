"""Matrices of models of time series: powers, blocks, covariances of variables, densities."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from troupe._src.contrib.layers import fully_connected
from troupe._src.control_flow.functional import scan
from troupe._src.control_flow.loops import while_loop
from troupe._src.linalg.diagonal_ops import matrix_diag, matrix_diag_part, matrix_set_diag
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.rearrange_ops import eye
from troupe._src.ops.segment_ops import cumsum
from troupe._src.ops.selection_ops import where
from troupe._src.types import dtypes
from troupe._src.types.dimensions import Dimension
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable


def normal_log_prob(loc: Any, scale: Any, x: Any) -> Any:
    """The log density of a normal distribution, as losses of models count it: with the log of the
    scale halved.

    Args:
        loc: The mean.
        scale: The standard deviation.
        x: Where.

    Returns:
        A tensor in the broadcast shape.
    """
    return -0.5 * (
        gen_ops.square((x - loc) / scale) + math.log(2.0 * math.pi) + gen_ops.log(scale)
    )


def cauchy_log_prob(loc: Any, scale: Any, x: Any) -> Any:
    """The log density of a Cauchy distribution.

    Args:
        loc: The median.
        scale: The half width at half maximum.
        x: Where.

    Returns:
        A tensor in the broadcast shape.
    """
    squared = gen_ops.square((x - loc) / scale)
    return -math.log(math.pi) - gen_ops.log(scale) - gen_ops.log1p(squared)


def mvn_tril_log_prob(loc: Any, scale_tril: Any, x: Any) -> Any:
    """The log density of normal distributions of vectors.

    Args:
        loc: Means, [..., size].
        scale_tril: Cholesky factors of covariances, [..., size, size].
        x: Where, [..., size].

    Returns:
        A tensor, [...].
    """
    residual = array_ops.expand_dims(x - loc, -1)
    whitened = array_ops.squeeze(gen_ops.matrix_triangular_solve(scale_tril, residual), [-1])
    logs = gen_ops.log(matrix_diag_part(scale_tril))
    log_determinant = 2.0 * math_ops.reduce_sum(logs, axis=-1)
    size = math_ops.cast(array_ops.shape(scale_tril)[-1], log_determinant.dtype)
    squares = math_ops.reduce_sum(gen_ops.square(whitened), axis=-1)
    return -0.5 * (squares + size * math.log(2.0 * math.pi) + log_determinant)


def clip_covariance(covariance: Any, maximum_variance_ratio: float, minimum_variance: float) -> Any:
    """Covariances whose variances are no smaller than the largest divided by a ratio.

    Args:
        covariance: Matrices.
        maximum_variance_ratio: The ratio.
        minimum_variance: And no smaller than this.

    Returns:
        Matrices with other diagonals.
    """
    diagonal = matrix_diag_part(covariance)
    largest = math_ops.reduce_max(diagonal, axis=-1, keepdims=True)
    raised = gen_ops.maximum(diagonal, largest / maximum_variance_ratio)
    return matrix_set_diag(covariance, gen_ops.maximum(raised, minimum_variance))


def block_diagonal(matrices: Sequence[Any], dtype: Any, name: Optional[str] = None) -> Any:
    """Matrices along the diagonal of one, with zeros beside them.

    Args:
        matrices: Of any sizes and of one batch shape.
        dtype: Their dtype.
        name: Of the result.

    Returns:
        A matrix of the sum of the sizes, or a batch of them.
    """
    blocks = [convert_to_tensor(matrix, dtype) for matrix in matrices]
    batch = TensorShape(None)
    n_rows = n_columns = Dimension(0)
    for block in blocks:
        shape = block.shape.with_rank_at_least(2)
        batch = batch.merge_with(shape[:-2])
        n_rows, n_columns = n_rows + shape[-2], n_columns + shape[-1]
    widths = [array_ops.shape(block)[-1] for block in blocks]
    total = gen_ops.add_n(widths)
    rows, before = [], constant(0)
    for block, width in zip(blocks, widths):
        others = creation_ops.zeros([array_ops.rank(block) - 1, 2], dtypes.int32)
        own = array_ops.stack([before, total - before - width])
        paddings = array_ops.concat([others, array_ops.expand_dims(own, 0)], 0)
        rows.append(creation_ops.pad(block, paddings))
        before = before + width
    blocked = array_ops.concat(rows, -2, name=name or "block_diagonal")
    blocked.set_shape(batch.concatenate([n_rows, n_columns]))
    return blocked


def power_sums(array_size: Any, matrix: Any, multiplier: Any) -> Any:
    """Sums of A^i B (A^i)^T over i < n, for each n.

    Args:
        array_size: Up to which n, an integer.
        matrix: A.
        multiplier: B.

    Returns:
        Matrices, [array_size + 1, size, size]; the first is of zeros.
    """
    base = convert_to_tensor(matrix)
    identity = eye(array_ops.shape(base)[0], dtype=base.dtype)
    identity.set_shape(base.shape)
    powers = scan(
        lambda power, _: math_ops.matmul(power, base),
        math_ops.range(math_ops.cast(array_size, dtypes.int32) - 1),
        initializer=identity,
    )
    terms = math_ops.matmul(batch_times_matrix(powers, multiplier), powers, adjoint_b=True)
    first = array_ops.expand_dims(multiplier, 0)
    sums = cumsum(array_ops.concat([first, terms], 0))
    zeros = creation_ops.zeros_like(first)
    return array_ops.concat([zeros, sums], 0)


def matrix_to_powers(matrix: Any, powers: Any) -> Any:
    """Powers of one matrix.

    Args:
        matrix: A square matrix.
        powers: Integers, [powers].

    Returns:
        Matrices, [powers, size, size].
    """
    return batch_matrix_pow(
        gen_ops.tile(
            array_ops.expand_dims(matrix, 0), array_ops.stack([array_ops.size(powers), 1, 1])
        ),
        powers,
    )


def batch_matrix_pow(matrices: Any, powers: Any) -> Any:
    """A power of each matrix, in as many products as its largest exponent has bits.

    Args:
        matrices: Square matrices, [batch, size, size].
        powers: Their exponents, integers, [batch].

    Returns:
        A tensor of the shape of `matrices`.
    """
    bases = convert_to_tensor(matrices)
    exponents = math_ops.cast(powers, dtypes.int32)
    sizes = array_ops.shape(bases)
    identity = gen_ops.tile(
        array_ops.expand_dims(eye(sizes[1], dtype=bases.dtype), 0),
        array_ops.stack([sizes[0], 1, 1]),
    )

    def is_incomplete(base: Any, exponent: Any, product: Any) -> Any:
        return math_ops.reduce_any(gen_ops.greater(exponent, 1))

    def halve(base: Any, exponent: Any, product: Any) -> Any:
        is_odd = gen_ops.equal(exponent % 2, 1)
        goes_on = gen_ops.greater(exponent, 1)
        multiplied = where(
            gen_ops.logical_and(goes_on, is_odd), math_ops.matmul(product, base), product
        )
        squared = where(goes_on, math_ops.matmul(base, base), base)
        return squared, where(goes_on, exponent // 2, exponent), multiplied

    base, exponent, product = while_loop(is_incomplete, halve, [bases, exponents, identity])
    is_zero = gen_ops.equal(exponent, 0)
    return where(is_zero, identity, math_ops.matmul(base, product))


def batch_times_matrix(batch: Any, matrix: Any, adj_x: bool = False, adj_y: bool = False) -> Any:
    """Each matrix of a batch by one matrix, as one product.

    Args:
        batch: [batch, rows, size]; with `adj_x`, [batch, size, rows].
        matrix: [size, columns]; with `adj_y`, [columns, size].
        adj_x: Transposes those of the batch.
        adj_y: Transposes the one.

    Returns:
        A tensor, [batch, rows, columns].
    """
    left, right = convert_to_tensor(batch), convert_to_tensor(matrix)
    if adj_x:
        left = array_ops.transpose(left, [0, 2, 1])
    sizes = array_ops.shape(left)
    columns = array_ops.shape(right)[0 if adj_y else 1]
    rows = array_ops.reshape(left, array_ops.stack([-1, sizes[2]]))
    product = math_ops.matmul(rows, right, adjoint_b=adj_y)
    result = array_ops.reshape(product, array_ops.stack([sizes[0], sizes[1], columns]))
    result.set_shape([*left.shape[:2].as_list(), right.shape[0 if adj_y else 1]])
    return result


def _with_ones(tensor: Any, rank: int) -> Any:
    """The tensor with axes of size 1 after its own."""
    own = tensor.shape.rank
    return tensor[(...,) + (None,) * (rank - own)]


def sign_magnitude_positive_definite(
    raw: Any, off_diagonal_scale: Any = 0.0, overall_scale: Any = 0.0
) -> Any:
    """Positive definite matrices of any numbers.

    The upper triangle has the logs of magnitudes, and the lower one the signs, of a factor of them.

    Args:
        raw: Numbers, [..., size, size].
        off_diagonal_scale: The log of what the factor is scaled by beside its diagonal, [...].
        overall_scale: The log of what the result is scaled by, [...].

    Returns:
        Matrices of the shape of `raw`.
    """
    given = convert_to_tensor(raw)
    rank = given.shape.rank or 0
    beside = convert_to_tensor(off_diagonal_scale, given.dtype)
    scale = convert_to_tensor(overall_scale, given.dtype)
    logs = given + _with_ones(beside, rank) + _with_ones(scale, rank)
    factor = gen_ops.exp(logs / 2.0) * gen_ops.softsign(array_ops.matrix_transpose(given))
    factor.set_shape(given.shape)
    logs = matrix_diag_part(given) + _with_ones(scale, rank - 1)
    upper = gen_ops.matrix_band_part(factor, constant(0, dtypes.int64), constant(-1, dtypes.int64))
    upper = matrix_set_diag(upper, gen_ops.exp(logs / 2.0))
    return math_ops.matmul(upper, upper, transpose_a=True)


def transform_to_covariance_matrices(input_vectors: Any, matrix_size: int) -> Any:
    """Covariances that a linear layer makes of vectors.

    Args:
        input_vectors: [..., any].
        matrix_size: Of the covariances.

    Returns:
        Matrices, [..., matrix_size, matrix_size].
    """
    numbers = fully_connected(input_vectors, matrix_size**2 + 2, activation_fn=None)
    batch = array_ops.shape(numbers)[:-1]
    sizes = array_ops.concat([batch, [matrix_size, matrix_size]], 0)
    return sign_magnitude_positive_definite(
        array_ops.reshape(numbers[..., :-2], sizes), numbers[..., -2], numbers[..., -1]
    )


def variable_covariance_matrix(
    size: int,
    name: str,
    dtype: Any,
    initial_diagonal_values: Any = None,
    initial_overall_scale_log: Any = 0.0,
) -> Any:
    """A positive definite matrix of variables.

    Args:
        size: Of the matrix.
        name: Of the result, and the prefix of the names of the variables.
        dtype: Floating point.
        initial_diagonal_values: The first values of the diagonal, positive, [size].
        initial_overall_scale_log: The log of the first scale.

    Returns:
        A tensor, [size, size].
    """
    raw = get_variable(f"{name}_pre_transform", [size, size], dtype, Zeros())
    logs: Any = raw
    if initial_diagonal_values is not None:
        logs = raw + matrix_diag(gen_ops.log(initial_diagonal_values))
    beside = get_variable(f"{name}_off_diagonal_scale", None, dtype, constant(-5.0, dtype))
    scale = get_variable(f"{name}_overall_scale", [], dtype, Zeros())
    first_scale = convert_to_tensor(initial_overall_scale_log, dtype)
    matrix = sign_magnitude_positive_definite(logs, beside, first_scale + scale)
    return array_ops.identity(matrix, name=name)


def log_noninformative_covariance_prior(covariance: Any) -> Any:
    """The log of Jeffreys' prior of a covariance: |covariance|^(-(size + 1) / 2).

    Args:
        covariance: A matrix.

    Returns:
        A scalar.
    """
    size = array_ops.shape(covariance)[0]
    regular = covariance + gen_ops.diag(1e-08 * creation_ops.ones([size], covariance.dtype))
    power = -(math_ops.cast(size + 1, covariance.dtype) / 2.0)
    return power * gen_ops.log(gen_ops.matrix_determinant(regular))


def entropy_matched_cauchy_scale(covariance: Any) -> Any:
    """The scales of Cauchy distributions of the entropy of normal ones.

    Args:
        covariance: Matrices, whose diagonals are the variances of the normal distributions.

    Returns:
        A tensor, [..., size].
    """
    return gen_ops.sqrt(math.e / (8.0 * math.pi) * matrix_diag_part(covariance))
