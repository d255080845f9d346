"""What conversion puts in place of lists and items, with the optional feature LISTS.

A list that begins empty becomes a TensorList of the graph, so that loops can append to it.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import shape
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.strings.string_ops import substr
from troupe._src.types import dtypes


class GetItemOpts(NamedTuple):
    """What is known of the elements of a list."""

    element_dtype: Any


class ListPopOpts(NamedTuple):
    """What is known of the elements of a list."""

    element_dtype: Any
    element_shape: Any


class ListStackOpts(NamedTuple):
    """What is known of the elements of a list, and what else stacks it."""

    element_dtype: Any
    original_call: Any


def _is_list(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype is dtypes.variant


def _needs(known: Any, what: str) -> Any:
    if known is None:
        raise ValueError(
            f"the {what} of a list's elements is not known: "
            "tf.contrib.autograph.set_element_type says it"
        )
    return known


def new_list(iterable: Any = None) -> Any:
    """A list; an empty one is a TensorList, whose elements may be of any dtype."""
    elements = list(iterable or ())
    if elements:
        return elements
    return raw_ops.EmptyTensorList(
        element_shape=constant(-1), max_num_elements=constant(-1), element_dtype=dtypes.variant
    )


def list_append(list_: Any, x: Any) -> Any:
    """The list with one element more."""
    if isinstance(list_, TensorArray):
        return list_.write(list_.size(), x)
    if not _is_list(list_):
        list_.append(x)
        return list_
    element = convert_to_tensor(x)

    def of_its_dtype() -> Any:
        return raw_ops.EmptyTensorList(
            element_shape=shape(element), max_num_elements=constant(-1),
            element_dtype=element.dtype,
        )  # fmt: skip

    length = raw_ops.TensorListLength(input_handle=list_)
    typed = cond(length > 0, lambda: list_, of_its_dtype)
    return raw_ops.TensorListPushBack(input_handle=typed, tensor=element)


def list_pop(list_: Any, i: Any, opts: ListPopOpts) -> Tuple[Any, Any]:
    """The list without its last element, and that."""
    if isinstance(list_, TensorArray):
        raise ValueError("TensorArray does not support item removal")
    if not _is_list(list_):
        return list_, list_.pop() if i is None else list_.pop(i)
    if i is not None:
        raise NotImplementedError("tensor lists only support removing from the end")
    unknown = constant(-1)
    rest, element = raw_ops.TensorListPopBack(
        input_handle=list_, element_shape=unknown, element_dtype=_needs(opts.element_dtype, "dtype")
    )
    element.set_shape(_needs(opts.element_shape, "shape"))
    return rest, element


def list_stack(list_: Any, opts: ListStackOpts) -> Any:
    """The elements as one tensor."""
    if isinstance(list_, TensorArray):
        return list_.stack()
    if not is_tensor(list_):
        return opts.original_call(list_)
    if not _is_list(list_):
        return list_
    dtype = _needs(opts.element_dtype, "dtype")
    return raw_ops.TensorListStack(
        input_handle=list_, element_shape=constant(-1), element_dtype=dtype
    )


def get_item(target: Any, i: Any, opts: GetItemOpts) -> Any:
    """`target[i]`: of a TensorArray, a list, the characters of a text, too."""
    if isinstance(target, TensorArray):
        return target.read(i)
    if _is_list(target):
        return raw_ops.TensorListGetItem(
            input_handle=target, index=i, element_shape=constant(-1),
            element_dtype=_needs(opts.element_dtype, "dtype"),
        )  # fmt: skip
    if isinstance(target, Tensor) and target.dtype is dtypes.string and target.shape.rank == 0:
        return substr(target, i, 1)
    return target[i]


def set_item(target: Any, i: Any, x: Any) -> Any:
    """What `target[i] = x` makes of the target."""
    if isinstance(target, TensorArray):
        return target.write(i, x)
    if _is_list(target):
        return raw_ops.TensorListSetItem(input_handle=target, index=i, item=convert_to_tensor(x))
    if is_tensor(target):
        return raw_ops.TensorScatterUpdate(tensor=target, indices=[[i]], updates=[x])
    target[i] = x
    return target


def update_item_with_op(target: Any, i: Any, x: Any, op: str) -> Any:
    """What an assignment such as `target[i] += x` makes of the target."""
    item = get_item(target, i, GetItemOpts(None))
    names = {"mult": "mul", "div": "truediv", "floordiv": "floordiv", "bitor": "or_"}
    return set_item(target, i, getattr(operator, names.get(op, op))(item, x))
