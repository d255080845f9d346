"""Values and shapes: arrays where they are known while the graph is built, else tensors."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.creation_ops import fill
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, as_shape


def maybe_get_static_value(x: Any, dtype: Any = None) -> Any:
    """The value of a tensor, where it is known, or one that is no tensor.

    Args:
        x: The tensor or the value, or None.
        dtype: The dtype of NumPy of the result.

    Returns:
        An array or a number; None where it is not known.
    """
    known = array_ops.get_static_value(x) if is_tensor(x) else x
    return known if known is None or dtype is None else np.array(known, dtype)


def prefer_static_value(x: Tensor) -> Any:
    """The value, where it is known, else the tensor."""
    known = array_ops.get_static_value(x)
    return x if known is None else np.asarray(known)


def prefer_static_rank(x: Any) -> Any:
    """The rank, where it is known, else a tensor of it."""
    return prefer_static_value(array_ops.rank(x))


def prefer_static_shape(x: Any) -> Any:
    """The sizes, where they are known, else a tensor of them."""
    return prefer_static_value(array_ops.shape(x))


def static_value(x: Any) -> Any:
    """The value, where it is known, else None."""
    return array_ops.get_static_value(convert_to_tensor(x))


def dimension_size(x: Tensor, axis: int) -> Any:
    """The size of an axis, where it is known, else a tensor of it."""
    known = x.shape.with_rank_at_least(abs(axis))[axis].value
    return array_ops.shape(x)[axis] if known is None else known


def same_dynamic_shape(a: Any, b: Any) -> Tensor:
    """Whether two tensors have one shape in a step, a bool tensor."""
    first, second = (array_ops.shape(convert_to_tensor(each)) for each in (a, b))
    # Of ranks that differ, too, there are as many sizes.
    both = gen_ops.equal(array_ops.concat([first, second], 0), array_ops.concat([second, first], 0))
    are_of_one_rank = gen_ops.equal(array_ops.size(first), array_ops.size(second))
    return gen_ops.logical_and(are_of_one_rank, math_ops.reduce_all(both))


def _static_shape(shape: Any) -> Optional[TensorShape]:
    if isinstance(shape, TensorShape):
        return shape
    known = array_ops.get_static_value(convert_to_tensor(shape, dtypes.int32))
    return None if known is None else as_shape(known.tolist())


def prefer_static_broadcast_shape(
    shape1: Any, shape2: Any, name: str = "prefer_static_broadcast_shape"
) -> Any:
    """The shape that two shapes broadcast to.

    Args:
        shape1: Sizes, or a shape.
        shape2: Likewise.
        name: The name scope of the nodes.

    Returns:
        A TensorShape, where both are known, else a tensor of the sizes.

    Raises:
        ValueError: They do not broadcast, or a shape is known in parts only.
    """
    with name_scope(name):
        shapes = [_static_shape(each) for each in (shape1, shape2)]
        if shapes[0] is not None and shapes[1] is not None:
            return broadcast_static_shape(shapes[0], shapes[1])
        sizes = []
        for each in (shape1, shape2):
            if isinstance(each, TensorShape):
                if not each.is_fully_defined():
                    raise ValueError("Cannot broadcast from partially defined `TensorShape`.")
                each = each.as_list()
            sizes.append(convert_to_tensor(each, dtypes.int32))
        return broadcast_dynamic_shape(*sizes)


def get_broadcast_shape(*tensors: Tensor) -> Any:
    """The shape that all tensors broadcast to.

    Args:
        *tensors: The tensors.

    Returns:
        A list of sizes, where they are known, else a tensor of them.
    """
    known = tensors[0].shape
    for each in tensors[1:]:
        known = broadcast_static_shape(known, each.shape)
    if known.is_fully_defined():
        return known.as_list()
    sizes = array_ops.shape(tensors[0])
    for each in tensors[1:]:
        sizes = broadcast_dynamic_shape(sizes, array_ops.shape(each))
    return sizes


def shapes_from_loc_and_scale(
    loc: Optional[Tensor], scale: LinearOperator, name: str = "shapes_from_loc_and_scale"
) -> Tuple[Any, Any]:
    """The shapes of the batch and of the events of samples loc + scale x.

    Args:
        loc: [..., rows], or None.
        scale: A linear operator of matrices with as many rows.
        name: The name scope of the nodes.

    Returns:
        (batch shape, event shape): values where they are known, else tensors.

    Raises:
        ValueError: The rows are known to differ.
    """
    with name_scope(name):
        rows = scale.range_dimension.value
        event: Any = [scale.range_dimension_tensor()] if rows is None else np.array([rows])
        if rows is None:
            event = array_ops.stack(event)
        batch = prefer_static_value(scale.batch_shape_tensor())
        if loc is None:
            return batch, event
        shape = loc.shape.with_rank_at_least(1)
        if shape.rank is not None and None not in (rows, shape[-1].value):
            if shape[-1].value not in (1, rows):
                raise ValueError(
                    f"Event size of 'scale' ({rows}) could not be broadcast up to that of "
                    f"'loc' ({shape[-1].value})."
                )
        own: Any = array_ops.shape(loc)[:-1]
        if shape.rank is not None and shape[:-1].is_fully_defined():
            own = shape[:-1]
        return prefer_static_broadcast_shape(batch, own), event


def move_dimension(x: Any, source_idx: int, dest_idx: int) -> Tensor:
    """The tensor with an axis in another place.

    Args:
        x: The tensor.
        source_idx: The axis.
        dest_idx: Its place afterwards.

    Returns:
        The tensor, whose other axes keep their order.
    """
    tensor = convert_to_tensor(x)
    rank: Any = tensor.shape.rank
    rank = array_ops.rank(tensor) if rank is None else rank
    source, target = (rank + each if each < 0 else each for each in (source_idx, dest_idx))
    if isinstance(source, int) and isinstance(target, int) and isinstance(rank, int):
        order = [axis for axis in range(rank) if axis != source]
        return array_ops.transpose(tensor, [*order[:target], source, *order[target:]])
    others = array_ops.concat([math_ops.range(0, source), math_ops.range(source + 1, rank)], 0)
    moved = array_ops.concat([others[:target], [source], others[target:]], 0)
    return array_ops.transpose(tensor, moved)


def pad(
    x: Any, axis: int, front: bool = False, back: bool = False, value: Any = 0, count: Any = 1,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The tensor with elements added at one or both ends of an axis.

    Args:
        x: The tensor.
        axis: The axis.
        front: Adds them at the beginning.
        back: Adds them at the end.
        value: What is added.
        count: How many, an integer.
        name: The name scope of the nodes.

    Returns:
        The tensor.

    Raises:
        TypeError: `count` is no integer.
        ValueError: Neither end is given.
    """
    with name_scope(name, "pad"):
        tensor = convert_to_tensor(x, name="x")
        number = convert_to_tensor(count, name="count")
        if not number.dtype.is_integer:
            raise TypeError(f"`count.dtype` (`{number.dtype.name}`) must be `int`-like.")
        if not front and not back:
            raise ValueError("At least one of `front`, `back` must be `True`.")
        sizes, rank = array_ops.shape(tensor), tensor.shape.rank
        place: Any = axis
        if axis < 0:
            place = (array_ops.rank(tensor) if rank is None else rank) + axis
        width = array_ops.concat(
            [sizes[:place], [math_ops.cast(number, dtypes.int32)], sizes[place + 1 :]], 0
        )
        added = fill(width, convert_to_tensor(value, tensor.dtype))
        parts = [*([added] if front else []), tensor, *([added] if back else [])]
        found = array_ops.concat(parts, place)
        if rank is not None:
            shape, known = tensor.shape.as_list(), array_ops.get_static_value(number)
            size, ends = shape[place], int(front) + int(back)
            shape[place] = None if None in (size, known) else (size or 0) + int(known) * ends
            found.set_shape(shape)
        return found
