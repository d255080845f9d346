"""Where a graph is rounded: at weights, activations and sums."""

from __future__ import annotations

from typing import List, Set

from troupe._src.graph.elements import Operation
from troupe._src.quantized_training.insertion import Rounding, insert, outer_scope
from troupe._src.quantized_training.layer_matches import (
    ACTIVATIONS,
    SUMS,
    LayerMatch,
    find_layers,
)

_RELUS = ("Relu", "Relu6")
_PASSING = ("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max")
_PRODUCERS = (*SUMS, "Mul")


def round_graph(rounding: Rounding) -> None:
    """Rounds the weights and results of all layers, and what is made of them by elements.

    Args:
        rounding: The graph, and how.
    """
    done: Set[Operation] = set()
    for found in find_layers(rounding.wiring):
        _round_layer(rounding, found, done)
    _round_elements(rounding, done)


def _joined(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


def _round_layer(rounding: Rounding, found: LayerMatch, done: Set[Operation]) -> None:
    users = rounding.wiring.model_consumers
    scope = outer_scope(found.layer.name)
    outer = scope if found.bypass is None else outer_scope(scope)
    if found.weights is not None:
        source = found.weights.op
        place = _joined(scope, "weights_quant")
        insert(rounding, place, source, users(source), is_weight=True, checks="u")
    if found.activation is not None:
        op = found.activation
        insert(rounding, _joined(outer, "act_quant"), op, users(op), ends=(0.0, 6.0))
        done.add(op)
    if found.bypass is not None and found.bias is not None:
        op = found.bias
        insert(rounding, _joined(scope, "conv_quant"), op, users(op), checks="pu")
        done.add(op)
        _round_sum(rounding, found.bypass, _joined(outer, "add_quant"), ACTIVATIONS, "pu", done)
    if found.later_bypass is not None:
        op = found.later_bypass
        place = _joined(outer_scope(op.name), "post_activation_bypass_quant")
        _round_sum(rounding, op, place, _RELUS, "p", done)


def _round_sum(
    rounding: Rounding, op: Operation, place: str, fused: object, checks: str, done: Set[Operation]
) -> None:
    """Rounds a sum, unless an activation follows, with which it will be one op."""
    users: List[Operation] = rounding.wiring.model_consumers(op)
    if any(user.type in fused for user in users):  # type: ignore[operator]
        return
    insert(rounding, place, op, users, checks=checks)
    done.add(op)


def _round_elements(rounding: Rounding, done: Set[Operation]) -> None:
    """Rounds sums and products of what is rounded."""
    graph = rounding.wiring.graph
    # What takes rounded sums is changed on the way.
    for op in graph.get_operations():
        if _is_to_be_rounded(rounding, op, done):
            name = "Add" if op.__dict__.get("_is_add") else op.type
            users = rounding.wiring.model_consumers(op)
            place = f"{op.name}/activation_{name}_quant"
            insert(rounding, place, op, users, symmetric=False)


def _is_to_be_rounded(rounding: Rounding, op: Operation, done: Set[Operation]) -> bool:
    """Whether it adds or multiplies what is rounded, and is not rounded with an activation."""
    wiring = rounding.wiring
    if op in done or op.type not in _PRODUCERS:
        return False
    users = wiring.consumers(op.outputs[0])
    if len(users) == 1 and users[0].type in _RELUS:
        return False
    for tensor in wiring.inputs(op):
        source = tensor.op
        while source.type in _PASSING:
            source = wiring.inputs(source)[0].op
        if source.type == "FakeQuantWithMinMaxVars" or "delayed_quant/Merge" in source.name[1:]:
            return True
        if source.type in _PRODUCERS and any(
            _is_to_be_rounded(rounding, each.op, done) for each in wiring.inputs(source)
        ):
            return True
    return False
