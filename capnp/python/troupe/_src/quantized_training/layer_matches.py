"""The layers of a graph that are quantized, and what follows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from troupe._src.graph.elements import Operation
from troupe._src.quantized_training.clones import LAYERS
from troupe._src.quantized_training.patterns import (
    AnyOf,
    Match,
    NodePattern,
    matches,
    node_of,
    tensor_of,
)
from troupe._src.quantized_training.rewiring import Rewiring

ACTIVATIONS = ("Relu", "Relu6", "Identity")
SUMS = ("Add", "AddV2")
_WEIGHTS = ("read_weights", "weights", "folded_weights")
_any = NodePattern()


@dataclass
class LayerMatch:
    """A layer, its weights and what follows: a bias, a sum with other nodes, an activation."""

    layer: Operation
    weights: Any
    activation: Optional[Operation]
    bypass: Optional[Operation] = None
    later_bypass: Optional[Operation] = None
    bias: Optional[Operation] = None


def _weights() -> AnyOf:
    """Weights as a layer takes them: of a variable, of one in two parts, or folded."""
    variable = NodePattern(["Variable", "VariableV2"])
    read = NodePattern(["Identity"], [variable])
    plain = NodePattern(["ReadVariableOp"])
    parts = NodePattern(["ConcatV2"], [AnyOf(read, plain), _any, _any])
    identity = NodePattern(["Identity"], [AnyOf(read, parts, variable)], "read_weights")
    resource = NodePattern(["ReadVariableOp"], key="weights")
    folded = NodePattern(["Mul"], key="folded_weights")
    joined = NodePattern(["ConcatV2"], [plain, _any, _any], "read_weights")
    return AnyOf(identity, resource, folded, joined)


class _Patterns:
    """Patterns of layers, from the layer to what comes last."""

    def __init__(self) -> None:
        layer = NodePattern(LAYERS, [_any, _weights()], "layer", in_order=False)
        to_space = NodePattern(["BatchToSpaceND"], [layer, _any, _any])
        output = AnyOf(to_space, layer)
        corrected = NodePattern(SUMS, [
            NodePattern(["Mul"], [_any, output], in_order=False), _any
        ], in_order=False)  # fmt: skip
        folded_bias = NodePattern(SUMS, [corrected, _any], "folded_bias", in_order=False)
        # Where updates are forced, an identity waits for them.
        waiting = NodePattern(["Identity"], [folded_bias])
        bias = NodePattern([*SUMS, "BiasAdd"], [output, _any], "bias", in_order=False)
        biased = AnyOf(bias, folded_bias, waiting)
        bypass = NodePattern(SUMS, [biased, _any], "bypass", in_order=False)
        self.activation = NodePattern(
            ACTIVATIONS, [AnyOf(bias, folded_bias, waiting, bypass, layer)], "activation"
        )
        self.later_bypass = NodePattern(
            SUMS, [_any, self.activation], "later_bypass", in_order=False
        )
        self.last = AnyOf(bias, folded_bias)
        # Separable convolutions have no activation between the two.
        self.separable = NodePattern(LAYERS, [output, _any], in_order=False)


def find_layers(wiring: Rewiring) -> List[LayerMatch]:
    """All layers that are quantized: by the largest pattern that each matches.

    Args:
        wiring: The graph.
    """
    patterns, found = _Patterns(), {}  # type: ignore[var-annotated]
    for match in matches(wiring, patterns.later_bypass):
        _add(found, match, later_bypass=node_of(match, "later_bypass"), **_middle(match))
    for match in matches(wiring, patterns.activation):
        if not _is_before_normalization(wiring, node_of(match, "activation")):
            _add(found, match, **_middle(match))
    for match in matches(wiring, patterns.last):
        # The last layer has no activation: what adds its bias stands for one.
        _add(found, match, activation=_bias(match))
    for match in matches(wiring, patterns.separable):
        _add(found, match, activation=node_of(match, "layer"))
    return list(found.values())


def _add(found: Dict[Operation, LayerMatch], match: Match, **following: Any) -> None:
    layer = node_of(match, "layer")
    if layer not in found:
        names = [name for name in _WEIGHTS if name in match]
        weights = tensor_of(match, names[0]) if names else None
        found[layer] = LayerMatch(layer, weights, **following)


def _bias(match: Match) -> Any:
    return node_of(match, "bias") or node_of(match, "folded_bias")


def _middle(match: Match) -> Dict[str, Any]:
    return {
        "activation": node_of(match, "activation"),
        "bypass": node_of(match, "bypass"),
        "bias": _bias(match),
    }


def _is_before_normalization(wiring: Rewiring, activation: Operation) -> bool:
    """Whether it only passes a layer on to a normalization, which has been folded."""
    if activation.type != "Identity":
        return False
    users = wiring.consumers(activation.outputs[0])
    return len(users) == 1 and users[0].type in ("FusedBatchNorm", "FusedBatchNormV3")
