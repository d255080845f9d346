"""The sum of an adversarial loss and another one, by a factor or by their gradients."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.contrib.variables import get_trainable_variables
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import abs as absolute
from troupe._src.ops.clip_ops import global_norm
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.summary import summary_ops
from troupe._src.train.gradients import gradients


def combine_adversarial_loss(
    main_loss: Tensor,
    adversarial_loss: Tensor,
    weight_factor: Any = None,
    gradient_ratio: Any = None,
    gradient_ratio_epsilon: float = 1e-6,
    variables: Optional[Sequence[Any]] = None,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
    scope: Optional[str] = None,
) -> Tensor:
    """Adds an adversarial loss to another one, multiplied by a factor.

    The factor is given, or it is the one that makes the lengths of the gradients of both losses
    have a given ratio (arXiv:1705.05823).

    Args:
        main_loss: The other loss, a scalar.
        adversarial_loss: The adversarial loss, a scalar.
        weight_factor: The factor; or else there is a `gradient_ratio`.
        gradient_ratio: How much longer the gradient of `main_loss` is than that of the product. Of
            a factor or ratio that is known to be 0, the result is `main_loss` alone.
        gradient_ratio_epsilon: Is added to the length of the adversarial loss's gradient.
        variables: The variables of the gradients, by default those that are trained.
        scalar_summaries: Whether there are summaries of the losses.
        gradient_summaries: Whether there are summaries of the lengths of the gradients.
        scope: The name scope.

    Returns:
        The sum, a scalar.

    Raises:
        ValueError: There is neither a factor nor a ratio, or both, or a loss is no scalar.
    """
    for loss in (main_loss, adversarial_loss):
        loss.shape.assert_is_compatible_with([])
    _check_one(weight_factor, gradient_ratio)
    trained = get_trainable_variables() if variables is None else variables
    with name_scope(scope, "adversarial_loss"):
        lengths = []
        if gradient_summaries or gradient_ratio is not None:
            both = (main_loss, adversarial_loss)
            lengths = [_length(gradients(loss, trained)) for loss in both]
        if scalar_summaries:
            summary_ops.scalar("main_loss", main_loss)
            summary_ops.scalar("adversarial_loss", adversarial_loss)
        if gradient_summaries:
            summary_ops.scalar("main_loss_gradients", lengths[0])
            summary_ops.scalar("adversarial_loss_gradients", lengths[1])
        given = gradient_ratio if weight_factor is None else weight_factor
        if array_ops.get_static_value(convert_to_tensor(given)) == 0:
            return main_loss
        factor = convert_to_tensor(given, adversarial_loss.dtype)
        if weight_factor is None:
            factor = lengths[0] / (lengths[1] + gradient_ratio_epsilon) / factor
            summary_ops.scalar("adversarial_coefficient", factor)
        return main_loss + gen_ops.stop_gradient(factor) * adversarial_loss


def _check_one(weight_factor: Any, gradient_ratio: Any) -> None:
    if weight_factor is None and gradient_ratio is None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be `None.`")
    if weight_factor is not None and gradient_ratio is not None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be specified.")


def _length(found: Sequence[Any]) -> Tensor:
    """The length of gradients, whose squares are computed of numbers of at most 1.

    Else the squares of large numbers would be infinite.
    """
    there = [convert_to_tensor(each) for each in found if each is not None]
    if not there:
        return convert_to_tensor(0.0)
    greatest = math_ops.reduce_max(
        array_ops.stack([math_ops.reduce_max(absolute(each)) for each in there])
    )
    return greatest * global_norm([each / greatest for each in there])
