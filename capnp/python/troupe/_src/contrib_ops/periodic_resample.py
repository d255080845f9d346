"""Moves elements of one axis to others, as subpixel convolutions do."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import as_shape


@set_module("troupe.contrib.periodic_resample")
def periodic_resample(values: Any, shape: Any, name: Optional[str] = None) -> Any:
    """A tensor whose axes are longer but for one, from which their elements come.

    Where an axis becomes f times as long, its element i of f is from another part of the one axis.
    A last part of this axis that does not fill the result is left out.

    Args:
        values: Numbers of any shape.
        shape: The sizes, no smaller than those of `values`, but for one that is unknown.
        name: Of the result.

    Returns:
        A tensor of this shape.

    Raises:
        ValueError: There is not one unknown size, another number of axes, or a smaller size.
    """
    with name_scope(name, "PeriodicResample"):
        tensor = convert_to_tensor(values)
        sizes: List[Any] = [size or None for size in as_shape(shape).as_list()]
        axis = _checked(sizes, tensor.shape)
        known = array_ops.shape(tensor, out_type=dtypes.int64)
        given = [known[index] for index in range(len(sizes))]
        product = 1
        for size in sizes:
            product *= size or 1
        filled = array_ops.size(tensor, out_type=dtypes.int64) // product
        result = [filled if size is None else convert_to_tensor(size, dtypes.int64)
                  for size in sizes]  # fmt: skip
        places = [math_ops.range(size) for size in result]
        flat: Any = 0
        part: Any = 0
        stride: Any = 1
        for index, size in enumerate(sizes):
            place = _along(places[index], index, len(sizes))
            if index == axis:
                continue
            factor = (result[index] + given[index] - 1) // given[index]
            part = part + stride * (place % factor)
            stride = stride * factor
            flat = flat + place // factor * _product(given[index + 1 :])
        own = part * filled + _along(places[axis], axis, len(sizes))
        flat = flat + own * _product(given[axis + 1 :])
        found = gather(array_ops.reshape(tensor, [-1]), flat)
        total = tensor.shape.num_elements()
        last = None if total is None else total // product
        found.set_shape([last if size is None else size for size in sizes])
        return found


def _checked(sizes: List[Optional[int]], given: Any) -> int:
    """The axis of unknown size."""
    if sizes.count(None) != 1:
        most = "only" if sizes.count(None) > 1 else "at least"
        raise ValueError(
            f"periodic_resample expects {most} one index to be marked as adjustable."
        )
    if given.rank is not None:
        given.assert_has_rank(len(sizes))
        for index, (size, old) in enumerate(zip(sizes, given.as_list())):
            if size is not None and old is not None and size < old:
                raise ValueError(
                    "periodic_resample expects the size of non-adjustable dimensions be at least "
                    f"as large as size of input tensor. Dimension {index} input tensor has size "
                    f"{old}, desired shape has size {size}."
                )
    return sizes.index(None)


def _along(places: Any, axis: int, rank: int) -> Any:
    return array_ops.reshape(places, [-1 if index == axis else 1 for index in range(rank)])


def _product(sizes: List[Any]) -> Any:
    product: Any = 1
    for size in sizes:
        product = product * size
    return product
