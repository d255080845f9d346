"""Messages of graphs with all that a program keeps beside them: collections, savers, signatures,
and the objects that have the variables and functions.
"""

from __future__ import annotations

from troupe._src.messages.fields import Field
from troupe._src.messages.graph_messages import GraphDef, OpList, VersionDef
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.messages.tensor_messages import DATA_TYPES, TensorShapeProto
from troupe._src.set_module import set_module


@set_module("troupe.train")
class SaverDef(ProtoMessage):
    """A saver: the names of its nodes, and which checkpoints it keeps."""

    LEGACY, V1, V2 = 0, 1, 2
    _fields = {
        "filename_tensor_name": Field(1, "string"),
        "save_tensor_name": Field(2, "string"),
        "restore_op_name": Field(3, "string"),
        "max_to_keep": Field(4, "int32"),
        "sharded": Field(5, "bool"),
        "keep_checkpoint_every_n_hours": Field(6, "float"),
        "version": Field(7, "enum", {"LEGACY": 0, "V1": 1, "V2": 2}),
    }


class SaveSliceInfoDef(ProtoMessage):
    """Which part of a larger variable a variable is."""

    _fields = {
        "full_name": Field(1, "string"),
        "full_shape": Field(2, "int64", repeated=True),
        "var_offset": Field(3, "int64", repeated=True),
        "var_shape": Field(4, "int64", repeated=True),
    }


class VariableDef(ProtoMessage):
    """A variable: the names of its nodes."""

    _fields = {
        "variable_name": Field(1, "string"),
        "initializer_name": Field(2, "string"),
        "snapshot_name": Field(3, "string"),
        "save_slice_info_def": Field(4, "message", SaveSliceInfoDef),
        "is_resource": Field(5, "bool"),
        "initial_value_name": Field(6, "string"),
        "trainable": Field(7, "bool"),
    }


def _list_of(kind: str) -> type:
    return type("List", (ProtoMessage,), {"_fields": {"value": Field(1, kind, repeated=True)}})


class Any(ProtoMessage):
    """A message of any type, as bytes."""

    _fields = {"type_url": Field(1, "string"), "value": Field(2, "bytes")}
    _PREFIX = "type.googleapis.com/tensorflow."

    def Pack(self, message: ProtoMessage) -> None:
        """Takes over a message of TensorFlow's."""
        self.type_url = self._PREFIX + type(message).__name__
        self.value = message.SerializeToString()

    def Unpack(self, message: ProtoMessage) -> bool:
        """Fills the message; False where it is one of another type."""
        if self.type_url != self._PREFIX + type(message).__name__:
            return False
        message.ParseFromString(self.value)
        return True


class _AnyList(ProtoMessage):
    _fields = {"value": Field(1, "message", Any, repeated=True)}


class CollectionDef(ProtoMessage):
    """One collection: names of nodes and tensors, serialized messages, or numbers."""

    NodeList, BytesList, Int64List, FloatList = map(_list_of, ("string", "bytes", "int64", "float"))
    AnyList = _AnyList
    _fields = {
        "node_list": Field(1, "message", NodeList, oneof="kind"),
        "bytes_list": Field(2, "message", BytesList, oneof="kind"),
        "int64_list": Field(3, "message", Int64List, oneof="kind"),
        "float_list": Field(4, "message", FloatList, oneof="kind"),
        "any_list": Field(5, "message", _AnyList, oneof="kind"),
    }


class _CooSparse(ProtoMessage):
    _fields = {
        "values_tensor_name": Field(1, "string"),
        "indices_tensor_name": Field(2, "string"),
        "dense_shape_tensor_name": Field(3, "string"),
    }


@set_module("troupe")
class TensorInfo(ProtoMessage):
    """A tensor of a graph: its name, type and shape."""

    CooSparse = _CooSparse
    _fields = {
        "name": Field(1, "string", oneof="encoding"),
        "dtype": Field(2, "enum", DATA_TYPES),
        "tensor_shape": Field(3, "message", TensorShapeProto),
        "coo_sparse": Field(4, "message", _CooSparse, oneof="encoding"),
    }


class SignatureDef(ProtoMessage):
    """What a graph computes: its inputs and outputs by names for users."""

    _fields = {
        "inputs": Field(1, "message", TensorInfo, key="string"),
        "outputs": Field(2, "message", TensorInfo, key="string"),
        "method_name": Field(3, "string"),
    }


class AssetFileDef(ProtoMessage):
    """A file that a graph reads, and the tensor that names it."""

    _fields = {
        "tensor_info": Field(1, "message", TensorInfo),
        "filename": Field(2, "string"),
    }


class _NoneValue(ProtoMessage):
    _fields = {}


class _TensorSpecProto(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "shape": Field(2, "message", TensorShapeProto),
        "dtype": Field(3, "enum", DATA_TYPES),
    }


class _TypeSpecProto(ProtoMessage):
    _fields = {
        "type_spec_class": Field(1, "enum"),
        "type_state": Field(2, "message", lambda: StructuredValue),
        "type_spec_class_name": Field(3, "string"),
    }


class _StructuredList(ProtoMessage):
    _fields = {"values": Field(1, "message", lambda: StructuredValue, repeated=True)}


class _DictValue(ProtoMessage):
    _fields = {"fields": Field(1, "message", lambda: StructuredValue, key="string")}


class _PairValue(ProtoMessage):
    _fields = {
        "key": Field(1, "string"),
        "value": Field(2, "message", lambda: StructuredValue),
    }


class _NamedTupleValue(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "values": Field(2, "message", _PairValue, repeated=True),
    }


