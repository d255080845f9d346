"""Graphs of one name scope with their collections: exported, imported, and copied.

The functions are at `tensorflow.python.framework.meta_graph`.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Optional, Tuple

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.graph_defs.meta_graph import add_collection, add_meta_graph, export_meta_graph
from troupe._src.graph_defs.scoped_graphs import UNBOUND_INPUTS, is_in_scope, without_scope
from troupe._src.messages.meta_graph_messages import MetaGraphDef


def export_scoped_meta_graph(
    filename: Optional[str] = None,
    graph_def: Any = None,
    graph: Optional[Graph] = None,
    export_scope: Optional[str] = None,
    as_text: bool = False,
    unbound_inputs_col_name: Optional[str] = UNBOUND_INPUTS,
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Tuple[MetaGraphDef, Dict[str, Any]]:
    """A scope of a graph as a message, and its variables.

    Args:
        filename: Writes the message to that file.
        graph_def: The message of the whole graph, if it is there already.
        graph: By default the default graph.
        export_scope: The scope; by default all of the graph.
        as_text: Writes protobuf's text form.
        unbound_inputs_col_name: The collection of what the scope takes from others; None for none.
        clear_devices: Leaves out the devices of nodes.
        saver_def: The message of a saver.
        clear_extraneous_savers: Leaves out the nodes of other savers.
        strip_default_attrs: Leaves out attributes of nodes that have their defaults.
        save_debug_info: Without effect.
        **kwargs: `meta_info_def` and `collection_list`, as of `tf.train.export_meta_graph`.

    Returns:
        The message, and the global variables of the scope by their names in it.
    """
    graph = graph or get_default_graph()
    message = export_meta_graph(
        graph_def=graph_def, graph=graph, export_scope=export_scope, clear_devices=clear_devices,
        saver_def=saver_def, clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs, **kwargs,
    )  # fmt: skip
    if UNBOUND_INPUTS in message.collection_def and unbound_inputs_col_name != UNBOUND_INPUTS:
        if unbound_inputs_col_name:
            unbound = message.collection_def[UNBOUND_INPUTS]
            message.collection_def[unbound_inputs_col_name].CopyFrom(unbound)
        del message.collection_def[UNBOUND_INPUTS]
    if filename:
        folder, name = os.path.split(os.fspath(filename))
        write_graph(message, folder or ".", name, as_text)
    return message, _variables_of(graph, export_scope)


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Optional[Graph] = None,
    import_scope: Optional[str] = None,
    input_map: Optional[Dict[str, Any]] = None,
    unbound_inputs_col_name: str = UNBOUND_INPUTS,
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> Dict[str, Any]:
    """Adds the nodes and collections of a message or file to a graph.

    Args:
        meta_graph_or_file: The message, or the name of its file.
        clear_devices: Leaves out the devices of nodes.
        graph: By default the default graph.
        import_scope: The prefix of all names, by default none.
        input_map: As of tf.import_graph_def.
        unbound_inputs_col_name: The collection of names that `input_map` must have.
        restore_collections_predicate: Says for the key of a collection whether it comes in.

    Returns:
        The global variables of the scope by their names in the message.

    Raises:
        ValueError: The message is not a valid graph, or inputs are missing.
    """
    graph = graph or get_default_graph()
    with graph.as_default():
        _, scope, _ = add_meta_graph(
            meta_graph_or_file, clear_devices, import_scope, input_map,
            unbound_key=unbound_inputs_col_name, takes_collection=restore_collections_predicate,
        )  # fmt: skip
    return _variables_of(graph, scope)


def copy_scoped_meta_graph(
    from_scope: str,
    to_scope: str,
    from_graph: Optional[Graph] = None,
    to_graph: Optional[Graph] = None,
) -> Dict[str, Any]:
    """Copies a scope to another one, of the same graph or another.

    Args:
        from_scope: The scope.
        to_scope: The scope of the copy.
        from_graph: By default the default graph.
        to_graph: By default the default graph.

    Returns:
        The variables of the copy by their names in the scope.

    Raises:
        ValueError: The scopes are the same, in one graph, or the scope takes inputs from others.
    """
    from_graph, to_graph = from_graph or get_default_graph(), to_graph or get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            "'from_scope' and 'to_scope' need to be different when performing copy in the same "
            "graph."
        )
    message, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(message, graph=to_graph, import_scope=to_scope)


def add_collection_def(
    meta_graph_def: MetaGraphDef,
    key: Any,
    graph: Optional[Graph] = None,
    export_scope: Optional[str] = None,
) -> None:
    """Adds a collection to a message; one whose items no message can hold is logged and left out.

    Args:
        meta_graph_def: The message.
        key: The key of the collection.
        graph: By default the default graph.
        export_scope: Only what is in this scope; by default all.
    """
    add_collection(meta_graph_def, graph or get_default_graph(), key, export_scope or "")


def _variables_of(graph: Graph, scope: Optional[str]) -> Dict[str, Any]:
    scope = (scope or "").rstrip("/")
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    return {
        without_scope(each.name, scope): each for each in variables if is_in_scope(each.name, scope)
    }
