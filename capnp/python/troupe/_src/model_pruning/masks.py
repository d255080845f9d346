"""Masks of weights, and the collections that they are in."""

from __future__ import annotations

from typing import Any, List

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.nn_ops import zero_fraction
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import variable_scope

MASKS = "masks"
THRESHOLDS = "thresholds"
MASKED_WEIGHTS = "masked_weights"
WEIGHTS = "kernel"
# What rewrites graphs for quantization finds weights by the first part.
MASKED_WEIGHT_NAME = "weights/masked_weight"


def masked(weights: Any, mask: Any, threshold: Any) -> Tensor:
    """The product of weights and their mask.

    Args:
        weights: A variable, or a tensor.
        mask: A variable of that shape, of zeros and ones.
        threshold: A scalar variable: the absolute value below which the mask is zero.

    Returns:
        A tensor. All four are added to their collections, unless the mask is there.
    """
    graph = get_default_graph()
    product = gen_ops.multiply(
        convert_to_tensor(mask), convert_to_tensor(weights), name=MASKED_WEIGHT_NAME
    )
    if all(each is not mask for each in graph.get_collection_ref(MASKS)):
        graph.add_to_collection(THRESHOLDS, threshold)
        graph.add_to_collection(MASKS, mask)
        graph.add_to_collection(MASKED_WEIGHTS, product)
        graph.add_to_collection(WEIGHTS, weights)
    return product


def apply_mask(x: Any, scope: Any = "") -> Tensor:
    """Multiplies weights by a mask, which pruning sets.

    Args:
        x: The weights, a variable or a tensor.
        scope: The scope of the variables `mask` and `threshold`.

    Returns:
        A tensor of the shape of the weights.
    """
    with variable_scope(scope):
        mask = get_variable("mask", x.get_shape(), x.dtype, Ones(), trainable=False)
        threshold = get_variable("threshold", [], x.dtype, Zeros(), trainable=False)
    return masked(x, mask, threshold)


def get_masked_weights() -> List[Any]:
    """The products of weights and masks of the default graph."""
    return get_default_graph().get_collection(MASKED_WEIGHTS)


def get_masks() -> List[Any]:
    """The masks of the default graph."""
    return get_default_graph().get_collection(MASKS)


def get_thresholds() -> List[Any]:
    """The thresholds of the default graph, in the order of the masks."""
    return get_default_graph().get_collection(THRESHOLDS)


def get_weights() -> List[Any]:
    """The weights of the default graph that have masks, in the order of the masks."""
    return get_default_graph().get_collection(WEIGHTS)


def get_weight_sparsity() -> List[Tensor]:
    """The share of zeros in each mask of the default graph."""
    return [zero_fraction(convert_to_tensor(mask)) for mask in get_masks()]
