#pragma once

#include "troupe/devices/cpu/linalg/matrix_batch.hpp"
#include "troupe/devices/cuda/launch.hpp"

namespace troupe::cuda {

// Factors of the matrices that are input 0, in row-major order. Kernels of single blocks make those
// of small matrices, all at once; the library those of larger ones, one after the other. No matrix
// may be empty.

struct CholeskyFactors {
  Tensor lower;   // zero above the diagonal
  Tensor faults;  // int32 for each: not 0 where it is not positive definite
};
Result<CholeskyFactors> factor_cholesky(const Launch& launch, const cpu::MatrixBatch& batch);

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
