"""Nested values of Python as messages, and back."""

from __future__ import annotations

import collections
from typing import Any, Callable, Dict

from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.messages.meta_graph_messages import StructuredValue
from troupe._src.messages.tensor_messages import TensorShapeProto
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape


def encode(value: Any) -> StructuredValue:
    """A value as a message.

    Args:
        value: None, a number, a string, a shape, a dtype, a `tf.TensorSpec`, or lists, tuples and
            dicts of such.

    Returns:
        The message.

    Raises:
        TypeError: The value is something else.
    """
    message = StructuredValue()
    _fill(message, value)
    return message


def can_be_encoded(value: Any) -> bool:
    """Whether `encode` knows it."""
    try:
        encode(value)
    except TypeError:
        return False
    return True


def _fill(message: StructuredValue, value: Any) -> None:
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(_shape(value))
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        message.tensor_spec_value.dtype = value.dtype.as_datatype_enum
        message.tensor_spec_value.shape.CopyFrom(_shape(value.shape))
        message.tensor_spec_value.name = value.name or ""
    else:
        _fill_nested(message, value)


def _fill_nested(message: StructuredValue, value: Any) -> None:
    if isinstance(value, dict):
        message.dict_value.SetInParent()
        for key, each in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} of a dict cannot be saved: it is no string")
            _fill(message.dict_value.fields[key], each)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for key, each in zip(value._fields, value):
            pair = message.named_tuple_value.values.add(key=key)
            _fill(pair.value, each)
    elif isinstance(value, (list, tuple)):
        held = message.tuple_value if isinstance(value, tuple) else message.list_value
        held.SetInParent()
        for each in value:
            _fill(held.values.add(), each)
    else:
        raise TypeError(f"{value!r} cannot be saved as part of a function's arguments or results")


def _shape(shape: TensorShape) -> TensorShapeProto:
    return TensorShapeProto._of_sizes(None if shape.rank is None else shape.as_list())


def decode(message: StructuredValue) -> Any:
    """The value of a message.

    Args:
        message: What `encode` gives.

    Returns:
        The value; named tuples are of new classes.

    Raises:
        ValueError: It is of a kind that is not known here, such as the type of a sparse tensor.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        return None
    if kind not in _DECODED:
        raise ValueError(f"a value of the kind {kind} cannot be loaded")
    return _DECODED[kind](getattr(message, kind))


def _decode_spec(message: Any) -> TensorSpec:
    shape = TensorShape(message.shape._sizes())
    return TensorSpec(shape, as_dtype(message.dtype), message.name or None)


def _decode_named_tuple(message: Any) -> Any:
    names = [pair.key for pair in message.values]
    kind: Any = collections.namedtuple(message.name, names)  # type: ignore[misc] # noqa: PYI024
    return kind(*(decode(pair.value) for pair in message.values))


_DECODED: Dict[str, Callable[[Any], Any]] = {
    "none_value": lambda value: None,
    "float64_value": float,
    "int64_value": int,
    "string_value": str,
    "bool_value": bool,
    "tensor_shape_value": lambda value: TensorShape(value._sizes()),
    "tensor_dtype_value": as_dtype,
    "tensor_spec_value": _decode_spec,
    "list_value": lambda value: [decode(each) for each in value.values],
    "tuple_value": lambda value: tuple(decode(each) for each in value.values),
    "dict_value": lambda value: {key: decode(each) for key, each in value.fields.items()},
    "named_tuple_value": _decode_named_tuple,
}
