"""Images that are turned, cut and padded."""

from __future__ import annotations

from typing import Any, List, Optional, Union

from troupe._src.control_flow.conditional import case
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import check_pixels, of_known_rank, rows_axis, sizes_of_image
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, rearrange_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.types import dtypes


def flip_left_right(image: TensorLike) -> Tensor:
    """The mirror image of an image, or of each of a batch.

    Args:
        image: [height, width, channels], or a batch of such.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The rank is another one, or a size that is known is 0.
    """
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: TensorLike) -> Tensor:
    """An image, or each of a batch, upside down.

    Args:
        image: [height, width, channels], or a batch of such.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The rank is another one, or a size that is known is 0.
    """
    return _flip(image, 0, "flip_up_down")


def _flip(image: Any, axis: int, name: str) -> Tensor:
    with get_default_graph().name_scope(name):
        pixels = convert_to_tensor(image)
        return of_known_rank(rearrange_ops.reverse(pixels, [_first_axis(pixels) + axis]))


def random_flip_left_right(image: TensorLike, seed: Optional[int] = None) -> Tensor:
    """The image or its mirror image, one as often as the other; of a batch, each for itself.

    Args:
        image: [height, width, channels], or a batch of such.
        seed: Of the random numbers; by default that of the graph.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The rank is another one, or a size that is known is 0.
    """
    return _random_flip(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image: TensorLike, seed: Optional[int] = None) -> Tensor:
    """The image as it is or upside down, one as often as the other; of a batch, each for itself.

    Args:
        image: [height, width, channels], or a batch of such.
        seed: Of the random numbers; by default that of the graph.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The rank is another one, or a size that is known is 0.
    """
    return _random_flip(image, 0, seed, "random_flip_up_down")


def _random_flip(image: Any, axis: int, seed: Optional[int], name: str) -> Tensor:
    with get_default_graph().name_scope(name):
        pixels = convert_to_tensor(image)
        first = _first_axis(pixels)
        # TensorFlow flips one image where the number is low, and those of a batch where it is high.
        if first == 1:
            shape = array_ops.concat([array_ops.shape(pixels)[:1], [1, 1, 1]], axis=0)
            is_flipped = random_ops.random_uniform(shape, 0, 1.0, seed=seed) > 0.5
        else:
            is_flipped = random_ops.random_uniform([], 0, 1.0, seed=seed) < 0.5
        flipped = rearrange_ops.reverse(pixels, [first + axis])
        result = selection_ops.where_v2(is_flipped, flipped, pixels)
        result.set_shape(pixels.shape)
        return of_known_rank(result)


def transpose(image: TensorLike, name: Optional[str] = None) -> Tensor:
    """Rows as columns, of an image or of each of a batch.

    Args:
        image: [height, width, channels], or a batch of such.

    Returns:
        [width, height, channels], or a batch of such.

    Raises:
        ValueError: The rank is another one, or a size that is known is 0.
    """
    pixels = convert_to_tensor(image)
    order = [0, 2, 1, 3] if _first_axis(pixels) == 1 else [1, 0, 2]
    return array_ops.transpose(pixels, order, name=name or "transpose_image")


