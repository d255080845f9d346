"""Pooling with windows of different sizes, so that the ratio of sizes need not be whole."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.random_seed import get_seed
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops


class FractionalPool(NamedTuple):
    """The results of a fractional pool."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: Optional[str] = None,
) -> FractionalPool:
    """The largest number of each window of images, where windows have two sizes in random order.

    Args:
        value: numbers, [batch, height, width, channels].
        pooling_ratio: how many times smaller each axis becomes: [1, height, width, 1], each at
            least 1.
        pseudo_random: whether the two sizes take turns as evenly as can be, from a random start.
        overlapping: whether a window has the first row and the first column of the next ones too.
        deterministic: whether seeds decide about the windows: each step then has the same ones.
        seed: the seed; 0 where not deterministic.
        seed2: a second seed; 0 where not deterministic.

    Returns:
        A tensor [batch, new height, new width, channels], and where the windows along the height
        and along the width begin: int64 vectors, of which the last element is the end.
    """
    return _pool(
        raw_ops.FractionalMaxPool, value, pooling_ratio, pseudo_random=pseudo_random,
        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2, name=name,
    )  # fmt: skip


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: Optional[str] = None,
) -> FractionalPool:
    """The mean of each window of images, where windows have two sizes in random order.

    Args:
        value: numbers, [batch, height, width, channels].
        pooling_ratio: how many times smaller each axis becomes: [1, height, width, 1], each at
            least 1.
        pseudo_random: whether the two sizes take turns as evenly as can be, from a random start.
        overlapping: whether a window has the first row and the first column of the next ones too.
        deterministic: whether seeds decide about the windows: each step then has the same ones.
        seed: the seed; 0 where not deterministic.
        seed2: a second seed; 0 where not deterministic.

    Returns:
        A tensor [batch, new height, new width, channels], and where the windows along the height
        and along the width begin: int64 vectors, of which the last element is the end.
    """
    return _pool(
        raw_ops.FractionalAvgPool, value, pooling_ratio, pseudo_random=pseudo_random,
        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2, name=name,
    )  # fmt: skip


def fractional_max_pool_v2(
    value: TensorLike,
    pooling_ratio: Union[float, Sequence[float]],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: Optional[str] = None,
) -> FractionalPool:
    """fractional_max_pool with one seed, and ratios of the axes of space alone.

    Args:
        value: numbers, [batch, height, width, channels].
        pooling_ratio: how many times smaller the height and the width become: one number, one for
            either, or [1, height, width, 1]; each at least 1.
        pseudo_random: whether the two sizes take turns as evenly as can be, from a random start.
        overlapping: whether a window has the first row and the first column of the next ones too.
        seed: decides about the windows; 0 for other ones in each step.

    Returns:
        As fractional_max_pool.
    """
    return _seeded_pool(
        fractional_max_pool, value, pooling_ratio, pseudo_random, overlapping, seed, name
    )


def fractional_avg_pool_v2(
    value: TensorLike,
    pooling_ratio: Union[float, Sequence[float]],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: Optional[str] = None,
) -> FractionalPool:
    """fractional_avg_pool with one seed, and ratios of the axes of space alone.

    Args:
        value: numbers, [batch, height, width, channels].
        pooling_ratio: how many times smaller the height and the width become: one number, one for
            either, or [1, height, width, 1]; each at least 1.
        pseudo_random: whether the two sizes take turns as evenly as can be, from a random start.
        overlapping: whether a window has the first row and the first column of the next ones too.
        seed: decides about the windows; 0 for other ones in each step.

    Returns:
        As fractional_avg_pool.
    """
    return _seeded_pool(
        fractional_avg_pool, value, pooling_ratio, pseudo_random, overlapping, seed, name
    )


def _pool(op: Any, value: Any, ratios: Any, **attrs: Any) -> FractionalPool:
    ratios = [float(ratio) for ratio in ratios]
    return FractionalPool(*op(value=value, pooling_ratio=ratios, **attrs))


def _seeded_pool(
    pool: Any, value: Any, ratio: Any, pseudo_random: bool, overlapping: bool, seed: int, name: Any
) -> FractionalPool:
    seeds = get_seed(seed) if seed != 0 else (0, 0)
    result: FractionalPool = pool(
        value, _ratios(ratio), pseudo_random, overlapping, seed != 0, *seeds, name=name
    )
    return result


def _ratios(given: Any) -> List[float]:
    ratios = list(given) if hasattr(given, "__iter__") else [given]
    if len(ratios) == 4:
        return ratios
    if len(ratios) == 1:
        ratios *= 2
    if len(ratios) != 2:
        raise ValueError(f"pooling_ratio should be of length 1, 2 or 4 but was {len(ratios)}")
    return [1.0, *ratios, 1.0]
