"""Layers that stand for what ops of TensorFlow compute of the results of other layers."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Set

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.graph_defs.json_form import fill_from_dict, message_to_dict
from troupe._src.messages.graph_messages import GraphDef, NodeDef
from troupe._src.ops.apply_op import OP_DEFS
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.convert import constant
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_Layer: Any = keras_module("engine.base_layer").Layer


_PREFIX = "tf_op_layer_"
_OF_LOOPS = ("Enter", "Exit", "Merge", "Switch", "NextIteration", "LoopCond")


@set_module("troupe.keras.layers")
class TensorFlowOpLayer(_Layer):  # type: ignore[misc]
    """What a node of the graph computes of the results of layers.

    A model makes one for each op of TensorFlow that is between its layers, as TensorFlow 1.15 does.
    On other inputs it makes such a node again. What does not come of a layer is a constant.

    Args:
        node_def: The NodeDef, as bytes, or as JSON has it.
        name: The name of the node.
        constants: Values of inputs by their positions.
        trainable: Has no effect.
        dtype: Has no effect.
    """

    def __init__(
        self, node_def: Any, name: str, constants: Optional[Mapping[Any, Any]] = None,
        trainable: bool = True, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=_PREFIX + name, trainable=trainable)
        self.node_def = NodeDef()
        if isinstance(node_def, dict):
            fill_from_dict(self.node_def, node_def)
        else:
            given = node_def if isinstance(node_def, bytes) else node_def.encode()
            self.node_def.ParseFromString(given)
        self.constants = {int(place): value for place, value in (constants or {}).items()}
        self._told_dtype = dtype
        self.built = True

    def call(self, inputs: Any) -> Any:
        """What the node computes of these tensors."""
        tensors = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        for place, value in sorted(self.constants.items()):
            tensors.insert(place, constant(value))
        message = GraphDef()
        node = message.node.add()
        node.CopyFrom(self.node_def)
        del node.input[:]
        node.input.extend(f"given_{number}" for number in range(len(tensors)))
        replaced = {f"given_{number}:0": each for number, each in enumerate(tensors)}
        operation: Any = import_graph_def(message, replaced, [node.name], name="")
        outputs = list(operation[0].outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        return {
            "name": self.name[len(_PREFIX) :],
            "trainable": self.trainable,
            "dtype": self._told_dtype,
            "node_def": message_to_dict(self.node_def),
            "constants": dict(self.constants),
        }


@set_module("troupe.keras.layers")
class TensorFlowNodesLayer(_Layer):  # type: ignore[misc]
    """What nodes compute that are a loop, or that use variables: they stay where they are.

    On other inputs it copies the nodes that depend on its own. It cannot be saved.

    Args:
        given: The results of layers that the nodes begin with.
        result: What they compute.
        nodes: The nodes.
        **kwargs: Those of layers.
    """

    def __init__(
        self, given: List[Tensor], result: Tensor, nodes: List[Operation], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._given, self._result, self._nodes = given, result, nodes
        self.built = True

    def call(self, inputs: Any) -> Any:
        """What the nodes compute of these tensors."""
        tensors = inputs if isinstance(inputs, list) else [inputs]
        replaced: Dict[str, Any] = {
            old.name: new for old, new in zip(self._given, tensors)
        }
        own = {node.name for node in self._nodes}
        copied = GraphDef()
        for node in self._nodes:
            message = copied.node.add()
            message.CopyFrom(node.node_def)
            inside = [each for each in message.input if each[0] != "^" or each[1:] in own]
            del message.input[:]
            message.input.extend(inside)
            for each in node.inputs:
                if each.op.name not in own:
                    replaced.setdefault(each.name, each)
        found = import_graph_def(
            copied, input_map=replaced, return_elements=[self._result.name], name=self.name
        )
        return found[0] if found else None

    def get_config(self) -> Dict[str, Any]:
        """NotImplementedError."""
        raise NotImplementedError(
            f"a model with ops between its layers, such as {self._result.op.type}, cannot be "
            "saved or copied: put them into a Lambda layer"
        )


def complete_history(outputs: Iterable[Tensor]) -> None:
    """Makes layers of the ops between the layers that lead to these tensors.

    Args:
        outputs: What a model is to compute.
    """
    left, seen = list(outputs), set()
    while left:
        tensor = left.pop()
        if not hasattr(tensor, "_keras_history"):
            _wrap(tensor)
        if not hasattr(tensor, "_keras_history"):
            continue  # the model will say so
        layer, number, _ = tensor._keras_history
        node = layer._inbound_nodes[number]
        if id(node) in seen:
            continue
        seen.add(id(node))
        for place, given in enumerate(node.input_tensors):
            left.append(given)
            if node.inbound_layers[place : place + 1] == [None]:
                _wrap(given)
                _connect(node, place, given)


def _connect(node: Any, place: int, given: Tensor) -> None:
    """Tells a call of a layer which layer the input comes from."""
    if hasattr(given, "_keras_history"):
        layer, number, position = given._keras_history
        node.inbound_layers[place] = layer
        node.node_indices[place], node.tensor_indices[place] = number, position
        layer._outbound_nodes.append(node)


def _wrap(result: Tensor) -> None:
    """Makes layers of the ops between layers and that tensor, if there are such layers."""
    if hasattr(result, "_keras_history"):
        return
    given, nodes = _between(result)
    if not given:
        return
    if _are_plain(nodes):
        _wrap_each(nodes, {each.name for each in nodes}, result.op)
        return
    backend = keras_module("backend")
    name = f"tf_op_layer_{result.op.name.replace('/', '_')}"
    name = backend.unique_object_name(name, zero_based=True)
    layer = TensorFlowNodesLayer(given, result, nodes, name=name, trainable=False)
    _add_call(layer, given, [result])


def _add_call(layer: Any, given: List[Tensor], results: List[Tensor]) -> None:
    backend = keras_module("backend")
    layer._add_inbound_node(
        input_tensors=given, output_tensors=results,
        input_masks=[None] * len(given), output_masks=[None] * len(results),
        input_shapes=[backend.int_shape(each) for each in given],
        output_shapes=[backend.int_shape(each) for each in results], arguments={},
    )  # fmt: skip


def _are_plain(nodes: List[Operation]) -> bool:
    """Whether none has state, or is in a loop, or is computed of something that has."""
    own = {each.name for each in nodes}
    left = [*nodes]
    seen = set()
    while left:
        node = left.pop()
        if node.name in seen:
            continue
        seen.add(node.name)
        if OP_DEFS[node.type]["is_stateful"] or node.type in (*_OF_LOOPS, "Placeholder"):
            return False
        others = [each for each in node.inputs if not hasattr(each, "_keras_history")]
        left += [each.op for each in others if each.op.name not in own]
    return True


def _wrap_each(nodes: List[Operation], own: Set[str], last: Operation) -> None:
    """Makes a layer of each of the nodes that the last one needs, and of that, in their order."""
    constants: Dict[int, Any] = {}
    given: List[Tensor] = []
    for place, each in enumerate(last.inputs):
        if not hasattr(each, "_keras_history") and each.op.name in own:
            _wrap_each(nodes, own, each.op)
        if hasattr(each, "_keras_history"):
            given.append(each)
        else:
            constants[place] = _value_of(each)
    if any(hasattr(each, "_keras_history") for each in last.outputs):
        return
    layer = TensorFlowOpLayer(last.node_def.SerializeToString(), last.name, constants)
    _add_call(layer, given, list(last.outputs))


def _value_of(tensor: Tensor) -> Any:
    value = get_static_value(tensor)
    return keras_module("backend").get_session().run(tensor) if value is None else value


def _between(result: Tensor) -> Any:
    """The results of layers that a tensor depends on, and the nodes behind them that it needs."""
    given: Dict[str, Tensor] = {}
    ancestors: Dict[str, Operation] = {}
    left = [result.op]
    while left:
        node = left.pop()
        if node.name in ancestors:
            continue
        ancestors[node.name] = node
        for each in node.inputs:
            if hasattr(each, "_keras_history"):
                given[each.name] = each
            else:
                left.append(each.op)
    dependent: Set[str] = set()
    found = True
    while found:  # once, but for loops
        found = False
        for node in reversed(list(ancestors.values())):
            if node.name not in dependent and any(
                each.name in given or each.op.name in dependent for each in node.inputs
            ):
                dependent.add(node.name)
                found = True
    return list(given.values()), [each for each in ancestors.values() if each.name in dependent]
