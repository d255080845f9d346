"""The best of some solutions of a problem with constraints."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.platform.optional_modules import optional_module


def find_best_candidate_distribution(
    objective_vector: Any, constraints_matrix: Any, epsilon: float = 0.0
) -> Any:
    """How to choose among solutions at random, so that the objective is small on average.

    The constraints are violated as little as possible on average. It needs SciPy.

    Args:
        objective_vector: The objective of n solutions, [n].
        constraints_matrix: Their m constraints, [m, n].
        epsilon: To which error the least violation is searched.

    Returns:
        The probabilities of the solutions, a NumPy array [n].

    Raises:
        ImportError: SciPy is not installed.
        ValueError: The shapes do not fit, or `epsilon` is negative.
    """
    if epsilon < 0.0:
        raise ValueError("epsilon must be nonnegative")
    found = _best_distribution(objective_vector, constraints_matrix, 0.0)
    if found is not None:
        return found
    low, high = 0.0, float(np.min(np.amax(constraints_matrix, axis=0)))
    best = _best_distribution(objective_vector, constraints_matrix, high)
    assert best is not None  # the solution that violates least
    while True:
        middle = 0.5 * (low + high)
        if middle - low <= epsilon or high - middle <= epsilon:
            return best
        found = _best_distribution(objective_vector, constraints_matrix, middle)
        if found is None:
            low = middle
        else:
            best, high = found, middle


def _best_distribution(objectives: Any, constraints: Any, violation: float) -> Optional[Any]:
    """The same for a given violation; None if that is impossible."""
    count, size = _checked_shape(objectives, constraints)
    optimize = optional_module("scipy.optimize", "scipy", "find_best_candidate_distribution")
    result = optimize.linprog(
        objectives,
        A_ub=constraints,
        b_ub=np.full([count, 1], violation),
        A_eq=np.ones([1, size]),
        b_eq=np.ones([1, 1]),
        bounds=(0, None),
    )
    return result.x if result.success else None


def find_best_candidate_index(
    objective_vector: Any, constraints_matrix: Any, rank_objectives: bool = False
) -> Optional[int]:
    """The solution whose worst rank is the best.

    Solutions are ranked by each constraint, those that do not violate it alike.

    Args:
        objective_vector: The objective of n solutions, [n].
        constraints_matrix: Their m constraints, [m, n].
        rank_objectives: Whether the rank by the objective counts, too; else it only tells solutions
            apart that have the same worst rank.

    Returns:
        The number of the solution; None if there are none.

    Raises:
        ValueError: The shapes do not fit.
    """
    _, size = _checked_shape(objective_vector, constraints_matrix)
    worst = _ranks(objective_vector) if rank_objectives else np.zeros([size], np.int64)
    for violations in np.maximum(0.0, constraints_matrix):
        worst = np.maximum(worst, _ranks(violations))
    best = None
    for i in range(size):
        if best is None or worst[i] < worst[best]:
            best = i
        elif worst[i] == worst[best] and objective_vector[i] <= objective_vector[best]:
            best = i
    return best


def _ranks(values: Any) -> Any:
    """From 1 on; equal values have the same, least rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts + 1)[places.reshape(-1)]


def _checked_shape(objectives: Any, constraints: Any) -> Any:
    shape = np.shape(constraints)
    if len(shape) != 2 or np.shape(objectives) != shape[1:]:
        raise ValueError(
            "objective_vector must have shape (n,), and constraints_matrix (m, n), where n is the "
            "number of candidates, and m is the number of constraints"
        )
    return shape
