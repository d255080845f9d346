"""Random tensors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.random_seed import get_seed
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.array_ops import shape as shape_of
from troupe._src.ops.array_ops import sizes_of
from troupe._src.ops.array_ops import slice as slice_of
from troupe._src.ops.assert_ops import assert_less_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike


def random_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Random numbers with a normal distribution.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        mean: a number, or a tensor that broadcasts with the shape.
        stddev: as `mean`.
        dtype: the dtype of the result, of floats.
        seed: makes the numbers repeatable, together with the seed of the graph.

    Returns:
        A tensor of that shape, which is another one in each step.
    """
    name = name or "random_normal"
    return _scaled(raw_ops.RandomStandardNormal, shape, dtype, seed, name, (stddev, mean))


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Random numbers with a normal distribution, cut off at two standard deviations.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        mean: a number, or a tensor that broadcasts with the shape.
        stddev: as `mean`, before it is cut off.
        dtype: the dtype of the result, of floats.
        seed: makes the numbers repeatable, together with the seed of the graph.

    Returns:
        A tensor of that shape, which is another one in each step.
    """
    name = name or "truncated_normal"
    return _scaled(raw_ops.TruncatedNormal, shape, dtype, seed, name, (stddev, mean))


def random_uniform(
    shape: ShapeLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Random numbers with a uniform distribution in [minval, maxval); integers need maxval.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        minval: the least number; a tensor must broadcast with the shape, and is a scalar for
            integers.
        maxval: what all numbers are below, by default 1 for floats; else as `minval`.
        dtype: the dtype of the result: floats, int32 or int64.
        seed: makes the numbers repeatable, together with the seed of the graph.

    Returns:
        A tensor of that shape, which is another one in each step.

    Raises:
        ValueError: if integers have no `maxval`.
    """
    name = name or "random_uniform"
    if as_dtype(dtype).is_integer:
        return _random_integers(shape, minval, maxval, as_dtype(dtype), seed, name)
    maxval = 1 if maxval is None else maxval
    if isinstance(minval, (list, tuple)) or isinstance(maxval, (list, tuple)):
        minval, maxval = (convert_to_tensor(each, dtype) for each in (minval, maxval))
    return _scaled(raw_ops.RandomUniform, shape, dtype, seed, name, (maxval - minval, minval))


def _scaled(
    op: Any, shape: Any, dtype: DTypeLike, seed: Optional[int], name: str, scale: Any
) -> Tensor:
    factor, offset = scale
    first, second = get_seed(seed)
    with get_default_graph().name_scope(name):
        drawn = op(shape=sizes_of(shape), dtype=dtype, seed=first, seed2=second)
        scaled = drawn * factor if isinstance(factor, Tensor) or factor != 1 else drawn
        shifted = scaled + offset if isinstance(offset, Tensor) or offset else scaled
    assert isinstance(shifted, Tensor)
    return shifted


def _random_integers(
    shape: Any, minval: Any, maxval: Any, dtype: DType, seed: Optional[int], name: str
) -> Tensor:
    if maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    first, second = get_seed(seed)
    return raw_ops.RandomUniformInt(
        shape=sizes_of(shape),
        minval=convert_to_tensor(minval, dtype),
        maxval=convert_to_tensor(maxval, dtype),
        seed=first,
        seed2=second,
        name=name,
    )


def random_shuffle(
    value: TensorLike, seed: Optional[int] = None, name: Optional[str] = None
) -> Tensor:
    """The slices along the first axis in a random order.

    Args:
        value: a tensor of rank 1 or more.
        seed: makes the order repeatable, together with the seed of the graph.

    Returns:
        A tensor of the shape and dtype of `value`.
    """
    first, second = get_seed(seed)
    return raw_ops.RandomShuffle(value=value, seed=first, seed2=second, name=name)


def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: Optional[int] = None,
    name: Optional[str] = None,
    output_dtype: Optional[DTypeLike] = None,
) -> Tensor:
    """For each row of logits, classes drawn with the probabilities softmax(logits).

    Args:
        logits: floats, [batch, classes].
        num_samples: the number of draws for each row.
        seed: makes the draws repeatable, together with the seed of the graph.
        output_dtype: int64 or int32.

    Returns:
        Indices of classes, [batch, num_samples].
    """
    first, second = get_seed(seed)
    return raw_ops.Multinomial(
        logits=logits,
        num_samples=num_samples,
        seed=first,
        seed2=second,
        output_dtype=output_dtype or dtypes.int64,
        name=name,
    )


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: Optional[DTypeLike] = None,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """As `multinomial`, with another order of arguments.

    Args:
        logits: floats, [batch, classes].
        num_samples: the number of draws for each row.
        dtype: int64 (the default) or int32.
        seed: makes the draws repeatable, together with the seed of the graph.

    Returns:
        Indices of classes, [batch, num_samples].
    """
    return multinomial(logits, num_samples, seed, name, dtype)


def random_gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Gamma-distributed numbers: `shape` of them for each pair of alpha and beta (1).

    Args:
        shape: the sizes of the numbers for one pair.
        alpha: the shape parameters, in a shape that broadcasts with that of `beta`.
        beta: the rates, by default 1.
        dtype: float16, float32 or float64.
        seed: makes the numbers repeatable, together with the seed of the graph.

    Returns:
        A tensor of the shape `shape` followed by the broadcast one of the parameters.
    """
    with get_default_graph().name_scope(name or "random_gamma"):
        first, second = get_seed(seed)
        rates = convert_to_tensor(1 if beta is None else beta, dtype)
        shapes = convert_to_tensor(alpha, dtype)
        drawn = raw_ops.RandomGamma(
            shape=sizes_of(shape),
            alpha=shapes + zeros_like(rates),
            seed=first,
            seed2=second,
        )
        tiny = np.finfo(as_dtype(dtype).as_numpy_dtype).tiny
        return gen_ops.maximum(convert_to_tensor(tiny, dtype), drawn / rates)


def random_poisson(
    lam: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Poisson-distributed numbers: `shape` of them for each rate.

    Args:
        lam: the rates, of any shape.
        shape: the sizes of the numbers for one rate.
        dtype: the dtype of the result.
        seed: makes the numbers repeatable, together with the seed of the graph.

    Returns:
        A tensor of the shape `shape` followed by that of the rates.
    """
    first, second = get_seed(seed)
    return raw_ops.RandomPoissonV2(
        shape=sizes_of(shape), rate=lam, dtype=dtype, seed=first, seed2=second, name=name
    )


def random_crop(
    value: TensorLike, size: TensorLike, seed: Optional[int] = None, name: Optional[str] = None
) -> Tensor:
    """A slice of a tensor, at a place that is another one in each step.

    Args:
        value: a tensor.
        size: the sizes of the slice, one for each axis.
        seed: makes the places repeatable, together with the seed of the graph.

    Returns:
        A tensor of those sizes. A step fails where `value` is smaller.
    """
    with get_default_graph().name_scope(name or "random_crop"):
        tensor = convert_to_tensor(value)
        sizes = convert_to_tensor(size, dtypes.int32)
        have = shape_of(tensor)
        enough = assert_less_equal(sizes, have, message="Need value.shape >= size")
        with get_default_graph().control_dependencies([enough]):
            places = have - sizes + 1
        drawn = random_uniform(
            shape_of(have), maxval=np.iinfo(np.int32).max, dtype=dtypes.int32, seed=seed
        )
        return slice_of(tensor, drawn % places, sizes)
