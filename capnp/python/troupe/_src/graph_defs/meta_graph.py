"""Graphs with their collections as messages."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.meta_graph_messages import Any as AnyMessage
from troupe._src.messages.meta_graph_messages import CollectionDef, MetaGraphDef, VariableDef
from troupe._src.platform import logging
from troupe._src.types import errors
from troupe._src.variables.variable import Variable

_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES,
    GraphKeys.GLOBAL_STEP,
)  # fmt: skip

# Of collections whose items are objects: their message, and the functions to and from it.
proto_functions: Dict[
    str, Tuple[Any, Optional[Callable[..., Any]], Optional[Callable[..., Any]]]
] = {
    key: (VariableDef, Variable.to_proto, Variable.from_proto) for key in _VARIABLES
}


def register_proto_function(
    collection_name: str,
    proto_type: Any = None,
    to_proto: Optional[Callable[..., Any]] = None,
    from_proto: Optional[Callable[..., Any]] = None,
) -> None:
    """Lets a collection whose items are objects be exported and imported, as messages.

    It is at `tensorflow.python.framework.ops`.

    Args:
        collection_name: The key of the collection.
        proto_type: The class of the messages.
        to_proto: Makes a message of an item and an `export_scope`, or None to leave it out.
        from_proto: Makes an item of a message and an `import_scope`.

    Raises:
        KeyError: The collection has such functions already.
        TypeError: One of them is no function.
    """
    for name, function in (("to_proto", to_proto), ("from_proto", from_proto)):
        if function and not callable(function):
            raise TypeError(f"{name} must be callable.")
    if collection_name in proto_functions:
        raise KeyError(f"Registering two proto functions with name '{collection_name}'!")
    proto_functions[collection_name] = (proto_type, to_proto, from_proto)


def get_collection_proto_type(collection_name: str) -> Any:
    """The class of the messages of a collection; None if it has none."""
    return proto_functions.get(collection_name, (None,))[0]


def get_to_proto_function(collection_name: str) -> Optional[Callable[..., Any]]:
    """What makes messages of the items of a collection; None if there is no such function."""
    return proto_functions[collection_name][1] if collection_name in proto_functions else None


def get_from_proto_function(collection_name: str) -> Optional[Callable[..., Any]]:
    """What makes items of the messages of a collection; None if there is no such function."""
    return proto_functions[collection_name][2] if collection_name in proto_functions else None


def export_meta_graph(
    filename: Optional[str] = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Optional[Sequence[str]] = None,
    as_text: bool = False,
    graph: Optional[Graph] = None,
    export_scope: Optional[str] = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> MetaGraphDef:
    """A graph with its collections, and its saver.

    Args:
        filename: Writes the message to that file.
        meta_info_def: What is said of the graph.
        graph_def: The message of the graph, if it is there already.
        saver_def: The message of its saver.
        collection_list: The keys of the collections, by default all.
        as_text: Writes protobuf's text form.
        graph: By default the default graph.
        export_scope: Must be None: a graph is exported as a whole.
        clear_devices: Leaves out the devices of nodes.
        clear_extraneous_savers: Without effect: other savers stay in the graph.
        strip_default_attrs: Without effect: defaults stay in the nodes.
        save_debug_info: Without effect.
        **kwargs: Not used.

    Returns:
        A MetaGraphDef.

    Raises:
        ValueError: `export_scope` is given.
    """
    if export_scope:
        raise ValueError("export_scope is not supported: a graph is exported as a whole.")
    graph = graph or get_default_graph()
    message = MetaGraphDef()
    if meta_info_def is not None:
        message.meta_info_def.CopyFrom(meta_info_def)
    message.graph_def.CopyFrom(graph_def if graph_def is not None else graph.as_graph_def())
    if clear_devices:
        for node in message.graph_def.node:
            node.device = ""
    if saver_def is not None:
        message.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        _add_collection(message, graph, key)
    if filename:
        folder, name = os.path.split(os.fspath(filename))
        write_graph(message, folder or ".", name, as_text)
    return message


def _add_collection(message: MetaGraphDef, graph: Graph, key: Any) -> None:
    """Adds a collection; one whose items no message can hold is logged and left out."""
    items = graph.get_collection(key)
    if not isinstance(key, str) or not items:
        return
    made = CollectionDef()
    try:
        to_proto = get_to_proto_function(key)
        if to_proto:
            protos = [to_proto(item, export_scope=None) for item in items]
            made.bytes_list.value.extend(proto.SerializeToString() for proto in protos if proto)
        else:
            _add_items(made, items)
    except Exception as error:  # also one of a program's function, as in TensorFlow
        logging.warning("Collection %s has items that cannot be exported: %s", key, error)
        return
    message.collection_def[key].CopyFrom(made)


def _add_items(to: CollectionDef, items: List[Any]) -> None:
    if isinstance(items[0], (Operation, Tensor, Variable)):
        to.node_list.value.extend(_name_of(item) for item in items)
    elif isinstance(items[0], AnyMessage):
        to.any_list.value.extend(items)
    elif isinstance(items[0], (str, bytes)):
        to.bytes_list.value.extend(
            item.encode() if isinstance(item, str) else item for item in items
        )
    elif isinstance(items[0], float):
        to.float_list.value.extend(items)
    elif hasattr(items[0], "__index__"):
        to.int64_list.value.extend(items)
    else:
        to.node_list.value.extend(item.name for item in items)


def _name_of(item: Any) -> str:
    """The name of a node or tensor; for a variable, that of its handle or reference."""
    if isinstance(item, Variable):
        item = item._read_from
    return str(item._name if isinstance(item, Operation) else item.name)


def read_meta_graph_file(filename: Any) -> MetaGraphDef:
    """The message in a file; OSError where it cannot be read, or is none."""
    with open(os.fspath(filename), "rb") as file:
        data = file.read()
    try:
        return MetaGraphDef.FromString(data)
    except ValueError as error:
        raise OSError(f"Cannot parse file {filename}: {error}") from None


def add_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: Optional[str] = None,
    input_map: Any = None,
    return_elements: Any = None,
) -> Tuple[MetaGraphDef, str, Any]:
    """Adds the nodes and collections of a message or file to the default graph.

    Returns:
        The message, the prefix that names got, and the elements that were asked for.
    """
    message = meta_graph_or_file
    if type(message).__name__ != "MetaGraphDef":
        message = read_meta_graph_file(message)
    elif not isinstance(message, MetaGraphDef):
        message = MetaGraphDef.FromString(message.SerializeToString())
    graph = get_default_graph()
    scope = graph.unique_name(import_scope) if import_scope else graph.get_name_scope()
    graph_def = message.graph_def
    if clear_devices:
        graph_def = GraphDef.FromString(graph_def.SerializeToString())
        for node in graph_def.node:
            node.device = ""
    info = message.meta_info_def
    ops = info.stripped_op_list if info.HasField("stripped_op_list") else None
    elements = import_graph_def(
        graph_def, input_map, return_elements, f"{scope}/" if scope else "", producer_op_list=ops
    )
    known: Dict[bytes, Any] = {}
    for key in sorted(message.collection_def):
        for item in _items(graph, key, message.collection_def[key], scope, known):
            graph.add_to_collection(key, item)
    return message, scope, elements


def _items(
    graph: Graph, key: str, collection: Any, scope: str, known: Dict[bytes, Any]
) -> List[Any]:
    """The items of a collection; one variable for equal messages."""
    kind = collection.WhichOneof("kind")
    values = list(getattr(collection, kind).value) if kind else []
    if kind == "node_list":
        return [_element(graph, f"{scope}/{name}" if scope else name) for name in values]
    message, from_proto = get_collection_proto_type(key), get_from_proto_function(key)
    if kind != "bytes_list" or from_proto is None:
        return values
    items = []
    for value in values:
        if value not in known:
            known[value] = from_proto(message.FromString(value), import_scope=scope)
        items.append(known[value])
    return items


def _element(graph: Graph, name: str) -> Any:
    try:
        if ":" in name:
            return graph._tensor(*graph._root.find_output(name))
        return graph._operation(graph._root.find(name))
    except (errors.NotFoundError, errors.InvalidArgumentError) as error:
        raise ValueError(f"a collection names what the graph lacks: {error.message}") from None
