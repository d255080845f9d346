"""Layers that stand for what ops of TensorFlow compute of the results of other layers."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Set

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_Layer: Any = keras_module("engine.base_layer").Layer


@set_module("troupe.keras.layers")
class TensorFlowOpLayer(_Layer):  # type: ignore[misc]
    """What some nodes of the graph compute of the results of layers.

    A model makes it, where ops of TensorFlow are between its layers, as TensorFlow 1.15 does for
    each op. On other inputs it copies the nodes that depend on its own. It cannot be saved.

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
    """Makes a layer of the ops between layers and that tensor, if there are such layers."""
    if hasattr(result, "_keras_history"):
        return
    given, nodes = _between(result)
    if not given:
        return
    backend = keras_module("backend")
    name = f"tf_op_layer_{result.op.name.replace('/', '_')}"
    name = backend.unique_object_name(name, zero_based=True)
    layer = TensorFlowOpLayer(given, result, nodes, name=name, trainable=False)
    layer._add_inbound_node(
        input_tensors=given, output_tensors=[result],
        input_masks=[None] * len(given), output_masks=[None],
        input_shapes=[backend.int_shape(each) for each in given],
        output_shapes=[backend.int_shape(result)], arguments={},
    )  # fmt: skip


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
