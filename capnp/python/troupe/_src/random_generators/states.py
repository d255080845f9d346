"""States of generators of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

PHILOX, THREEFRY = 1, 2
_STATE_SIZES = {PHILOX: 3, THREEFRY: 2}
_WORD_BITS = 64


def state_size(algorithm: int) -> int:
    if algorithm not in _STATE_SIZES:
        raise ValueError(f"Unsupported algorithm id: {algorithm}")
    return _STATE_SIZES[algorithm]


def _signed(number: Any) -> Any:
    """The int64 of the bits of an unsigned number."""
    is_beyond = isinstance(number, int) and number >= 1 << (_WORD_BITS - 1)
    return number - (1 << _WORD_BITS) if is_beyond else number


@set_module("troupe.random.experimental")
def create_rng_state(seed: Any, algorithm: int) -> np.ndarray:
    """The state of a generator.

    Args:
        seed: A whole number, or a vector of them: its last words are the key. A shorter one gets
            zeros in front, a longer one is cut.
        algorithm: 1 for Philox, whose state has three numbers, 2 for ThreeFry, whose state has two.

    Returns:
        int64, [numbers of a state].

    Raises:
        ValueError: There is no such algorithm, or the seed is no vector.
    """
    size = state_size(algorithm)
    if isinstance(seed, int):
        words = [seed >> (_WORD_BITS * i) & ((1 << _WORD_BITS) - 1) for i in range(size)]
    else:
        words = list(seed)
    numbers = np.asarray([_signed(word) for word in words], np.int64)
    if numbers.ndim != 1:
        raise ValueError(f"seed should only have one dimension; got shape: {numbers.shape}")
    numbers = numbers[:size]
    return np.concatenate([np.zeros(size - len(numbers), np.int64), numbers])


def state_tensor(state: Any) -> Tensor:
    words = [_signed(word) for word in state] if isinstance(state, list) else state
    return convert_to_tensor(_signed(words), dtypes.int64)


def joined_state(key: Any, counter: Any, algorithm: int) -> Tensor:
    counters, keys = state_tensor(counter), state_tensor(key)
    counters.shape.assert_is_compatible_with([state_size(algorithm) - 1])
    keys.shape.assert_is_compatible_with([])
    return array_ops.concat([counters, array_ops.reshape(keys, [1])], 0)
