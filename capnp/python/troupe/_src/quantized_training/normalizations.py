"""Batch normalizations that are folded into the layers before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.quantized_training.patterns import NodePattern, matches, node_of, tensor_of
from troupe._src.quantized_training.rewiring import Rewiring
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.synchronization import VariableAggregation
from troupe._src.variables.variable_scope import get_variable

_STEP = "fake_quantization_step"
# What a layer's weights and outputs are multiplied by, and what is added to the latter.
Corrections = Tuple[Optional[Tensor], Optional[Tensor], Optional[Tensor]]


@dataclass
class Normalization:
    """A layer and the batch normalization after it."""

    gamma: Any
    epsilon: Any
    mean: Any
    variance: Any
    moving_mean: Any = None
    moving_variance: Any = None
    mean_decay: Any = None
    variance_decay: Any = None
    beta: Any = None
    layer: Optional[Operation] = None
    norm: Optional[Operation] = None
    inputs: Any = None
    weights: Any = None
    output: Any = None
    to_space: Optional[Operation] = None


def quantization_step() -> Tensor:
    """How many steps the rewritten graph has run, with this one."""
    graph = get_default_graph()
    try:
        return graph.get_tensor_by_name(f"{_STEP}/Identity:0")
    except KeyError:
        pass
    with graph.name_scope(None):
        step = get_variable(
            _STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )
        with graph.name_scope(f"{step.op.name}/"):
            return array_ops.identity(step.assign_add(1), name="Identity")


def corrections(
    wiring: Rewiring, context: str, found: Normalization, freeze_delay: Optional[int]
) -> Corrections:
    """What turns weights that are scaled by the moving variance into those of the batch.

    Weights are quantized as evaluation scales them, which changes slowly. What the layer gives is
    corrected to that of the moments of the batch; from a step on it is not, and the moving averages
    stay as they are.

    Args:
        wiring: The graph.
        context: The scope of the nodes.
        found: The batch normalization.
        freeze_delay: The step, or None for no such step.
    """
    with get_default_graph().name_scope(f"{context}batch_norm_correction"):
        moving_factor = gen_ops.rsqrt(found.moving_variance + found.epsilon)
        factor = gen_ops.rsqrt(found.variance + found.epsilon)
        scale = array_ops.identity(
            math_ops.divide(moving_factor, factor, name="scale_compute"), name="correction_scale"
        )
        inverse = gen_ops.reciprocal(scale, name="reciprocal_compute")
        offset = gen_ops.multiply(
            found.gamma,
            found.mean * factor - found.moving_mean * moving_factor,
            name="offset_compute",
        )
        shape = offset.shape
        if freeze_delay is None:
            return scale, inverse, creation_ops.zeros(shape)
        is_frozen = gen_ops.greater_equal(
            quantization_step(), freeze_delay, name="use_moving_average"
        )
        _stop(wiring, is_frozen, found.mean_decay, "freeze_moving_mean")
        _stop(wiring, is_frozen, found.variance_decay, "freeze_moving_var")
        inverse = choose(is_frozen, creation_ops.ones(shape), inverse, "correction_recip")
        shift = choose(is_frozen, offset, creation_ops.zeros(shape), "correction_offset")
    return scale, inverse, shift


def choose(is_on: Tensor, on: Tensor, off: Tensor, name: str) -> Tensor:
    """One of two tensors, by a scalar.

    TensorFlow has branches there, whose output is of this name. Branches of a graph that is edited
    afterwards have no gradients here, and both tensors are there anyway.

    Args:
        is_on: The scalar.
        on: The tensor where it is true.
        off: The other one.
        name: The scope of the node.
    """
    chosen: Tensor = raw_ops.Select(is_on, on, off, name=f"{name}/Merge")
    return chosen


def _stop(wiring: Rewiring, is_frozen: Tensor, decay: Tensor, name: str) -> None:
    """Lets a moving average stay as it is, once the condition holds."""
    users = wiring.consumers(decay)
    rest = choose(is_frozen, creation_ops.zeros_like(decay), decay, name)
    wiring.reroute(rest, decay, users)


def moving_averages(wiring: Rewiring, moment: NodePattern) -> Dict[Tensor, Tuple[Tensor, Tensor]]:
    """What updates of moving averages take.

    Args:
        wiring: The graph.
        moment: What gives the moments of a batch.

    Returns:
        A moment to its moving average, and to how much of the difference the update takes.
    """
    difference = NodePattern(["Sub"], [NodePattern(), moment], "difference")
    update = NodePattern(["Mul"], [difference, NodePattern(key="decay")])
    found = {}
    for match in matches(wiring, update):
        average, value = wiring.inputs(node_of(match, "difference"))
        found[value] = (average, tensor_of(match, "decay"))
    return found
