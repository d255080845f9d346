"""Weights of metrics: of the shape of the values, 1 along some dimensions, or one number."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.control_flow.weights import assert_broadcastable, of_rank
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.metrics import confusion_matrix
from troupe._src.ops import creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor


def matched(
    predictions: Any, labels: Any, weights: Any
) -> Tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Predictions, labels and weights of one rank, if a last dimension of 1 makes the difference.

    Weights that are one number stay so. ValueError if labels and predictions are known to differ
    in shape.
    """
    predicted, expected = convert_to_tensor(predictions), None
    if labels is not None:
        pair = confusion_matrix.remove_squeezable_dimensions(labels, predicted)
        expected, predicted = pair
        predicted.shape.assert_is_compatible_with(expected.shape)
    if weights is None:
        return predicted, expected, None
    return predicted, expected, of_rank(convert_to_tensor(weights), predicted)


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """The weights with the dtype and the shape of the values."""
    graph = get_default_graph()
    with graph.name_scope("broadcast_weights"):
        wanted = convert_to_tensor(values)
        given = convert_to_tensor(weights, wanted.dtype)
        known = given.shape.is_fully_defined() and wanted.shape.is_fully_defined()
        if known and given.shape.is_compatible_with(wanted.shape):
            return given
        with graph.control_dependencies([assert_broadcastable(given, wanted)]):
            return gen_ops.multiply(given, creation_ops.ones_like(wanted))
