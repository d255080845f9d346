"""A pool of earlier values of tensors."""

from __future__ import annotations

from typing import Any, List

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.queues.queues import RandomShuffleQueue
from troupe._src.random.random_ops import random_uniform


def tensor_pool(
    input_values: Any, pool_size: int = 50, pooling_probability: Any = 0.5,
    name: str = "tensor_pool",
) -> Any:  # fmt: skip
    """The values of tensors in this step, or in an earlier one.

    Each step puts its values into a pool. While that is not full, they are also the result; then a
    value of the pool, chosen at random, makes place for them, and is the result with a probability.
    A discriminator thus also sees what a generator has made earlier (arXiv:1612.07828).

    Args:
        input_values: Nested tensors.
        pool_size: How many values the pool has when it is full; with 0 there is no pool.
        pooling_probability: The probability of a value of the pool, a number or a scalar tensor.
        name: The beginning of the name scope.

    Returns:
        Nested tensors of the same structure, all of one step.

    Raises:
        ValueError: `pool_size` is negative.
    """
    pool_size = int(pool_size)
    if pool_size < 0:
        raise ValueError(f"`pool_size` is negative: {pool_size}.")
    if pool_size == 0:
        return input_values
    values = [convert_to_tensor(each) for each in nest.flatten(input_values)]
    with name_scope(f"{name}_pool_queue"):
        queue = RandomShuffleQueue(pool_size, 0, dtypes=[each.dtype for each in values])

        def added() -> List[Tensor]:
            with get_default_graph().control_dependencies([queue.enqueue(values)]):
                return [array_ops.identity(each) for each in values]

        def exchanged() -> Any:
            found = array_ops.as_list(queue.dequeue())
            for value, each in zip(values, found):
                each.set_shape(value.shape)
            with get_default_graph().control_dependencies(found):
                current = added()
            is_older = random_uniform(()) < pooling_probability
            return cond(is_older, lambda: found, lambda: current, strict=True)

        results = cond(queue.size() < pool_size, added, exchanged, strict=True)
    for value, result in zip(values, results):
        result.set_shape(value.shape)
    return nest.pack_sequence_as(input_values, results)