class StructuredValue(ProtoMessage):
    """A value: the one of its fields that is set."""

    _fields = {
        "none_value": Field(1, "message", _NoneValue, oneof="kind"),
        "float64_value": Field(11, "double", oneof="kind"),
        "int64_value": Field(12, "sint64", oneof="kind"),
        "string_value": Field(13, "string", oneof="kind"),
        "bool_value": Field(14, "bool", oneof="kind"),
        "tensor_shape_value": Field(31, "message", TensorShapeProto, oneof="kind"),
        "tensor_dtype_value": Field(32, "enum", DATA_TYPES, oneof="kind"),
        "tensor_spec_value": Field(33, "message", _TensorSpecProto, oneof="kind"),
        "type_spec_value": Field(34, "message", _TypeSpecProto, oneof="kind"),
        "list_value": Field(51, "message", _StructuredList, oneof="kind"),
        "tuple_value": Field(52, "message", _StructuredList, oneof="kind"),
        "dict_value": Field(53, "message", _DictValue, oneof="kind"),
        "named_tuple_value": Field(54, "message", _NamedTupleValue, oneof="kind"),
    }


class ObjectReference(ProtoMessage):
    """A child of an object: its number, and its name there."""

    _fields = {"node_id": Field(1, "int32"), "local_name": Field(2, "string")}


class SlotVariableReference(ProtoMessage):
    """A slot of an optimizer, and the variable that it is of."""

    _fields = {
        "original_variable_node_id": Field(1, "int32"),
        "slot_name": Field(2, "string"),
        "slot_variable_node_id": Field(3, "int32"),
    }


class _UserObject(ProtoMessage):
    _fields = {
        "identifier": Field(1, "string"),
        "version": Field(2, "message", VersionDef),
        "metadata": Field(3, "string"),
    }


class _SavedAsset(ProtoMessage):
    _fields = {"asset_file_def_index": Field(1, "int32")}


class FunctionSpec(ProtoMessage):
    """The arguments of a function of Python."""

    _fields = {
        "fullargspec": Field(1, "message", StructuredValue),
        "is_method": Field(2, "bool"),
        "input_signature": Field(5, "message", StructuredValue),
    }


class _SavedFunction(ProtoMessage):
    _fields = {
        "concrete_functions": Field(1, "string", repeated=True),
        "function_spec": Field(2, "message", FunctionSpec),
    }


class _SavedVariable(ProtoMessage):
    _fields = {
        "dtype": Field(1, "enum", DATA_TYPES),
        "shape": Field(2, "message", TensorShapeProto),
        "trainable": Field(3, "bool"),
        "synchronization": Field(4, "enum"),
        "aggregation": Field(5, "enum"),
        "name": Field(6, "string"),
    }


class _BareConcreteFunction(ProtoMessage):
    _fields = {
        "concrete_function_name": Field(1, "string"),
        "argument_keywords": Field(2, "string", repeated=True),
        "allowed_positional_arguments": Field(3, "int64"),
    }


class _Constant(ProtoMessage):
    _fields = {"operation": Field(1, "string")}


class _Resource(ProtoMessage):
    _fields = {"device": Field(1, "string")}


class SavedObject(ProtoMessage):
    """An object: what it has, and the one of its fields that says what it is."""

    _fields = {
        "children": Field(1, "message", ObjectReference, repeated=True),
        "slot_variables": Field(3, "message", SlotVariableReference, repeated=True),
        "user_object": Field(4, "message", _UserObject, oneof="kind"),
        "asset": Field(5, "message", _SavedAsset, oneof="kind"),
        "function": Field(6, "message", _SavedFunction, oneof="kind"),
        "variable": Field(7, "message", _SavedVariable, oneof="kind"),
        "bare_concrete_function": Field(8, "message", _BareConcreteFunction, oneof="kind"),
        "constant": Field(9, "message", _Constant, oneof="kind"),
        "resource": Field(10, "message", _Resource, oneof="kind"),
    }


class SavedConcreteFunction(ProtoMessage):
    """A traced function: the objects that it captures, its arguments and its results."""

    _fields = {
        "bound_inputs": Field(2, "int32", repeated=True),
        "canonicalized_input_signature": Field(3, "message", StructuredValue),
        "output_signature": Field(4, "message", StructuredValue),
    }


class SavedObjectGraph(ProtoMessage):
    """The objects, the first of which is the root, and the traced functions by their names."""

    _fields = {
        "nodes": Field(1, "message", SavedObject, repeated=True),
        "concrete_functions": Field(2, "message", SavedConcreteFunction, key="string"),
    }


class _MetaInfoDef(ProtoMessage):
    _fields = {
        "meta_graph_version": Field(1, "string"),
        "stripped_op_list": Field(2, "message", OpList),
        "tags": Field(4, "string", repeated=True),
        "tensorflow_version": Field(5, "string"),
        "tensorflow_git_version": Field(6, "string"),
        "stripped_default_attrs": Field(7, "bool"),
    }


@set_module("troupe")
class MetaGraphDef(ProtoMessage):
    """A graph with its collections, saver and signatures."""

    MetaInfoDef = _MetaInfoDef
    _fields = {
        "meta_info_def": Field(1, "message", _MetaInfoDef),
        "graph_def": Field(2, "message", GraphDef),
        "saver_def": Field(3, "message", SaverDef),
        "collection_def": Field(4, "message", CollectionDef, key="string"),
        "signature_def": Field(5, "message", SignatureDef, key="string"),
        "asset_file_def": Field(6, "message", AssetFileDef, repeated=True),
        "object_graph_def": Field(7, "message", SavedObjectGraph),
    }


@set_module("troupe")
class SavedModel(ProtoMessage):
    """Graphs that are saved with their variables, each with tags of its own."""

    _fields = {
        "saved_model_schema_version": Field(1, "int64"),
        "meta_graphs": Field(2, "message", MetaGraphDef, repeated=True),
    }
