"""Loads SavedModels as objects."""

from __future__ import annotations

import collections
import os
from typing import Any, Deque, Dict, Optional, Sequence

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.checkpoints.object_graph import object_graph_of
from troupe._src.functions.traced import ConcreteFunction
from troupe._src.messages.meta_graph_messages import MetaGraphDef
from troupe._src.object_saved_models import graph_functions
from troupe._src.object_saved_models.function_library import FunctionLibrary
from troupe._src.object_saved_models.restored_functions import (
    RestoredFunction,
    SignatureFunction,
    leaves_of,
    signature_of,
)
from troupe._src.object_saved_models.restored_objects import restored_object, restored_variable
from troupe._src.object_saved_models.structures import decode
from troupe._src.ops.convert import constant
from troupe._src.saved_model import constants
from troupe._src.saved_model.loader import SavedModelLoader
from troupe._src.set_module import set_module
from troupe._src.types import dtypes, errors
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable import Variable


@set_module("troupe.saved_model")
def load_v2(export_dir: PathLike, tags: Any = None) -> Any:
    """Adds the variables of a SavedModel to the default graph, with objects that have them.

    The objects have the attributes that were saved: variables, lists, dicts, functions, which add a
    call each, and `signatures`, a mapping of functions by their names. The initializers of the
    variables restore their values. A SavedModel that knows no objects, such as one of the Builder,
    gives an object with `signatures`, `variables`, `graph` and `prune`. As TensorFlow 1.15's
    `tf.saved_model.load_v2` where nothing is computed at once.

    Args:
        export_dir: The folder.
        tags: Those of the graph, a string or several; by default those of the only one.

    Returns:
        The first of the objects.

    Raises:
        OSError: There is no SavedModel.
        ValueError: There are several graphs and no tags, or the only graph has others.
        RuntimeError: No graph has these tags.
        NotImplementedError: An object is of a kind that is not known here, such as a table.
    """
    return load_as(export_dir, tags, ObjectLoader)


def load_as(export_dir: PathLike, tags: Any, kind: Any) -> Any:
    """As `load_v2`, with objects that a loader of that class makes.

    Args:
        export_dir: The folder.
        tags: Those of the graph.
        kind: `ObjectLoader`, or a class derived from it.

    Returns:
        The first of the objects.
    """
    wanted = [tags] if isinstance(tags, str) else tags
    loader = SavedModelLoader(export_dir)
    graphs = list(loader.saved_model.meta_graphs)
    if len(graphs) == 1 and graphs[0].HasField("object_graph_def"):
        found = list(graphs[0].meta_info_def.tags)
        if wanted is not None and set(wanted) != set(found):
            raise ValueError(
                f"The SavedModel at {os.fspath(export_dir)} has one MetaGraph with tags {found}, "
                f"but got an incompatible argument tags={tags} to tf.saved_model.load. You may "
                "omit it, pass 'None', or pass matching tags."
            )
        return kind(os.fspath(export_dir), graphs[0]).load()
    if wanted is None:
        if len(graphs) != 1:
            known = [list(each.meta_info_def.tags) for each in graphs]
            raise ValueError(
                "Importing a SavedModel with tf.saved_model.load requires a 'tags=' argument if "
                f"there is more than one MetaGraph. Got 'tags=None', but there are {len(graphs)} "
                f"MetaGraphs in the SavedModel with tag sets {known}. Pass a 'tags=' argument to "
                "load this SavedModel."
            )
        wanted = list(graphs[0].meta_info_def.tags)
    message = loader.get_meta_graph_def_from_tags(wanted)
    return graph_functions.restored_graph(os.fspath(export_dir), message)


