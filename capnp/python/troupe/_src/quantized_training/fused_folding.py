"""Batch normalizations that are one op, folded into the layers before them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.gradient_functions import RegisterGradient
from troupe._src.graph.graph import get_default_graph
from troupe._src.messages.graph_messages import AttrValue
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.quantized_training.clones import LAYERS, cloned_layer
from troupe._src.quantized_training.normalizations import (
    Normalization,
    corrections,
    moving_averages,
)
from troupe._src.quantized_training.patterns import (
    AnyOf,
    Match,
    NodePattern,
    matches,
    node_of,
    tensor_of,
)
from troupe._src.quantized_training.rewiring import Rewiring
from troupe._src.types import dtypes

_GRADIENT = "FoldFusedBatchNormGrad"
_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_any = NodePattern()


def fold_fused(wiring: Rewiring, freeze_delay: Optional[int]) -> None:
    """Folds all batch normalizations of a graph that are one op.

    Args:
        wiring: The graph.
        freeze_delay: The step from which on training uses the moving averages, or None.
    """
    for found in _find(wiring):
        assert found.layer is not None
        scope, separator, name = found.layer.name.rpartition("/")
        with wiring.graph.name_scope(scope + separator):
            _fold(wiring, found, freeze_delay, scope + separator, separator, f"{name}_Fold")


def _fold(
    wiring: Rewiring, found: Any, freeze_delay: Optional[int], scope: str, end: str, name: str
) -> None:
    scale = inverse = offset = None
    with wiring.graph.name_scope(f"{scope}BatchNorm_Fold{end}"):
        factor = found.gamma * gen_ops.rsqrt(found.variance + found.epsilon)
        bias = gen_ops.subtract(found.beta, found.mean * factor, name="bias")
        if found.norm.get_attr("is_training"):
            scale, inverse, offset = corrections(wiring, "", found, freeze_delay)
        if found.layer.type == "DepthwiseConv2dNative":
            shape = found.weights.shape.as_list()[2:4]
            factor = array_ops.reshape(factor, shape, name="scale_reshape")
            if scale is not None:
                scale = array_ops.reshape(scale, shape, name="correction_reshape")
    weights = found.weights
    if scale is not None:
        weights = gen_ops.multiply(scale, weights, name="correction_mult")
    weights = gen_ops.multiply(weights, factor, name="mul_fold")
    outputs = cloned_layer(found.layer, found.inputs, weights, name)
    if found.to_space is not None:
        block, crops = found.to_space.inputs[1:]
        last = found.to_space.name.rpartition("/")[2]
        outputs = gen_ops.batch_to_space_nd(outputs, block, crops, name=f"{last}_Fold")
    if inverse is not None and offset is not None:
        outputs = gen_ops.multiply(inverse, outputs, name="post_conv_mul")
        outputs = math_ops.add(outputs, offset, name="correction_add")
    outputs = math_ops.add(outputs, bias, name="add_fold")
    if not wiring.reroute(outputs, found.output):
        raise ValueError(f"Folding batch norms failed, {found.output.name} had no outputs.")


def _patterns() -> Tuple[NodePattern, AnyOf]:
    layer = NodePattern(LAYERS, [NodePattern(key="inputs"), NodePattern(key="weights")], "layer")
    to_space = NodePattern(["BatchToSpaceND"], [layer, _any, _any], "to_space")
    same = NodePattern(["Identity"], [AnyOf(to_space, layer)])
    output = AnyOf(same, layer, to_space)
    reshaped = NodePattern(["Reshape"], [output, _any])
    names = ("gamma", "beta", "mean", "variance")
    parameters = [NodePattern(key=name) for name in names]
    norm = NodePattern(_NORMS, [AnyOf(reshaped, output), *parameters], "norm")
    reshape = NodePattern(["Reshape"], [norm, _any], "reshape")
    identity = NodePattern(["Identity"], [norm, reshape])
    return identity, AnyOf(reshape, norm)


def _find(wiring: Rewiring) -> List[Normalization]:
    found: Dict[Operation, Normalization] = {}
    averages = moving_averages(wiring, NodePattern(_NORMS))
    for pattern in _patterns():
        for match in matches(wiring, pattern):
            each = _normalization(wiring, match, averages)
            if each is not None and each.layer is not None:
                found.setdefault(each.layer, each)
    return list(found.values())


def _normalization(
    wiring: Rewiring, match: Match, averages: Dict[Tensor, Tuple[Tensor, Tensor]]
) -> Optional[Normalization]:
    layer, norm = node_of(match, "layer"), node_of(match, "norm")
    output = norm.outputs[0]
    if layer.type == "MatMul":
        reshape = node_of(match, "reshape")
        if reshape is None:
            return None  # another match has it
        output = reshape.outputs[0]
    if not wiring.consumers(output):
        return None
    found = Normalization(
        gamma=tensor_of(match, "gamma"),
        beta=tensor_of(match, "beta"),
        mean=tensor_of(match, "mean"),
        variance=tensor_of(match, "variance"),
        epsilon=norm.get_attr("epsilon"),
        layer=layer,
        norm=norm,
        inputs=tensor_of(match, "inputs"),
        weights=tensor_of(match, "weights"),
        output=output,
        to_space=node_of(match, "to_space"),
    )
    if norm.get_attr("is_training"):
        # Gradients pass through the moments, as those of the op do not.
        wiring.set_attr(norm, "_gradient_op_type", AttrValue(s=_GRADIENT.encode()))
        found.mean = norm.outputs[1]
        found.variance = _biased_variance(layer.outputs[0], norm)
        none = (None, None)
        found.moving_mean, found.mean_decay = averages.get(norm.outputs[1], none)
        found.moving_variance, found.variance_decay = averages.get(norm.outputs[2], none)
    return found


def _biased_variance(outputs: Tensor, norm: Operation) -> Tensor:
    """The variance by which the op divides: it gives that of a larger population."""
    scope, separator, _ = norm.name.rpartition("/")
    with get_default_graph().name_scope(scope + separator):
        count = math_ops.cast(
            array_ops.size(outputs) / array_ops.size(norm.outputs[1]), dtypes.float32
        )
        return gen_ops.multiply(
            norm.outputs[2], (count - 1) / count, name="Undo_Bessel_Correction"
        )


@RegisterGradient(_GRADIENT)
def _gradient(op: Operation, *gradients: Any) -> List[Any]:
    """The gradient of the moments of a batch: nothing else of the op is used any more."""
    mean, variance = gradients[1:3]
    x = op.inputs[0]
    count = math_ops.cast(array_ops.size(x) / array_ops.size(mean), dtypes.float32)
    by_mean = mean / count
    by_variance = 2 * variance * (x - op.outputs[1]) / (count - 1)
    return [by_mean + by_variance, None, None, None, None]
