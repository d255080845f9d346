"""The losses of linear models that dual ascent lessens."""

from __future__ import annotations

from typing import Callable, Dict

from troupe._src.graph.elements import Tensor
from troupe._src.nn.cross_entropies import log_poisson_loss, sigmoid_cross_entropy_with_logits
from troupe._src.ops import gen_ops


def _logistic(labels: Tensor, scores: Tensor) -> Tensor:
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=scores)


def _squared(labels: Tensor, scores: Tensor) -> Tensor:
    return gen_ops.square(labels - scores) / 2.0


def _hinge(labels: Tensor, scores: Tensor) -> Tensor:
    return gen_ops.relu(1.0 - (2.0 * labels - 1.0) * scores)


def _poisson(labels: Tensor, scores: Tensor) -> Tensor:
    return log_poisson_loss(targets=labels, log_input=scores)


# The loss of each example, of its label and its score. TensorFlow, too, shows the loss with the
# corner for the smooth one.
LOSSES: Dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "logistic_loss": _logistic,
    "squared_loss": _squared,
    "hinge_loss": _hinge,
    "smooth_hinge_loss": _hinge,
    "poisson_loss": _poisson,
}
