"""Learning rate schedules: functions of the global step."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.types import dtypes


def _rate_and_steps(learning_rate: Any, global_step: Any) -> Tuple[Tensor, Tensor]:
    if global_step is None:
        raise ValueError("global_step is required for a learning rate that decays.")
    rate = convert_to_tensor(learning_rate)
    return rate, math_ops.cast(convert_to_tensor(global_step), rate.dtype)


def _periods(steps: Tensor, decay_steps: Any, staircase: bool) -> Tensor:
    """steps / decay_steps; rounded down with `staircase`."""
    periods = math_ops.divide(steps, math_ops.cast(decay_steps, steps.dtype))
    return gen_ops.floor(periods) if staircase else periods


def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate * decay_rate ^ (global_step / decay_steps).

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps of a decay by `decay_rate`.
        decay_rate: The factor of a decay.
        staircase: Whether the rate stays in between.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    factor = gen_ops.pow(
        math_ops.cast(decay_rate, rate.dtype), _periods(steps, decay_steps, staircase)
    )
    return gen_ops.multiply(rate, factor, name or "ExponentialDecay")


def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate * exp(-decay_rate * global_step / decay_steps).

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps of a decay by exp(-decay_rate).
        decay_rate: The exponent of a decay.
        staircase: Whether the rate stays in between.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    exponent = -math_ops.cast(decay_rate, rate.dtype) * _periods(steps, decay_steps, staircase)
    return gen_ops.multiply(rate, gen_ops.exp(exponent), name or "NaturalExpDecay")


def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """learning_rate / (1 + decay_rate * global_step / decay_steps).

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps after which `decay_rate` is added to the divisor.
        decay_rate: What is added.
        staircase: Whether the rate stays in between.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    decay = math_ops.cast(decay_rate, rate.dtype) * _periods(steps, decay_steps, staircase)
    return math_ops.divide(rate, decay + 1.0, name or "InverseTimeDecay")


def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Decays from learning_rate to end_learning_rate in decay_steps, and stays there.

    With `cycle`, decay_steps is multiplied by 2, 3, ... each time the global step passes it.

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps of the decay.
        end_learning_rate: The last rate.
        power: The exponent of the part that is left; 1 for a line.
        cycle: Whether the rate rises again after it.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    last = math_ops.cast(decay_steps, rate.dtype)
    if cycle:
        cycles = gen_ops.floor(steps / last)
        cycles = cycles + math_ops.cast(gen_ops.less(cycles, steps / last), rate.dtype)
        last = last * gen_ops.maximum(cycles, 1.0)
    else:
        steps = gen_ops.minimum(steps, last)
    end = math_ops.cast(end_learning_rate, rate.dtype)
    remaining = gen_ops.pow(1.0 - steps / last, math_ops.cast(power, rate.dtype))
    return math_ops.add((rate - end) * remaining, end, name or "PolynomialDecay")


def piecewise_constant(
    x: TensorLike, boundaries: Sequence[Any], values: Sequence[Any], name: Optional[str] = None
) -> Tensor:
    """values[i] for x in (boundaries[i - 1], boundaries[i]].

    Args:
        x: A scalar, such as the global step.
        boundaries: Numbers of the dtype of x, strictly increasing; int32 is taken as int64.
        values: One number more, all of one dtype.

    Returns:
        A scalar of the dtype of the values.

    Raises:
        ValueError: Their numbers or dtypes do not fit.
    """
    if len(values) != len(boundaries) + 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    step = convert_to_tensor(x)
    rates = [convert_to_tensor(value) for value in values]
    for value in rates[1:]:
        if value.dtype.base_dtype != rates[0].dtype.base_dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({rates[0].dtype.base_dtype} vs {value.dtype.base_dtype})."
            )
    rate = rates[-1]
    for boundary, value in reversed(list(zip(boundaries, rates))):
        limit = convert_to_tensor(boundary)
        if limit.dtype.base_dtype == dtypes.int32 and step.dtype.base_dtype == dtypes.int64:
            limit = math_ops.cast(limit, dtypes.int64)
        if limit.dtype.base_dtype != step.dtype.base_dtype:
            raise ValueError(
                f"Boundaries ({limit.dtype.base_dtype}) must have the same dtype as x "
                f"({step.dtype.base_dtype})."
            )
        rate = selection_ops.where(gen_ops.less_equal(step, limit), value, rate)
    return array_ops.identity(rate, name or "PiecewiseConstant")


