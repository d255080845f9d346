"""Statistics of samples: how they depend on earlier ones, and percentiles."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from troupe._src.checks.check_ops import assert_integer
from troupe._src.checks.rank_ops import assert_rank
from troupe._src.distributions.arguments import checked
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    array_ops,
    assert_ops,
    cast_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
)
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.contrib.distributions")
def auto_correlation(
    x: TensorLike,
    axis: int = -1,
    max_lags: Any = None,
    center: bool = True,
    normalize: bool = True,
    name: str = "auto_correlation",
) -> Tensor:
    """The means of the products of samples with those so many places before.

    Args:
        x: Samples of floating point or complex numbers.
        axis: The axis along which they follow each other.
        max_lags: The highest number of places, by default one less than there are samples.
        center: Whether the mean is subtracted first.
        normalize: Whether the result is divided by that of 0 places.

    Returns:
        A tensor of the shape of `x`, but of the size `max_lags` + 1 along the axis.

    Raises:
        TypeError: The dtype is another one.
    """
    with name_scope(name):
        samples = convert_to_tensor(x, name="x")
        if not (samples.dtype.is_floating or samples.dtype.is_complex):
            raise TypeError(
                f"Argument x must have either float or complex dtype found: {samples.dtype}"
            )
        turned = _with_last(samples, axis, to_end=True)
        if center:
            turned = turned - math_ops.reduce_mean(turned, -1, keepdims=True)
        known = None if turned.shape.rank is None else turned.shape[-1].value
        size = array_ops.shape(turned)[-1] if known is None else known
        products = _lagged_products(turned, size)
        lags = size - 1 if max_lags is None else gen_ops.minimum(size - 1, max_lags)
        of_lags = array_ops.get_static_value(convert_to_tensor(lags))
        chopped = products[..., : lags + 1]
        if of_lags is not None and turned.shape.rank is not None:
            chopped.set_shape(turned.shape[:-1].concatenate([int(of_lags) + 1]))
        counts = size - math_ops.range(lags + 1)
        found = chopped / math_ops.cast(counts, samples.dtype)
        if normalize:
            found = found / found[..., :1]
        return _with_last(found, axis, to_end=False)


def _with_last(x: Tensor, axis: int, to_end: bool) -> Tensor:
    """Axes moved around the end, so that one is the last; or back again."""
    rank = x.shape.rank
    if rank is not None:
        place = axis + rank if axis < 0 else axis
        shift = place + 1 if to_end else rank - 1 - place
        return array_ops.transpose(x, [*range(shift, rank), *range(shift)])
    count = array_ops.rank(x)
    position = axis + count if axis < 0 else axis
    moved = position + 1 if to_end else count - 1 - position
    order = array_ops.concat([math_ops.range(moved, count), math_ops.range(0, moved)], 0)
    return array_ops.transpose(x, order)


def _lagged_products(x: Tensor, size: Any) -> Tensor:
    """The sums of products along the last axis, by the Fourier transform of padded samples."""
    if isinstance(size, int):
        length: Any = 1 << (2 * max(size, 1) - 1).bit_length()
    else:
        bits = gen_ops.ceil(gen_ops.log(math_ops.cast(2 * size, dtypes.float64)) / np.log(2.0))
        length = math_ops.cast(gen_ops.round(2.0**bits), dtypes.int32)
    before = creation_ops.zeros([array_ops.rank(x) - 1, 2], dtypes.int32)
    last = array_ops.reshape(array_ops.stack([0, length - size]), [1, 2])
    padded = creation_ops.pad(x, array_ops.concat([before, last], 0))
    if not x.dtype.is_complex:
        padded = cast_ops.complex(padded, creation_ops.zeros_like(padded))
    transformed = raw_ops.FFT(input=padded)
    products = raw_ops.IFFT(input=transformed * cast_ops.conj(transformed))
    return products if x.dtype.is_complex else cast_ops.real(products)


@set_module("troupe.contrib.distributions")
def percentile(
    x: TensorLike,
    q: Any,
    axis: Any = None,
    interpolation: Optional[str] = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The element below which a percentage of the others is.

    Args:
        x: Numbers.
        q: The percentage, from 0 to 100, a scalar.
        axis: The axes that are looked at together, known ones; by default all.
        interpolation: Which element it is, where the place is between two: "nearest", "lower" or
            "higher"; by default "nearest".
        keep_dims: Keeps the axes, in the size 1.
        validate_args: Whether steps check `q`.

    Returns:
        The elements, without the axes.

    Raises:
        ValueError: `interpolation` is another one, the axes are not known or not there, or `q` is
            known not to be a scalar.
    """
    allowed = ("lower", "higher", "nearest")
    if interpolation is None:
        interpolation = "nearest"
    elif interpolation not in allowed:
        raise ValueError(f"Argument 'interpolation' must be in {allowed}.  Found {interpolation}")
    with name_scope(name or "percentile"):
        numbers = convert_to_tensor(x, name="x")
        share = math_ops.cast(q, dtypes.float64)
        if share.shape.rank not in (None, 0):
            raise ValueError(f"Expected argument 'q' to be a scalar.  Found tensor {share}")
        if validate_args:
            share = checked(
                share, assert_rank(share, 0), assert_ops.assert_non_negative(share),
                assert_ops.assert_less_equal(share, convert_to_tensor(100.0, dtypes.float64)),
            )  # fmt: skip
        axes = None if axis is None else _known_axes(axis, numbers)
        rows = array_ops.reshape(numbers, [-1]) if axes is None else _rows(numbers, axes)
        found = _element(rows, share, interpolation)
        if not keep_dims:
            return found
        if axes is None:
            rank = array_ops.expand_dims(array_ops.rank(numbers), 0)
            ones = creation_ops.ones(rank, dtypes.int32)
            return array_ops.reshape(found, ones)
        for each in sorted(axes):
            found = array_ops.expand_dims(found, each)
        return found


