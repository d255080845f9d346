"""Which parameter server the next variable is placed on."""

from __future__ import annotations

import hashlib
import math
from typing import Any, Callable, List

from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape


class RandomStrategy:
    """Places each node by a hash of its name, so that every process places it alike.

    For `ps_strategy` of `tf.train.replica_device_setter`.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        """A strategy.

        Args:
            num_ps_tasks: The number of tasks.
            seed: Is hashed with the name.
        """
        self._task_count, self._seed = num_ps_tasks, seed

    def __call__(self, op: Any) -> int:
        """The task of a node.

        Args:
            op: The node.

        Returns:
            The index of the task.
        """
        digest = hashlib.md5(f"{op.name}_{self._seed}".encode(), usedforsecurity=False)
        return int(digest.hexdigest(), 16) % self._task_count


class GreedyLoadBalancingStrategy:
    """Places each node on the task that has the least load so far.

    For `ps_strategy` of `tf.train.replica_device_setter`. All processes have to add variables in
    one order.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], Any]) -> None:
        """A strategy.

        Args:
            num_tasks: The number of tasks.
            load_fn: The load of a node, such as `byte_size_load_fn`.
        """
        self._loads: List[Any] = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op: Any) -> int:
        """The task of a node, which has its load from then on.

        Args:
            op: The node.

        Returns:
            The index of the task.
        """
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """The bytes of a variable.

    Args:
        op: The node of the variable.

    Returns:
        The number of bytes.

    Raises:
        ValueError: Its shape is not known.
    """
    shape = TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    sizes: Any = shape.as_list()
    return int(math.prod(sizes)) * as_dtype(op.get_attr("dtype")).size