piecewise_constant_decay = piecewise_constant


def _finished(steps: Tensor, decay_steps: Any) -> Tensor:
    """The part of decay_steps that has passed, at most 1."""
    last = math_ops.cast(decay_steps, steps.dtype)
    return gen_ops.minimum(steps, last) / last


def _cosine(part: Tensor, periods: float = 0.5) -> Tensor:
    """From 1 to 0 along half a wave, or along that many waves."""
    wave: Tensor = 0.5 * (1.0 + gen_ops.cos(2.0 * math.pi * periods * part))
    return wave


def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: Any = 0.0,
    name: Optional[str] = None,
) -> Tensor:
    """Decays along half a cosine wave to alpha * learning_rate in decay_steps.

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps of the decay.
        alpha: The last rate, as a fraction of the first.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    decayed = (1 - alpha) * _cosine(_finished(steps, decay_steps)) + alpha
    return gen_ops.multiply(rate, decayed, name or "CosineDecay")


def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: TensorLike,
    first_decay_steps: TensorLike,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: Optional[str] = None,
) -> Tensor:
    """cosine_decay that starts again: each time t_mul times longer, and m_mul times as high.

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        first_decay_steps: The number of steps of the first decay.
        t_mul: How many times longer each decay is than the one before.
        m_mul: How many times higher the rate begins than in the one before.
        alpha: The last rate of a decay, as a fraction of the first.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    passed = steps / math_ops.cast(first_decay_steps, rate.dtype)
    longer, higher = (math_ops.cast(factor, rate.dtype) for factor in (t_mul, m_mul))
    if not isinstance(t_mul, Tensor) and t_mul == 1.0:
        restarts = gen_ops.floor(passed)
        part = passed - restarts
    else:
        restarts = gen_ops.floor(gen_ops.log(1.0 - passed * (1.0 - longer)) / gen_ops.log(longer))
        before = (1.0 - longer**restarts) / (1.0 - longer)
        part = (passed - before) / longer**restarts
    decayed = (1 - alpha) * (_cosine(part) * higher**restarts) + alpha
    return gen_ops.multiply(rate, decayed, name or "SGDRDecay")


def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: float = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: Optional[str] = None,
) -> Tensor:
    """Decays linearly to 0 in decay_steps, times cosine waves: (alpha + line) * waves + beta.

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps of the decay.
        num_periods: The number of waves.
        alpha: What is added to the line.
        beta: What is added to the product.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    part = _finished(steps, decay_steps)
    decayed = (alpha + (1.0 - part)) * _cosine(part, num_periods) + beta
    return gen_ops.multiply(rate, decayed, name or "LinearCosineDecay")


def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: float = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: Optional[str] = None,
) -> Tensor:
    """linear_cosine_decay and noise, of variance initial_variance / (1 + step) ^ variance_decay.

    Args:
        learning_rate: The rate at step 0, a float or a scalar.
        global_step: The number of steps so far, a scalar.
        decay_steps: The number of steps of the decay.
        initial_variance: The variance of the noise at step 0.
        variance_decay: The exponent by which it becomes less.
        num_periods: The number of waves.
        alpha: What is added to the line.
        beta: What is added to the product.

    Returns:
        A scalar of the dtype of the rate.

    Raises:
        ValueError: There is no global step.
    """
    rate, steps = _rate_and_steps(learning_rate, global_step)
    last = math_ops.cast(decay_steps, rate.dtype)
    clipped = gen_ops.minimum(steps, last)
    initial = math_ops.cast(initial_variance, rate.dtype)
    power = math_ops.cast(variance_decay, rate.dtype)
    deviation = gen_ops.sqrt(initial / (1.0 + clipped) ** power)
    noise = random_ops.random_normal(array_ops.shape(deviation), dtype=rate.dtype) * deviation
    part = clipped / last
    line = (last - clipped) / last + noise
    decayed = (alpha + line) * _cosine(part, num_periods) + beta
    return gen_ops.multiply(rate, decayed, name or "NoisyLinearCosineDecay")
