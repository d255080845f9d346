"""Minimization under constraints, as a game between the parameters and the constraints."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.constrained_optimization.candidates import (
    find_best_candidate_distribution,
    find_best_candidate_index,
)
from troupe._src.constrained_optimization.optimizer import ConstrainedOptimizer
from troupe._src.constrained_optimization.problem import ConstrainedMinimizationProblem
from troupe._src.constrained_optimization.regret import (
    AdditiveExternalRegretOptimizer,
    AdditiveSwapRegretOptimizer,
    MultiplicativeSwapRegretOptimizer,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AdditiveExternalRegretOptimizer",
    "AdditiveSwapRegretOptimizer",
    "ConstrainedMinimizationProblem",
    "ConstrainedOptimizer",
    "MultiplicativeSwapRegretOptimizer",
    "find_best_candidate_distribution",
    "find_best_candidate_index",
]
