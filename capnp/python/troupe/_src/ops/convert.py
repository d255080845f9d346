"""Conversions between values of Python or NumPy and tensors."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor, flatten
from troupe._src.graph.graph import get_default_graph
from troupe._src.types import dtypes
from troupe._src.types.dimensions import Dimension
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


def to_array(value: Any, dtype: Optional[DType]) -> np.ndarray[Any, Any]:
    """Converts a value to an array of that dtype, or of the dtype that its elements imply.

    TypeError where an element cannot be represented, such as 1.5 as int32; but numbers of NumPy are
    cast, as TensorFlow does. ValueError for None.
    """
    if value is None:
        raise ValueError("None values not supported: a number, text, list or array is expected.")
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, Dimension):
        value = int(value)
    if isinstance(value, (list, tuple)):
        value = [int(item) if isinstance(item, Dimension) else item for item in value]
    try:
        given = np.asarray(value)
    except UnicodeDecodeError:  # of bytes among texts
        given = np.asarray(value, dtype=object)
    except ValueError:
        raise ValueError(f"{value!r} is no tensor: its rows must have one length") from None
    if given.dtype.kind in "OUS" or (dtype is dtypes.string and given.size == 0):
        return _string_array(value, dtype)
    if dtype is None:
        return np.asarray(given, dtype=_default_dtype(value, given), order="C")
    wanted = np.dtype(dtype.as_numpy_dtype)
    if given.dtype == wanted:
        return np.asarray(given, order="C")
    is_numpy = isinstance(value, (np.ndarray, np.generic)) and given.dtype.kind in "biufc"
    if dtype is dtypes.string or not (is_numpy or _can_cast(given, wanted)):
        raise TypeError(f"Expected {dtype.name}, got {value!r} of type '{given.dtype.name}'.")
    return np.asarray(given, dtype=wanted, order="C")


def _string_array(value: Any, dtype: Optional[DType]) -> np.ndarray[Any, Any]:
    if dtype not in (None, dtypes.string):
        assert dtype is not None
        raise TypeError(f"Expected {dtype.name}, got {value!r}.")
    array = np.asarray(value, dtype=object)  # NumPy's own texts lose zeros at their ends
    for item in array.flat:
        if not isinstance(item, (str, bytes)):
            raise TypeError(f"Cannot convert {value!r} to a tensor: {item!r} is no number or text.")
    return array


def _default_dtype(value: Any, given: np.ndarray[Any, Any]) -> Any:
    """float32, and int32 where they fit, for numbers of Python, or in lists; that of arrays."""
    if isinstance(value, (np.ndarray, np.generic)) or _has_arrays(value):
        return given.dtype
    if given.dtype == np.float64:
        return np.float32
    if given.dtype == np.int64:
        info = np.iinfo(np.int32)
        if given.size == 0 or (given.min() >= info.min and given.max() <= info.max):
            return np.int32
    return given.dtype


def _has_arrays(value: Any) -> bool:
    return any(isinstance(item, np.ndarray) and item.ndim > 0 for item in flatten(value))


def _can_cast(given: np.ndarray[Any, Any], wanted: np.dtype[Any]) -> bool:
    if given.size == 0:
        return True
    if wanted.kind == "b" or given.dtype.kind == "b":
        return False
    if wanted.kind in "iu":
        if given.dtype.kind not in "iu":
            return False
        info = np.iinfo(wanted)
        return bool(given.min() >= info.min and given.max() <= info.max)
    if wanted.kind == "f":
        return given.dtype.kind in "iuf"
    return True


def _fits(value: Any, dtype: DType) -> bool:
    """Whether numbers of NumPy can be represented in the dtype; true of other values."""
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "biuf":
        return True
    wanted = np.dtype(dtype.as_numpy_dtype)
    return value.dtype == wanted or _can_cast(np.asarray(value), wanted)


def to_native(array: np.ndarray[Any, Any], dtype: DType) -> _native.Tensor:
    """Copies the array into a tensor of the runtime."""
    if dtype is dtypes.string:
        return _native.strings([_bytes(item) for item in array.flat], array.shape)
    if dtype is dtypes.bfloat16:
        array = bfloat16_bits(array)
    return _native.tensor(array, dtype.as_datatype_enum)


def bfloat16_bits(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Rounds float32 to bfloat16, to nearest even; the result has the bits as uint16."""
    bits = np.asarray(array, np.float32).view(np.uint32)
    even = (bits >> 16) & 1
    return np.asarray((bits + 0x7FFF + even) >> 16, np.uint16, order="C")


def _bytes(item: Any) -> bytes:
    return item if isinstance(item, bytes) else str(item).encode()


