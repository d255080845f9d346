"""Arrays as messages, and messages as arrays."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from troupe._src.messages.tensor_messages import TensorProto
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike
from troupe._src.types.shapes import as_shape

# The list of values of each type; the types that share int_val are all others.
_FIELDS: Dict[DType, str] = {
    dtypes.float32: "float_val", dtypes.float64: "double_val", dtypes.int64: "int64_val",
    dtypes.bool_: "bool_val", dtypes.uint32: "uint32_val", dtypes.uint64: "uint64_val",
    dtypes.string: "string_val", dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val", dtypes.float16: "half_val", dtypes.bfloat16: "half_val",
}  # fmt: skip


def make_tensor_proto(
    values: Any,
    dtype: Optional[DTypeLike] = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """The message of an array.

    Args:
        values: What numpy makes an array of, or a message, which is given back.
        dtype: The type of the elements, by default that of the values.
        shape: The shape, by default that of the values. Where it has more elements, the last value
            stands for the rest.
        verify_shape: The values must have that shape.
        allow_broadcast: A single value may stand for all elements, and no other shape is allowed.

    Returns:
        A TensorProto.

    Raises:
        TypeError: The values have no such type, or not the shape that they must have.
        ValueError: There are more values than elements.
    """
    if type(values).__name__ == "TensorProto":
        message = TensorProto()
        message.CopyFrom(values)
        return message
    kind = dtypes.as_dtype(dtype) if dtype is not None else None
    array = _to_array(values, kind)
    kind = kind or dtypes.of_array(array)
    sizes: Any = list(array.shape) if shape is None else as_shape(shape).as_list()
    elements = int(np.prod(sizes, dtype=np.int64))
    if (verify_shape or (allow_broadcast and array.size != 1)) and list(array.shape) != sizes:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, got {tuple(array.shape)}.")
    if array.size > elements:
        raise ValueError(f"Too many elements provided. Needed at most {elements}, got {array.size}")
    message = TensorProto(dtype=kind.as_datatype_enum)
    message.tensor_shape.SetInParent()
    for size in sizes:
        message.tensor_shape.dim.add(size=size)
    if kind == dtypes.string:
        message.string_val.extend(_to_bytes(each) for each in array.reshape(-1))
    elif array.size == elements and array.size > 1:
        message.tensor_content = np.ascontiguousarray(array).tobytes()
    else:
        _put_values(message, kind, array.reshape(-1))
    return message


def _to_array(values: Any, kind: Optional[DType]) -> np.ndarray[Any, Any]:
    if kind == dtypes.bfloat16:
        words = np.ascontiguousarray(values, np.float32).view(np.uint32)
        rounded = (words + 0x7FFF + ((words >> 16) & 1)) >> 16
        return np.asarray(rounded.astype(np.uint16)).reshape(np.shape(values))
    if kind == dtypes.string:
        return np.array(values, dtype=object)
    wanted = kind.as_numpy_dtype if kind is not None else None
    if wanted is None and isinstance(values, (float, int, list, tuple)):
        array = np.array(values)
        smaller = {"float64": np.float32, "int64": np.int32}.get(array.dtype.name)
        fits = array.dtype.kind == "f" or array.size == 0 or abs(array).max() < 1 << 31
        return array.astype(smaller) if smaller and fits else array
    array = np.array(values, dtype=wanted)
    return array.astype(object) if array.dtype.kind in "SU" else array


def _to_bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _put_values(message: TensorProto, kind: DType, flat: np.ndarray[Any, Any]) -> None:
    field = getattr(message, _FIELDS.get(kind, "int_val"))
    if kind in (dtypes.float16, dtypes.bfloat16):
        flat = flat.view(np.uint16)
    if kind.is_complex:
        flat = np.stack([flat.real, flat.imag], -1).reshape(-1)
    field.extend(flat.tolist())


def make_ndarray(tensor: Any) -> np.ndarray[Any, Any]:
    """The array of a TensorProto.

    Args:
        tensor: The message.

    Returns:
        An array with its shape and type; of strings, of bytes objects.

    Raises:
        TypeError: There are no arrays of its type.
    """
    kind = dtypes.by_number(tensor.dtype)
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    elements = int(np.prod(sizes, dtype=np.int64))
    if kind == dtypes.bfloat16:
        words = _flat(tensor, kind, np.dtype(np.uint16), elements).astype(np.uint32) << 16
        return words.view(np.float32).reshape(sizes)
    element = np.dtype(object) if kind == dtypes.string else np.dtype(kind.as_numpy_dtype)
    return _flat(tensor, kind, element, elements).reshape(sizes)


def _flat(
    tensor: Any, kind: DType, element: np.dtype[Any], elements: int
) -> np.ndarray[Any, Any]:
    if tensor.tensor_content and kind != dtypes.string:
        return np.frombuffer(tensor.tensor_content, dtype=element).copy()
    values = list(getattr(tensor, _FIELDS.get(kind, "int_val")))
    if kind.is_complex:
        values = [complex(*pair) for pair in zip(values[::2], values[1::2])]
    raw = np.dtype(np.uint16) if kind == dtypes.float16 else element
    flat = np.zeros(elements, raw) if raw != object else np.full(elements, b"", object)
    flat[: len(values)] = values[:elements]
    if values and len(values) < elements:
        flat[len(values) :] = flat[len(values) - 1]
    return flat.view(element) if kind == dtypes.float16 else flat
