"""Spectrograms on the mel scale, whose steps sound equally wide, and their coefficients."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.signal.cosine import dct
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike

# mel = 1127 * log(1 + hertz / 700)
_BREAK_HERTZ = 700.0
_MELS = 1127.0


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """The matrix that turns spectra into spectra on the mel scale.

    It is `tf.signal.linear_to_mel_weight_matrix`. Each bin on the mel scale is a sum of the linear
    ones around it, whose weights fall, on the mel scale linearly, from 1 at its middle to 0 at the
    middles of its neighbours. The frequency 0 has no weight.

    Args:
        num_mel_bins: the number of bins on the mel scale.
        num_spectrogram_bins: the number of linear bins, from 0 up to half the sample rate.
        sample_rate: samples per second, a number or a constant.
        lower_edge_hertz: where the lowest bin begins.
        upper_edge_hertz: where the highest bin ends.
        dtype: of the result, a floating one.

    Returns:
        A tensor [num_spectrogram_bins, num_mel_bins]: spectra [..., num_spectrogram_bins] are
        multiplied with it.

    Raises:
        ValueError: if a number is out of its range, the edges are not in order or above half the
            sample rate, the dtype is not floating, or the sample rate is known in a step only.
    """
    kind = dtypes.as_dtype(dtype)
    with get_default_graph().name_scope(name or "linear_to_mel_weight_matrix") as scope:
        rate = array_ops.get_static_value(sample_rate)
        if rate is None:
            raise ValueError("sample_rate must be a number or a constant tensor.")
        _check(num_mel_bins, float(rate), lower_edge_hertz, upper_edge_hertz)
        if not kind.is_floating:
            raise ValueError(f"dtype must be a floating point type, not {kind!r}")
        # Differences of frequencies that are near to each other need more digits than float32 has.
        exact = dtypes.float64
        zero, nyquist = (convert_to_tensor(each, exact) for each in (0.0, float(rate) / 2))
        hertz = gen_ops.lin_space(zero, nyquist, num_spectrogram_bins)[1:]
        bins = array_ops.expand_dims(_MELS * gen_ops.log(1.0 + hertz / _BREAK_HERTZ), 1)
        first, last = (
            convert_to_tensor(_mels(each), exact) for each in (lower_edge_hertz, upper_edge_hertz)
        )
        edges = gen_ops.lin_space(first, last, num_mel_bins + 2)
        lower, middle, upper = edges[:-2], edges[1:-1], edges[2:]
        rising = (bins - lower) / (middle - lower)
        falling = (upper - bins) / (upper - middle)
        weights = gen_ops.maximum(zero, gen_ops.minimum(rising, falling))
        return creation_ops.pad(math_ops.cast(weights, kind), [[1, 0], [0, 0]], name=scope)


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The mel-frequency cepstral coefficients: `tf.signal.mfccs_from_log_mel_spectrograms`.

    They are the cosine transform of type 2 of the logarithms, each divided by
    sqrt(2 * num_mel_bins). Programs use the first ones.

    Args:
        log_mel_spectrograms: logarithms of spectra on the mel scale, float32,
            [..., num_mel_bins].

    Returns:
        A tensor of the same shape, float32.

    Raises:
        ValueError: if there are no bins.
    """
    with get_default_graph().name_scope(name or "mfccs_from_log_mel_spectrograms"):
        x = convert_to_tensor(log_mel_spectrograms, dtypes.float32)
        known = x.shape[-1].value if x.shape.rank else None
        if known == 0:
            raise ValueError(f"There must be mel bins, but the spectrograms are {x.shape}")
        count = array_ops.shape(x)[-1] if known is None else known
        return dct(x) * gen_ops.rsqrt(2.0 * math_ops.cast(count, dtypes.float32))


def _mels(hertz: float) -> float:
    return _MELS * math.log(1.0 + hertz / _BREAK_HERTZ)


def _check(num_mel_bins: Any, sample_rate: float, lower: float, upper: float) -> None:
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive, not {num_mel_bins}")
    if sample_rate <= 0:
        raise ValueError(f"sample_rate must be positive, not {sample_rate}")
    if lower < 0:
        raise ValueError(f"lower_edge_hertz must not be negative, but is {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} must be less than upper_edge_hertz {upper}")
    if upper > sample_rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be above half the sample rate of {sample_rate}, but is "
            f"{upper}"
        )
