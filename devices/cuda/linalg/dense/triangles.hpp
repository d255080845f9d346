#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Makes each of the right-hand sides [size, columns] in `x` the solution of a system whose matrix
/// is the lower or the upper half of one of [size, size], or the adjoint of that half.
struct TriangleSystems {
  const void* matrices;
  void* x;
  int64_t count, size, columns;
  bool is_lower, is_adjoint;
  bool has_ones = false;  // on its diagonal, which is not read
  cudaStream_t stream = nullptr;
};
void launch_solve_triangles(Element element, const TriangleSystems& call);

/// Sets the fault of each matrix of [size, size] to 1 if there is a 0 on its diagonal, else to 0.
void launch_find_zeros_on_diagonals(
    Element element, int32_t* faults, const void* matrices, int64_t count, int64_t size,
    cudaStream_t stream);

// Of real elements.

/// Writes half of matrix + transpose(matrix) for matrices of [size, size].
void launch_symmetric_parts(
    Element element, void* to, const void* matrices, int64_t count, int64_t size,
    cudaStream_t stream);
/// Halves the diagonals of matrices of [size, size] and sets what is above them to 0.
void launch_halve_diagonals(
    Element element, void* matrices, int64_t count, int64_t size, cudaStream_t stream);

/// Adds a number to the diagonals of matrices of [size, size], of float64.
void launch_add_to_diagonals(
    void* matrices, double number, int64_t count, int64_t size, cudaStream_t stream);

}  // namespace troupe::cuda
