"""Learning rate schedules: functions of the global step."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def _rate_and_steps(learning_rate: Any, global_step: Any) -> Tuple[Tensor, Tensor]:
    if global_step is None:
        raise ValueError("global_step is required for a learning rate that decays.")
    rate = convert_to_tensor(learning_rate)
    return rate, math_ops.cast(convert_to_tensor(global_step), rate.dtype)


def _periods(steps: Tensor, decay_steps: Any, staircase: bool) -> Tensor:
    """steps / decay_steps; rounded down with `staircase`."""
    periods = math_ops.divide(steps, math_ops.cast(decay_steps, steps.dtype))
    return _floor(periods) if staircase else periods


def _floor(positive: Tensor) -> Tensor:
    return math_ops.cast(math_ops.cast(positive, dtypes.int64), positive.dtype)


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
    factor = gen_ops.pow(
        math_ops.cast(decay_rate, rate.dtype), _periods(steps, decay_steps, staircase)
    )
    return gen_ops.multiply(rate, factor, name or "ExponentialDecay")


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
    exponent = -math_ops.cast(decay_rate, rate.dtype) * _periods(steps, decay_steps, staircase)
    return gen_ops.multiply(rate, gen_ops.exp(exponent), name or "NaturalExpDecay")


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
    decay = math_ops.cast(decay_rate, rate.dtype) * _periods(steps, decay_steps, staircase)
    return math_ops.divide(rate, decay + 1.0, name or "InverseTimeDecay")


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Decays from learning_rate to end_learning_rate in decay_steps, and stays there.

    With `cycle`, decay_steps is multiplied by 2, 3, ... each time the global step passes it.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    last = math_ops.cast(decay_steps, rate.dtype)
    if cycle:
        cycles = _floor(steps / last)
        cycles = cycles + math_ops.cast(gen_ops.less(cycles, steps / last), rate.dtype)
        last = last * gen_ops.maximum(cycles, 1.0)
    else:
        steps = gen_ops.minimum(steps, last)
    end = math_ops.cast(end_learning_rate, rate.dtype)
    remaining = gen_ops.pow(1.0 - steps / last, math_ops.cast(power, rate.dtype))
    return math_ops.add((rate - end) * remaining, end, name or "PolynomialDecay")


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: Optional[str] = None
) -> Tensor:
    """values[i] for x in (boundaries[i - 1], boundaries[i]]."""
    if len(values) != len(boundaries) + 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    step = convert_to_tensor(x)
    rate = convert_to_tensor(values[-1])
    for boundary, value in reversed(list(zip(boundaries, values))):
        limit = math_ops.cast(convert_to_tensor(boundary), step.dtype)
        rate = array_ops.where(
            gen_ops.less_equal(step, limit), math_ops.cast(value, rate.dtype), rate
        )
    return array_ops.identity(rate, name or "PiecewiseConstant")


piecewise_constant_decay = piecewise_constant
