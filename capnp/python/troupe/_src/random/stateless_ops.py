"""Random tensors that are functions of their seeds."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import math_ops, raw_ops
from troupe._src.ops.array_ops import sizes_of
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike


def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """As `random_uniform`, as a function of the seed, two integers.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        seed: int32 or int64, [2].
        minval: the least number.
        maxval: what all numbers are below, by default 1 for floats.
        dtype: the dtype of the result: floats, int32 or int64.

    Returns:
        A tensor of that shape: the same one for the same seed.

    Raises:
        ValueError: if integers have no `maxval`.
    """
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
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """As `random_normal`, as a function of the seed, two integers.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        seed: int32 or int64, [2].
        mean: a number, or a tensor that broadcasts with the shape.
        stddev: as `mean`.
        dtype: the dtype of the result, of floats.

    Returns:
        A tensor of that shape: the same one for the same seed.
    """
    scope = name or "stateless_random_normal"
    return _stateless_normal(raw_ops.StatelessRandomNormal, scope, shape, seed, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """As `truncated_normal`, as a function of the seed, two integers.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        seed: int32 or int64, [2].
        mean: a number, or a tensor that broadcasts with the shape.
        stddev: as `mean`, before it is cut off.
        dtype: the dtype of the result, of floats.

    Returns:
        A tensor of that shape: the same one for the same seed.
    """
    scope = name or "stateless_truncated_normal"
    return _stateless_normal(
        raw_ops.StatelessTruncatedNormal, scope, shape, seed, mean, stddev, dtype
    )


def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Tensor:
    """As `categorical`, as a function of the seed, two integers.

    Args:
        logits: floats, [batch, classes].
        num_samples: the number of draws for each row.
        seed: int32 or int64, [2].
        dtype: int64 or int32.

    Returns:
        Indices of classes, [batch, num_samples]: the same ones for the same seed.
    """
    return raw_ops.StatelessMultinomial(
        logits=logits, num_samples=num_samples, seed=seed, output_dtype=dtype, name=name
    )


def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Tensor:
    """As `multinomial`, as a function of the seed, two integers.

    Args:
        logits: floats, [batch, classes].
        num_samples: the number of draws for each row.
        seed: int32 or int64, [2].
        output_dtype: int64 or int32.

    Returns:
        Indices of classes, [batch, num_samples]: the same ones for the same seed.
    """
    return stateless_categorical(logits, num_samples, seed, output_dtype, name)
