"""The gradients of replicas, which optimizers apply summed."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

from troupe._src.replicas.contexts import strategy_of_many
from troupe._src.replicas.merging import merge_call
from troupe._src.replicas.reduce_op import ReduceOp


def applied(apply: Callable[..., Any], pairs: Sequence[Tuple[Any, Any]], *others: Any) -> Any:
    """What apply(pairs, ...) gives; in replicas it is called once, with the sums of gradients.

    Args:
        apply: Adds the updates of an optimizer.
        pairs: Gradients and variables.
        *others: Its further arguments, the same in all replicas.

    Returns:
        What it gives.
    """
    strategy = strategy_of_many()
    if strategy is None:
        return apply(pairs, *others)

    def apply_sums(strategy: Any, pairs: Any, *others: Any) -> Any:
        variables = [variable for _, variable in pairs]
        sums = strategy.extended.batch_reduce_to(ReduceOp.SUM, pairs)
        return apply(list(zip(sums, variables)), *others)

    return merge_call(strategy, apply_sums, (pairs, *others))
