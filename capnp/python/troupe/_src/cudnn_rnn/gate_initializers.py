"""Initial values of the weights of all gates, each by itself, as cuDNN has them."""

from __future__ import annotations

from typing import Any

from troupe._src.ops import array_ops, math_ops
from troupe._src.types.shapes import as_shape
from troupe._src.variables.initializers import Initializer


class GateKernels(Initializer):
    """A kernel [rows, gates * units] of matrices [units, size], which `each` initializes.

    Args:
        each: The initializer of a gate's matrix, for the inputs or for the state.
        depth: The size of the inputs.
        units: The number of units.
    """

    def __init__(self, each: Any, depth: int, units: int) -> None:
        self._each, self._depth, self._units = each, depth, units

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        rows, columns = map(int, as_shape(shape))
        is_joined = rows == self._depth + self._units
        sizes = [self._depth, self._units] if is_joined else [rows]
        gates = [
            array_ops.concat(
                [array_ops.transpose(self._each([self._units, size], dtype)) for size in sizes], 0
            )
            for _ in range(columns // self._units)
        ]
        return array_ops.concat(gates, 1)


class GateBiases(Initializer):
    """A bias [gates * units], the sum of the two that a gate has for its inputs and its state.

    Args:
        each: The initializer of a bias [units].
        units: The number of units.
    """

    def __init__(self, each: Any, units: int) -> None:
        self._each, self._units = each, units

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        (columns,) = map(int, as_shape(shape))
        own = [self._units]
        gates = [
            math_ops.add(self._each(own, dtype), self._each(own, dtype))
            for _ in range(columns // self._units)
        ]
        return array_ops.concat(gates, 0)
