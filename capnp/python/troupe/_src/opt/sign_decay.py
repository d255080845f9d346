"""How the signs in AddSign and PowerSign count less with each step."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def _fraction(global_step: Any, decay_steps: int) -> Tensor:
    """The share of the steps that are over, at most 1."""
    if global_step is None:
        raise ValueError("global_step is required for the decay of signs.")
    step = math_ops.cast(convert_to_tensor(global_step), dtypes.float32)
    return gen_ops.minimum(step, float(decay_steps)) / float(decay_steps)


def _half_wave(turns: Tensor, place: Tensor, zero_after: Optional[float]) -> Tensor:
    """From 1 down to 0 with the place; 0 after so many turns."""
    value = 0.5 * (1.0 + gen_ops.cos(math.pi * place))
    if zero_after is None:
        return value
    return selection_ops.where(turns >= zero_after, 0.0 * value, value)


def get_linear_decay_fn(decay_steps: int) -> Callable[[Any], Tensor]:
    """A decay by the same amount with each step.

    Args:
        decay_steps: The step at which it is 0.

    Returns:
        The function from the global step to the factor of the sign.
    """

    def decay(global_step: Any) -> Tensor:
        return 1.0 - _fraction(global_step, decay_steps)

    return decay


def get_cosine_decay_fn(
    decay_steps: int, num_periods: float = 0.5, zero_after: Optional[float] = None
) -> Callable[[Any], Tensor]:
    """A decay along a cosine.

    Args:
        decay_steps: The number of steps.
        num_periods: How many periods the cosine has in these.
        zero_after: The periods after which the factor is 0; None for none.

    Returns:
        The function from the global step to the factor of the sign.
    """

    def decay(global_step: Any) -> Tensor:
        turns = num_periods * _fraction(global_step, decay_steps)
        return _half_wave(turns, 2.0 * turns, zero_after)

    return decay


def get_restart_decay_fn(
    decay_steps: int, num_periods: float = 1, zero_after: Optional[float] = None
) -> Callable[[Any], Tensor]:
    """A decay along half a cosine that begins anew.

    Args:
        decay_steps: The number of steps.
        num_periods: How often it begins in these.
        zero_after: The periods after which the factor is 0; None for none.

    Returns:
        The function from the global step to the factor of the sign.
    """

    def decay(global_step: Any) -> Tensor:
        # A remainder of whole steps is exact, where that of their shares would not be.
        steps = num_periods * (_fraction(global_step, decay_steps) * float(decay_steps))
        place = gen_ops.floormod(steps, float(decay_steps)) / float(decay_steps)
        return _half_wave(steps / float(decay_steps), place, zero_after)

    return decay
