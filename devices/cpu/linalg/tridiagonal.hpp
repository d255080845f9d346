#pragma once

#include "troupe/devices/cpu/linalg/matrix_batch.hpp"

namespace troupe::cpu {

/// The right-hand sides of TridiagonalMatMul; fails where the diagonals do not fit them.
Result<MatrixBatch> tridiagonal_product_batch(const Launch& launch);
/// Those of TridiagonalSolve.
Result<MatrixBatch> tridiagonal_systems(const Launch& launch);

/// The error of a matrix in whose elimination a pivot is 0.
Status no_tridiagonal_solution(bool pivots);

}  // namespace troupe::cpu
