"""The structural similarity of images at several sizes."""

from __future__ import annotations

from typing import List, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.measures import as_floats, gauss, similarities
from troupe._src.nn.pool_ops import avg_pool
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant

_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(
    img1: TensorLike, img2: TensorLike, max_val: TensorLike,
    power_factors: Sequence[float] = _WEIGHTS, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03,
) -> Tensor:  # fmt: skip
    """The structural similarity of two images at several sizes, at most 1, for each of a batch.

    Args:
        img1: [..., height, width, channels]; at the last size still as large as the window.
        img2: The other image, of the same shape and dtype.
        max_val: The greatest pixel that there may be: 1.0 for floats, 255 for uint8.
        power_factors: The weight of each size, each of which is half the one before.
        filter_size: The height and width of the window.
        filter_sigma: The deviation of its Gaussian, in pixels.
        k1: Keeps the comparison of brightness steady in the dark.
        k2: Keeps the comparison of contrast steady where there is little.

    Returns:
        A float32 tensor of the shape without the last three axes.
    """
    with get_default_graph().name_scope("MS-SSIM"):
        first, second, most = as_floats(img1, img2, max_val)
        kernel = gauss(filter_size, filter_sigma)
        c1, c2 = (gen_ops.square(gen_ops.multiply(most, k)) for k in (k1, k2))
        images, parts = [first, second], []
        for index in range(len(power_factors)):
            if index > 0:
                images = [_halved(image) for image in images]
            luminance, structure = similarities(images[0], images[1], kernel, c1, c2)
            is_last = index == len(power_factors) - 1
            values = gen_ops.multiply(luminance, structure) if is_last else structure
            parts.append(gen_ops.relu(math_ops.reduce_mean(values, [-3, -2])))
        weights = constant(list(power_factors), first.dtype)
        powers = gen_ops.pow(array_ops.stack(parts, axis=-1), weights)
        return math_ops.reduce_mean(math_ops.reduce_prod(powers, [-1]), [-1])


def _halved(image: Tensor) -> Tensor:
    """Means of two by two pixels; where a size is odd, its last pixels count twice."""
    sizes = array_ops.shape(image)
    heads, tail = sizes[:-3], sizes[-3:]
    flat = array_ops.reshape(image, array_ops.concat([[-1], tail], 0))
    missing = gen_ops.floormod(tail, constant([2, 2, 1]))
    paddings: List[Tensor] = [constant([0]), missing]
    behind = array_ops.expand_dims(array_ops.concat(paddings, 0), -1)
    before = creation_ops.zeros_like(behind)
    padded = creation_ops.pad(flat, array_ops.concat([before, behind], 1), mode="SYMMETRIC")
    known = None if image.shape.rank is None else image.shape.as_list()
    padded.set_shape([None, None, None, known and known[-1]])
    small = avg_pool(padded, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    found = array_ops.reshape(small, array_ops.concat([heads, array_ops.shape(small)[1:]], 0))
    if known is None:
        return found
    halves = [None if size is None else (size + 1) // 2 for size in known[-3:-1]]
    found.set_shape([*known[:-3], *halves, known[-1]])
    return found
