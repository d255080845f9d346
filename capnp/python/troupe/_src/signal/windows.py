"""Windows: weights of the samples of a frame, which are small at its ends."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def hann_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """The window 0.5 - 0.5 * cos(2 * pi * i / period): `tf.signal.hann_window`.

    Args:
        window_length: the number of samples, a scalar.
        periodic: whether the period of an even window is its length, for the analysis of spectra,
            instead of the length - 1, which makes the window symmetric. A bool.
        dtype: of the result, a floating one.

    Returns:
        A tensor of shape [window_length]; 1 for a single sample.

    Raises:
        ValueError: if the dtype is not floating, or an argument is not a scalar.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, name or "hann_window")


def hamming_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """The window 0.54 - 0.46 * cos(2 * pi * i / period): `tf.signal.hamming_window`.

    Args:
        window_length: the number of samples, a scalar.
        periodic: as of `hann_window`.
        dtype: of the result, a floating one.

    Returns:
        A tensor of shape [window_length]; 1 for a single sample.

    Raises:
        ValueError: if the dtype is not floating, or an argument is not a scalar.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, name or "hamming_window")


def _raised_cosine(length: Any, periodic: Any, dtype: Any, mean: float, name: str) -> Tensor:
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type, not {kind!r}")
    with get_default_graph().name_scope(name):
        count = convert_to_tensor(length, dtypes.int32)
        count.shape.assert_has_rank(0)
        is_periodic = convert_to_tensor(periodic, dtypes.bool_)
        is_periodic.shape.assert_has_rank(0)
        is_longer = math_ops.cast(is_periodic, dtypes.int32) * (1 - count % 2)
        # One sample has no period: any but 0 does, as its weight is replaced.
        period = gen_ops.maximum(1, count + is_longer - 1)
        turns = math_ops.cast(math_ops.range(count), kind) / math_ops.cast(period, kind)
        window = mean - (1.0 - mean) * gen_ops.cos(turns * (2 * math.pi))
        return where_v2(equal(count, 1), creation_ops.ones_like(window), window)
