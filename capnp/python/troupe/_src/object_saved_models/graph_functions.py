"""Graphs of SavedModels that know no objects, as functions from some tensors to others."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Sequence

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.control_flow.structure import flatten, pack_as
from troupe._src.functions.definition import FunctionDefinition, unique_function_name
from troupe._src.functions.traced import ConcreteFunction
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.graph_defs.graph_util import node_of
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.meta_graph_messages import MetaGraphDef, VariableDef
from troupe._src.messages.meta_graph_messages import SavedObject
from troupe._src.object_saved_models.restored_functions import SignatureFunction, SignatureMap
from troupe._src.object_saved_models.restored_objects import RestoredObject, restored_variable
from troupe._src.ops import raw_ops
from troupe._src.saved_model import constants
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.variable import Variable


def imported(
    nodes: Iterable[Any], names: Sequence[str], replaced: Mapping[str, Any], library: Any = None
) -> List[Any]:
    """Adds nodes of a message to the default graph.

    Args:
        nodes: The nodes.
        names: Those of tensors.
        replaced: Tensors of the default graph in place of tensors of the message.
        library: The functions of the message.

    Returns:
        The tensors.
    """
    message = GraphDef()
    message.node.extend(nodes)
    if library is not None:
        message.library.CopyFrom(library)
    return list(import_graph_def(message, dict(replaced), list(names), name="") or ())


class RestoredGraph(RestoredObject):
    """A graph of a SavedModel: functions of it, and its variables.

    Args:
        export_dir: The folder of the SavedModel.
        message: The graph.
    """

    _own_attributes = RestoredObject._own_attributes | {"_message", "_by_name", "graph"}

    def __init__(self, export_dir: str, message: MetaGraphDef) -> None:
        self._message = message
        self._by_name = _variables_of(export_dir, message)
        self.variables = list(self._by_name.values())
        self.graph = Graph()
        with self.graph.as_default():
            import_graph_def(message.graph_def, name="")
        self.signatures = SignatureMap(
            {
                key: self._signature(signature)
                for key, signature in message.signature_def.items()
                if key not in (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)
            }
        )

    def _signature(self, signature: Any) -> SignatureFunction:
        inputs = {key: info.name for key, info in sorted(signature.inputs.items())}
        specs = {
            key: TensorSpec(
                TensorShape(info.tensor_shape._sizes()), as_dtype(info.dtype), key
            )
            for key, info in sorted(signature.inputs.items())
        }
        outputs = {key: info.name for key, info in signature.outputs.items()}
        function = self._function(list(inputs.values()), list(specs.values()), outputs)
        made = ConcreteFunction(function, outputs, [[], specs])
        return SignatureFunction(made, list(inputs), 1 if len(inputs) == 1 else 0)

    def prune(self, feeds: Any, fetches: Any) -> Any:
        """A function of a part of the graph.

        Args:
            feeds: The tensors that are its arguments, or their names, one or nested.
            fetches: Those that are its results, likewise.

        Returns:
            A function, whose calls add a node each.

        Raises:
            ValueError: The graph lacks a tensor.
        """
        given = [self._tensor(each) for each in flatten(feeds)]
        wanted = [self._tensor(each) for each in flatten(fetches)]
        specs = [TensorSpec(each.shape, each.dtype) for each in given]
        names = pack_as(fetches, [each.name for each in wanted])
        function = self._function([each.name for each in given], specs, names)
        return ConcreteFunction(function, names, [specs, {}])

    def _tensor(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return self.graph.as_graph_element(value, allow_operation=False)

    def _function(
        self, feeds: Sequence[str], specs: Sequence[TensorSpec], fetches: Any
    ) -> FunctionDefinition:
        """The function from the tensors of these names to those."""
        body = FunctionGraph(get_default_graph())
        wanted = [str(each) for each in flatten(fetches)]
        with body.as_default():
            replaced: Dict[str, Any] = {
                name: body.add_argument(spec.dtype, spec.shape, spec.name or f"arg_{number}")
                for number, (name, spec) in enumerate(zip(feeds, specs))
            }
            nodes = _needed(self._message.graph_def, wanted, list(replaced))
            for name, variable in self._by_name.items():
                if any(node.name == node_of(name) for node in nodes):
                    replaced[name] = self._of_variable(name, variable)
            nodes = _needed(self._message.graph_def, wanted, list(replaced))
            library = self._message.graph_def.library
            taken = {name for node in nodes for name in map(_tensor_name, node.input)}
            used = {key: value for key, value in replaced.items() if key in {*taken, *wanted}}
            found = imported(nodes, wanted, used, library)
        return FunctionDefinition(unique_function_name("pruned"), body, found)

    def _of_variable(self, name: str, variable: Variable) -> Any:
        """What stands for the variable's node: its handle, or the value of a reference."""
        dtype = self.graph.get_tensor_by_name(name).dtype
        handle = get_default_graph()._adopt(variable.handle)
        if dtype == variable.handle.dtype:
            return handle
        return raw_ops.ReadVariableOp(resource=handle, dtype=variable.dtype)