class ObjectLoader:
    """Makes the objects of a SavedModel.

    Args:
        export_dir: Its folder.
        message: The graph that has objects.
    """

    def __init__(self, export_dir: str, message: MetaGraphDef) -> None:
        self._export_dir, self._message = export_dir, message
        self.nodes = list(message.object_graph_def.nodes)
        self.functions = message.object_graph_def.concrete_functions
        self.objects: Dict[int, Any] = {}
        self._library = FunctionLibrary(message.graph_def.library)
        self._concrete: Dict[str, ConcreteFunction] = {}
        self._check()

    def _check(self) -> None:
        named = [child.node_id for node in self.nodes for child in node.children]
        for node in self.nodes:
            for slot in node.slot_variables:
                named += [slot.original_variable_node_id, slot.slot_variable_node_id]
        named += [each for function in self.functions.values() for each in function.bound_inputs]
        if not self.nodes or not all(0 <= each < len(self.nodes) for each in named):
            raise errors.DataLossError(
                None, None, "The SavedModel names objects that it does not have"
            )

    def load(self) -> Any:
        """The first object, with all that it has."""
        keys = self._keys()
        # Functions come last: they capture other objects.
        for number, node in enumerate(self.nodes):
            if node.WhichOneof("kind") not in ("function", "bare_concrete_function"):
                self.objects[number] = self.made(number, node, keys.get(number))
        for number, node in enumerate(self.nodes):
            if number not in self.objects:
                self.objects[number] = self._function(node)
        self._connect()
        root = self.objects[0]
        root.tensorflow_version = self._message.meta_info_def.tensorflow_version
        root.tensorflow_git_version = self._message.meta_info_def.tensorflow_git_version
        return root

    def made(self, number: int, node: Any, key: Optional[str]) -> Any:
        """An object that is no function.

        Args:
            number: Its number.
            node: What the SavedModel says of it.
            key: The key of its value in the checkpoint.

        Returns:
            The object.
        """
        kind = node.WhichOneof("kind")
        if kind == "variable":
            return restored_variable(node, self._export_dir, key)
        if kind == "user_object":
            return restored_object(node)
        if kind == "constant":
            return self._constant(node.constant.operation)
        if kind == "asset":
            return self._asset(node.asset.asset_file_def_index)
        raise NotImplementedError(f"objects of the kind '{kind}' of a SavedModel cannot be loaded")

    def _constant(self, name: str) -> Any:
        found = [node for node in self._message.graph_def.node if node.name == name]
        if len(found) != 1 or found[0].op != "Const":
            raise errors.DataLossError(None, None, f"The SavedModel has no constant '{name}'")
        from_message = graph_functions.imported(found, [f"{name}:0"], {})
        return from_message[0]

    def _asset(self, index: int) -> Any:
        assets = self._message.asset_file_def
        if not 0 <= index < len(assets):
            raise errors.DataLossError(None, None, f"The SavedModel has no file {index}")
        folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
        return constant(os.path.join(folder, assets[index].filename), dtypes.string)

    def _connect(self) -> None:
        for number, node in enumerate(self.nodes):
            for slot in node.slot_variables:
                self._connect_slot(self.objects[number], slot)
            for child in node.children:
                self.connect(self.objects[number], child.local_name, self.objects[child.node_id])

    def _connect_slot(self, optimizer: Any, slot: Any) -> None:
        if hasattr(optimizer, "_set_slot"):
            variable = self.objects[slot.original_variable_node_id]
            optimizer._set_slot(variable, slot.slot_name, self.objects[slot.slot_variable_node_id])

    def connect(self, parent: Any, name: str, child: Any) -> None:
        """Gives an object a child.

        Args:
            parent: The object.
            name: The name of the child there.
            child: The other object.
        """
        if hasattr(parent, "_set_child"):
            parent._set_child(name, child)

    # Functions.

    def _function(self, node: Any) -> Any:
        if node.WhichOneof("kind") == "bare_concrete_function":
            told = node.bare_concrete_function
            function = self._concrete_of(told.concrete_function_name)
            return SignatureFunction(
                function, list(told.argument_keywords), told.allowed_positional_arguments
            )
        spec = node.function.function_spec
        return RestoredFunction(
            [self._concrete_of(name) for name in node.function.concrete_functions],
            signature_of(spec), decode(spec.input_signature),
        )  # fmt: skip

    def _concrete_of(self, name: str) -> ConcreteFunction:
        if name in self._concrete:
            return self._concrete[name]
        told = self.functions.get(name)
        if told is None or name not in self._library:
            raise errors.DataLossError(None, None, f"The SavedModel has no function '{name}'")
        results = decode(told.output_signature)
        args, kwargs = decode(told.canonicalized_input_signature)
        specs = leaves_of([list(args), kwargs])
        captured = [self._handle(number) for number in told.bound_inputs]
        if len(specs) + len(captured) != self._library.arguments_of(name):
            raise errors.DataLossError(
                None, None, f"The function '{name}' of the SavedModel has other arguments"
            )
        definition = self._library.definition_of(name, specs, captured, results)
        made = ConcreteFunction(definition, results, [list(args), kwargs])
        self._concrete[name] = made
        return made

    def _handle(self, number: int) -> Any:
        value = self.objects.get(number)
        return value.handle if isinstance(value, Variable) else value

    # The checkpoint.

    def _keys(self) -> Dict[int, str]:
        """The keys of the values of variables, by the numbers of these."""
        if not any(node.WhichOneof("kind") == "variable" for node in self.nodes):
            return {}
        reader = CheckpointReader(constants.variables_path(self._export_dir))
        saved = object_graph_of(reader)
        if saved is None:
            raise errors.DataLossError(
                None, None, "The checkpoint of the SavedModel does not know its objects"
            )
        matched = _matched(self.nodes, saved.nodes)
        found = {}
        for number, other in matched.items():
            for attribute in saved.nodes[other].attributes:
                if attribute.name == "VARIABLE_VALUE":
                    found[number] = attribute.checkpoint_key
        return found


def _matched(nodes: Sequence[Any], saved: Sequence[Any]) -> Dict[int, int]:
    """The objects of the checkpoint by the numbers of those of the graph: they have the same
    names."""
    found = {0: 0}
    waiting: Deque[int] = collections.deque([0])
    while waiting:
        number = waiting.popleft()
        names: Dict[str, int] = {
            child.local_name: child.node_id for child in saved[found[number]].children
        }
        for child in nodes[number].children:
            if child.local_name in names and child.node_id not in found:
                found[child.node_id] = names[child.local_name]
                waiting.append(child.node_id)
    for number, other in list(found.items()):
        slots = {
            (slot.original_variable_node_id, slot.slot_name): slot.slot_variable_node_id
            for slot in saved[other].slot_variables
        }
        for slot in nodes[number].slot_variables:
            key = (found.get(slot.original_variable_node_id), slot.slot_name)
            if key in slots:
                found.setdefault(slot.slot_variable_node_id, slots[key])
    return found

