"""Linear algebra: products, decompositions, and systems of equations of batches of matrices."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.nn.norm_ops import l2_normalize
from troupe._src.ops.array_ops import matrix_transpose
from troupe._src.ops.array_ops import matrix_transpose as transpose
from troupe._src.ops.clip_ops import global_norm
from troupe._src.ops.gen_ops import cholesky, cross, lu, qr
from troupe._src.ops.gen_ops import diag as tensor_diag
from troupe._src.ops.gen_ops import diag_part as tensor_diag_part
from troupe._src.ops.gen_ops import log_matrix_determinant as slogdet
from troupe._src.ops.gen_ops import matrix_band_part as band_part
from troupe._src.ops.gen_ops import matrix_determinant as det
from troupe._src.ops.gen_ops import matrix_logarithm as logm
from troupe._src.ops.gen_ops import matrix_square_root as sqrtm
from troupe._src.ops.gen_ops import matrix_inverse as inv
from troupe._src.ops.gen_ops import matrix_solve as solve
from troupe._src.ops.gen_ops import matrix_triangular_solve as triangular_solve
from troupe._src.linalg.block_diagonal import LinearOperatorBlockDiag
from troupe._src.linalg.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from troupe._src.linalg.composed_operators import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
)
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
from troupe._src.linalg.toeplitz import LinearOperatorToeplitz
from troupe._src.linalg.diagonal_ops import matrix_diag as diag
from troupe._src.linalg.diagonal_ops import matrix_diag_part as diag_part
from troupe._src.linalg.diagonal_ops import matrix_set_diag as set_diag
from troupe._src.linalg.einsum_ops import einsum
from troupe._src.linalg.linear_ops import norm, normalize, tensordot
from troupe._src.ops.math_ops import matmul
from troupe._src.linalg.matrix_ops import (
    adjoint,
    cholesky_solve,
    expm,
    logdet,
    matrix_rank,
    matvec,
    pinv,
    trace,
)
from troupe._src.linalg.matrix_ops import matrix_solve_ls as lstsq
from troupe._src.linalg.matrix_ops import self_adjoint_eig as eigh
from troupe._src.linalg.matrix_ops import self_adjoint_eigvals as eigvalsh
from troupe._src.linalg.tridiagonal_ops import tridiagonal_matmul, tridiagonal_solve
from troupe._src.ops.rearrange_ops import eye, svd

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, has_ops=True)

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]