_NUMPY = {number: np.dtype(dtype.as_numpy_dtype) for number, dtype in dtypes._BY_NUMBER.items()}
_STRING = dtypes.string.as_datatype_enum
_BFLOAT16 = dtypes.bfloat16.as_datatype_enum


def to_numpy(tensor: _native.Tensor) -> Any:
    """An array that shares the tensor's memory, or a NumPy scalar for a tensor of rank 0."""
    shape: Any = tensor.shape
    number = tensor.dtype
    memory: Any = tensor
    if number == _STRING:
        strings = tensor.strings()
        if not shape:
            return strings[0]
        array = np.empty(len(strings), dtype=object)
        array[:] = strings
        return array.reshape(shape)
    if number == _BFLOAT16:
        bits = np.ndarray(shape, np.uint16, buffer=memory)
        return (bits.astype(np.uint32) << 16).view(np.float32)[()]
    if not shape:
        return np.ndarray((), _NUMPY[number], buffer=memory)[()]
    return np.ndarray(shape, _NUMPY[number], buffer=memory)


def constant(
    value: Any,
    dtype: Optional[DTypeLike] = None,
    shape: ShapeLike = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A constant tensor. With `shape`, missing elements repeat the last one of `value`.

    A shape without elements takes any number, text or list, whose dtype does not count then: the
    tensor has float32, unless `dtype` says more.

    Args:
        value: a number, a text, an array, or nested lists of them.
        dtype: the dtype, to which arrays are cast; by default that of the array; of Python's
            numbers float32 or int32, or int64 for greater ones.
        shape: the shape, by default that of the value.
        verify_shape: whether the value must have that shape already.

    Returns:
        A tensor.

    Raises:
        TypeError: if an element cannot be represented in the dtype, or the shape is to be verified
            and differs.
        ValueError: if there are too many elements, or rows of different lengths.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    sizes = None if shape is None else [size or 0 for size in as_shape(shape).as_list()]
    if sizes is not None and 0 in sizes and _is_of_python(value):
        value, wanted = np.empty(sizes), wanted or dtypes.float32
    array = to_array(value, wanted)
    if sizes is not None:
        array = _in_shape(array, sizes, verify_shape)
    found = wanted or dtypes.of_array(array)
    attrs = {"value": to_native(array, found), "dtype": found.as_datatype_enum}
    return get_default_graph()._add("Const", [], attrs, name).outputs[0]


def _is_of_python(value: Any) -> bool:
    """Whether it is a number, a text or lists, whose elements no empty tensor looks at."""
    return value is not None and not hasattr(value, "__array__")


def _in_shape(array: Any, sizes: List[int], verify: bool) -> np.ndarray[Any, Any]:
    if array.shape == tuple(sizes):
        return np.asarray(array)
    if verify:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, got {array.shape}.")
    count = int(np.prod(sizes, dtype=np.int64))
    if array.size == count:
        return np.asarray(array).reshape(sizes)
    if array.size > count or array.size == 0:
        raise ValueError(
            f"Too many elements provided. Needed at most {count}, but received {array.size}"
        )
    flat = array.reshape(-1)
    padding = np.full(count - array.size, flat[-1], dtype=array.dtype)
    return np.concatenate([flat, padding]).reshape(sizes)


def convert_to_tensor(
    value: Any,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    preferred_dtype: Optional[DTypeLike] = None,
    dtype_hint: Optional[DTypeLike] = None,
) -> Tensor:
    """A tensor itself, the value of a variable, or a constant in the default graph.

    Args:
        value: a tensor, a variable, what `constant` takes, or nested lists with tensors, which are
            stacked.
        dtype: the dtype that it must have; None for any.
        preferred_dtype: the dtype of a constant, if its elements can be represented in it.
        dtype_hint: another name of `preferred_dtype`.

    Returns:
        A tensor.

    Raises:
        TypeError: if the value has no tensor, or an element cannot be represented in the dtype.
        ValueError: if a tensor has another dtype, or the value is None.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    preferred_dtype = preferred_dtype if dtype_hint is None else dtype_hint
    if _conversions and not isinstance(value, Tensor):
        converted: Optional[Tensor] = _by_own_conversion(value, wanted, name)
        if converted is not None:
            return converted
    element = getattr(value, "_as_tensor", lambda: value)()
    if isinstance(element, (TensorShape, Dimension)):
        return _sizes_tensor(element, wanted, name)
    if isinstance(element, Operation):
        raise TypeError(f"{element!r} has no outputs, so it is no value")
    if isinstance(element, Tensor):
        if wanted is not None and element.dtype != wanted:
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
                f"{element.dtype.name}: {element!r}"
            )
        graph = get_default_graph()
        return graph._adopt(element) if graph._is_function else element
    if isinstance(value, (list, tuple)) and any(is_tensor(item) for item in flatten(value)):
        return _packed(value, wanted)
    if wanted is None and preferred_dtype is not None and _fits(value, as_dtype(preferred_dtype)):
        try:
            return constant(value, preferred_dtype, name=name or "Const")
        except (TypeError, ValueError):
            pass
    return constant(value, wanted, name=name or "Const")


# What register_tensor_conversion_function was given, in the order in which they are tried.
_conversions: List[Tuple[int, Any, Callable[..., Any]]] = []


def register_tensor_conversion_function(
    base_type: Union[type, Tuple[type, ...]],
    conversion_func: Callable[..., Any],
    priority: int = 100,
) -> None:
    """Makes `convert_to_tensor`, and with it all ops, take values of a type of one's own.

    Args:
        base_type: the type, or a tuple of types.
        conversion_func: called with the value, `dtype`, `name` and `as_ref=False`: gives a tensor,
            or NotImplemented if another function shall be tried.
        priority: functions with lower ones are tried first, and of one priority, the earlier ones.

    Raises:
        TypeError: if a type is none, or the function cannot be called.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(each, type) for each in types):
        raise TypeError("base_type must be a type or a tuple of types.")
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    if any(issubclass(each, (int, float, np.generic, np.ndarray)) for each in types):
        raise TypeError("Python's numbers and NumPy's arrays have a conversion already.")
    _conversions.append((priority, types, conversion_func))
    _conversions.sort(key=lambda each: each[0])


