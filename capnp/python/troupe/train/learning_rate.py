"""Learning rates that follow the global step."""

from __future__ import annotations

from typing import Any, Optional

from troupe import math
from troupe._convert import convert_to_tensor
from troupe._elements import Tensor


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: int,
    decay_rate: float,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate * decay_rate ^ (global_step / decay_steps); in steps with `staircase`."""
    rate = convert_to_tensor(learning_rate)
    steps = convert_to_tensor(global_step)
    if staircase:
        periods = math.cast(
            math.div(steps, convert_to_tensor(decay_steps, steps.dtype)), rate.dtype
        )
    else:
        periods = math.divide(math.cast(steps, rate.dtype), float(decay_steps))
    return math.multiply(rate, math.pow(convert_to_tensor(decay_rate, rate.dtype), periods), name)
