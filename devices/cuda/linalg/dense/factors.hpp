#pragma once

#include "troupe/devices/cpu/linalg/matrix_batch.hpp"
#include "troupe/devices/cuda/launch.hpp"

namespace troupe::cuda {

// Factors of matrices in row-major order, of input 0 where none are given. Kernels of single blocks
// make those of small matrices, all at once; the library those of larger ones, one after the other.
// No matrix may be empty.

struct CholeskyFactors {
  Tensor lower;   // zero above the diagonal
  Tensor faults;  // int32 for each: not 0 where it is not positive definite
};
Result<CholeskyFactors> factor_cholesky(
    const Launch& launch, const Tensor& matrices, const cpu::MatrixBatch& batch);

/// As PivotMemory (pivots.hpp) has them.
struct PivotFactors {
  Tensor factors, rows, signs;
};
Result<PivotFactors> find_pivots(
    const Launch& launch, const cpu::MatrixBatch& batch, bool of_adjoint);

/// As Reflections (reflections.hpp) has them.
struct ReflectionFactors {
  Tensor matrices, factors;
};
Result<ReflectionFactors> find_reflections(const Launch& launch, const cpu::MatrixBatch& batch);

}  // namespace troupe::cuda
