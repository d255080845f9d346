#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// The size of the greatest square matrices that a block of threads decomposes alone.
inline constexpr int64_t block_matrix_max = 128;

/// Makes of the lower halves of matrices of [size, size] the L of L * adjoint(L), at most
/// block_matrix_max in size. The fault of each becomes 1 where it is not positive definite, else 0.
void launch_cholesky(
    Element element, void* matrices, int32_t* faults, int64_t count, int64_t size,
    cudaStream_t stream);

/// Matrices of [size, size] as products with triangular factors, rows exchanged.
struct PivotMemory {
  void* factors;   // the upper one, and below the diagonal the lower one, which has ones there
  int32_t* rows;   // for each row of the product, which one of the matrix it is
  int32_t* signs;  // of each matrix: 1, or -1 for an odd number of exchanges
};

/// Makes the factors of the matrices that lie in their place, at most block_matrix_max in size.
void launch_find_pivots(
    Element element, const PivotMemory& memory, int64_t count, int64_t size, cudaStream_t stream);

/// The rows and signs of exchanges as LAPACK gives them: of row i and row exchanges[i] - 1, one
/// after the other.
void launch_follow_exchanges(
    const PivotMemory& memory, const int64_t* exchanges, int64_t count, int64_t size,
    cudaStream_t stream);

/// Writes for each row of the products [size, columns] that row of `from`; without it, of the
/// identity.
void launch_take_rows(
    Element element, void* to, const void* from, const int32_t* rows, int64_t count, int64_t size,
    int64_t columns, cudaStream_t stream);

/// The determinants of matrices that have such factors, or if `logarithms` is there, their sign and
/// the logarithm of their size. Empty ones need no memory.
void launch_determinants(
    Element element, void* determinants, void* logarithms, const PivotMemory& memory, int64_t count,
    int64_t size, cudaStream_t stream);

}  // namespace troupe::cuda
