"""Discrete cosine transforms, computed by Fourier transforms of twice the length."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, cast_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.signal.fourier import irfft, rfft
from troupe._src.signal.sizes import with_length
from troupe._src.types import dtypes

_INVERSE_TYPES = {1: 1, 2: 3, 3: 2}


def dct(
    input: TensorLike,
    type: int = 2,
    n: Optional[int] = None,
    axis: int = -1,
    norm: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The discrete cosine transform along the last axis: `tf.signal.dct`.

    Type 2 is 2 * sum(x[i] * cos(pi * k * (2 * i + 1) / (2 * n))) over i, type 3 its inverse but for
    a factor 2 * n, and type 1 is x[0] + (-1)**k * x[n - 1] + 2 * sum(x[i] * cos(pi * k * i /
    (n - 1))) over the i between.

    Args:
        input: the numbers, float32, [..., samples].
        type: 1, 2 or 3.
        n: the number of samples that are transformed: others are left out, missing ones are 0.
            None stands for all.
        axis: -1, the only axis that is supported.
        norm: None, or "ortho" to scale the matrix of the transform so that it is orthogonal, for
            types 2 and 3.

    Returns:
        A tensor of float32, [..., n].

    Raises:
        NotImplementedError: if the axis is another one.
        ValueError: if another argument is not one of these, or type 1 has fewer than 2 samples.
    """
    _check(type, n, axis, norm)
    with get_default_graph().name_scope(name or "dct"):
        x = convert_to_tensor(input, dtypes.float32)
        if n is not None:
            x = with_length(x, n)
        known = None if x.shape.rank is None else x.shape[-1].value
        if type == 1:
            if known is not None and known < 2:
                raise ValueError(f"A transform of type 1 needs 2 samples or more, not {known}.")
            mirrored = array_ops.concat([x, x[..., -2:0:-1]], axis=-1)
            return cast_ops.real(rfft(mirrored))
        size = array_ops.shape(x)[-1] if known is None else known
        return _type_2(x, size, norm) if type == 2 else _type_3(x, size, norm)


def idct(
    input: TensorLike,
    type: int = 2,
    n: Optional[int] = None,
    axis: int = -1,
    norm: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The inverse of `dct`, along the last axis: `tf.signal.idct`.

    Without a norm, the result is the inverse times 2 * samples, or for type 1 times
    2 * (samples - 1).

    Args:
        input: the transform, float32, [..., samples].
        type: of the transform that is inverted: 1, 2 or 3.
        n: the number of samples, as of `dct`.
        axis: -1, the only axis that is supported.
        norm: that of the transform that is inverted.

    Returns:
        A tensor of float32, [..., n].

    Raises:
        NotImplementedError: if the axis is another one.
        ValueError: as of `dct`.
    """
    _check(type, n, axis, norm)
    return dct(input, _INVERSE_TYPES[type], n, axis, norm, name)


def _check(kind: Any, n: Optional[int], axis: int, norm: Optional[str]) -> None:
    if axis != -1:
        raise NotImplementedError(f"The axis must be -1, not {axis}")
    if n is not None and n < 1:
        raise ValueError(f"n should be a positive integer or None, not {n}")
    if kind not in _INVERSE_TYPES:
        raise ValueError(f"Only types 1, 2 and 3 are supported, not {kind}")
    if norm not in (None, "ortho"):
        raise ValueError(f"The norm must be None or 'ortho', not {norm!r}")
    if kind == 1 and norm is not None:
        raise ValueError("A transform of type 1 has no norm.")


def _type_2(x: Tensor, size: Any, norm: Optional[str]) -> Tensor:
    spectrum = rfft(x, [2 * size])[..., :size]
    transform = cast_ops.real(spectrum * _half_steps(size, -1.0))
    return transform if norm is None else transform * (0.5 / _ortho_weights(size))


def _type_3(x: Tensor, size: Any, norm: Optional[str]) -> Tensor:
    factor = math_ops.cast(size, dtypes.float32) if norm is None else _ortho_weights(size)
    scaled = x * factor
    spectrum = cast_ops.complex(scaled, creation_ops.zeros_like(scaled)) * _half_steps(size, 1.0)
    return irfft(spectrum, [2 * size])[..., :size]


def _half_steps(size: Any, sign: float) -> Tensor:
    """2 * exp(sign * i * pi * k / (2 * size)) for each k, which moves samples by half a step."""
    count = math_ops.cast(size, dtypes.float32)
    angles = math_ops.range(count) * (sign * math.pi / 2) / count
    return cast_ops.complex(2.0 * gen_ops.cos(angles), 2.0 * gen_ops.sin(angles))


def _ortho_weights(size: Any) -> Tensor:
    """sqrt(size) for the first element and sqrt(size / 2) for the others."""
    count = math_ops.cast(size, dtypes.float32)
    first = gen_ops.sqrt(count)
    others = creation_ops.fill([size - 1], first * math.sqrt(0.5))
    return array_ops.concat([array_ops.expand_dims(first, 0), others], 0)
