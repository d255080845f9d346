"""Combinations of the values of sparse and dense tensors, row by row."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.ops import math_ops, raw_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes

# TensorFlow's, by which its crosses are the same.
_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def sparse_cross(inputs: Sequence[Any], name: Optional[str] = None) -> SparseTensor:
    """All combinations of one value of each tensor, as texts joined by "_X_".

    Args:
        inputs: A list of sparse and dense tensors of strings or integers, [batch, values].
        name: The name of the op.

    Returns:
        A sparse tensor of strings, [batch, most combinations of a row].

    Raises:
        TypeError: The inputs are no list of tensors.
    """
    return _cross(inputs, dtypes.string, 0, None, name)


def sparse_cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: Optional[int] = None,
    name: Optional[str] = None,
) -> SparseTensor:
    """The hashes of all combinations of one value of each tensor.

    Args:
        inputs: A list of sparse and dense tensors of strings or integers, [batch, values].
        num_buckets: The hashes are below it; 0 for any.
        hash_key: What they depend on.
        name: The name of the op.

    Returns:
        A sparse tensor of int64, [batch, most combinations of a row].

    Raises:
        TypeError: The inputs are no list of tensors.
    """
    return _cross(inputs, dtypes.int64, num_buckets, hash_key, name)


def _cross(
    inputs: Sequence[Any],
    dtype: Any,
    num_buckets: int,
    hash_key: Optional[int],
    name: Optional[str],
) -> SparseTensor:
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(each, (SparseTensor, Tensor)) for each in inputs):
        raise TypeError("All inputs must be SparseTensors, or tensors")
    plain = [_plain(each) for each in inputs]
    sparse = [each for each in plain if isinstance(each, SparseTensor)]
    dense = [each for each in plain if not isinstance(each, SparseTensor)]
    is_text = all(each.dtype == dtypes.string for each in plain)
    indices, values, shape = raw_ops.SparseCross(
        indices=[each.indices for each in sparse],
        values=[each.values for each in sparse],
        shapes=[each.dense_shape for each in sparse],
        dense_inputs=dense,
        hashed_output=dtype == dtypes.int64,
        num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY,
        out_type=dtype,
        internal_type=dtypes.string if is_text else dtypes.int64,
        name=name,
    )
    return SparseTensor(indices, values, shape)


def _plain(given: Any) -> Any:
    """Integers as int64."""
    if given.dtype == dtypes.string:
        return given
    if isinstance(given, SparseTensor):
        return given._with_values(math_ops.cast(given.values, dtypes.int64))
    return math_ops.cast(given, dtypes.int64)
