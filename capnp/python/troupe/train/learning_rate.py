"""Learning rates that follow the global step."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe import _array, _dtypes, math
from troupe._convert import convert_to_tensor
from troupe._elements import Tensor


def _rate_and_steps(learning_rate: Any, global_step: Any) -> Tuple[Tensor, Tensor]:
    if global_step is None:
        raise ValueError("global_step is required for a learning rate that decays.")
    rate = convert_to_tensor(learning_rate)
    return rate, math.cast(convert_to_tensor(global_step), rate.dtype)


def _periods(steps: Tensor, decay_steps: Any, staircase: bool) -> Tensor:
    """steps / decay_steps; whole ones with `staircase`."""
    periods = math.divide(steps, math.cast(decay_steps, steps.dtype))
    return _whole(periods) if staircase else periods


def _whole(positive: Tensor) -> Tensor:
    return math.cast(math.cast(positive, _dtypes.int64), positive.dtype)


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate * decay_rate ^ (global_step / decay_steps)."""
    rate, steps = _rate_and_steps(learning_rate, global_step)
    factor = math.pow(math.cast(decay_rate, rate.dtype), _periods(steps, decay_steps, staircase))
    return math.multiply(rate, factor, name or "ExponentialDecay")


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate * exp(-decay_rate * global_step / decay_steps)."""
    rate, steps = _rate_and_steps(learning_rate, global_step)
    falling = -math.cast(decay_rate, rate.dtype) * _periods(steps, decay_steps, staircase)
    return math.multiply(rate, math.exp(falling), name or "NaturalExpDecay")


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    rate, steps = _rate_and_steps(learning_rate, global_step)
    fall = math.cast(decay_rate, rate.dtype) * _periods(steps, decay_steps, staircase)
    return math.divide(rate, fall + 1.0, name or "InverseTimeDecay")


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """From learning_rate down to end_learning_rate, which holds from decay_steps on.

    With `cycle` decay_steps are doubled, tripled and so on instead, as often as they are reached.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    last = math.cast(decay_steps, rate.dtype)
    if cycle:
        begun = _whole(steps / last)
        begun = begun + math.cast(math.less(begun, steps / last), rate.dtype)
        last = last * math.maximum(begun, 1.0)
    else:
        steps = math.minimum(steps, last)
    end = math.cast(end_learning_rate, rate.dtype)
    left = math.pow(1.0 - steps / last, math.cast(power, rate.dtype))
    return math.add((rate - end) * left, end, name or "PolynomialDecay")


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: Optional[str] = None
) -> Tensor:
    """The first value up to the first boundary, the second beyond it, and so on."""
    if len(values) != len(boundaries) + 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    step = convert_to_tensor(x)
    rate = convert_to_tensor(values[-1])
    for boundary, value in reversed(list(zip(boundaries, values))):
        limit = math.cast(convert_to_tensor(boundary), step.dtype)
        rate = _array.where(math.less_equal(step, limit), math.cast(value, rate.dtype), rate)
    return _array.identity(rate, name or "PiecewiseConstant")


piecewise_constant_decay = piecewise_constant
