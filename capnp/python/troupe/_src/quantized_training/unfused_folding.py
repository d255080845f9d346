"""Batch normalizations of several ops, folded into the layers before them.

They are those of `tf.contrib.layers.batch_norm`, which are known by the names of their nodes.
"""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.scopes import device
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.quantized_training.clones import LAYERS, check_layer_shapes, cloned_layer
from troupe._src.quantized_training.normalizations import (
    Normalization,
    corrections,
    moving_averages,
)
from troupe._src.quantized_training.patterns import NodePattern
from troupe._src.quantized_training.rewiring import Rewiring, is_skipped

_GROUP = re.compile(r"^(.*)BatchNorm/batchnorm")
_NORM = "BatchNorm/batchnorm_1/"
_ACTIVATIONS = ("Relu6", "Relu", "Identity")


def fold_unfused(wiring: Rewiring, is_training: bool, freeze_delay: Optional[int]) -> None:
    """Folds all batch normalizations of a graph that are several ops.

    Args:
        wiring: The graph.
        is_training: Whether the graph trains.
        freeze_delay: The step from which on training uses the moving averages, or None.

    Raises:
        KeyError: What comes after a normalization is no activation, and no sum in the scope around.
    """
    graph = wiring.graph
    scopes = _groups(graph)
    averages = moving_averages(wiring, NodePattern()) if scopes else {}
    for scope in scopes:
        shift = graph.get_operation_by_name(f"{scope}{_NORM}add_1")
        inverse = graph.get_operation_by_name(f"{scope}{_NORM}Rsqrt")
        has_scale = sum(op.type == "Mul" for op in wiring.model_consumers(inverse)) == 1
        if not wiring.consumers(shift.outputs[0]):
            continue
        last = _waiting(wiring, scope, shift)
        found = _normalization(wiring, scope, has_scale, averages)
        outputs = _fold(wiring, scope, has_scale, found, is_training, freeze_delay)
        with graph.control_dependencies(last.control_inputs):
            folded = math_ops.add(outputs, wiring.inputs(shift)[1], name=f"{scope}add_fold")
        user = _activation(graph, scope)
        if user is None:
            # A sum of the layer and its inputs, before the activation.
            outer = re.search(r"^(.*)/([^/]+)", scope)
            name = f"{outer.group(1)}/AddV2" if outer and outer.group(1) else "AddV2"
            user = graph.get_operation_by_name(name)
        if wiring.reroute(folded, last.outputs[0], [user]) != 1:
            raise ValueError(f"Unexpected inputs to op: {user.name}")


def _groups(graph: Graph) -> List[str]:
    """The scopes of layers with such a normalization, with a slash at the end."""
    found = [_GROUP.search(op.name) for op in graph.get_operations()]
    scopes = [match.group(1) for match in found if match is not None]
    return [scope for scope in dict.fromkeys(scopes) if not is_skipped(scope)]


def _waiting(wiring: Rewiring, scope: str, shift: Operation) -> Operation:
    """The end of a normalization: an identity if it waits for the updates of moving averages."""
    users = wiring.consumers(shift.outputs[0])
    is_waiting = len(users) == 1 and users[0].name == f"{scope}BatchNorm/Identity"
    return users[0] if is_waiting else shift


def _activation(graph: Graph, scope: str) -> Optional[Operation]:
    for name in _ACTIVATIONS:
        try:
            return graph.get_operation_by_name(scope + name)
        except KeyError:
            continue
    return None


def _normalization(
    wiring: Rewiring, scope: str, has_scale: bool, averages: Dict[Tensor, Tuple[Tensor, Tensor]]
) -> Normalization:
    """What a normalization takes, by the places of its nodes."""

    def inputs(name: str) -> List[Tensor]:
        return wiring.inputs(wiring.graph.get_operation_by_name(scope + _NORM + name))

    variance, epsilon = inputs("add")
    mean = inputs("mul_2" if has_scale else "mul_1")[0]
    moving_mean, mean_decay = averages.get(mean, (None, None))
    moving_variance, variance_decay = averages.get(variance, (None, None))
    return Normalization(
        gamma=inputs("mul")[1] if has_scale else creation_ops.ones(mean.shape),
        epsilon=epsilon,
        mean=mean,
        variance=variance,
        moving_mean=moving_mean,
        moving_variance=moving_variance,
        mean_decay=mean_decay,
        variance_decay=variance_decay,
    )


def _fold(
    wiring: Rewiring,
    scope: str,
    has_scale: bool,
    found: Normalization,
    is_training: bool,
    freeze_delay: Optional[int],
) -> Tensor:
    """The outputs of a layer whose weights are scaled, without the shift."""
    graph = wiring.graph
    scaling = graph.get_operation_by_name(scope + _NORM + ("mul_1" if has_scale else "mul"))
    layer, to_space = wiring.inputs(scaling)[0].op, None
    if layer.type == "BatchToSpaceND":
        to_space, layer = layer, wiring.inputs(layer)[0].op
    weights, factor = wiring.inputs(layer)[1], wiring.inputs(scaling)[1]
    scale = inverse = offset = None
    if is_training:
        scale, inverse, offset = corrections(wiring, scope, found, freeze_delay)
    if layer.type not in LAYERS:
        raise ValueError(f"Cannot handle operation of type: {layer.type}")
    if layer.type == "DepthwiseConv2dNative":
        shape = weights.shape.as_list()[2:4]
        source = graph.get_operation_by_name(scope + _NORM + ("mul" if has_scale else "Rsqrt"))
        factor = array_ops.reshape(source.outputs[0], shape, name=f"{scope}scale_reshape")
        if scale is not None:
            scale = array_ops.reshape(scale, shape, name=f"{scope}correction_reshape")
    if scale is not None:
        with device(scaling.device):
            weights = gen_ops.multiply(scale, weights, name=f"{scope}correction_mult")
    scaled = gen_ops.multiply(weights, factor, name=f"{scope}mul_fold")
    check_layer_shapes(layer, scaled)
    outputs = cloned_layer(layer, wiring.inputs(layer)[0], scaled, f"{layer.name}_Fold")
    place = outputs.op.device
    if to_space is not None:
        block, crops = to_space.inputs[1:]
        outputs = gen_ops.batch_to_space_nd(outputs, block, crops, name=f"{to_space.name}_Fold")
    if inverse is not None and offset is not None:
        with device(place):
            outputs = gen_ops.multiply(inverse, outputs, name=f"{scope}post_conv_mul")
            outputs = math_ops.add(outputs, offset, name=f"{scope}correction_add")
    return outputs
