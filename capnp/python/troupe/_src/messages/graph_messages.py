"""Messages of graphs: nodes, attributes, functions."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional

from troupe import _native
from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import DecodeError, ProtoMessage
from troupe._src.messages.tensor_messages import DATA_TYPES, TensorProto, TensorShapeProto
from troupe._src.set_module import set_module


class _ListValue(ProtoMessage):
    _fields = {
        "s": Field(2, "bytes", repeated=True),
        "i": Field(3, "int64", repeated=True),
        "f": Field(4, "float", repeated=True),
        "b": Field(5, "bool", repeated=True),
        "type": Field(6, "enum", DATA_TYPES, repeated=True),
        "shape": Field(7, "message", TensorShapeProto, repeated=True),
        "tensor": Field(8, "message", TensorProto, repeated=True),
        "func": Field(9, "message", lambda: NameAttrList, repeated=True),
    }


_ListValue.__name__ = _ListValue.__qualname__ = "ListValue"


@set_module("troupe")
class AttrValue(ProtoMessage):
    """The value of an attribute: the one of its fields that is set."""

    ListValue = _ListValue
    _fields = {
        "list": Field(1, "message", _ListValue, oneof="value"),
        "s": Field(2, "bytes", oneof="value"),
        "i": Field(3, "int64", oneof="value"),
        "f": Field(4, "float", oneof="value"),
        "b": Field(5, "bool", oneof="value"),
        "type": Field(6, "enum", DATA_TYPES, oneof="value"),
        "shape": Field(7, "message", TensorShapeProto, oneof="value"),
        "tensor": Field(8, "message", TensorProto, oneof="value"),
        "placeholder": Field(9, "string", oneof="value"),
        "func": Field(10, "message", lambda: NameAttrList, oneof="value"),
    }


@set_module("troupe")
class NameAttrList(ProtoMessage):
    """A function with values for its attributes."""

    _fields = {
        "name": Field(1, "string"),
        "attr": Field(2, "message", AttrValue, key="string"),
    }


@set_module("troupe")
class NodeDef(ProtoMessage):
    """A node of a graph: `name`, `op`, `device`, `attr`, and `input`, the names of its inputs."""

    _fields = {
        "name": Field(1, "string"),
        "op": Field(2, "string"),
        "input": Field(3, "string", repeated=True),
        "device": Field(4, "string"),
        "attr": Field(5, "message", AttrValue, key="string"),
    }


class _ArgDef(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "description": Field(2, "string"),
        "type": Field(3, "enum", DATA_TYPES),
        "type_attr": Field(4, "string"),
        "number_attr": Field(5, "string"),
        "type_list_attr": Field(6, "string"),
        "is_ref": Field(16, "bool"),
    }


class _AttrDef(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "type": Field(2, "string"),
        "default_value": Field(3, "message", AttrValue),
        "description": Field(4, "string"),
        "has_minimum": Field(5, "bool"),
        "minimum": Field(6, "int64"),
        "allowed_values": Field(7, "message", AttrValue),
    }


class OpDef(ProtoMessage):
    """The signature of an op or of a function."""

    ArgDef = _ArgDef
    AttrDef = _AttrDef
    _fields = {
        "name": Field(1, "string"),
        "input_arg": Field(2, "message", _ArgDef, repeated=True),
        "output_arg": Field(3, "message", _ArgDef, repeated=True),
        "attr": Field(4, "message", _AttrDef, repeated=True),
        "summary": Field(5, "string"),
        "description": Field(6, "string"),
        "is_aggregate": Field(16, "bool"),
        "is_stateful": Field(17, "bool"),
        "is_commutative": Field(18, "bool"),
        "allows_uninitialized_input": Field(19, "bool"),
        "control_output": Field(20, "string", repeated=True),
    }


class OpList(ProtoMessage):
    """Ops with their defaults."""

    _fields = {"op": Field(1, "message", OpDef, repeated=True)}


class _ArgAttrs(ProtoMessage):
    _fields = {"attr": Field(1, "message", AttrValue, key="string")}


class FunctionDef(ProtoMessage):
    """A function: its signature, its nodes, and which of their outputs are its results."""

    ArgAttrs = _ArgAttrs
    _fields = {
        "signature": Field(1, "message", OpDef),
        "node_def": Field(3, "message", NodeDef, repeated=True),
        "ret": Field(4, "string", key="string"),
        "attr": Field(5, "message", AttrValue, key="string"),
        "control_ret": Field(6, "string", key="string"),
        "arg_attr": Field(7, "message", _ArgAttrs, key="uint32"),
    }


class GradientDef(ProtoMessage):
    """The function that computes the gradient of another."""

    _fields = {"function_name": Field(1, "string"), "gradient_func": Field(2, "string")}


class FunctionDefLibrary(ProtoMessage):
    """The functions of a graph."""

    _fields = {
        "function": Field(1, "message", FunctionDef, repeated=True),
        "gradient": Field(2, "message", GradientDef, repeated=True),
    }


class VersionDef(ProtoMessage):
    """Which programs can read a graph."""

    _fields = {
        "producer": Field(1, "int32"),
        "min_consumer": Field(2, "int32"),
        "bad_consumers": Field(3, "int32", repeated=True),
    }


@set_module("troupe")
class GraphDef(ProtoMessage):
    """A graph: `node`, its nodes; `library`, its functions; `versions`.

    Args:
        node: NodeDef messages.
        **fields: the values of other fields, by name.
    """

    _fields = {
        "node": Field(1, "message", NodeDef, repeated=True),
        "library": Field(2, "message", FunctionDefLibrary),
        "version": Field(3, "int32"),
        "versions": Field(4, "message", VersionDef),
    }

    def __init__(self, node: Optional[Iterable[Any]] = None, **fields: Any) -> None:
        super().__init__(**fields)
        nodes: List[Any] = list(node or ())
        if nodes:
            self.node.extend(nodes)

    @classmethod
    def _check_bytes(cls, serialized: bytes) -> None:
        # At once, in C++: graphs are large.
        if not _native.is_graph_def(serialized):
            raise DecodeError("Error parsing message: the bytes are no GraphDef")
