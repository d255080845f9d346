"""Random tensors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.random_seed import get_seed
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.ops.array_ops import shape as shape_of
from troupe._src.ops.array_ops import sizes_of, zeros_like
from troupe._src.ops.array_ops import slice as slice_of
from troupe._src.ops.assert_ops import assert_less_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Random numbers with a normal distribution."""
    name = name or "random_normal"
    return _scaled(raw_ops.RandomStandardNormal, shape, dtype, seed, name, (stddev, mean))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Random numbers with a normal distribution, cut off at two standard deviations."""
    name = name or "truncated_normal"
    return _scaled(raw_ops.TruncatedNormal, shape, dtype, seed, name, (stddev, mean))


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Random numbers with a uniform distribution in [minval, maxval); integers need maxval."""
    name = name or "random_uniform"
    if as_dtype(dtype).is_integer:
        return _random_integers(shape, minval, maxval, as_dtype(dtype), seed, name)
    maxval = 1 if maxval is None else maxval
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


def random_shuffle(value: Any, seed: Optional[int] = None, name: Optional[str] = None) -> Tensor:
    """The slices along the first axis in a random order."""
    first, second = get_seed(seed)
    return raw_ops.RandomShuffle(value=value, seed=first, seed2=second, name=name)


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: Optional[int] = None,
    name: Optional[str] = None,
    output_dtype: Optional[DTypeLike] = None,
) -> Tensor:
    """For each row of logits, classes drawn with the probabilities softmax(logits)."""
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
    logits: Any,
    num_samples: Any,
    dtype: Optional[DTypeLike] = None,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """As `multinomial`, with another order of arguments."""
    return multinomial(logits, num_samples, seed, name, dtype)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Gamma-distributed numbers: `shape` of them for each pair of alpha and beta (1)."""
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
    lam: Any,
    shape: Any,
    dtype: DTypeLike = dtypes.float32,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Poisson-distributed numbers: `shape` of them for each rate."""
    first, second = get_seed(seed)
    return raw_ops.RandomPoissonV2(
        shape=sizes_of(shape), rate=lam, dtype=dtype, seed=first, seed2=second, name=name
    )


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """As `random_uniform`, as a function of the seed, two integers."""
    wanted, sizes = as_dtype(dtype), sizes_of(shape)
    with get_default_graph().name_scope(name or "stateless_random_uniform"):
        if wanted.is_integer:
            if maxval is None:
                raise ValueError(f"Must specify maxval for integer dtype {wanted!r}")
            low, high = convert_to_tensor(minval, wanted), convert_to_tensor(maxval, wanted)
            return raw_ops.StatelessRandomUniformInt(
                shape=sizes, seed=seed, minval=low, maxval=high
            )
        drawn = raw_ops.StatelessRandomUniform(shape=sizes, seed=seed, dtype=wanted)
        low = convert_to_tensor(minval, wanted)
        high = convert_to_tensor(1 if maxval is None else maxval, wanted)
        return math_ops.add(drawn * (high - low), low)


def _stateless_normal(
    op: Any, scope: Optional[str], shape: Any, seed: Any, mean: Any, stddev: Any, dtype: DTypeLike
) -> Tensor:
    wanted = as_dtype(dtype)
    with get_default_graph().name_scope(scope):
        drawn = op(shape=sizes_of(shape), seed=seed, dtype=wanted)
        scale, center = convert_to_tensor(stddev, wanted), convert_to_tensor(mean, wanted)
        return math_ops.add(drawn * scale, center)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """As `random_normal`, as a function of the seed, two integers."""
    scope = name or "stateless_random_normal"
    return _stateless_normal(raw_ops.StatelessRandomNormal, scope, shape, seed, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """As `truncated_normal`, as a function of the seed, two integers."""
    scope = name or "stateless_truncated_normal"
    return _stateless_normal(
        raw_ops.StatelessTruncatedNormal, scope, shape, seed, mean, stddev, dtype
    )


def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Tensor:
    """As `categorical`, as a function of the seed, two integers."""
    return raw_ops.StatelessMultinomial(
        logits=logits, num_samples=num_samples, seed=seed, output_dtype=dtype, name=name
    )


def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Tensor:
    """As `multinomial`, as a function of the seed, two integers."""
    return stateless_categorical(logits, num_samples, seed, output_dtype, name)


def random_crop(
    value: Any, size: Any, seed: Optional[int] = None, name: Optional[str] = None
) -> Tensor:
    """A slice of a tensor, at a place that is another one in each step.

    Args:
        value: The tensor.
        size: The sizes of the slice, one for each axis.
        seed: Of the places.
        name: The scope of its nodes.

    Returns:
        The slice.
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