def restored_graph(export_dir: str, message: MetaGraphDef) -> RestoredGraph:
    """The functions of a graph, and its variables, which it adds to the default graph.

    Args:
        export_dir: The folder of the SavedModel.
        message: The graph.

    Returns:
        An object.
    """
    return RestoredGraph(export_dir, message)


def _tensor_name(given: str) -> str:
    """The name of an input of a node, which may leave out the number of the first output."""
    return given if ":" in given or given.startswith("^") else f"{given}:0"


def _needed(message: GraphDef, wanted: Sequence[str], known: Sequence[str]) -> List[Any]:
    """The nodes that tensors need, but for those behind the known tensors."""
    by_name = {node.name: node for node in message.node}
    found: Dict[str, None] = {}
    left = [node_of(name) for name in wanted if name not in known]
    while left:
        name = left.pop()
        if name in found or name not in by_name:
            continue
        found[name] = None
        for each in by_name[name].input:
            if _tensor_name(each) not in known:
                left.append(node_of(each))
    return [node for node in message.node if node.name in found]


def _variables_of(export_dir: str, message: MetaGraphDef) -> Dict[str, Variable]:
    """The variables of a graph by the names of their nodes' results."""
    found: Dict[str, Variable] = {}
    collection = message.collection_def
    definitions = [
        VariableDef.FromString(each)
        for key in ("variables", "trainable_variables")
        if key in collection
        for each in collection[key].bytes_list.value
    ]
    if not definitions:
        return found
    reader = CheckpointReader(constants.variables_path(export_dir))
    keys = _restored_keys(message.graph_def)
    for told in definitions:
        name = told.variable_name
        key = keys.get(name, name.partition(":")[0])
        if name in found or not reader.has_tensor(key):
            continue
        description = SavedObject()
        description.variable.name = name.partition(":")[0]
        description.variable.trainable = told.trainable
        dtype = as_dtype(reader.get_variable_to_dtype_map()[key])
        description.variable.dtype = dtype.as_datatype_enum
        shape = TensorShape(reader.get_variable_to_shape_map()[key])
        description.variable.shape.CopyFrom(shape.as_proto())
        found[name] = restored_variable(description, export_dir, key)
    return found


def _restored_keys(message: GraphDef) -> Dict[str, str]:
    """The keys in the checkpoint of what the nodes of a saver assign to variables, by the names of
    these."""
    nodes = {node.name: node for node in message.node}
    found: Dict[str, str] = {}
    for node in message.node:
        if node.op not in ("Assign", "AssignVariableOp"):
            continue
        source = node.input[1]
        while source and nodes[node_of(source)].op == "Identity":
            source = nodes[node_of(source)].input[0]
        restore = nodes[node_of(source)]
        if restore.op != "RestoreV2":
            continue
        names = nodes[node_of(restore.input[1])].attr["value"].tensor.string_val
        place = int(source.partition(":")[2] or 0)
        if place < len(names):
            found[_tensor_name(node.input[0])] = names[place].decode()
    return found
