"""Blocks of space moved into the batch or the depth of images and back, and patches of images; the
batch and the time of sequences exchanged."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def space_to_batch(
    input: TensorLike,  # noqa: A002
    paddings: TensorLike,
    block_size: Optional[int] = None,
    name: Optional[str] = None,
    block_shape: Any = None,
) -> Tensor:
    """Moves each element of a block of the space to another image of the batch.

    Args:
        input: images [batch, height, width, depth].
        paddings: how many zeros are put before and behind the height and the width: [2, 2].
        block_size: the height and the width of blocks.
        block_shape: another name of `block_size`.

    Returns:
        [batch * block_size ** 2, height / block_size, width / block_size, depth].

    Raises:
        ValueError: if no size is given, or two are.
    """
    size = required("block_size", either("block_shape", block_shape, "block_size", block_size))
    return gen_ops.space_to_batch_nd(input, [size, size], paddings, name=name)


def batch_to_space(
    input: TensorLike,  # noqa: A002
    crops: TensorLike,
    block_size: Optional[int] = None,
    name: Optional[str] = None,
    block_shape: Any = None,
) -> Tensor:
    """The inverse of `space_to_batch`.

    Args:
        input: images [batch, height, width, depth].
        crops: how many elements are cut from both ends of the height and the width: [2, 2].
        block_size: the height and the width of blocks.
        block_shape: another name of `block_size`.

    Returns:
        [batch / block_size ** 2, height * block_size, width * block_size, depth], without what is
        cut.

    Raises:
        ValueError: if no size is given, or two are.
    """
    size = required("block_size", either("block_shape", block_shape, "block_size", block_size))
    return gen_ops.batch_to_space_nd(input, [size, size], crops, name=name)


def space_to_depth(
    input: TensorLike,  # noqa: A002
    block_size: int,
    name: Optional[str] = None,
    data_format: str = "NHWC",
) -> Tensor:
    """Moves the elements of each block of the space into the depth of one element.

    Args:
        input: images, in the order of `data_format`.
        block_size: the height and the width of blocks.
        data_format: "NHWC", "NCHW" or "NCHW_VECT_C".

    Returns:
        Images with a height and a width that are less by `block_size` times, and a greater depth.
    """
    return gen_ops.space_to_depth(input, block_size, data_format, name=name)


def depth_to_space(
    input: TensorLike,  # noqa: A002
    block_size: int,
    name: Optional[str] = None,
    data_format: str = "NHWC",
) -> Tensor:
    """The inverse of `space_to_depth`.

    Args:
        input: images, in the order of `data_format`.
        block_size: the height and the width of blocks.
        data_format: "NHWC", "NCHW" or "NCHW_VECT_C".

    Returns:
        Images with a height and a width that are greater by `block_size` times, and a lesser depth.
    """
    return gen_ops.depth_to_space(input, block_size, data_format, name=name)


def extract_patches(
    images: TensorLike, sizes: Sequence[int], strides: Sequence[int], rates: Sequence[int],
    padding: str, name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The patches of images, each one's elements side by side in the depth of its place.

    Args:
        images: [batch, height, width, depth].
        sizes: the sizes of patches, [1, height, width, 1].
        strides: the distances of patches, likewise.
        rates: the distances of the elements of a patch, likewise.
        padding: "VALID" or "SAME".

    Returns:
        [batch, rows of patches, columns of patches, height * width * depth of a patch].
    """
    return gen_ops.extract_image_patches(
        images, list(sizes), list(strides), list(rates), padding, name=name
    )


def extract_image_patches(
    images: TensorLike,
    ksizes: Optional[Sequence[int]] = None,
    strides: Optional[Sequence[int]] = None,
    rates: Optional[Sequence[int]] = None,
    padding: Optional[str] = None,
    name: Optional[str] = None,
    sizes: Optional[Sequence[int]] = None,
) -> Tensor:
    """The patches of images, each one's elements side by side in the depth of its place.

    Args:
        images: [batch, height, width, depth].
        ksizes: the sizes of patches, [1, height, width, 1].
        strides: the distances of patches, likewise.
        rates: the distances of the elements of a patch, likewise.
        padding: "VALID" or "SAME".
        sizes: another name of `ksizes`.

    Returns:
        [batch, rows of patches, columns of patches, height * width * depth of a patch].

    Raises:
        ValueError: if no sizes are given, or both.
    """
    patch = required("ksizes", either("sizes", sizes, "ksizes", ksizes))
    return gen_ops.extract_image_patches(
        images, patch, strides, rates, padding, name=name  # type: ignore[arg-type]
    )


def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """The paddings that make each axis of space a multiple of its blocks, and the inverse crops.

    Args:
        input_shape: the sizes of the axes of space, an int32 vector.
        block_shape: the sizes of the blocks, an int32 vector of known length.
        base_paddings: how many zeros are put before and behind each axis at least; None for 0.

    Returns:
        Paddings for `tf.space_to_batch_nd` and crops for `tf.batch_to_space_nd`: two int32 tensors
        [axes, 2], constants where the arguments are.
    """
    with get_default_graph().name_scope(name or "required_space_to_batch_paddings"):
        blocks = convert_to_tensor(block_shape, dtypes.int32)
        blocks.shape.with_rank(1)
        if base_paddings is None:
            base_paddings = np.zeros([int(blocks.shape[0]), 2], np.int32)
        tensors = [convert_to_tensor(each, dtypes.int32) for each in (input_shape, base_paddings)]
        tensors.append(blocks)
        known = [array_ops.get_static_value(each) for each in tensors]
        are_known = all(each is not None for each in known)
        values: Any = known if are_known else tensors
        sizes, base, block = values
        before, after = base[:, 0], base[:, 1]
        extra = (block - (sizes + before + after) % block) % block
        pairs = ([before, after + extra], [extra - extra, extra])
        if are_known:
            first, second = (convert_to_tensor(np.stack(pair, 1), dtypes.int32) for pair in pairs)
        else:
            first, second = (array_ops.stack(pair, axis=1) for pair in pairs)
        return first, second


def transposed(x: Tensor) -> Tensor:
    """The tensor with its first two axes, batch and time, exchanged.

    Args:
        x: A tensor [batch, time, ...] or [time, batch, ...].

    Returns:
        The other one of these; a tensor of less than two axes is as it is.
    """
    shape = x.shape
    if shape.rank is None:
        others = math_ops.range(2, gen_ops.rank(x))
        return array_ops.transpose(x, array_ops.concat([[1, 0], others], 0))
    if shape.rank < 2:
        return x
    turned = array_ops.transpose(x, [1, 0, *range(2, shape.rank)])
    batch, time, *rest = shape.as_list()
    turned.set_shape([time, batch, *rest])
    return turned
