"""What conversion puts in place of calls of Python's own functions."""

from __future__ import annotations

import builtins
from typing import Any, Callable, Dict

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.data.dataset import Dataset
from troupe._src.data.transformations import enumerate_dataset
from troupe._src.ops import raw_ops
from troupe._src.ops.arithmetic_ops import abs as graph_abs
from troupe._src.ops.array_ops import rank, shape
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.ops.math_ops import range as graph_range
from troupe._src.session.py_func import py_func
from troupe._src.strings.string_ops import string_to_number
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

UNSPECIFIED = object()


def abs_(x: Any) -> Any:
    """`abs`."""
    return graph_abs(x) if is_tensor(x) else abs(x)


def float_(x: Any = 0) -> Any:
    """`float`, of texts, too."""
    return _number(x, dtypes.float32) if is_tensor(x) else float(x)


def int_(x: Any = 0, base: Any = UNSPECIFIED) -> Any:
    """`int`, of texts, too; NotImplementedError for tensors in another base than 10."""
    if not is_tensor(x):
        return int(x) if base is UNSPECIFIED else int(x, base)
    if base is not UNSPECIFIED and base != 10:
        raise NotImplementedError(f"base {base} is not supported for tensors")
    return _number(x, dtypes.int32)


def _number(x: Any, dtype: DType) -> Any:
    tensor = convert_to_tensor(x)
    return string_to_number(tensor, dtype) if tensor.dtype is dtypes.string else cast(tensor, dtype)


def len_(s: Any) -> Any:
    """`len`: of a tensor, that of its first dimension; a number where it is known."""
    if isinstance(s, TensorArray):
        return s.size()
    if not is_tensor(s):
        return len(s)
    tensor = convert_to_tensor(s)
    if tensor.dtype is dtypes.variant:
        return raw_ops.TensorListLength(input_handle=tensor)
    if tensor.shape.rank == 0:
        raise ValueError(f"len requires a tensor that is no scalar, got {tensor!r}")
    if tensor.shape.rank is not None:
        known = tensor.shape.as_list()[0]
        return shape(tensor)[0] if known is None else known

    def refuse() -> Any:
        message = "len requires a tensor that is no scalar"
        return cast(Assert(False, [message]), dtypes.int32)

    return cond(rank(tensor) > 0, lambda: shape(tensor)[0], refuse)


def print_(*objects: Any, **kwargs: Any) -> Any:
    """`print`: with tensors among the objects, when a step runs it."""
    if not any(map(is_tensor, objects)):
        return print(*objects, **kwargs)
    tensors = [convert_to_tensor(each) for each in objects if is_tensor(each)]

    def show(*values: Any) -> int:
        rest = iter(values)
        shown = [next(rest) if is_tensor(each) else each for each in objects]
        print(*map(_text_of, shown), **{"flush": True, **kwargs})
        return 0

    return py_func(show, tensors, dtypes.int64)


def _text_of(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def range_(start_or_stop: Any, stop: Any = UNSPECIFIED, step: Any = UNSPECIFIED) -> Any:
    """`range`: of tensors, `tf.range`."""
    given = [each for each in (start_or_stop, stop, step) if each is not UNSPECIFIED]
    if not any(map(is_tensor, given)):
        return range(*given)
    if len(given) == 1:  # as in Python, it is empty where it would go down
        return graph_range(raw_ops.Maximum(x=start_or_stop, y=0))
    if len(given) == 2:
        return graph_range(given[0], raw_ops.Maximum(x=given[0], y=given[1]))
    return graph_range(*given)


def enumerate_(s: Any, start: Any = 0) -> Any:
    """`enumerate`, of datasets, too."""
    return s.apply(enumerate_dataset(start)) if isinstance(s, Dataset) else enumerate(s, start)


def zip_(*iterables: Any) -> Any:
    """`zip`, of datasets, too."""
    if iterables and all(isinstance(each, Dataset) for each in iterables):
        return Dataset.zip(tuple(iterables))
    return zip(*iterables)


REPLACEMENTS: Dict[Any, Callable[..., Any]] = {
    builtins.abs: abs_,
    builtins.float: float_,
    builtins.int: int_,
    builtins.len: len_,
    builtins.print: print_,
    builtins.range: range_,
    builtins.enumerate: enumerate_,
    builtins.zip: zip_,
}
