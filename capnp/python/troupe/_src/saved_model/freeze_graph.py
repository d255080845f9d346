"""Graphs whose variables are constants with the values of a checkpoint."""

from __future__ import annotations

import os
from typing import Any, List, Optional

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph_defs.graph_io import write_atomically
from troupe._src.graph_defs.graph_util import convert_variables_to_constants
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.meta_graph_messages import MetaGraphDef, SaverDef
from troupe._src.messages.text_parser import parse_text
from troupe._src.ops import raw_ops
from troupe._src.saved_model import constants
from troupe._src.saved_model.loader import SavedModelLoader, load
from troupe._src.session.session import Session
from troupe._src.checkpoints.checkpoint_reader import NewCheckpointReader
from troupe._src.checkpoints.checkpoint_state import checkpoint_exists
from troupe._src.train.meta_graphs import import_meta_graph
from troupe._src.checkpoints.saver import Saver


def freeze_graph(
    input_graph: Any,
    input_saver: Any,
    input_binary: bool,
    input_checkpoint: Any,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: Any,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: Any = None,
    input_saved_model_dir: Any = None,
    saved_model_tags: str = constants.SERVING,
    checkpoint_version: int = SaverDef.V2,
) -> GraphDef:
    """Makes the variables of a graph constants.

    Args:
        input_graph: The file of a GraphDef, or empty.
        input_saver: The file of the graph's SaverDef, or empty.
        input_binary: The files are bytes, not protobuf's text form.
        input_checkpoint: The name of the checkpoint.
        output_node_names: The nodes to compute, separated by commas.
        restore_op_name: Ignored.
        filename_tensor_name: Ignored.
        output_graph: Where the GraphDef is written, or empty.
        clear_devices: Leaves out the devices of nodes.
        initializer_nodes: Nodes that are run before, separated by commas.
        variable_names_whitelist: Those that become constants, by default all.
        variable_names_blacklist: Those that do not.
        input_meta_graph: The file of a MetaGraphDef, in place of `input_graph`.
        input_saved_model_dir: A SavedModel, in place of all of these.
        saved_model_tags: Those of its graph, separated by commas.
        checkpoint_version: Ignored: a checkpoint says it.

    Returns:
        A GraphDef.

    Raises:
        OSError: A file does not exist.
        ValueError: There is no such checkpoint, or no node to compute is named.
    """
    meta_graph = None
    graph_def: Any = None
    tags = saved_model_tags.replace(" ", "").split(",") if saved_model_tags else []
    if input_saved_model_dir:
        message = SavedModelLoader(input_saved_model_dir).get_meta_graph_def_from_tags(tags)
        graph_def = message.graph_def
    elif input_meta_graph:
        meta_graph = _read(MetaGraphDef, input_meta_graph, input_binary)
    else:
        graph_def = _read(GraphDef, input_graph, input_binary)
    return freeze_graph_with_def_protos(
        graph_def,
        _read(SaverDef, input_saver, input_binary) if input_saver else None,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta_graph,
        input_saved_model_dir,
        tags,
        checkpoint_version,
    )


def freeze_graph_with_def_protos(
    input_graph_def: Any,
    input_saver_def: Any,
    input_checkpoint: Any,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: Any,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: Any = None,
    input_saved_model_dir: Any = None,
    saved_model_tags: Optional[List[str]] = None,
    checkpoint_version: int = SaverDef.V2,
) -> GraphDef:
    """As freeze_graph, with messages in place of files."""
    if not input_saved_model_dir and not checkpoint_exists(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    graph_def = input_meta_graph_def.graph_def if input_meta_graph_def else input_graph_def
    if clear_devices and graph_def is not None:
        for node in graph_def.node:
            node.device = ""
    with Graph().as_default(), Session() as session:
        if input_saved_model_dir:
            load(session, saved_model_tags or [], input_saved_model_dir)
        elif input_meta_graph_def:
            saver = import_meta_graph(input_meta_graph_def, clear_devices=True)
            if saver is not None:
                saver.restore(session, input_checkpoint)
        else:
            import_graph_def(graph_def, name="")
            _restore(session, input_saver_def, input_checkpoint)
        if initializer_nodes and not input_saved_model_dir:
            session.run(_names(initializer_nodes))
        frozen = convert_variables_to_constants(
            session,
            graph_def,
            _names(output_node_names) or [],
            variable_names_whitelist=_names(variable_names_whitelist),
            variable_names_blacklist=_names(variable_names_blacklist),
        )
    if output_graph:
        write_atomically(os.fspath(output_graph), frozen.SerializeToString())
    return frozen


def _names(text: str) -> Optional[List[str]]:
    return text.replace(" ", "").split(",") if text else None


def _read(kind: Any, path: Any, is_binary: bool) -> Any:
    with open(path, "rb") as file:
        data = file.read()
    return kind.FromString(data) if is_binary else parse_text(data, kind())


def _restore(session: Any, saver_def: Any, checkpoint: Any) -> None:
    """Gives the variables of an imported graph their values."""
    if saver_def is not None:
        Saver(saver_def=saver_def).restore(session, checkpoint)
        return
    known = NewCheckpointReader(checkpoint).get_variable_to_dtype_map()
    assigns: List[Any] = []
    for op in get_default_graph().get_operations():
        name = op.name[: -len("/handle")] if op.name.endswith("/handle") else op.name
        if name not in known or op.type not in ("VarHandleOp", "VariableV2", "Variable"):
            continue
        (value,) = raw_ops.RestoreV2(
            prefix=os.fspath(checkpoint),
            tensor_names=[name],
            shape_and_slices=[""],
            dtypes=[known[name]],
        )
        if op.type == "VarHandleOp":
            assigns.append(raw_ops.AssignVariableOp(resource=op.outputs[0], value=value))
        else:
            assigns.append(raw_ops.Assign(op.outputs[0], value))
    if not assigns:
        raise ValueError(
            "No variables were found in this model. It is likely the model was frozen previously. "
            "You cannot freeze a graph twice."
        )
    session.run(assigns)