def rot90(image: TensorLike, k: TensorLike = 1, name: Optional[str] = None) -> Tensor:
    """An image, or each of a batch, turned by right angles counter-clockwise.

    Args:
        image: [height, width, channels], or a batch of such.
        k: How many right angles: an integer, or a scalar that each step may choose.

    Returns:
        A tensor whose height and width are exchanged where `k` is odd.

    Raises:
        ValueError: `k` is no scalar, the rank of `image` is another one, or a size of it that is
            known is 0.
    """
    with get_default_graph().name_scope(name or "rot90"):
        turns = convert_to_tensor(k, dtypes.int32)
        if turns.shape.rank not in (None, 0):
            raise ValueError(f"'k' must be a scalar, not of shape {turns.shape}")
        pixels = convert_to_tensor(image)
        first = _first_axis(pixels)
        turned = {
            0: lambda: array_ops.identity(pixels),
            1: lambda: transpose(rearrange_ops.reverse(pixels, [first + 1])),
            2: lambda: rearrange_ops.reverse(pixels, [first, first + 1]),
            3: lambda: rearrange_ops.reverse(transpose(pixels), [first + 1]),
        }
        known = array_ops.get_static_value(turns)
        if known is not None:
            return of_known_rank(turned[int(known) % 4]())
        rest = gen_ops.floormod(turns, 4)
        pairs = [(gen_ops.equal(rest, count), turned[count]) for count in (1, 2, 3)]
        result: Tensor = case(pairs, turned[0])
        return of_known_rank(result)


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: Union[int, Operand],
    offset_width: Union[int, Operand],
    target_height: Union[int, Operand],
    target_width: Union[int, Operand],
) -> Tensor:
    """A part of an image, or of each of a batch.

    Args:
        image: [height, width, channels], or a batch of such.
        offset_height: The first row of the part.
        offset_width: The first column of the part.
        target_height: How many rows it has.
        target_width: How many columns it has.

    Returns:
        [target_height, target_width, channels], or a batch of such.

    Raises:
        ValueError: The part is not within the image, the rank is another one, or a size that is
            known is 0.
    """
    with get_default_graph().name_scope("crop_to_bounding_box"):
        pixels = convert_to_tensor(image)
        height, width = sizes_of_image(pixels)
        offsets, targets = [offset_height, offset_width], [target_height, target_width]
        names = ["offset_height", "offset_width"]
        _check([(size, 0, name) for size, name in zip(offsets, names)])
        _check([(target_height, 1, "target_height"), (target_width, 1, "target_width")])
        for whole, offset, target in zip([height, width], offsets, targets):
            if all(isinstance(size, int) for size in (whole, offset, target)):
                if offset + target > whole:
                    raise ValueError(f"{offset} + {target} must be at most {whole}")
        batch = [0] * _first_axis(pixels)
        begin = _vector([*batch, *offsets, 0])
        size = _vector([*([-1] * len(batch)), *targets, -1])
        result = array_ops.slice(pixels, begin, size)
        known = [size if isinstance(size, int) else None for size in targets]
        _set_sizes(result, pixels, known)
        return result


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: Union[int, Operand],
    offset_width: Union[int, Operand],
    target_height: Union[int, Operand],
    target_width: Union[int, Operand],
) -> Tensor:
    """An image, or each of a batch, within a larger black one.

    Args:
        image: [height, width, channels], or a batch of such.
        offset_height: The row at which it begins there.
        offset_width: The column at which it begins there.
        target_height: The height of the result.
        target_width: The width of the result.

    Returns:
        [target_height, target_width, channels], or a batch of such.

    Raises:
        ValueError: The image does not fit in there, its rank is another one, or a size of it that
            is known is 0.
    """
    with get_default_graph().name_scope("pad_to_bounding_box"):
        pixels = convert_to_tensor(image)
        height, width = sizes_of_image(pixels)
        below = target_height - offset_height - height
        right = target_width - offset_width - width
        _check([(offset_height, 0, "offset_height"), (offset_width, 0, "offset_width")])
        _check([(below, 0, "target_height - offset_height - height")])
        _check([(right, 0, "target_width - offset_width - width")])
        batch = [0, 0] * _first_axis(pixels)
        sizes = _vector([*batch, offset_height, below, offset_width, right, 0, 0])
        result = creation_ops.pad(pixels, array_ops.reshape(sizes, [-1, 2]))
        known = [size if isinstance(size, int) else None for size in (target_height, target_width)]
        _set_sizes(result, pixels, known)
        return result


