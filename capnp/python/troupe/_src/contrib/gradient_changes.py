"""Gradients that are clipped, multiplied, or have noise, before an optimizer takes them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops.clip_ops import clip_by_global_norm, global_norm
from troupe._src.ops.creation_ops import ones_like
from troupe._src.ops.gen_ops import exp, log, maximum, minimum, sqrt, square
from troupe._src.ops.math_ops import cast
from troupe._src.ops.selection_ops import where
from troupe._src.random.random_ops import truncated_normal
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.moving_averages import assign_moving_average
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

Pairs = List[Tuple[Any, Any]]


def clip_by_norm(pairs: Pairs, clip_norm: Any) -> Pairs:
    """The gradients, whose norm in all is at most that."""
    clipped, _ = clip_by_global_norm([gradient for gradient, _ in pairs], clip_norm)
    return [(gradient, variable) for gradient, (_, variable) in zip(clipped, pairs)]


def scaled(gradient: Any, factor: Any) -> Any:
    """A gradient, or None, times that; of rows, their values."""
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def multiply(pairs: Pairs, multipliers: Dict[Any, Any]) -> Pairs:
    """The gradients, of which those of the variables, or names of variables, are multiplied."""
    changed = []
    for gradient, variable in pairs:
        key = variable if variable in multipliers else variable.name
        if gradient is not None and key in multipliers:
            gradient = scaled(gradient, cast(multipliers[key], gradient.dtype))
        changed.append((gradient, variable))
    return changed


def add_noise(pairs: Pairs, scale: float) -> Pairs:
    """The gradients with noise of that standard deviation, of no more than twice its size."""
    changed = []
    for gradient, variable in pairs:
        if gradient is not None:
            is_rows = isinstance(gradient, IndexedSlices)
            shape = gradient.dense_shape if is_rows else gradient.shape
            gradient = gradient + truncated_normal(shape) * scale
        changed.append((gradient, variable))
    return changed


def adaptive_clipping_fn(
    std_factor: Any = 2.0, decay: Any = 0.95, static_max_norm: Any = None,
    global_step: Any = None, report_summary: bool = False, epsilon: float = 1e-8,
    name: Optional[str] = None,
) -> Callable[[Pairs], Pairs]:  # fmt: skip
    """Clips gradients whose norm is far above what it was in the steps before.

    Moving averages of the logarithm of the norm and of its square give a mean and a deviation. A
    norm above exp(mean + std_factor * deviation) becomes exp(mean). (Source: section 3.2.1 of
    arXiv:1412.1602.)

    Args:
        std_factor: How many deviations above the mean are too far.
        decay: The decay of the moving averages.
        static_max_norm: A norm that is never exceeded.
        global_step: The number of the step, with which the averages adapt faster at first.
        report_summary: Adds a summary of the greatest norm.
        epsilon: A small number, added to the norm and the least variance.
        name: The scope, by default `AdaptiveMaxNorm`.

    Returns:
        A function of a list of (gradient, variable), for `clip_gradients` of `optimize_loss`.
    """

    def clip(pairs: Pairs) -> Pairs:
        norm = global_norm([gradient for gradient, _ in pairs])
        with variable_scope(name, "AdaptiveMaxNorm"):
            max_norm, log_mean = _adaptive_max_norm(norm, std_factor, decay, global_step, epsilon)
        if report_summary:
            scalar("global_norm/adaptive_max_gradient_norm", max_norm)
        factor = where(norm < max_norm, ones_like(norm), exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = minimum(static_max_norm / norm, factor)
        return [(scaled(gradient, factor), variable) for gradient, variable in pairs]

    return clip


def _adaptive_max_norm(
    norm: Tensor, std_factor: Any, decay: Any, global_step: Any, epsilon: float
) -> Tuple[Tensor, Tensor]:
    """The greatest norm that is not clipped, and the mean of the logarithm of the norm."""
    log_norm = log(norm + epsilon)
    if global_step is not None:
        n = cast(global_step, dtypes.float32)
        decay = minimum(decay, n / (n + 1.0))

    def average(variable_name: str, value: Tensor) -> Tensor:
        variable = get_variable(
            variable_name, value.shape, value.dtype, initializer=Zeros(), trainable=False
        )
        return assign_moving_average(variable, value, decay, zero_debias=False)

    mean = average("mean", log_norm)
    variance = average("sq_mean", square(log_norm)) - square(mean)
    deviation = sqrt(maximum(epsilon, variance))
    return exp(mean + std_factor * deviation), mean
