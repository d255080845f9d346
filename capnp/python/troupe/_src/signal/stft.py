"""The Fourier transforms of the frames of signals, and signals of such transforms."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.signal.fourier import irfft, rfft
from troupe._src.signal.frames import frame, overlap_and_add
from troupe._src.signal.sizes import scalar, with_length
from troupe._src.signal.windows import hann_window
from troupe._src.types import dtypes

_LARGEST_POWER = 30  # of 2, as an int32


def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: Optional[TensorLike] = None,
    window_fn: Optional[Callable[..., Tensor]] = hann_window,
    pad_end: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The short-time Fourier transform, that of each frame of a signal: `tf.signal.stft`.

    Args:
        signals: float32, [..., samples].
        frame_length: the number of samples in a frame, an integral scalar.
        frame_step: from one begin of a frame to the next, in samples, an integral scalar.
        fft_length: the number of samples that are transformed, an integral scalar; by default the
            least power of 2 that is not less than `frame_length`.
        window_fn: returns the weights of the samples of a frame, for its length and with the
            keyword `dtype`; None for no weights.
        pad_end: whether there are also frames that end beyond the signal, with zeros there.

    Returns:
        A tensor of complex64, [..., frames, fft_length // 2 + 1].

    Raises:
        ValueError: if the signals are a scalar, or a length or the step is not.
    """
    with get_default_graph().name_scope(name or "stft"):
        x = convert_to_tensor(signals)
        x.shape.with_rank_at_least(1)
        length, step = scalar(frame_length), scalar(frame_step)
        size = _power_of_two_above(length) if fft_length is None else scalar(fft_length)
        frames = frame(x, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return rfft(frames, array_ops.stack([size]))


def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: Optional[TensorLike] = None,
    window_fn: Optional[Callable[..., Tensor]] = hann_window,
    name: Optional[str] = None,
) -> Tensor:
    """Signals of short-time Fourier transforms: `tf.signal.inverse_stft`.

    With the window that `inverse_stft_window_fn` makes, the result is the signal that was given to
    `stft`, but for its ends, which fewer frames have.

    Args:
        stfts: complex64, [..., frames, fft_length // 2 + 1].
        frame_length: the number of samples in a frame, an integral scalar.
        frame_step: from one begin of a frame to the next, in samples, an integral scalar.
        fft_length: the number of samples that were transformed, an integral scalar; by default the
            least power of 2 that is not less than `frame_length`.
        window_fn: returns the weights of the samples of a frame, as that of `stft`; None for no
            weights.

    Returns:
        A tensor of float32, [..., samples].

    Raises:
        ValueError: if the transforms have fewer than 2 axes, or a length or the step is not a
            scalar.
    """
    with get_default_graph().name_scope(name or "inverse_stft"):
        x = convert_to_tensor(stfts)
        x.shape.with_rank_at_least(2)
        length, step = scalar(frame_length), scalar(frame_step)
        size = _power_of_two_above(length) if fft_length is None else scalar(fft_length)
        frames = with_length(irfft(x, array_ops.stack([size])), length)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, step)


def inverse_stft_window_fn(
    frame_step: TensorLike,
    forward_window_fn: Callable[..., Tensor] = hann_window,
    name: Optional[str] = None,
) -> Callable[..., Tensor]:
    """A function that makes the window for `inverse_stft`: `tf.signal.inverse_stft_window_fn`.

    That window is the one of `stft`, divided by the sum of the squares of all the weights that a
    sample has in its frames.

    Args:
        frame_step: from one begin of a frame to the next, in samples, an integral scalar.
        forward_window_fn: what `stft` was given as `window_fn`.

    Returns:
        A function of the length of a frame and of `dtype`, which returns the weights,
        [frame_length].

    Raises:
        ValueError: if the step is not a scalar.
    """
    scope = name or "inverse_stft_window_fn"
    with get_default_graph().name_scope(scope):
        step = scalar(frame_step)

    def window(frame_length: TensorLike, dtype: Any) -> Tensor:
        with get_default_graph().name_scope(scope):
            length = scalar(frame_length)
            forward = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            missing = array_ops.stack([0, overlaps * step - length])
            squares = creation_ops.pad(
                gen_ops.square(forward), array_ops.expand_dims(missing, 0)
            )
            parts = array_ops.reshape(squares, array_ops.stack([overlaps, step]))
            sums = math_ops.reduce_sum(parts, 0)
            return forward / gen_ops.tile(sums, array_ops.stack([overlaps]))[:length]

    return window


def _power_of_two_above(value: Tensor) -> Tensor:
    """The least power of 2 that is not less than the value."""
    known = array_ops.get_static_value(value)
    if known is not None:
        return convert_to_tensor(1 << max(0, int(known) - 1).bit_length(), dtypes.int32)
    powers = convert_to_tensor([1 << power for power in range(_LARGEST_POWER + 1)], dtypes.int32)
    return math_ops.reduce_min(where_v2(gen_ops.less(powers, value), powers[-1], powers))
