"""The static shape that a vector of sizes says, also where only some of the sizes are known."""

from __future__ import annotations

from troupe._src.graph.elements import Tensor
from troupe._src.ops.array_ops import get_static_value
from troupe._src.types.shapes import TensorShape, unknown_shape


def sizes_in(vector: Tensor) -> TensorShape:
    """The shape whose sizes are the elements of a vector.

    It is found through the ops that make vectors of sizes: Shape, Cast, Pack, ConcatV2 and slices
    without steps.

    Args:
        vector: integers, of rank 1; -1 stands for an unknown size.

    Returns:
        The shape; its rank is unknown where the length of the vector is.
    """
    known = get_static_value(vector)
    if known is not None:
        return TensorShape([None if size < 0 else int(size) for size in known])
    kind, inputs = vector.op.type, vector.op.inputs
    if kind == "Cast":
        return sizes_in(inputs[0])
    if kind == "Shape":
        return inputs[0].shape
    if kind == "Pack":
        return TensorShape([_size(each) for each in inputs])
    if kind == "ConcatV2":
        found = TensorShape([])
        for each in inputs[:-1]:
            found = found.concatenate(sizes_in(each))
        return found
    if kind == "StridedSlice":
        return _sliced(vector)
    length = vector.shape[0].value if vector.shape.rank else None
    return unknown_shape(length)


def _size(scalar: Tensor) -> int | None:
    known = get_static_value(scalar)
    return None if known is None or known < 0 else int(known)


def _sliced(vector: Tensor) -> TensorShape:
    length = vector.shape[0].value if vector.shape.rank else None
    given = sizes_in(vector.op.inputs[0])
    begin, end, step = (get_static_value(each) for each in vector.op.inputs[1:4])
    masks = {name: vector.op.get_attr(f"{name}_mask") for name in ("begin", "end")}
    if given.rank is None or begin is None or end is None or step is None or step[0] != 1:
        return unknown_shape(length)
    first = None if masks["begin"] else int(begin[0])
    last = None if masks["end"] else int(end[0])
    return TensorShape(given.as_list()[first:last])
