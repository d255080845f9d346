"""Fourier transforms of real numbers, and spectra whose middle has the frequency 0."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import gather, where_v2
from troupe._src.signal.sizes import pad_ends
from troupe._src.types import dtypes


def rfft(
    input_tensor: TensorLike,
    fft_length: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The discrete Fourier transform of real numbers, along the last axis: `tf.signal.rfft`.

    Args:
        input_tensor: the numbers, float32, [..., samples].
        fft_length: the number of samples that are transformed, int32 [1]: others are left out,
            missing ones are 0. By default all of the input.

    Returns:
        The first fft_length // 2 + 1 elements of the spectrum, complex64; the others are the
        conjugates of these.

    Raises:
        ValueError: if the input has fewer than 1 axis.
    """
    return _of_reals(gen_ops.rfft, 1, input_tensor, fft_length, name or "rfft")


def rfft2d(
    input_tensor: TensorLike,
    fft_length: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The Fourier transform of real numbers, along the last two axes: `tf.signal.rfft2d`.

    Args:
        input_tensor: the numbers, float32, [..., rows, columns].
        fft_length: the numbers of rows and columns that are transformed, int32 [2], as of `rfft`.

    Returns:
        The first fft_length[-1] // 2 + 1 columns of the spectrum, complex64.

    Raises:
        ValueError: if the input has fewer than 2 axes.
    """
    return _of_reals(gen_ops.rfft2_d, 2, input_tensor, fft_length, name or "rfft2d")


def rfft3d(
    input_tensor: TensorLike,
    fft_length: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The Fourier transform of real numbers, along the last three axes: `tf.signal.rfft3d`.

    Args:
        input_tensor: the numbers, float32, of rank 3 or more.
        fft_length: the sizes of the axes that are transformed, int32 [3], as of `rfft`.

    Returns:
        The first fft_length[-1] // 2 + 1 columns of the spectrum, complex64.

    Raises:
        ValueError: if the input has fewer than 3 axes.
    """
    return _of_reals(gen_ops.rfft3_d, 3, input_tensor, fft_length, name or "rfft3d")


def irfft(
    input_tensor: TensorLike,
    fft_length: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The real numbers whose Fourier transform is given, along the last axis: `tf.signal.irfft`.

    Args:
        input_tensor: the first half of the spectrum, complex64, [..., samples // 2 + 1], as
            `rfft` returns it.
        fft_length: the number of samples, int32 [1]; by default the even number that fits the
            input. Where the spectrum is longer, its end is left out; where shorter, it is 0.

    Returns:
        The samples, float32, [..., samples].

    Raises:
        ValueError: if the input has fewer than 1 axis.
    """
    return _to_reals(gen_ops.irfft, 1, input_tensor, fft_length, name or "irfft")


def irfft2d(
    input_tensor: TensorLike,
    fft_length: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The real numbers whose transform along the last two axes is given: `tf.signal.irfft2d`.

    Args:
        input_tensor: the spectrum, complex64, [..., rows, columns // 2 + 1].
        fft_length: the numbers of rows and columns, int32 [2], as of `irfft`.

    Returns:
        The numbers, float32, [..., rows, columns].

    Raises:
        ValueError: if the input has fewer than 2 axes.
    """
    return _to_reals(gen_ops.irfft2_d, 2, input_tensor, fft_length, name or "irfft2d")


def irfft3d(
    input_tensor: TensorLike,
    fft_length: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The real numbers whose transform along the last three axes is given: `tf.signal.irfft3d`.

    Args:
        input_tensor: the spectrum, complex64, of rank 3 or more.
        fft_length: the sizes of the last axes of the result, int32 [3], as of `irfft`.

    Returns:
        The numbers, float32.

    Raises:
        ValueError: if the input has fewer than 3 axes.
    """
    return _to_reals(gen_ops.irfft3_d, 3, input_tensor, fft_length, name or "irfft3d")


def fftshift(
    x: TensorLike, axes: Union[None, int, Sequence[int]] = None, name: Optional[str] = None
) -> Tensor:
    """A spectrum whose frequency 0 moves from the begin to the middle: `tf.signal.fftshift`.

    Args:
        x: a tensor; the sizes of the axes that are shifted must be known.
        axes: what is shifted, an axis or several; all of them by default.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return _shifted(x, axes, 1, name or "fftshift")


def ifftshift(
    x: TensorLike, axes: Union[None, int, Sequence[int]] = None, name: Optional[str] = None
) -> Tensor:
    """The inverse of `fftshift`, from which it differs for odd sizes: `tf.signal.ifftshift`.

    Args:
        x: a tensor; the sizes of the axes that are shifted must be known.
        axes: what is shifted, an axis or several; all of them by default.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return _shifted(x, axes, -1, name or "ifftshift")


def _of_reals(
    transform: Callable[..., Tensor], axes: int, given: Any, fft_length: Any, name: str
) -> Tensor:
    with get_default_graph().name_scope(name) as scope:
        x = convert_to_tensor(given, dtypes.float32)
        x.shape.with_rank_at_least(axes)
        if fft_length is None:
            return transform(x, _last_sizes(x, axes), scope)
        lengths = convert_to_tensor(fft_length, dtypes.int32)
        return transform(_padded(x, axes, lengths), lengths, scope)


def _to_reals(
    transform: Callable[..., Tensor], axes: int, given: Any, fft_length: Any, name: str
) -> Tensor:
    with get_default_graph().name_scope(name) as scope:
        x = convert_to_tensor(given, dtypes.complex64)
        x.shape.with_rank_at_least(axes)
        if fft_length is None:
            sizes = _last_sizes(x, axes)
            even = gen_ops.maximum(0, 2 * (sizes[-1:] - 1))
            return transform(x, array_ops.concat([sizes[:-1], even], 0), scope)
        lengths = convert_to_tensor(fft_length, dtypes.int32)
        needed = array_ops.concat([lengths[:-1], lengths[-1:] // 2 + 1], 0)
        return transform(_padded(x, axes, needed), lengths, scope)


def _last_sizes(x: Tensor, axes: int) -> Tensor:
    return array_ops.shape(x)[-axes:]


def _padded(x: Tensor, axes: int, needed: Tensor) -> Tensor:
    """x with zeros at the ends of its last axes, at least as long as the transform needs them."""
    return pad_ends(x, gen_ops.maximum(0, needed - _last_sizes(x, axes)))


def _shifted(
    given: Any, axes: Union[None, int, Sequence[int]], direction: int, name: str
) -> Tensor:
    with get_default_graph().name_scope(name) as scope:
        x = convert_to_tensor(given)
        rank = array_ops.rank(x)
        chosen = math_ops.range(rank) if axes is None else convert_to_tensor(axes, dtypes.int32)
        chosen = array_ops.reshape(chosen, [-1])
        chosen = where_v2(chosen < 0, chosen + rank, chosen)
        shifts = direction * (gather(array_ops.shape(x), chosen) // 2)
        return gen_ops.roll(x, shifts, chosen, scope)
