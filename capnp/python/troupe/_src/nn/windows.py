"""Attributes of ops on windows of images: strides, window sizes, data formats and paddings."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.types.shapes import TensorShape

# One size for all axes of space, one for each of them, or one for each axis.
Sizes = Union[int, Sequence[int]]
# "SAME", "VALID", or the numbers of zeros before and behind each axis.
Padding = Union[str, Sequence[Sequence[int]]]

_FORMATS = {3: ("NWC", "NCW"), 4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}


def channel_axis(data_format: Optional[str], rank: int) -> int:
    """The axis of the channels in that format of tensors of that rank."""
    if data_format in (None, _FORMATS[rank][0]):
        return rank - 1
    if data_format == _FORMATS[rank][1]:
        return 1
    raise ValueError(
        f"data_format for {rank - 2}D must be either {' or '.join(_FORMATS[rank])}: {data_format}"
    )


def sizes(value: Any, rank: int, channels: int, name: str) -> List[int]:
    """One size for each axis, from one for all axes of space, one for each, or one for each axis.

    None stands for 1.
    """
    given = [1] if value is None else list(value) if hasattr(value, "__iter__") else [value]
    given = [int(size) for size in given]
    if len(given) == rank:
        return given
    if len(given) == 1:
        given *= rank - 2
    if len(given) != rank - 2:
        raise ValueError(f"{name} should be of length 1, {rank - 2} or {rank} but was {len(given)}")
    return [1, 1, *given] if channels == 1 else [1, *given, 1]


def spatial(values: List[int], channels: int) -> List[int]:
    """The sizes for the axes of space alone."""
    return values[2:] if channels == 1 else values[1:-1]


def paddings(padding: Any) -> Tuple[str, Optional[List[int]]]:
    """The attributes `padding` and `explicit_paddings`, from "SAME", "VALID" or a list of pairs."""
    if not isinstance(padding, (list, tuple)):
        return str(padding).upper(), None
    if len(padding) != 4:
        raise ValueError(f"When padding is a list, it must be of size 4. Got {padding}")
    for pair in padding:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(
                f"When padding is a list, each element must be a list of size 2: {pair}"
            )
    return "EXPLICIT", [int(size) for pair in padding for size in pair]


class LineOfImages(NamedTuple):
    """Sequences as images of height 1, for the ops of two dimensions."""

    images: Tensor
    height_axis: int
    data_format: str

    def sequences(self, images: Tensor, name: Optional[str] = None) -> Tensor:
        """The results of an op as sequences again."""
        return array_ops.squeeze(images, [self.height_axis], name)

    def with_height(self, values: List[int]) -> List[int]:
        """The sizes for three axes, with 1 for the height."""
        return [*values[: self.height_axis], 1, *values[self.height_axis :]]


def line_of_images(sequences: Tensor, channels: int) -> LineOfImages:
    """Adds the axis of the height."""
    height_axis = 2 if channels == 1 else 1
    images = array_ops.expand_dims(sequences, height_axis)
    return LineOfImages(images, height_axis, "NCHW" if channels == 1 else "NHWC")


def known_rank(shape: TensorShape, ranks: Tuple[int, ...], what: str) -> int:
    """The rank, one of `ranks`; ValueError where it is another or unknown."""
    if shape.rank not in ranks:
        raise ValueError(f"{what} must have a rank of {' or '.join(map(str, ranks))}, not {shape}")
    return int(shape.rank)
