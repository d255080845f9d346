"""Linear operators, which `troupe.linalg` has too, and their sums."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.linalg.block_diagonal import LinearOperatorBlockDiag
from troupe._src.linalg.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from troupe._src.linalg.composed_operators import LinearOperatorComposition
from troupe._src.linalg.householder import LinearOperatorHouseholder
from troupe._src.linalg.identity_operators import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from troupe._src.linalg.kronecker import LinearOperatorKronecker
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from troupe._src.linalg.low_rank_update import LinearOperatorLowRankUpdate
from troupe._src.linalg.operator_addition import add_operators
from troupe._src.linalg.toeplitz import LinearOperatorToeplitz

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "LinearOperator",
    "LinearOperatorBlockDiag",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorZeros",
    "add_operators",
]
