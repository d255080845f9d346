"""Variables, constants, placeholders and random numbers of Keras's default dtype."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.keras.settings import floatx
from troupe._src.ops import convert, creation_ops
from troupe._src.ops.creation_ops import ones, zeros
from troupe._src.ops.selection_ops import where
from troupe._src.ops.sparse_tensor import SparseTensor, sparse_placeholder
from troupe._src.random import random_ops
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.variables.variable import Variable


def variable(
    value: Any,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    constraint: Any = None,
    trainable: bool = True,
) -> Any:
    """A variable of that first value; for a sparse matrix of SciPy a sparse tensor of it.

    Args:
        value: The value, or a tensor of it, or a function that makes one.
        dtype: By default `floatx()`.
        name: The name of its nodes.
        constraint: What an optimizer applies to it after an update.
        trainable: Whether it is among those that optimizers train by default.
    """
    dtype = as_dtype(dtype or floatx())
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        indices = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
        values = convert.constant(matrix.data, dtype)
        return SparseTensor(indices=indices, values=values, dense_shape=matrix.shape)
    return Variable(value, dtype=dtype, name=name, constraint=constraint, trainable=trainable)


def constant(
    value: Any, dtype: Optional[DTypeLike] = None, shape: Any = None, name: Optional[str] = None
) -> Tensor:
    """A constant; its dtype is by default `floatx()`."""
    return convert.constant(value, dtype or floatx(), shape, name or "Const")


def placeholder(
    shape: Optional[Sequence[Optional[int]]] = None,
    ndim: Optional[int] = None,
    dtype: Optional[DTypeLike] = None,
    sparse: bool = False,
    name: Optional[str] = None,
) -> Any:
    """What is fed: dense or sparse, of that shape, or of `ndim` axes; by default of `floatx()`."""
    if shape is None and ndim is not None:
        shape = [None] * ndim
    make = sparse_placeholder if sparse else creation_ops.placeholder
    return make(dtype or floatx(), shape=shape, name=name)


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Optional[DTypeLike] = None,
    seed: Optional[int] = None,
) -> Tensor:
    """Numbers with a normal distribution; without a seed, other ones each time it is called."""
    return random_ops.random_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_uniform(
    shape: Any,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    dtype: Optional[DTypeLike] = None,
    seed: Optional[int] = None,
) -> Tensor:
    """Numbers with a uniform distribution in [minval, maxval)."""
    return random_ops.random_uniform(shape, minval, maxval, dtype or floatx(), _seed(seed))


def random_binomial(
    shape: Any, p: Any = 0.0, dtype: Optional[DTypeLike] = None, seed: Optional[int] = None
) -> Tensor:
    """Ones with the probability p, and zeros."""
    dtype = dtype or floatx()
    drawn = random_ops.random_uniform(shape, dtype=dtype, seed=_seed(seed))
    return where(drawn <= p, ones(shape, dtype=dtype), zeros(shape, dtype=dtype))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Optional[DTypeLike] = None,
    seed: Optional[int] = None,
) -> Tensor:
    """Numbers with a normal distribution, cut off at two standard deviations."""
    return random_ops.truncated_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def _seed(seed: Optional[int]) -> int:
    """That seed, else one of NumPy's generator, so that `np.random.seed` fixes Keras's numbers."""
    return int(np.random.randint(10_000_000)) if seed is None else seed
