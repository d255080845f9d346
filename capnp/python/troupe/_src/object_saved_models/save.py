"""Saves objects as SavedModels."""

from __future__ import annotations

import os
from typing import Any, Dict, List

from troupe._src.functions.traced import ConcreteFunction
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_session
from troupe._src.graph_defs.graph_io import write_atomically
from troupe._src.graph_defs.meta_graph import export_meta_graph
from troupe._src.keras.sessions import get_session
from troupe._src.messages.meta_graph_messages import MetaGraphDef, SavedModel, SaverDef
from troupe._src.object_checkpoints.object_nodes import ObjectNodes
from troupe._src.object_checkpoints.trackable import is_trackable
from troupe._src.object_saved_models import saved_view
from troupe._src.object_saved_models.graph_functions import imported
from troupe._src.object_saved_models.restored_functions import SignatureMap
from troupe._src.object_saved_models.saved_view import SavedView, functions_of
from troupe._src.object_saved_models.signature_functions import signature_map
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import identity
from troupe._src.ops.convert import constant
from troupe._src.ops.creation_ops import placeholder
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.saved_model import constants
from troupe._src.saved_model.signatures import build_signature_def
from troupe._src.saved_model.tensor_infos import build_tensor_info
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike


@set_module("troupe.saved_model")
def save(obj: Any, export_dir: PathLike, signatures: Any = None) -> None:
    """Saves an object, with the objects that it has and their functions, as a SavedModel.

    The values of the variables are those of the default session, else of the session of Keras. Of a
    `tf.function`, what was traced in the default graph is saved, and the trace of its
    `input_signature`. `tf.saved_model.load_v2` and `tf.saved_model.loader.load` read the folder,
    also those of TensorFlow. As TensorFlow 1.15's `tf.saved_model.save` where nothing is computed
    at once.

    Args:
        obj: A `tf.Module`, a model of Keras, or another object that `tf.train.Checkpoint` knows.
        export_dir: The folder.
        signatures: A `tf.function` with an `input_signature`, or a trace of one, or a dict of
            such: what is served. By default the only such function of the object.

    Raises:
        ValueError: The object cannot be saved, a function captures what is no constant and no
            variable, or a signature has no flat results.
        AssertionError: A function uses a variable that no object has.
        TypeError: An argument of a trace is of a type that cannot be saved.
    """
    if not is_trackable(obj):
        raise ValueError(f"Expected a Trackable object for export, got {obj}.")
    folder, describe = os.fspath(export_dir), saved_view.describe()
    told = describe(obj)
    functions = {**functions_of(obj), **dict(told.children if told else ())}
    found = signature_map(signatures, functions)
    view = SavedView(obj, found, describe)
    message = _meta_graph(view, found)
    path = constants.variables_path(folder)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ObjectNodes(obj).save(path, get_default_session() or get_session(), view)
    saved = SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
    saved.meta_graphs.append(message)
    write_atomically(constants.model_files(folder)[0], saved.SerializeToString())


def _meta_graph(view: SavedView, signatures: SignatureMap) -> MetaGraphDef:
    objects = view.message()
    exported = _Exported(view)
    with exported.graph.as_default():
        exported.add_functions(list(view.concrete.values()))
        no_op(name="NoOp")
        found = {key: exported.signature(key, each) for key, each in signatures.items()}
        saver = exported.saver(view)
    message = export_meta_graph(
        graph=exported.graph, saver_def=saver, collection_list=[], clear_devices=True
    )
    message.meta_info_def.tags.append(constants.SERVING)
    message.collection_def[constants.MAIN_OP_KEY].node_list.value.append("NoOp")
    begin = message.signature_def[constants.INIT_OP_SIGNATURE_KEY]
    begin.outputs[constants.INIT_OP_SIGNATURE_KEY].name = "NoOp"
    begin.outputs[constants.INIT_OP_SIGNATURE_KEY].tensor_shape.unknown_rank = True
    for key, signature in found.items():
        message.signature_def[key].CopyFrom(signature)
    for function in message.graph_def.library.function:
        _tell_shapes(function)
    message.object_graph_def.CopyFrom(objects)
    return message