def _element(rows: Tensor, share: Tensor, interpolation: str) -> Tensor:
    """The element of each row, counted from the highest one."""
    size = array_ops.shape(rows)[-1]
    place = (math_ops.cast(size, dtypes.float64) - 1.0) * (1.0 - share / 100.0)
    # "lower" is the lower element, which comes later.
    rounded = {"lower": gen_ops.ceil, "higher": gen_ops.floor, "nearest": gen_ops.round}
    index = math_ops.cast(rounded[interpolation](place), dtypes.int32)
    index = gen_ops.maximum(0, gen_ops.minimum(index, size - 1))
    ordered, _ = raw_ops.TopKV2(input=rows, k=size)
    found: Tensor = ordered[..., index]
    found.set_shape(rows.shape[:-1])
    return found


def _known_axes(axis: Any, numbers: Tensor) -> List[int]:
    given = convert_to_tensor(axis, name="axis")
    assert_integer(given)
    known = array_ops.get_static_value(given)
    if known is None:
        raise ValueError(f"Expected argument 'axis' to be statically available.  Found: {axis}")
    if np.ndim(known) > 1:
        raise ValueError(f"Expected argument 'axis' to be a number or a vector.  Found: {axis}")
    rank = numbers.shape.rank
    if rank is None:
        raise ValueError("Expected argument 'x' to have statically defined 'ndims'.")
    axes = [int(each) for each in np.reshape(known, [-1])]
    for each in axes:
        if not -rank <= each < rank:
            raise ValueError(f"dim {each} not in the interval [{-rank}, {rank - 1}].")
    return [each % rank for each in axes]


def _rows(numbers: Tensor, axes: Sequence[int]) -> Tensor:
    """The axes as one, the last."""
    rank = len(numbers.shape.as_list())
    others = [each for each in range(rank) if each not in axes]
    turned = array_ops.transpose(numbers, [*others, *axes])
    sizes = array_ops.shape(turned)[: len(others)]
    found = array_ops.reshape(turned, array_ops.concat([sizes, [-1]], 0))
    found.set_shape(turned.shape[: len(others)].concatenate([None]))
    return found
