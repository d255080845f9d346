"""Graphs with their collections as messages."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.graph_defs.scoped_graphs import (
    UNBOUND_INPUTS, clear_defaults, is_in_scope, nodes_of_other_savers, part_of, without_scope,
)  # fmt: skip
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.meta_graph_messages import Any as AnyMessage
from troupe._src.messages.meta_graph_messages import CollectionDef, MetaGraphDef, VariableDef
from troupe._src.messages.text_parser import ParseError, parse_text
from troupe._src.platform import logging, version
from troupe._src.types import dtypes, errors
from troupe._src.variables.variable import Variable

_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES,
    GraphKeys.GLOBAL_STEP,
)  # fmt: skip

_NONE: FrozenSet[str] = frozenset()

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
        export_scope: Exports this name scope alone, as a graph whose names are without it. What it
            takes from others is in the collection "unbound_inputs"; the names in it are what an
            `input_map` needs when it is imported.
        clear_devices: Leaves out the devices of nodes.
        clear_extraneous_savers: Leaves out the nodes of savers other than `saver_def`.
        strip_default_attrs: Leaves out attributes of nodes that have their defaults.
        save_debug_info: Without effect.
        **kwargs: Not used.

    Returns:
        A MetaGraphDef.
    """
    graph, scope = graph or get_default_graph(), (export_scope or "").rstrip("/")
    message = MetaGraphDef()
    if meta_info_def is not None:
        message.meta_info_def.CopyFrom(meta_info_def)
    message.meta_info_def.tensorflow_version = version.VERSION
    message.meta_info_def.tensorflow_git_version = version.GIT_VERSION
    whole = graph_def if graph_def is not None else graph.as_graph_def()
    left_out = nodes_of_other_savers(whole, saver_def) if clear_extraneous_savers else _NONE
    unbound: List[str] = []
    if scope or left_out:
        whole, unbound = part_of(whole, scope, left_out)
    message.graph_def.CopyFrom(whole)
    if strip_default_attrs:
        clear_defaults(message.graph_def)
        message.meta_info_def.stripped_default_attrs = True
    if clear_devices:
        for node in message.graph_def.node:
            node.device = ""
    if saver_def is not None:
        message.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        add_collection(message, graph, key, scope, left_out)
    if unbound:
        message.collection_def[UNBOUND_INPUTS].bytes_list.value.extend(map(str.encode, unbound))
    if filename:
        folder, name = os.path.split(os.fspath(filename))
        write_graph(message, folder or ".", name, as_text)
    return message


def add_collection(
    message: MetaGraphDef, graph: Graph, key: Any, scope: str, left_out: FrozenSet[str] = _NONE
) -> None:
    """Adds a collection; one whose items no message can hold is logged and left out."""
    items = [
        item for item in graph.get_collection(key) if _is_included(item, scope, left_out)
    ]
    if not isinstance(key, str) or not items:
        return
    made = CollectionDef()
    try:
        to_proto = get_to_proto_function(key)
        if to_proto:
            protos = [to_proto(item, export_scope=scope or None) for item in items]
            made.bytes_list.value.extend(proto.SerializeToString() for proto in protos if proto)
        else:
            _add_items(made, items, scope)
    except Exception as error:  # also one of a program's function, as in TensorFlow
        logging.warning("Collection %s has items that cannot be exported: %s", key, error)
        return
    message.collection_def[key].CopyFrom(made)


def _is_included(item: Any, scope: str, left_out: FrozenSet[str]) -> bool:
    """Whether an item is in a part of a graph; what has no name is in each."""
    name = getattr(item, "name", None)
    if not isinstance(name, str):
        return True
    return is_in_scope(name, scope) and name.partition(":")[0] not in left_out


def _add_items(to: CollectionDef, items: List[Any], scope: str) -> None:
    if isinstance(items[0], (Operation, Tensor, Variable)):
        to.node_list.value.extend(without_scope(_name_of(item), scope) for item in items)
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
        to.node_list.value.extend(without_scope(item.name, scope) for item in items)


def _name_of(item: Any) -> str:
    """The name of a node or tensor; for a variable, that of its handle or reference."""
    if isinstance(item, Variable):
        item = item._read_from
    return str(item._name if isinstance(item, Operation) else item._place)


def read_meta_graph_file(filename: Any) -> MetaGraphDef:
    """The message in a file; OSError where it cannot be read, or is none."""
    with open(os.fspath(filename), "rb") as file:
        data = file.read()
    try:
        return MetaGraphDef.FromString(data)
    except ValueError:
        pass  # it may be the text form
    try:
        return parse_text(data, MetaGraphDef())  # type: ignore[no-any-return]
    except (ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {filename}: {error}") from None


def add_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: Optional[str] = None,
    input_map: Any = None,
    return_elements: Any = None,
    unbound_key: str = UNBOUND_INPUTS,
    takes_collection: Callable[[str], bool] = lambda key: True,
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
    _check_unbound(message, unbound_key, input_map)
    info = message.meta_info_def
    ops = info.stripped_op_list if info.HasField("stripped_op_list") else None
    elements = import_graph_def(
        graph_def, input_map, return_elements, f"{scope}/" if scope else "", producer_op_list=ops
    )
    known: Dict[bytes, Any] = {}
    collections = message.collection_def
    # Variables first, whose handles others have.
    for key in sorted(collections, key=lambda key: (collections[key].HasField("node_list"), key)):
        if key == unbound_key or not takes_collection(key):
            continue
        for item in _items(graph, key, collections[key], scope, known):
            graph.add_to_collection(key, item)
    return message, scope, elements


def _check_unbound(message: MetaGraphDef, key: str, input_map: Any) -> None:
    if key not in message.collection_def:
        return
    values = message.collection_def[key].bytes_list.value
    names = [value.decode() for value in values]
    if sorted(names) != sorted(input_map or {}):
        missing = ",".join(name for name in names if name not in (input_map or {}))
        raise ValueError(
            f"Graph contains unbound inputs: {missing}. Must provide these inputs through "
            "input_map."
        )


def _items(
    graph: Graph, key: str, collection: Any, scope: str, known: Dict[bytes, Any]
) -> List[Any]:
    """The items of a collection; one variable for equal messages."""
    kind = collection.WhichOneof("kind")
    values = list(getattr(collection, kind).value) if kind else []
    if kind == "node_list":
        found = [_element(graph, f"{scope}/{name}" if scope else name) for name in values]
        return [_variable_of(item, known.values()) or item for item in found]
    message, from_proto = get_collection_proto_type(key), get_from_proto_function(key)
    if kind != "bytes_list" or from_proto is None:
        return values
    items = []
    for value in values:
        if value not in known:
            known[value] = from_proto(message.FromString(value), import_scope=scope)
        items.append(known[value])
    return items


def _variable_of(item: Any, known: Iterable[Any]) -> Optional[Variable]:
    """The variable whose handle an item is, which can be fetched as TensorFlow's references can."""
    if not isinstance(item, Tensor) or item.dtype != dtypes.resource:
        return None
    variables = (each for each in known if isinstance(each, Variable))
    return next((each for each in variables if each._read_from is item), None)


def _element(graph: Graph, name: str) -> Any:
    try:
        if ":" in name:
            return graph._tensor(*graph._root.find_output(name))
        return graph._operation(graph._root.find(name))
    except (errors.NotFoundError, errors.InvalidArgumentError) as error:
        raise ValueError(f"a collection names what the graph lacks: {error.message}") from None