def _tell_shapes(function: Any) -> None:
    """Puts the shapes of the arguments where TensorFlow looks for them."""
    shapes = function.attr["_input_shapes"].list
    shapes.SetInParent()
    for number in range(len(function.signature.input_arg)):
        told = function.arg_attr[number].attr["_output_shapes"].list.shape
        if not told:
            told.add(unknown_rank=True)
        shapes.shape.append(told[0])


class _Exported:
    """The graph that is written: variables, functions, signatures, and what saves and restores."""

    def __init__(self, view: SavedView) -> None:
        self.graph = Graph()
        self._handles: Dict[Tensor, Tensor] = {}
        self._by_variable: Dict[int, Tensor] = {}
        with self.graph.as_default():
            for each in view.variables():
                name = each._shared_name
                handle = raw_ops.VarHandleOp(
                    dtype=each.dtype.base_dtype, shape=each.shape, shared_name=name, name=name
                )
                self._handles[each.handle] = self._by_variable[id(each)] = handle
            for each in view.objects:
                if isinstance(each, Tensor):
                    self._handles[each] = imported([each.op.node_def], [each.name], {})[0]

    def add_functions(self, functions: List[ConcreteFunction]) -> None:
        """Adds functions, with those that they call."""
        for each in functions:
            each.add_to_graph(self.graph)

    def signature(self, key: str, function: Any) -> Any:
        """The message of a signature, for which it adds a call of the function."""
        specs = function._arguments[1]
        given = {
            name: placeholder(spec.dtype, spec.shape, name=f"{key}_{name}")
            for name, spec in sorted(specs.items())
        }
        captured = [self._handles[each] for each in function.captured_inputs]
        op = function._definition.call(
            [*given.values(), *captured], "StatefulPartitionedCall"
        )
        for made, result in zip(op.outputs, function.outputs):
            made.set_shape(result.shape)
        results = function._packed(op.outputs)
        return build_signature_def(
            {name: build_tensor_info(each) for name, each in given.items()},
            {name: build_tensor_info(each) for name, each in results.items()},
            constants.PREDICT_METHOD_NAME,
        )

    def saver(self, view: SavedView) -> SaverDef:
        """Adds what saves and restores the variables, under the keys of the checkpoint."""
        message, saveables = view.serialize()
        keys = _variable_keys(view, message)
        path = placeholder(dtypes.string, [], name="saver_filename")
        handles = [self._by_variable[each] for each in keys]
        values = {each.handle: each for each in view.objects if id(each) in keys}
        kinds = [each.dtype.base_dtype for each in values.values()]
        reads = [
            raw_ops.ReadVariableOp(resource=handle, dtype=kind)
            for handle, kind in zip(handles, kinds)
        ]
        names = constant(list(keys.values()), dtypes.string, [len(keys)])
        slices = constant([""] * len(keys), dtypes.string, [len(keys)])
        saved = raw_ops.SaveV2(
            prefix=path, tensor_names=names, shape_and_slices=slices, tensors=reads
        ) if keys else no_op()
        with self.graph.control_dependencies([saved]):
            written = identity(path, name="saved_filename")
        restored = raw_ops.RestoreV2(
            prefix=path, tensor_names=names, shape_and_slices=slices, dtypes=kinds
        ) if keys else []
        assigned = [
            raw_ops.AssignVariableOp(resource=handle, value=value)
            for handle, value in zip(handles, restored)
        ]
        group(*assigned, name="restore_all")
        return SaverDef(
            filename_tensor_name=path.name, save_tensor_name=written.name,
            restore_op_name="restore_all", version=SaverDef.V2,
        )  # fmt: skip


def _variable_keys(view: SavedView, message: Any) -> Dict[int, str]:
    """The keys of variables in the checkpoint, by the identities of these."""
    found = {}
    for value, node in zip(view.objects, message.nodes):
        for attribute in node.attributes:
            if attribute.name == "VARIABLE_VALUE":
                found[id(value)] = attribute.checkpoint_key
    return found
