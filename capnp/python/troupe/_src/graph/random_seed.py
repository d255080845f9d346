"""Seeds of random ops."""

from __future__ import annotations

from typing import Optional, Tuple

from troupe._src.graph.graph import get_default_graph


def set_random_seed(seed: Optional[int]) -> None:
    """Makes the random ops of the default graph produce the same numbers in each session.

    Args:
        seed: The seed; None for numbers that differ in each session.
    """
    get_default_graph().seed = seed


def get_seed(op_seed: Optional[int]) -> Tuple[int, int]:
    """The two seeds of an op, derived by TensorFlow's rules from the graph's seed and its own.

    Args:
        op_seed: The op's own seed, or None.

    Returns:
        Both seeds; (0, 0) where neither is given, which stands for numbers that differ.
    """
    graph = get_default_graph()
    default = 87654321
    if graph.seed is None:
        if op_seed is None:
            return 0, 0
        seeds = default, op_seed
    else:
        seeds = graph.seed, graph.version if op_seed is None else op_seed
    limit = 2**31 - 1
    first, second = (seed % limit for seed in seeds)
    return (0, limit) if (first, second) == (0, 0) else (first, second)