def resize_image_with_crop_or_pad(
    image: TensorLike, target_height: Union[int, Operand], target_width: Union[int, Operand]
) -> Tensor:
    """The middle of an image, or of each of a batch; black is added where it is too small.

    Args:
        image: [height, width, channels], or a batch of such.
        target_height: The height of the result, at least 1.
        target_width: The width of the result, at least 1.

    Returns:
        [target_height, target_width, channels], or a batch of such.

    Raises:
        ValueError: A size is less, the rank is another one, or a size that is known is 0.
    """
    with get_default_graph().name_scope("resize_image_with_crop_or_pad"):
        pixels = convert_to_tensor(image)
        _check([(target_height, 1, "target_height"), (target_width, 1, "target_width")])
        targets = [target_height, target_width]
        wholes = sizes_of_image(pixels)
        cuts = [_half_above(whole - target) for whole, target in zip(wholes, targets)]
        gaps = [_half_above(target - whole) for whole, target in zip(wholes, targets)]
        kept = [_least(whole, target) for whole, target in zip(wholes, targets)]
        cropped = crop_to_bounding_box(pixels, cuts[0], cuts[1], kept[0], kept[1])
        result = pad_to_bounding_box(cropped, gaps[0], gaps[1], target_height, target_width)
        _set_sizes(result, pixels, [size if isinstance(size, int) else None for size in targets])
        return result


def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """The middle of an image, or of each of a batch.

    Args:
        image: [height, width, channels], or a batch of such.
        central_fraction: The share of its height and width, more than 0 and at most 1.

    Returns:
        An image, or a batch, with as many channels.

    Raises:
        ValueError: The share or the rank is another one, the rank is not known, or a size that is
            known is 0.
    """
    if central_fraction <= 0.0 or central_fraction > 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    with get_default_graph().name_scope("central_crop"):
        pixels = convert_to_tensor(image)
        if central_fraction == 1.0:
            return pixels
        first = _first_axis(pixels)
        if pixels.shape.rank is None:
            raise ValueError("the rank of 'image' must be known: 3 or 4")
        begins: List[Any] = []
        sizes: List[Any] = []
        for whole in sizes_of_image(pixels):
            begin: Any
            if isinstance(whole, int):
                begin = int((whole - whole * central_fraction) / 2)
            else:
                exact = math_ops.cast(whole, dtypes.float64)
                rest = gen_ops.subtract(exact, gen_ops.multiply(exact, central_fraction))
                begin = math_ops.cast(gen_ops.realdiv(rest, 2.0), dtypes.int32)
            begins.append(begin)
            sizes.append(whole - begin * 2)
        begin_all = _vector([*[0] * first, *begins, 0])
        result = array_ops.slice(pixels, begin_all, _vector([*[-1] * first, *sizes, -1]))
        _set_sizes(result, pixels, [size if isinstance(size, int) else None for size in sizes])
        return result


def _first_axis(image: Tensor) -> int:
    """The axis of the rows, of images that have pixels as far as that is known."""
    check_pixels(image)
    return rows_axis(image)


def _check(values: Any) -> None:
    """ValueError where a number that is known is below the least one."""
    for value, least, name in values:
        if isinstance(value, int) and value < least:
            raise ValueError(f"{name} must be at least {least}, but is {value}")


def _vector(sizes: List[Any]) -> Any:
    """Numbers and scalar tensors as one int32 vector."""
    if all(isinstance(size, int) for size in sizes):
        return convert_to_tensor(sizes, dtypes.int32)
    return array_ops.stack([math_ops.cast(size, dtypes.int32) for size in sizes])


def _half_above(difference: Any) -> Any:
    """Half of what is more than 0."""
    if isinstance(difference, int):
        return max(difference // 2, 0)
    return gen_ops.maximum(gen_ops.floor_div(difference, 2), 0)


def _least(whole: Any, target: Any) -> Any:
    if isinstance(whole, int) and isinstance(target, int):
        return min(whole, target)
    return gen_ops.minimum(whole, target)


def _set_sizes(result: Tensor, image: Tensor, sizes: List[Optional[int]]) -> None:
    """Notes the height and width that are known; an image of unknown rank is no batch."""
    shape = [None] * 3 if image.shape.rank is None else image.shape.as_list()
    result.set_shape([*shape[: _first_axis(image)], *sizes, shape[-1]])
