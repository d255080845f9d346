"""Messages of tensors: their types, their shapes, their elements."""

from __future__ import annotations

from typing import Any, Iterable, Optional

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape

_TYPES = {
    "DT_INVALID": 0, "DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5,
    "DT_INT8": 6, "DT_STRING": 7, "DT_COMPLEX64": 8, "DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11,
    "DT_QUINT8": 12, "DT_QINT32": 13, "DT_BFLOAT16": 14, "DT_QINT16": 15, "DT_QUINT16": 16,
    "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19, "DT_RESOURCE": 20, "DT_VARIANT": 21,
    "DT_UINT32": 22, "DT_UINT64": 23,
}  # fmt: skip

# The types of elements by their names; a reference has the number of its value and 100.
DATA_TYPES = dict(_TYPES)
DATA_TYPES.update({name + "_REF": number + 100 for name, number in _TYPES.items() if number})


class _Dim(ProtoMessage):
    _fields = {"size": Field(1, "int64"), "name": Field(2, "string")}


_Dim.__name__ = _Dim.__qualname__ = "Dim"


@set_module("troupe")
class TensorShapeProto(ProtoMessage):
    """The sizes of a tensor, -1 where they are not known."""

    Dim = _Dim
    _fields = {
        "dim": Field(2, "message", _Dim, repeated=True),
        "unknown_rank": Field(3, "bool"),
    }

    @classmethod
    def _of_sizes(cls, sizes: Optional[Iterable[Optional[int]]]) -> TensorShapeProto:
        shape = cls()
        if sizes is None:
            shape.unknown_rank = True
            return shape
        for size in sizes:
            shape.dim.add(size=-1 if size is None else size)
        return shape

    def _sizes(self) -> Any:
        """A list with None for sizes that are not known; None where the rank is not."""
        if self.unknown_rank:
            return None
        return [None if dim.size < 0 else dim.size for dim in self.dim]


TensorShape._message = TensorShapeProto


@set_module("troupe")
class TensorProto(ProtoMessage):
    """A tensor: its elements in `tensor_content`, or as the values of the list of its type."""

    _fields = {
        "dtype": Field(1, "enum", DATA_TYPES),
        "tensor_shape": Field(2, "message", TensorShapeProto),
        "version_number": Field(3, "int32"),
        "tensor_content": Field(4, "bytes"),
        "float_val": Field(5, "float", repeated=True),
        "double_val": Field(6, "double", repeated=True),
        "int_val": Field(7, "int32", repeated=True),
        "string_val": Field(8, "bytes", repeated=True),
        "scomplex_val": Field(9, "float", repeated=True),
        "int64_val": Field(10, "int64", repeated=True),
        "bool_val": Field(11, "bool", repeated=True),
        "dcomplex_val": Field(12, "double", repeated=True),
        "half_val": Field(13, "int32", repeated=True),
        "uint32_val": Field(16, "uint32", repeated=True),
        "uint64_val": Field(17, "uint64", repeated=True),
    }
