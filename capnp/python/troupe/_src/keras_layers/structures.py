"""Tuples, dicts and nested lists of tensors, which layers take and give.

Keras's engine knows a tensor or a list of them. A call of a layer with another structure gives it
the list of the tensors, and the layer's own methods the structure again; likewise for results.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional

from troupe._src.control_flow.conversion import call_or_converted
from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.graph.thread_scopes import InheritedLocal
from troupe._src.keras_layers.layer_dtypes import computing


class _Call:
    """A call of a layer that has not ended."""

    def __init__(self, layer: Any, inputs: Any) -> None:
        self.layer, self.inputs, self.result = layer, inputs, None


class _Calls(InheritedLocal):
    def __init__(self) -> None:
        super().__init__()
        self.open: List[_Call] = []


_calls = _Calls()


def is_structured(value: Any) -> bool:
    """Whether it is more than a tensor or a list of tensors."""
    if not is_nested(value) or not any(map(_is_tensor, flatten(value))):
        return False
    return type(value) is not list or not all(map(_is_tensor, value))


def _is_tensor(leaf: Any) -> bool:
    """Whether it is one, or an object that has a value as tensors have."""
    return not is_nested(leaf) and hasattr(leaf, "dtype") and hasattr(leaf, "shape")


def _tensors(structure: Any) -> List[Any]:
    return list(filter(_is_tensor, flatten(structure)))


def _packed(structure: Any, tensors: Any) -> Any:
    """The structure with other tensors, or other things in their places."""
    others = iter(tensors if isinstance(tensors, list) else [tensors])
    leaves = [next(others) if _is_tensor(leaf) else leaf for leaf in flatten(structure)]
    return pack_as(structure, leaves)


def _open_call(layer: Any) -> Optional[_Call]:
    found = _calls.open[-1] if _calls.open else None
    return found if found is not None and found.layer is layer else None


def with_structures(own: Callable[..., Any]) -> Callable[..., Any]:
    """The call of layers, with inputs of any structure.

    Args:
        own: The call with a tensor or a list of them.

    Returns:
        The method.
    """

    @functools.wraps(own)
    def call(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        has_structure = is_structured(inputs)
        opened = _Call(self, inputs if has_structure else None)
        count = len(getattr(self, "_inbound_nodes", ()))
        _calls.open.append(opened)
        try:
            result = own(self, _tensors(inputs) if has_structure else inputs, *args, **kwargs)
        finally:
            _calls.open.remove(opened)
        if opened.inputs is None and opened.result is None:
            return result
        for node in self._inbound_nodes[count:]:
            node.structure = opened.inputs
        return result if opened.result is None else _packed(opened.result, result)

    return call


def call_layer(layer: Any, inputs: Any, **kwargs: Any) -> Any:
    """What a layer's method makes of the inputs, as a tensor or a list of tensors."""
    opened = _open_call(layer)
    result = _call(layer, layer.call, opened.inputs if opened else None, inputs, kwargs)
    if opened is None or not is_structured(result):
        return result
    opened.result = result
    layer._gives_structures = True
    return _tensors(result)


def call_node(layer: Any, node: Any, inputs: Any, **kwargs: Any) -> Any:
    """Likewise, where a model is computed again from the inputs of its nodes."""
    # Layers of `tf.layers` have scopes, which their calls begin.
    function = getattr(layer, "_computed", layer.call)
    result = _call(layer, function, getattr(node, "structure", None), inputs, kwargs)
    return _tensors(result) if is_structured(result) else result


def _call(layer: Any, function: Any, structure: Any, inputs: Any, kwargs: Any) -> Any:
    if structure is not None and not getattr(layer, "_is_graph_network", False):
        inputs = _packed(structure, inputs)
        if isinstance(kwargs.get("mask"), list):
            kwargs = {**kwargs, "mask": _packed(structure, kwargs["mask"])}
    with computing(layer, inputs) as given:
        return call_or_converted(function, given, **kwargs)


def shapes_to_build(layer: Any, shapes: Any) -> Any:
    """The shapes of inputs, in the structure of these."""
    opened = _open_call(layer)
    return shapes if opened is None or opened.inputs is None else _packed(opened.inputs, shapes)


def has_structure(layer: Any) -> bool:
    """Whether what a layer has just got or given is more than a list."""
    opened = _open_call(layer)
    return opened is not None and not (opened.inputs is None and opened.result is None)


def shape_of_call(layer: Any, input_shape: Any, output: Any) -> Any:
    """The shapes of what a layer has just given."""
    if not has_structure(layer):
        try:
            return layer.compute_output_shape(input_shape)
        except AssertionError:  # of a size that is not known; the output may have its own
            pass
    return static_shapes(output if isinstance(output, list) else [output])


def static_shapes(outputs: List[Any]) -> Any:
    """What is known of the shapes of tensors, as Keras has it."""
    found = [_sizes(each.shape) for each in outputs]
    return found[0] if len(found) == 1 else found


def _sizes(shape: Any) -> Any:
    return None if shape.rank is None else tuple(shape.as_list())


def inputs_of_model(model: Any, inputs: Any) -> List[Any]:
    """The inputs that a model of a program gets its shapes from, as a list."""
    if isinstance(inputs, dict):
        model._keys_of_inputs = sorted(inputs)
        return [inputs[key] for key in sorted(inputs)]
    return list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]


def name_of_input(model: Any, index: int) -> str:
    """The name of an input of such a model, from 0 on."""
    keys = getattr(model, "_keys_of_inputs", None)
    return keys[index] if keys else f"input_{index + 1}"


def results_of_model(model: Any, inputs: Any, **kwargs: Any) -> Any:
    """What such a model makes of its inputs, as a tensor or a list."""
    keys = getattr(model, "_keys_of_inputs", None)
    if keys:
        inputs = dict(zip(keys, inputs if isinstance(inputs, list) else [inputs]))
    with computing(model, inputs) as given:
        result = call_or_converted(model.call, given, **kwargs)
    return _tensors(result) if is_structured(result) else result
