"""Optimizers that keep variables within bounds."""

from __future__ import annotations

from typing import Any, Sequence

from troupe._src.gan.tuples import GANModel
from troupe._src.opt.wrappers import VariableClippingOptimizer


def clip_discriminator_weights(
    optimizer: Any, model: GANModel, weight_clip: float
) -> VariableClippingOptimizer:
    """`clip_variables` of the variables of a discriminator.

    Args:
        optimizer: The optimizer.
        model: The model.
        weight_clip: The greatest absolute value.

    Returns:
        The optimizer that clips.

    Raises:
        ValueError: `weight_clip` is negative.
    """
    return clip_variables(optimizer, model.discriminator_variables, weight_clip)


def clip_variables(
    optimizer: Any, variables: Sequence[Any], weight_clip: float
) -> VariableClippingOptimizer:
    """An optimizer after whose updates no element of variables is greater than a value.

    A discriminator is so kept from steep slopes (arXiv:1701.07875).

    Args:
        optimizer: The optimizer that updates the variables.
        variables: The variables that are clipped.
        weight_clip: The greatest absolute value.

    Returns:
        The optimizer that clips.

    Raises:
        ValueError: `weight_clip` is negative.
    """
    if weight_clip < 0:
        raise ValueError(f"`weight_clip` must be positive. Instead, was {weight_clip}")
    # Without axes each element is a vector of its own.
    return VariableClippingOptimizer(
        opt=optimizer, vars_to_clip_dims={each: [] for each in variables}, max_norm=weight_clip,
        use_locking=True, colocate_clip_ops_with_vars=True,
    )  # fmt: skip