def _by_own_conversion(value: Any, wanted: Optional[DType], name: Optional[str]) -> Any:
    for _, types, convert in _conversions:
        if not isinstance(value, types):
            continue
        made = convert(value, dtype=wanted, name=name, as_ref=False)
        if made is NotImplemented:
            continue
        if not isinstance(made, Tensor):
            raise RuntimeError(f"the conversion of {type(value).__name__} gave no tensor: {made!r}")
        if wanted is not None and made.dtype != wanted:
            raise RuntimeError(
                f"the conversion of {type(value).__name__} gave {made.dtype.name}, "
                f"not {wanted.name}"
            )
        return made
    return None


def _sizes_tensor(
    shape: Union[TensorShape, Dimension], wanted: Optional[DType], name: Optional[str]
) -> Tensor:
    """Sizes as int32, or as int64 where one of them needs it."""
    sizes = shape.as_list() if isinstance(shape, TensorShape) else [shape.value]
    if None in sizes:
        raise ValueError(f"Cannot convert a partially known TensorShape to a Tensor: {shape}")
    if wanted not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a shape to dtype: {wanted}")
    needs_long = any(size is not None and size > np.iinfo(np.int32).max for size in sizes)
    if needs_long and wanted is dtypes.int32:
        raise ValueError(
            f"Cannot convert a shape to dtype int32; a dimension is too large: {shape}"
        )
    found = wanted or (dtypes.int64 if needs_long else dtypes.int32)
    values = sizes if isinstance(shape, TensorShape) else sizes[0]
    return constant(values, found, name=name or "shape_as_tensor")


def is_tensor(value: Any) -> bool:
    """True for tensors and variables."""
    return isinstance(value, Tensor) or hasattr(value, "_as_tensor")


def _packed(values: Sequence[Any], wanted: Optional[DType]) -> Tensor:
    """Stacks the items of a list that contains tensors.

    The dtype is that of the first tensor, which the others must have too; but if another one is
    wanted, then each tensor is cast to it.
    """
    found = next(item.dtype for item in flatten(values) if is_tensor(item)).base_dtype
    return _stacked(values, wanted or found, wanted not in (None, found))


def _stacked(values: Sequence[Any], dtype: DType, casts: bool) -> Tensor:
    graph = get_default_graph()
    parts: List[Tensor] = []
    for value in values:
        if is_tensor(value):
            part = convert_to_tensor(value)
            if part.dtype != dtype and not casts:
                raise TypeError(
                    f"Cannot convert a list containing a tensor of dtype {part.dtype.name} to "
                    f"{dtype.name} (Tensor is: {part!r})"
                )
            if part.dtype != dtype:
                cast = graph._add("Cast", [part], {"DstT": dtype.as_datatype_enum})
                part = cast.outputs[0]
        elif isinstance(value, (list, tuple)) and any(map(is_tensor, flatten(value))):
            part = _stacked(value, dtype, casts)
        else:
            part = convert_to_tensor(value, dtype)
        parts.append(part)
    return graph._add("Pack", parts, {}).outputs[0]
