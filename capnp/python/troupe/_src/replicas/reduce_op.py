"""How values of replicas become one."""

from __future__ import annotations

import enum
from typing import Any, Union

from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class ReduceOp(enum.Enum):
    """How values are reduced: to their sum, or to their mean."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """The reduction of a `tf.VariableAggregation`.

        Args:
            aggregation: The aggregation.

        Returns:
            The reduction.

        Raises:
            ValueError: It is neither SUM nor MEAN.
        """
        return as_reduce_op(aggregation.name)


def as_reduce_op(given: Union[ReduceOp, str]) -> ReduceOp:
    """The reduction of that name, or itself."""
    if isinstance(given, ReduceOp):
        return given
    return ReduceOp[str(given).upper()] if str(given).upper() in ("SUM", "MEAN") else _refuse(given)


def _refuse(given: Any) -> ReduceOp:
    raise ValueError(f"a reduction must be SUM or MEAN, not {given!r}")
