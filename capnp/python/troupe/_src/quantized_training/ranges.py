"""Fake quantization whose range is kept in variables."""

from __future__ import annotations

from typing import Any, Callable, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import gen_ops, math_ops
from troupe._src.train.moving_averages import assign_moving_average
from troupe._src.variables.initializers import Constant
from troupe._src.variables.synchronization import VariableAggregation
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import variable_scope

Assign = Callable[[Any, Tensor, str], Tensor]


def quantize_by_last(
    inputs: Tensor, initial: Tuple[float, float], name: str, is_training: bool, **options: Any
) -> Tensor:
    """Rounds numbers in the range of those of the last step of training.

    Args:
        inputs: Floats.
        initial: The first ends of the range.
        name: The scope of the variables `min` and `max`.
        is_training: Whether the range is set to that of the inputs.
        **options: `num_bits`, `narrow_range` and `is_symmetric`.
    """

    def assign(variable: Any, value: Tensor, which: str) -> Tensor:
        assigned: Tensor = variable.assign(value, name=f"Assign{which}Last")
        return assigned

    return _quantize(inputs, initial, name, assign if is_training else None, **options)


def quantize_by_average(
    inputs: Tensor,
    initial: Tuple[float, float],
    name: str,
    is_training: bool,
    decay: float = 0.999,
    **options: Any,
) -> Tensor:
    """Rounds numbers in the range of moving averages of the ends, as `quantize_by_last`."""

    def assign(variable: Any, value: Tensor, which: str) -> Tensor:
        return assign_moving_average(variable, value, decay, name=f"Assign{which}Ema")

    return _quantize(inputs, initial, name, assign if is_training else None, **options)


def _quantize(
    inputs: Tensor,
    initial: Tuple[float, float],
    name: str,
    assign: Any,
    num_bits: int,
    narrow_range: bool,
    is_symmetric: bool,
) -> Tensor:
    with variable_scope(None, default_name=name, values=[inputs]) as scope:
        scope.set_partitioner(None)
        low: Any = _variable("min", initial[0])
        high: Any = _variable("max", initial[1])
        if assign is not None:
            ends = _ends(inputs, num_bits, narrow_range, is_symmetric)
            low, high = assign(low, ends[0], "Min"), assign(high, ends[1], "Max")
        return gen_ops.fake_quant_with_min_max_vars(
            inputs, low, high, num_bits=num_bits, narrow_range=narrow_range
        )


def _variable(name: str, value: float) -> Any:
    return get_variable(
        name,
        shape=[],
        initializer=Constant(value),
        collections=[GraphKeys.GLOBAL_VARIABLES],
        trainable=False,
        aggregation=VariableAggregation.MEAN,
    )


def _ends(
    inputs: Tensor, num_bits: int, narrow_range: bool, is_symmetric: bool
) -> Tuple[Tensor, Tensor]:
    """The range of numbers, in which zero always is."""
    least = math_ops.reduce_min(inputs, name="BatchMin")
    most = math_ops.reduce_max(inputs, name="BatchMax")
    if not is_symmetric:
        return gen_ops.minimum(least, 0.0), gen_ops.maximum(most, 0.0)
    # Two's complement has one more negative number than positive ones.
    ratio: float = -1 if narrow_range else -((1 << num_bits) - 2) / (1 << num_bits)
    return gen_ops.minimum(least, most / ratio), gen_ops.maximum(most, least * ratio)
