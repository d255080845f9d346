"""Saves graphs with their variables."""

from __future__ import annotations

import filecmp
import os
import shutil
from typing import Any, Dict, Iterable, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.graph_io import write_atomically
from troupe._src.messages.meta_graph_messages import Any as AnyMessage
from troupe._src.messages.meta_graph_messages import AssetFileDef, MetaGraphDef, SavedModel
from troupe._src.messages.tensor_messages import TensorProto
from troupe._src.platform import logging
from troupe._src.saved_model import constants
from troupe._src.saved_model.signatures import predict_signature_def
from troupe._src.set_module import set_module
from troupe._src.checkpoints.saver import Saver
from troupe._src.types import dtypes


@set_module("troupe.saved_model")
class Builder:
    """Saves graphs in a folder, with the variables of the first and the files that they read."""

    def __init__(self, export_dir: Any) -> None:
        """Makes the folder.

        Args:
            export_dir: Its path.

        Raises:
            AssertionError: It exists and has files.
        """
        self._saved_model = SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._export_dir = os.fsdecode(export_dir)
        if os.path.isdir(self._export_dir) and os.listdir(self._export_dir):
            raise AssertionError(
                "Export directory already exists, and isn't empty. Please choose a different "
                "export directory, or delete all the contents of the specified directory: "
                f"{self._export_dir}"
            )
        os.makedirs(self._export_dir, exist_ok=True)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Optional[Dict[str, Any]] = None,
        assets_collection: Optional[Sequence[Tensor]] = None,
        legacy_init_op: Optional[Operation] = None,
        clear_devices: bool = False,
        main_op: Optional[Operation] = None,
        strip_default_attrs: bool = False,
        saver: Optional[Saver] = None,
    ) -> None:
        """Adds the default graph, and saves the variables. For the first graph.

        Args:
            sess: A session of the graph, whose variables have values.
            tags: The names by which the graph is loaded, all together.
            signature_def_map: Signatures by name.
            assets_collection: Constants that are the names of files which the graph reads.
            legacy_init_op: As `main_op`.
            clear_devices: Leaves out the devices of nodes.
            main_op: What is run after the variables were restored.
            strip_default_attrs: Without effect: defaults stay in the nodes.
            saver: By default one of all variables.

        Raises:
            AssertionError: Variables have been saved, or a signature lacks names or dtypes.
            KeyError: A signature has a reserved name.
            TypeError: `main_op` is no operation, or an asset no constant.
            ValueError: The graph has such an operation already.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        _check_signatures(signature_def_map or {})
        self._add_collections(assets_collection, main_op or legacy_init_op)
        path = constants.variables_path(self._export_dir)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        saver = saver or Saver(sharded=True, allow_empty=True)
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        self._add(saver, tags, signature_def_map, clear_devices)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Optional[Dict[str, Any]] = None,
        assets_collection: Optional[Sequence[Tensor]] = None,
        legacy_init_op: Optional[Operation] = None,
        clear_devices: bool = False,
        main_op: Optional[Operation] = None,
        strip_default_attrs: bool = False,
        saver: Optional[Saver] = None,
    ) -> None:
        """Adds the default graph, which has the variables that were saved.

        Args:
            tags: The names by which the graph is loaded, all together.
            signature_def_map: Signatures by name.
            assets_collection: Constants that are the names of files which the graph reads.
            legacy_init_op: As `main_op`.
            clear_devices: Leaves out the devices of nodes.
            main_op: What is run after the variables were restored.
            strip_default_attrs: Without effect: defaults stay in the nodes.
            saver: By default one of all variables.

        Raises:
            AssertionError: No variables have been saved, or a signature lacks names or dtypes.
            KeyError: A signature has a reserved name.
            TypeError: `main_op` is no operation, or an asset no constant.
            ValueError: The graph has such an operation already.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        _check_signatures(signature_def_map or {})
        self._add_collections(assets_collection, main_op or legacy_init_op)
        saver = saver or Saver(sharded=True, allow_empty=True)
        self._add(saver, tags, signature_def_map, clear_devices)

    def save(self, as_text: bool = False) -> str:
        """Writes the file.

        Args:
            as_text: Writes protobuf's text form.

        Returns:
            The path of the file.
        """
        os.makedirs(self._export_dir, exist_ok=True)
        pb, pbtxt = constants.model_files(self._export_dir)
        if as_text:
            write_atomically(pbtxt, str(self._saved_model).encode())
        else:
            write_atomically(pb, self._saved_model.SerializeToString())
        path = pbtxt if as_text else pb
        logging.info("SavedModel written to: %s", path)
        return path

    def _add(
        self,
        saver: Saver,
        tags: Iterable[str],
        signatures: Optional[Dict[str, Any]],
        clear_devices: bool,
    ) -> None:
        message: MetaGraphDef = saver.export_meta_graph(clear_devices=clear_devices)
        message.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            message.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.append(message)

    def _add_collections(
        self, assets: Optional[Sequence[Tensor]], main_op: Optional[Operation]
    ) -> None:
        graph = get_default_graph()
        self._save_assets(assets or ())
        if main_op is None:
            return
        if not isinstance(main_op, Operation):
            raise TypeError(f"main_op needs to be an Operation: {main_op!r}")
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if graph.get_collection(key):
                raise ValueError(
                    f"Graph already contains one or more main ops under the collection {key}."
                )
        graph.add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _save_assets(self, assets: Sequence[Tensor]) -> None:
        """Copies the files, those of the same name under others, and notes them in the graph."""
        sources: Dict[str, str] = {}
        for tensor in assets:
            source = _path_in(tensor)
            name = _unique_name(source, sources)
            sources[name] = source
            asset = AssetFileDef(filename=name)
            asset.tensor_info.name = tensor.name
            packed = AnyMessage()
            packed.Pack(asset)
            get_default_graph().add_to_collection(constants.ASSETS_KEY, packed)
        folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
        if sources:
            os.makedirs(folder, exist_ok=True)
        for name, source in sources.items():
            target = os.path.join(folder, name)
            if not os.path.exists(target):
                shutil.copyfile(source, target)


