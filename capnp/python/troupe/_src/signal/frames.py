"""Signals as frames: their samples in windows that overlap, and back."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.signal.sizes import pad_ends, scalar


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: TensorLike = -1,
    name: Optional[str] = None,
) -> Tensor:
    """The samples of a signal in frames that begin `frame_step` apart: `tf.signal.frame`.

    Args:
        signal: a tensor of any dtype, [..., samples, ...].
        frame_length: the number of samples in a frame, a scalar.
        frame_step: from one begin of a frame to the next, in samples, a scalar.
        pad_end: whether there are also frames that end beyond the signal, as long as they begin
            within it.
        pad_value: what these have beyond the signal, a scalar.
        axis: that of the samples, a scalar.

    Returns:
        A tensor of the dtype of `signal`, [..., frames, frame_length, ...].

    Raises:
        ValueError: if the signal is a scalar, or another argument is not.
    """
    with get_default_graph().name_scope(name or "frame"):
        x = convert_to_tensor(signal)
        x.shape.with_rank_at_least(1)
        length, step, place = (scalar(each) for each in (frame_length, frame_step, axis))
        wanted = _shape_of_frames(x, length, step, pad_end, place)
        along = _positive_axis(x, place)
        sizes = array_ops.shape(x)
        samples = sizes[along]
        if pad_end:
            count = -(-samples // step)
            missing = gen_ops.maximum(0, length + step * (count - 1) - samples)
            x = _padded_after(x, along, missing, pad_value)
            samples = samples + missing
        else:
            count = gen_ops.maximum(0, 1 + (samples - length) // step)
        before, after = sizes[:along], sizes[along + 1 :]
        parts, places = _parts_of_frames(x, along, samples, count, length, step)
        frames = gather(parts, places, axis=along)
        result = array_ops.reshape(
            frames, array_ops.concat([before, array_ops.stack([count, length]), after], 0)
        )
        if wanted is not None:
            result.set_shape(wanted)
        return result


def overlap_and_add(
    signal: TensorLike, frame_step: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The signal that is the sum of frames which begin `frame_step` apart.

    It is `tf.signal.overlap_and_add`.

    Args:
        signal: the frames, [..., frames, frame_length], of a dtype of numbers.
        frame_step: from one begin of a frame to the next, in samples, an integral scalar, at most
            the length of a frame.

    Returns:
        A tensor of the dtype of `signal`, [..., (frames - 1) * frame_step + frame_length].

    Raises:
        ValueError: if the frames have fewer than 2 axes, or the step is not an integral scalar.
    """
    with get_default_graph().name_scope(name or "overlap_and_add"):
        x = convert_to_tensor(signal)
        x.shape.with_rank_at_least(2)
        given = convert_to_tensor(frame_step)
        if not given.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer, not of {given.dtype!r}")
        step = scalar(given)
        sizes = array_ops.shape(x)
        outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
        samples = (frames - 1) * step + length
        known = array_ops.get_static_value(step)
        if known is not None and x.shape.rank and x.shape[-1].value == known:
            whole = array_ops.concat([outer, array_ops.stack([samples])], 0)
            return array_ops.reshape(x, whole, name="fast_path")
        parts = -(-length // step)
        sums = _sums_of_parts(_parts_of(x, outer, frames, parts, step), outer, frames, parts, step)
        flat = array_ops.reshape(
            sums, array_ops.concat([outer, array_ops.stack([(frames + parts - 1) * step])], 0)
        )
        result = flat[..., :samples]
        _set_length(result, x, step)
        return result


def _positive_axis(x: Tensor, axis: Tensor) -> Any:
    """The axis, counted from the first one: a number where it is known, else a tensor."""
    rank, known = x.shape.rank, array_ops.get_static_value(axis)
    if rank is None or known is None:
        return math_ops.range(array_ops.rank(x))[axis]
    if not -rank <= known < rank:
        raise ValueError(f"The axis {known} is not one of a signal of rank {rank}.")
    return int(known) % rank


def _shape_of_frames(
    x: Tensor, length: Tensor, step: Tensor, pad_end: bool, axis: Tensor
) -> Optional[List[Optional[int]]]:
    """What is known of the shape of the frames."""
    rank, known_axis = x.shape.rank, array_ops.get_static_value(axis)
    if rank is None:
        return None
    if known_axis is None:
        return [None] * (rank + 1)
    known_length, known_step = (array_ops.get_static_value(each) for each in (length, step))
    sizes: List[Optional[int]] = x.shape.as_list()
    along = _positive_axis(x, axis)
    samples, count = sizes[along], None
    if samples is not None and known_step is not None:
        if pad_end:
            count = -(-samples // int(known_step))
        elif known_length is not None:
            count = max(0, 1 + (samples - int(known_length)) // int(known_step))
    width = None if known_length is None else int(known_length)
    return [*sizes[:along], count, width, *sizes[along + 1 :]]


def _padded_after(x: Tensor, along: Any, missing: Tensor, value: Any) -> Tensor:
    pad_value = convert_to_tensor(value, x.dtype)
    pad_value.shape.assert_has_rank(0)
    ends = gen_ops.scatter_nd([[along]], array_ops.stack([missing]), [array_ops.rank(x)])
    paddings = array_ops.stack([creation_ops.zeros_like(ends), ends], axis=1)
    return creation_ops.pad(x, paddings, constant_values=pad_value)


def _parts_of_frames(
    x: Tensor, along: Any, samples: Tensor, count: Tensor, length: Tensor, step: Tensor
) -> Tuple[Tensor, Tensor]:
    """x in parts, and which of them each frame has.

    A part has as many samples as divide both the length of a frame and the step, so that as few
    slices as possible are gathered.
    """
    sizes = [array_ops.get_static_value(each) for each in (length, step)]
    size = 1 if None in sizes else max(1, math.gcd(int(sizes[0]), int(sizes[1])))
    if size > 1:
        whole = samples // size
        shape = array_ops.shape(x)
        before, after = shape[:along], shape[along + 1 :]
        ends = array_ops.concat([before, array_ops.stack([whole * size]), after], 0)
        cut = array_ops.slice(x, creation_ops.zeros_like(ends), ends)
        split = array_ops.concat([before, array_ops.stack([whole, size]), after], 0)
        x, length, step = array_ops.reshape(cut, split), length // size, step // size
    begins = array_ops.expand_dims(math_ops.range(count) * step, 1)
    return x, begins + array_ops.expand_dims(math_ops.range(length), 0)


def _parts_of(x: Tensor, outer: Tensor, frames: Tensor, parts: Tensor, step: Tensor) -> Tensor:
    """Frames in parts of `step` samples, and as many frames of zeros after them.

    The result is [..., parts, frames + parts, step].
    """
    missing = parts * step - array_ops.shape(x)[-1]
    padded = pad_ends(x, array_ops.stack([parts, missing]))
    shape = array_ops.concat([outer, array_ops.stack([frames + parts, parts, step])], 0)
    outer_rank = array_ops.size(outer)
    order = array_ops.concat([math_ops.range(outer_rank), outer_rank + [1, 0, 2]], 0)
    return array_ops.transpose(array_ops.reshape(padded, shape), order)


def _sums_of_parts(
    x: Tensor, outer: Tensor, frames: Tensor, parts: Tensor, step: Tensor
) -> Tensor:
    """The sums of the parts that are at the same place of the signal, [..., places, step].

    Part p of frame f belongs to place p + f. In rows that are one shorter than they were, each part
    is one place further to the right than the part before it; the zeros are what moves into
    other rows.
    """
    places = frames + parts - 1
    rows = array_ops.concat([outer, array_ops.stack([parts * (places + 1), step])], 0)
    kept = array_ops.reshape(x, rows)[..., : parts * places, :]
    shifted = array_ops.concat([outer, array_ops.stack([parts, places, step])], 0)
    return math_ops.reduce_sum(array_ops.reshape(kept, shifted), -3)


def _set_length(result: Tensor, x: Tensor, step: Tensor) -> None:
    if x.shape.rank is None:
        return
    sizes: List[Optional[int]] = x.shape.as_list()
    known, samples = array_ops.get_static_value(step), None
    if known is not None and sizes[-2] is not None and sizes[-1] is not None:
        samples = (sizes[-2] - 1) * int(known) + sizes[-1]
    result.set_shape([*sizes[:-2], samples])
