"""Statistics of what a step has after the other, of which later values count more."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import colocate_with, control_dependencies, name_scope
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import ones_like
from troupe._src.ops.reduction_ops import reduce_logsumexp
from troupe._src.set_module import set_module
from troupe._src.variables.assign_ops import assign_add, assign_sub
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


@set_module("troupe.contrib.distributions")
def assign_moving_mean_variance(
    mean_var: Any, variance_var: Any, value: Any, decay: Any, name: Optional[str] = None
) -> Tuple[Any, Any]:
    """Moves a mean and a variance to a value.

    The mean becomes `decay * mean + (1 - decay) * value`, and the variance
    `decay * (variance + (1 - decay) * (value - the mean before)**2)`.

    Args:
        mean_var: The variable of the mean, of floating point numbers.
        variance_var: That of the variance, of the same dtype and shape.
        value: The value, likewise.
        decay: How much of the statistics stays, a number near 1.

    Returns:
        The statistics after that.

    Raises:
        TypeError: The dtypes differ, or are not of floating point numbers.
    """
    with name_scope(name, "assign_moving_mean_variance"), colocate_with(variance_var):
        dtype = _floating(mean_var, "mean_var")
        if dtype != variance_var.dtype.base_dtype:
            raise TypeError(
                f"mean_var.base_dtype({dtype.name}) != "
                f"variance_var.base_dtype({variance_var.dtype.base_dtype.name})"
            )
        given = convert_to_tensor(value, dtype, name="value")
        kept = convert_to_tensor(decay, dtype, name="decay")
        delta = given - mean_var
        lost = gen_ops.square(delta) * kept
        with control_dependencies([delta]):
            mean = assign_add(mean_var, (1.0 - kept) * delta)
            variance = assign_sub(variance_var, (1.0 - kept) * (variance_var - lost))
        return mean, variance


def _floating(value: Any, name: str) -> Any:
    dtype = value.dtype.base_dtype
    if not dtype.is_floating:
        raise TypeError(f"{name}.base_dtype({dtype.name}) does not have float type `dtype`.")
    return dtype


@set_module("troupe.contrib.distributions")
def assign_log_moving_mean_exp(
    log_mean_exp_var: Any, log_value: Any, decay: Any, name: Optional[str] = None
) -> Any:
    """Moves the logarithm of the mean of exponentials to a value.

    It becomes `log(decay * exp(it) + (1 - decay) * exp(log_value))`.

    Args:
        log_mean_exp_var: The variable, of floating point numbers.
        log_value: The value, of the same dtype and shape.
        decay: How much of the mean stays, a number near 1.

    Returns:
        The logarithm after that.

    Raises:
        TypeError: The dtypes differ, or are not of floating point numbers.
    """
    with name_scope(name, "assign_log_moving_mean_exp"), colocate_with(log_mean_exp_var):
        dtype = _floating(log_mean_exp_var, "log_mean_exp_var")
        given = convert_to_tensor(log_value, dtype, name="log_value")
        kept = convert_to_tensor(decay, dtype, name="decay")
        # What is added to the logarithm is small, where both values are great.
        delta = given - log_mean_exp_var
        stays = gen_ops.log(kept) * ones_like(delta)
        moved = array_ops.stack([stays, delta + gen_ops.log1p(-kept)])
        return assign_add(log_mean_exp_var, reduce_logsumexp(moved, 0))


@set_module("troupe.contrib.distributions")
def moving_mean_variance(
    value: Any,
    decay: Any,
    collections: Optional[Sequence[str]] = None,
    name: Optional[str] = None,
) -> Tuple[Any, Any]:
    """Makes variables of a mean and a variance, which steps move to a value.

    Args:
        value: The value, of floating point numbers.
        decay: How much of the statistics stays, a number near 1.
        collections: The collections of the variables, by default GLOBAL_VARIABLES.

    Returns:
        The statistics after a step has moved them.

    Raises:
        TypeError: The dtypes differ, or are not of floating point numbers.
    """
    with variable_scope(name, "moving_mean_variance"):
        given = convert_to_tensor(value, name="value")
        dtype = _floating(given, "value")
        kept = convert_to_tensor(decay, dtype, name="decay")
        variance, mean = (
            get_variable(
                each, given.shape, dtype, Zeros(), trainable=False,
                collections=collections or [GraphKeys.GLOBAL_VARIABLES],
            )
            for each in ("moving_variance", "moving_mean")
        )  # fmt: skip
        return assign_moving_mean_variance(mean, variance, given, kept)