def simple_save(
    session: Any,
    export_dir: Any,
    inputs: Dict[str, Any],
    outputs: Dict[str, Any],
    legacy_init_op: Optional[Operation] = None,
) -> None:
    """Saves the default graph to be served, with the variables of a session.

    Args:
        session: The session.
        export_dir: The folder, which must not exist or be empty.
        inputs: Tensors by names for users.
        outputs: Tensors by names for users.
        legacy_init_op: What is run after the variables were restored.
    """
    builder = Builder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [constants.SERVING],
        {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)},
        assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()


def _check_signatures(signatures: Dict[str, Any]) -> None:
    for signature in signatures.values():
        for info in [*signature.inputs.values(), *signature.outputs.values()]:
            if info.WhichOneof("encoding") is None:
                raise AssertionError(
                    "All TensorInfo protos used in the SignatureDefs must have one of the "
                    f"'encoding' fields (e.g., name or coo_sparse) set: {info}"
                )
            if not info.dtype:
                raise AssertionError(
                    "All TensorInfo protos used in the SignatureDefs must have the dtype field "
                    f"set: {info}"
                )
    for key, what in (
        (constants.INIT_OP_SIGNATURE_KEY, "initialization"),
        (constants.TRAIN_OP_SIGNATURE_KEY, "the train op"),
    ):
        if key in signatures:
            raise KeyError(
                f'SignatureDef map key "{key}" is reserved for {what}. Please use a different key.'
            )


def _path_in(tensor: Any) -> str:
    """The name of a file that a constant is."""
    if not isinstance(tensor, Tensor):
        raise TypeError("Asset path tensor must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError("Asset path tensor must be of type constant.")
    if tensor.dtype != dtypes.string:
        raise TypeError("Asset path tensor must be of dtype string.")
    value: TensorProto = tensor.op.node_def.attr["value"].tensor
    if len(value.string_val) != 1:
        raise TypeError("Asset path tensor must be a scalar.")
    path: str = value.string_val[0].decode()
    if not path:
        raise ValueError(f"Invalid asset filepath tensor {tensor}")
    return path


def _unique_name(source: str, sources: Dict[str, str]) -> str:
    """The file's name without its folder; with a number where another file has that."""
    name = base = os.path.basename(source)
    known = sources.get(base)
    if known is None or known == source or filecmp.cmp(source, known, shallow=False):
        return base
    number = 1
    while name in sources:
        name = f"{base}_{number}"
        number += 1
    return name
